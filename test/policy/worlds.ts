/** What the names of a policy are in tests, and how tests read a text. */
import { checkExpression } from "../../src/policy/language/checker.ts";
import { evaluate, type Scope } from "../../src/policy/language/evaluate.ts";
import { parseExpression } from "../../src/policy/language/parser.ts";
import type { Clause, Expression } from "../../src/policy/language/syntax.ts";
import { isUnknown, listOf, structOf, timestampOf, type Value } from "../../src/policy/language/values.ts";

/** Plain data as a value: an object is a struct without other fields, a number is a whole number. */
export type Plain = boolean | number | bigint | string | readonly Plain[] | { readonly [name: string]: Plain };

function toValue(plain: Plain): Value {
	if (typeof plain === "number") return BigInt(plain);
	if (typeof plain !== "object") return plain;
	if (Array.isArray(plain)) return listOf(plain.map(toValue));
	return structOf(Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, toValue(value)])));
}

export function scopeOf(names: Readonly<Record<string, Plain>>, more: Readonly<Record<string, Value>> = {}): Scope {
	const plain = Object.entries(names).map(([name, value]) => [name, toValue(value)] as const);
	return new Map<string, Value>([...plain, ...Object.entries(more)]);
}

/** Users as policies see them: alice has both tags, bob one, carol none. */
export const people = {
	alice: { id: "user-alice", tags: ["tag-security", "tag-operations"], email: "alice@example.com", alias: "al" },
	bob: { id: "user-bob", tags: ["tag-operations"], email: "bob@example.com", alias: "bo" },
	carol: { id: "user-carol", tags: [], email: "", alias: "" },
} as const;

export function approvedBy(...users: readonly (keyof typeof people)[]): Scope {
	const credentials = users.map((name) => ({
		id: `key-${name}`,
		user_id: people[name].id,
		type: name === "alice" ? "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR" : "CREDENTIAL_TYPE_API_KEY_P256",
		credential_id: name === "alice" ? "passkey-1" : "",
		public_key: `02${name}`,
	}));
	return scopeOf({ approvers: users.map((name) => people[name]), credentials });
}

/** A time clause at a moment such as `2026-03-01T00:00:00Z`. */
export function at(moment: string): Scope {
	return new Map([["time", structOf({ now: timestampOf(Date.parse(moment)) })]]);
}

/** Returns the tree; throws where the text is not understood. */
export function parseText(text: string): Expression {
	const parsed = parseExpression(text);
	if ("mistakes" in parsed) throw new Error(`${text}: ${parsed.mistakes[0]?.message}`);
	return parsed.expression;
}

/** Returns the mistakes of a text as `offset: message`, of the parser or else of the checker. */
export function mistakesIn(text: string, clause: Clause): readonly string[] {
	const parsed = parseExpression(text);
	const mistakes = "mistakes" in parsed ? parsed.mistakes : checkExpression(parsed.expression, clause);
	return mistakes.map(({ message, span }) => `${span.start}: ${message}`);
}

/** Returns the value of a text, or the cause and the reason where it is unknown. */
export function outcome(text: string, scope: Scope): unknown {
	const value = evaluate(parseText(text), scope);
	return isUnknown(value) ? `${value.cause}: ${value.because}` : value;
}
