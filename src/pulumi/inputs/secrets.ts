/**
 * Secret inputs. The engine passes every value to a dynamic provider in plain text, so the resource class adds the names of
 * secret inputs as `secretInputs` (resource-class.ts). With them, values become Pulumi secrets in the state, and nothing that
 * the provider prints shows them.
 */
import { createHash } from "node:crypto";
import { showText } from "../../common/escape.ts";
import { uuid } from "../../common/uuid.ts";
import { hasUnknown, type Properties } from "./inputs.ts";

/** Marks a value that has a meaning of its own in the engine's protocol. */
export const signatureKey = "4dabf18193072939515e22adb298388d";
export const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

const placeholder = "[secret]";

/** Outputs that repeat inputs in other forms. */
const derived: readonly string[] = ["managed", "lastApplied", "activities", "removedAt", "validUntil"];

/** Inputs that identify a tag. If one is secret, no message suggests live names. */
const tagNames: readonly string[] = ["name", "previously", "tagId"];
const suggestions = /; the nearest: .*?(?=; orgsync )|; the nearest: .*$/gs;

export function namesOfSecrets(properties: object): readonly string[] {
	const { secretInputs } = properties as Properties;
	return Array.isArray(secretInputs) ? secretInputs.filter((name) => typeof name === "string") : [];
}

/** Every string and number in the secret inputs of a resource, and in `managed`. */
function valuesOfSecrets(properties: object): readonly string[] {
	const names = namesOfSecrets(properties);
	const all = properties as Properties;
	return names.length === 0 ? [] : [...names, "managed"].flatMap((name) => listLeaves(all[name]));
}

function listLeaves(value: unknown): readonly string[] {
	if (typeof value === "number") return [String(value)];
	if (typeof value === "string") return value === "" || hasUnknown(value) ? [] : [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(listLeaves) : [];
}

/** Secret values of a process. Its resources share them: the error of one may name a secret of another. */
export class SecretValues {
	readonly #values = new Set<string>();
	#pattern: RegExp | undefined;
	#hidesNames = false;

	addFrom(properties: object): void {
		this.add(valuesOfSecrets(properties));
		if (namesOfSecrets(properties).some((name) => tagNames.includes(name))) this.#hidesNames = true;
	}

	add(values: readonly string[]): void {
		const before = this.#values.size;
		for (const value of values) this.#values.add(value);
		if (this.#values.size > before) this.#pattern = undefined;
	}

	/** The text with a placeholder for each secret value, in upper or lower case, escaped or not. */
	redact(text: string): string {
		if (this.#values.size === 0) return text;
		this.#pattern ??= patternOf([...this.#values]);
		const shown = text.replace(this.#pattern, placeholder);
		return this.#hidesNames ? shown.replace(suggestions, "") : shown;
	}
}

/** Matches any of the values, longest first, unless it is a part of a longer word. */
function patternOf(values: readonly string[]): RegExp {
	const forms = [...new Set(values.flatMap(formsOf))].sort((left, right) => right.length - left.length);
	return new RegExp(forms.flatMap((form) => [wordPattern(form), ...cutPattern(form)]).join("|"), "giu");
}

/** The forms of a value in messages: plain, with control characters escaped, as JSON. */
function formsOf(value: string): readonly string[] {
	const escaped = value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
		return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
	});
	return [value, showText(value), escaped, JSON.stringify(value).slice(1, -1)];
}

function wordPattern(text: string): string {
	const letter = "[\\p{L}\\p{N}]";
	const before = /^[\p{L}\p{N}]/u.test(text) ? `(?<!${letter})` : "";
	const after = /[\p{L}\p{N}]$/u.test(text) ? `(?!${letter})` : "";
	return `${before}${escapePattern(text)}${after}`;
}

/** Matches a long text that was cut in a message: its beginning, and an ellipsis. */
function cutPattern(text: string): readonly string[] {
	return text.length > cutFromLength ? [`${escapePattern(text.slice(0, cutFromLength))}[^\`]*?…`] : [];
}

/** Messages do not cut shorter texts. */
const cutFromLength = 20;

function escapePattern(text: string): string {
	return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll("-", "\\x2d");
}

export function markSecret(value: unknown): Properties {
	return { [signatureKey]: secretSignature, value };
}

export function isMarkedSecret(value: unknown): boolean {
	return typeof value === "object" && value !== null && (value as Properties)[signatureKey] === secretSignature;
}

/** The properties with every secret input, and every repetition of one, as a Pulumi secret. The engine marks unknown values. */
export function seal(properties: object): Record<string, unknown> {
	const names = namesOfSecrets(properties);
	if (names.length === 0) return { ...properties };
	const values = new SecretValues();
	values.add(valuesOfSecrets(properties));
	const isSecret = (name: string, value: unknown): boolean =>
		names.includes(name) || derived.includes(name) || listLeaves(value).some((leaf) => values.redact(leaf) !== leaf);
	return Object.fromEntries(
		Object.entries(properties).map(([name, value]) =>
			value === undefined || hasUnknown(value) || !isSecret(name, value) ? [name, value] : [name, markSecret(value)],
		),
	);
}

/** The id of a resource, or its digest if it contains a secret input: Pulumi stores ids in plain text. */
export function sealId(id: string, properties: object): string {
	return inputInId(id, properties) === undefined ? id : `sha256:${createHash("sha256").update(id).digest("hex")}`;
}

/** The name of the first secret input that an id contains, or undefined. Ids contain no inputs but UUIDs. */
export function inputInId(id: string, properties: object): string | undefined {
	const all = properties as Properties;
	const isHeld = (value: string): boolean => uuid.test(value) && id.includes(value.toLowerCase());
	return namesOfSecrets(properties).find((name) => listLeaves(all[name]).some(isHeld));
}
