/** Types of the policy language, and the names that each clause knows (docs/internals/policies.md#names). */
import { remember } from "../../common/remember.ts";
import type { Clause } from "./syntax.ts";

export type IdKind = "user" | "userTag";

export type Type =
	/** `any`: the documentation does not say; nothing is checked. */
	| { readonly kind: "bool" | "number" | "timestamp" | "any" }
	/** `id`: it is the id of a user or of a tag of users. */
	| { readonly kind: "string"; readonly id?: IdKind }
	| { readonly kind: "list"; readonly of: Type }
	| { readonly kind: "map"; readonly of: Type }
	| {
			readonly kind: "struct";
			/** Empty for a struct that the expression itself writes. */
			readonly name: string;
			readonly fields: ReadonlyMap<string, Type>;
			/** Whether it may have fields that are not listed. */
			readonly isOpen: boolean;
	  };

/** How the tables write a type: a struct by its name, `[T]` for a list, `{T}` for a map. */
type Written = string;

/** The names of each clause. `time` has no others; `consensus` names who approved, `condition` what the activity is. */
const keywords: Readonly<Record<Clause, Readonly<Record<string, Written>>>> = {
	consensus: { approvers: "[User]", credentials: "[Credential]" },
	condition: {
		activity: "Activity",
		wallet: "Wallet",
		wallets: "[Wallet]",
		wallet_account: "WalletAccount",
		private_key: "PrivateKey",
		secret: "Secret",
		eth: "Ethereum",
		solana: "Solana",
		tron: "Tron",
		bitcoin: "Bitcoin",
		tempo: "Tempo",
		controls: "Controls",
	},
	time: { time: "Time" },
};

/**
 * The fields of each struct. `*`: it may have others. `int` and `uint` are `number`: unverified, chosen: they are compared by
 * value. A number or string that only some activities or contracts have is there all the same.
 */
const structs: Readonly<Record<string, string>> = {
	User: "id userId, tags [userTagId], email string, alias string",
	Credential: "id string, user_id userId, type string, credential_id string, public_key string",
	Activity: "type string, kind string, resource string, action string, params Params",
	Params:
		"type string, hash_function string, encoding string, user_ids [userId], user_id userId, api_key_ids [string], " +
		"target_public_key string, wallet_id string, otp_length number, session_profile_id string, endpoint_id string, " +
		"sign_with string, signatures [SparkSignature], transfer SparkPackage, claim SparkPackage, " +
		"lightning_receive SparkPackage, input_token string, output_token string, input_amount number, " +
		"min_output_amount number, quoted_output_amount number, slippage_bps number, slippage number, sponsor bool, " +
		"destination_address string, wallet_account string, provider string, quote_id string, evm_nonce string, " +
		"recent_blockhash string, chain string, vault_address string, wrapper_address string, assets number, " +
		"amount_value string, client_fee_bps number, client_fee_wallet string, deposits_disabled bool, *",
	Wallet: "id string, imported bool, exported bool, label string",
	WalletAccount: "address string, path_indexes [number], path_hardened [bool]",
	PrivateKey: "id string, tags [string], imported bool, exported bool, label string",
	Secret: "static_properties {string}, *",
	// Velocity controls, by identifier: their type is not documented.
	Controls: "*",
	Time: "now timestamp",
	Ethereum: "tx EthereumTransaction, eip_712 Eip712TypedData, eip_7702_authorization Eip7702Authorization",
	EthereumTransaction:
		"from string, to string, data string, value number, gas number, gas_price number, chain_id number, nonce number, " +
		"max_fee_per_gas number, max_priority_fee_per_gas number, max_fee_per_blob_gas number, type string, " +
		"function_name string, function_signature string, contract_call_args {any}",
	Eip712TypedData: "primary_type string, domain Eip712Domain, message {any}",
	Eip712Domain: "name string, version string, chain_id number, verifying_contract string, *",
	// Documented as numbers, and compared with strings in the documentation's own example.
	Eip7702Authorization: "address string, chain_id any, nonce any",
	Solana: "tx SolanaTransaction",
	SolanaTransaction:
		"account_keys [string], program_keys [string], instructions [SolanaInstruction], transfers [SolanaTransfer], " +
		"version string, priority_fee_lamports number, compute_unit_limit number, loaded_accounts_data_size_limit number, " +
		"heap_size number, recent_blockhash string, spl_transfers [SolanaTokenTransfer], address_table_lookups [SolanaLookup]",
	SolanaInstruction:
		"program_key string, accounts [SolanaAccount], instruction_data_hex string, address_table_lookups [SolanaLookup], " +
		"parsed_instruction_data SolanaParsedInstruction",
	SolanaAccount: "account_key string, signer bool, writable bool",
	SolanaTransfer: "from string, to string, amount number",
	SolanaTokenTransfer: "from string, to string, amount number, owner string, signers [string], token_mint string",
	SolanaLookup: "address_table_key string, writable_indexes [number], readonly_indexes [number]",
	SolanaParsedInstruction:
		"instruction_name string, discriminator string, named_account {string}, named_accounts {string}, " +
		"program_call_args {any}",
	Tron: "tx TronTransaction",
	TronTransaction:
		"ref_block_bytes string, ref_block_hash string, expiration number, timestamp number, data string, fee_limit number, " +
		"contract [TronContract]",
	TronContract:
		"type string, permission_id number, owner_address string, to_address string, amount number, contract_address string, " +
		"call_value number, data string, call_token_value number, token_id number, resource string, balance number, " +
		"receiver_address string, lock bool, lock_period number, frozen_balance number, unfreeze_balance number, " +
		"owner TronPermission, witness TronPermission, actives [TronPermission]",
	TronPermission:
		"type string, id number, permission_name string, threshold number, parent_id number, operations string, keys any",
	Bitcoin: "tx BitcoinTransaction",
	BitcoinTransaction:
		"version string, inputs [BitcoinInput], outputs [BitcoinOutput], locktime BitcoinLocktime, fee number",
	BitcoinInput: "tx_id string, vout number, sequence number",
	BitcoinOutput: "value number, script_pubkey string, address string, address_type string",
	BitcoinLocktime: "amount number, type string",
	Tempo: "tx TempoTransaction",
	TempoTransaction:
		"chain_id number, from string, nonce number, gas_limit number, max_fee_per_gas number, " +
		"max_priority_fee_per_gas number, fee_token string, valid_before number, valid_after number, calls [TempoCall]",
	TempoCall: "to string, input string, function_signature string",
	SparkSignature: "derivation SparkDerivation, message string, verifying_key string, adaptor_public_key string, *",
	SparkDerivation: "type string, signing_leaf SparkSigningLeaf, static_deposit SparkStaticDeposit",
	SparkSigningLeaf: "leaf_id string",
	SparkStaticDeposit: "index number",
	SparkPackage:
		"transfer_id string, leaves [SparkLeaf], threshold number, operator_recipients [SparkOperator], " +
		"receiver_public_key string, sender_identity_public_key string",
	SparkLeaf:
		"leaf_id string, ciphertext string, sender_signature string, old_leaf_derivation SparkDerivation, " +
		"new_leaf_derivation SparkDerivation, refund_signature string, direct_refund_signature string, " +
		"direct_from_cpfp_refund_signature string",
	SparkOperator: "operator_id string, encryption_public_key string",
};

