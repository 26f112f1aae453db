/** The names that each expression of a policy may use, and the expressions compiled with them. */
import { type Compiled, compileExpression, type Vocabulary } from "./compile.ts";
import { PolicyError } from "./tokens.ts";
import type { Type } from "./types.ts";

const user: Type = {
	fields: { id: "string", tags: { list: "string" }, email: "string", alias: "string" },
};

const credential: Type = {
	fields: { id: "string", user_id: "string", type: "string", credential_id: "string", public_key: "string" },
};

/** None of the emulator's activities has parameters that a policy sees. */
const activity: Type = {
	fields: { type: "string", kind: "string", resource: "string", action: "string", params: "missing" },
};

const ofSigning = ["wallet", "wallets", "wallet_account", "private_key", "eth", "solana", "tron", "bitcoin", "tempo"];

/** Each field sees its own names alone (assumptions.ts). */
export const vocabularies = {
	consensus: { names: { approvers: { list: user }, credentials: { list: credential } }, hasTimeFunctions: false },
	condition: {
		names: { activity, ...Object.fromEntries(ofSigning.map((name) => [name, "missing"] as const)) },
		hasTimeFunctions: false,
	},
	time: { names: { time: { fields: { now: "timestamp" } } }, hasTimeFunctions: true },
} as const satisfies Readonly<Record<string, Vocabulary>>;

export type ExpressionField = keyof typeof vocabularies;

/** The expressions of a policy. */
type Expressions = Readonly<Partial<Record<ExpressionField, string>>>;

/** Returns the compiled expression; undefined for one that does not restrict. Throws a PolicyError for one that is not understood. */
export function compileField(policy: Expressions, field: ExpressionField): Compiled | undefined {
	const text = policy[field] ?? "";
	return text.trim() === "" ? undefined : compileExpression(text, vocabularies[field]);
}

/** Throws what `makeError` returns for the first expression that is not understood. */
export function checkExpressions(
	policy: Expressions,
	makeError: (field: ExpressionField, reason: string) => Error,
): void {
	for (const field of ["consensus", "condition", "time"] as const) {
		try {
			compileField(policy, field);
		} catch (error) {
			throw error instanceof PolicyError ? makeError(field, error.message) : error;
		}
	}
}
