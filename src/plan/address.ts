/** Addresses, `KIND:LABEL`, name objects for people, for options, and in plans. A label can hold any character. */
import { isKindName, type KindName } from "./kinds/names.ts";

interface Address {
	readonly kind: KindName;
	/** What documents and plans call the object within its kind: a name, an id, or `OWNER/ID`. */
	readonly label: string;
}

export type AddressText = `${KindName}:${string}`;

/** Names a rule of the document, which is no object (rules.ts). */
export type RuleAddress = `rule:${string}`;

export function isRuleAddress(text: string): text is RuleAddress {
	return text.startsWith("rule:");
}

export function printAddress(kind: KindName, label: string): AddressText {
	return `${kind}:${label}`;
}

/** Returns undefined when the text names no kind that exists, or no label. */
export function parseAddress(text: string): Address | undefined {
	const colon = text.indexOf(":");
	const [kind, label] = [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
	return isKindName(kind) && label !== "" ? { kind, label } : undefined;
}

/** Returns the label of an address, or the text itself where it is no address, such as `protect.users`. */
export function labelOf(text: string): string {
	return parseAddress(text)?.label ?? text;
}

/** What could not be read: one object, all objects of a kind, what a rule needs, pending activities, or who the caller is. */
export type Scope =
	| { readonly scope: "object"; readonly address: AddressText }
	| { readonly scope: "kind"; readonly kind: KindName }
	| { readonly scope: "rule"; readonly address: RuleAddress }
	| { readonly scope: "activities" }
	| { readonly scope: "caller" };

/** Returns the scope in words that fit beside addresses: an address, `KIND:*`, `activity:*` or `caller`. */
export function printScope(scope: Scope): string {
	switch (scope.scope) {
		case "object":
		case "rule":
			return scope.address;
		case "kind":
			return `${scope.kind}:*`;
		case "activities":
			return "activity:*";
		case "caller":
			return "caller";
	}
}

export function scopeOf(address: AddressText | RuleAddress): Scope {
	return isRuleAddress(address) ? { scope: "rule", address } : { scope: "object", address };
}

export function includesObject(scope: Scope, address: string): boolean {
	if (scope.scope === "object" || scope.scope === "rule") return scope.address === address;
	return scope.scope === "kind" && parseAddress(address)?.kind === scope.kind;
}