const cache = new Map<string, Type>();

function readType(written: Written): Type {
	return remember(cache, written, () => makeType(written));
}

function makeType(written: Written): Type {
	if (written.startsWith("[")) return { kind: "list", of: readType(written.slice(1, -1)) };
	if (written.startsWith("{")) return { kind: "map", of: readType(written.slice(1, -1)) };
	if (written === "userId" || written === "userTagId") {
		return { kind: "string", id: written === "userId" ? "user" : "userTag" };
	}
	const struct = structs[written];
	if (struct === undefined) return { kind: written as "bool" | "number" | "string" | "timestamp" | "any" };
	const fields = new Map<string, Type>();
	const parts = struct.split(", ");
	for (const part of parts) {
		const [name = "", type = ""] = part.split(" ");
		if (name !== "*") fields.set(name, readType(type));
	}
	return { kind: "struct", name: written, fields, isOpen: parts.includes("*") };
}

/** Returns the names that the clause knows, each with its type. */
export function namesOf(clause: Clause): ReadonlyMap<string, Type> {
	return remember(
		known,
		clause,
		() => new Map(Object.entries(keywords[clause]).map(([name, written]) => [name, readType(written)])),
	);
}

const known = new Map<Clause, ReadonlyMap<string, Type>>();

/** Returns the clause that knows the name, or undefined. */
export function clauseOf(name: string): Clause | undefined {
	return (["consensus", "condition", "time"] as const).find((clause) => Object.hasOwn(keywords[clause], name));
}

/** Returns the type as messages write it: `a list of strings` is `a list`. */
export function describeType(type: Type): string {
	return type.kind === "any" ? "a value of any type" : `a ${type.kind}`;
}

/** Returns the type that two items of one list have, or null. */
export function unify(left: Type, right: Type): Type | null {
	if (left.kind === "any") return right;
	if (right.kind === "any") return left;
	if (left.kind === "struct" && right.kind === "struct") return unifyStructs(left, right);
	if ((left.kind === "list" && right.kind === "list") || (left.kind === "map" && right.kind === "map")) {
		const of = unify(left.of, right.of);
		return of === null ? null : { kind: left.kind, of };
	}
	return left.kind === right.kind ? left : null;
}

type StructType = Type & { readonly kind: "struct" };

function unifyStructs(left: StructType, right: StructType): Type | null {
	if (left.name !== right.name || left.fields.size !== right.fields.size) return null;
	if (left.name !== "") return left;
	const fields = new Map<string, Type>();
	for (const [name, type] of left.fields) {
		const other = right.fields.get(name);
		const unified = other === undefined ? null : unify(type, other);
		if (unified === null) return null;
		fields.set(name, unified);
	}
	return { ...left, fields };
}
