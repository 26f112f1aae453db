/** The names that each field of a policy may use (docs/internals/service.md#expressions). */
import type { Vocabulary } from "./compile.ts";
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
