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

/** Returns a struct with these fields, which the emulator's activities lack. What is below a field is not checked. */
function structOf(fields: string): Type {
	return { fields: Object.fromEntries(fields.split(" ").map((name): [string, Type] => [name, "missing"])) };
}

const wallet = structOf("id imported exported label");

/** What a condition sees beside the activity, as the vendor's documentation has it. */
const ofOtherActivities: Readonly<Record<string, Type>> = {
	wallet,
	wallets: { list: wallet },
	wallet_account: structOf("address path_indexes path_hardened"),
	private_key: structOf("id tags imported exported label"),
	eth: {
		fields: {
			tx: structOf(
				"from to data value gas gas_price chain_id nonce max_fee_per_gas max_priority_fee_per_gas max_fee_per_blob_gas " +
					"type function_name function_signature contract_call_args",
			),
			eip_712: structOf("primary_type domain message"),
			eip_7702_authorization: structOf("address chain_id nonce"),
		},
	},
	solana: {
		fields: {
			tx: structOf(
				"account_keys program_keys instructions transfers version priority_fee_lamports compute_unit_limit " +
					"loaded_accounts_data_size_limit heap_size recent_blockhash spl_transfers address_table_lookups",
			),
		},
	},
	tron: { fields: { tx: structOf("ref_block_bytes ref_block_hash expiration timestamp data fee_limit contract") } },
	bitcoin: { fields: { tx: structOf("version inputs outputs locktime fee") } },
	tempo: {
		fields: {
			tx: structOf(
				"chain_id from nonce gas_limit max_fee_per_gas max_priority_fee_per_gas fee_token valid_before valid_after calls",
			),
		},
	},
	secret: "missing",
	controls: "missing",
};

/** Each field sees its own names alone (assumptions.ts). */
export const vocabularies = {
	consensus: { names: { approvers: { list: user }, credentials: { list: credential } }, hasTimeFunctions: false },
	condition: { names: { activity, ...ofOtherActivities }, hasTimeFunctions: false },
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
