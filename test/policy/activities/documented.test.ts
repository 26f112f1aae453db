/** Every shape that the service's documentation shows, with other values: it parses, has no mistake, and evaluates. */
import { describe, expect, it } from "vitest";
import type { Scope } from "../../../src/policy/language/evaluate.ts";
import type { Clause } from "../../../src/policy/language/syntax.ts";
import { approvedBy, at, mistakesIn, outcome, type Plain, scopeOf } from "../worlds.ts";

type Row = readonly [text: string, expected: unknown];

function itEvaluates(clause: Clause, scope: Scope, rows: readonly Row[]): void {
	it.each(rows)(`${clause} %s is %s`, (text, expected) => {
		expect(mistakesIn(text, clause)).toEqual([]);
		expect(outcome(text, scope)).toBe(expected);
	});
}

/** An activity with its type, kind, resource, action and parameters. */
function activity(kind: string, resource: string, action: string, params: Plain = {}): Plain {
	return { type: `ACTIVITY_TYPE_${kind}_V2`, kind, resource, action, params };
}

const signing = activity("SIGN_TRANSACTION", "PRIVATE_KEY", "SIGN", { type: "TRANSACTION_TYPE_ETHEREUM" });

describe("who approved", () => {
	const ofBoth =
		"approvers.any(user, user.tags.contains('tag-security') || user.tags.contains('tag-operations')) && " +
		"(approvers.filter(user, user.tags.contains('tag-security')).count() >= 1 && " +
		"approvers.filter(user, user.tags.contains('tag-operations')).count() >= 2)";

	describe("alice and bob", () => {
		itEvaluates("consensus", approvedBy("alice", "bob"), [
			["approvers.any(user, user.tags.contains('tag-security'))", true],
			["approvers.filter(user, user.tags.contains('tag-operations')).count() >= 2", true],
			["approvers.filter(user, user.tags.contains('tag-security')).count() > 1", false],
			[ofBoth, true],
			["approvers.any(user, user.id == 'user-bob')", true],
			["approvers.any(user, user.id == 'user-alice') && approvers.any(user, user.id == 'user-carol')", false],
			["approvers.any(u, u.id == 'user-bob') && approvers.any(u, u.tags.contains('tag-security'))", true],
			["approvers.all(user, user.email != '')", true],
			["approvers.any(user, 'tag-security' in user.tags)", true],
			["approvers.any(user, user.alias == 'bo')", true],
			["approvers.count() >= 2", true],
			["approvers[0].tags.count() == 2", true],
			["credentials.any(credential, credential.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')", true],
			["credentials.all(credential, credential.credential_id != '')", false],
			["credentials.any(c, c.public_key == '02bob' && c.user_id == 'user-bob')", true],
			["true", true],
		]);
	});

	describe("bob alone", () => {
		itEvaluates("consensus", approvedBy("bob"), [
			[ofBoth, false],
			["approvers.any(user, user.tags.contains('tag-security'))", false],
			["approvers.filter(user, user.tags.contains('tag-operations')).count() >= 2", false],
			["approvers.count() >= 2", false],
			["credentials.any(credential, credential.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')", false],
		]);
	});
});

describe("what the activity is", () => {
	describe("a deletion of users", () => {
		const deletion = activity("DELETE_USERS", "USER", "DELETE", { user_ids: ["user-agent"] });
		itEvaluates("condition", scopeOf({ activity: deletion }), [
			["activity.action == 'DELETE'", true],
			["activity.resource == 'POLICY' && activity.action == 'CREATE'", false],
			["activity.resource == 'USER' && (activity.action == 'CREATE' || activity.action == 'DELETE')", true],
			[
				"(activity.resource == 'AUTH' && activity.action == 'CREATE') || (activity.resource == 'USER' && activity.action == 'DELETE')",
				true,
			],
			["activity.resource in ['AUTH', 'USER'] && activity.action in ['CREATE','DELETE']", true],
			["activity.kind in ['INIT_OTP', 'DELETE_USERS', 'OTP_LOGIN']", true],
			["activity.type == 'ACTIVITY_TYPE_DELETE_USERS'", false],
			["activity.params.user_ids.count() == 1 && 'user-agent' in activity.params.user_ids", true],
			["activity.params.user_ids.count() == 1 && 'user-bob' in activity.params.user_ids", false],
			["activity.params.wallet_id == 'w'", "error: there is no `activity.params.wallet_id`"],
			["wallet.id == 'w' || activity.action == 'DELETE'", "error: no value has the name `wallet`"],
		]);
	});

	describe("a raw payload that a wallet signs", () => {
		const params = { hash_function: "HASH_FUNCTION_NO_OP", encoding: "PAYLOAD_ENCODING_HEXADECIMAL" };
		const wallet = { id: "wallet-1", imported: false, exported: true, label: "treasury" };
		const scope = scopeOf({
			activity: activity("SIGN_RAW_PAYLOAD", "PRIVATE_KEY", "SIGN", params),
			wallet,
			wallets: [wallet],
			wallet_account: { address: "0xaccount" },
		});
		itEvaluates("condition", scope, [
			["activity.action == 'SIGN' && wallet.id == 'wallet-1'", true],
			["activity.action == 'SIGN' && wallet.label == 'treasury' && !wallet.imported", true],
			["wallets.all(w, w.id == 'wallet-2')", false],
			["activity.action == 'EXPORT' && wallet_account.address == '0xaccount'", false],
			[
				"activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' && activity.params.hash_function == 'HASH_FUNCTION_NO_OP' && activity.params.encoding != 'PAYLOAD_ENCODING_EIP712'",
				true,
			],
			["activity.type in ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'A'] && wallet.id == 'wallet-1'", true],
			["wallet.id == 'wallet-1' || private_key.id == 'key-1'", "error: no value has the name `private_key`"],
		]);
	});

	describe("a payload that a private key signs", () => {
		const key = { id: "key-1", tags: ["tempo"], imported: true, exported: false, label: "" };
		itEvaluates("condition", scopeOf({ activity: signing, private_key: key }), [
			["activity.action == 'SIGN' && private_key.id == 'key-1'", true],
			["activity.params.type == 'TRANSACTION_TYPE_TEMPO' && private_key.tags.contains('tempo')", false],
			["private_key.imported && private_key.tags.contains('tempo')", true],
		]);
	});

	describe("an export of secrets", () => {
		const secret = { static_properties: { kind: "exchangeApiKey", permissions: "trade" } };
		itEvaluates("condition", scopeOf({ activity: activity("EXPORT_SECRETS", "SECRET", "EXPORT"), secret }), [
			["secret.static_properties['kind'] == 'exchangeApiKey' && activity.kind == 'EXPORT_SECRETS'", true],
			["secret.static_properties['permissions'] == 'withdraw'", false],
			["secret.static_properties['color'] == 'red'", "error: there is no `secret.static_properties['color']`"],
		]);
	});
});

describe("an Ethereum transaction", () => {
	const tx = {
		from: "0xfrom",
		to: "0xrouter",
		data: `0x38ed1739${"0".repeat(24)}${"ab".repeat(20)}`,
		value: 500_000_000_000_000_001n,
		gas: 21_000,
		gas_price: 5,
		chain_id: 1,
		nonce: 3,
		max_fee_per_gas: 5,
		max_priority_fee_per_gas: 1,
		type: "TYPE_2",
		function_name: "executeBatch",
		function_signature: "0x38ed1739",
		contract_call_args: { wad: 7, dst: "0xdst", calls: [["0xc", 0]], recipients: ["0xa", "0xb"] },
	};
	const wallet = { id: "wallet-1", label: "" };
	itEvaluates("condition", scopeOf({ activity: signing, wallet, eth: { tx } }), [
		["eth.tx.to == '0xrouter' && eth.tx.data[0..10] == '0x38ed1739' && eth.tx.chain_id == 1", true],
		["eth.tx.data[34..74] == 'abababababababababababababababababababab'", true],
		["activity.action == 'SIGN' && eth.tx.value > 500000000000000000", true],
		["eth.tx.nonce <= 3", true],
		["eth.tx.chain_id == 11155111", false],
		["wallet.id == 'wallet-1' && eth.tx.to == '' && eth.tx.chain_id == 1", false],
		["eth.tx.to in ['0xother', '0xrouter']", true],
		["eth.tx.function_name == 'transfer' && eth.tx.function_signature == '0xa9059cbb'", false],
		["eth.tx.contract_call_args['wad'] < 1000000000000000000 && eth.tx.contract_call_args['dst'] == '0xdst'", true],
		["eth.tx.contract_call_args['recipients'].all(address, address in ['0xa', '0xb', '0xc'])", true],
		[
			"eth.tx.contract_call_args['calls'].count() <= 2 && eth.tx.contract_call_args['calls'].all(call, call[0] == '0xc' && call[1] == 0)",
			true,
		],
		[
			"wallet.id == 'wallet-1' && (eth.tx.to == '0xcold' || (eth.tx.data[0..10] == '0xa9059cbb' && eth.tx.data[34..74] == '0xcold'))",
			false,
		],
		["eth.tx.contract_call_args['amount'] == 1", "error: there is no `eth.tx.contract_call_args['amount']`"],
		["eth.eip_712.primary_type == 'Permit'", "error: there is no `eth.eip_712`"],
	]);
});

describe("typed data of EIP-712", () => {
	const eip712 = {
		primary_type: "PermitBatchTransferFrom",
		domain: { name: "Permit2", version: "1", chain_id: 1, verifying_contract: "0xv" },
		message: { permitted: [{ token: "0xusdc", amount: 99_999_999 }] },
	};
	const eip7702 = { address: "0xdelegate", chain_id: 1, nonce: 0 };
	const raw = activity("SIGN_RAW_PAYLOAD", "PRIVATE_KEY", "SIGN");
	itEvaluates("condition", scopeOf({ activity: raw, eth: { eip_712: eip712, eip_7702_authorization: eip7702 } }), [
		["eth.eip_712.domain.name == 'Permit2' && eth.eip_712.primary_type == 'PermitBatchTransferFrom'", true],
		["eth.eip_712.domain.chain_id == 1 && activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'", true],
		["eth.eip_712.message['permitted'].all(p, p['token'] == '0xusdc')", true],
		["eth.eip_712.message['permitted'].any(p, p['token'] == '0xusdc' && p['amount'] < 100000000)", true],
		["eth.eip_712.message['permitted'].count() <= 2", true],
		["eth.eip_712.message['permitted'][0]['token'] == '0xdai'", false],
		["eth.eip_7702_authorization.address == '0xdelegate' && eth.eip_7702_authorization.chain_id == 1", true],
		["eth.eip_7702_authorization.nonce == '0'", "error: `==` does not compare a number with a string"],
	]);
});

describe("a Solana transaction", () => {
	const transfer = { from: "Sender", to: "Recipient", amount: 5 };
	const tokenTransfer = { ...transfer, owner: "Owner", signers: ["Signer"], token_mint: "Mint" };
	const parsed = { instruction_name: "route", discriminator: "e5", program_call_args: { in_amount: 995_500_000 } };
	const instruction = {
		program_key: "JupiterProgram",
		accounts: [{ account_key: "Account", signer: true, writable: false }],
		instruction_data_hex: "09",
		parsed_instruction_data: parsed,
	};
	const tx = {
		account_keys: ["Sender", "Recipient"],
		program_keys: ["11111111111111111111111111111111"],
		instructions: [instruction],
		transfers: [transfer],
		spl_transfers: [tokenTransfer],
		address_table_lookups: [],
	};
	itEvaluates("condition", scopeOf({ activity: signing, solana: { tx } }), [
		["solana.tx.transfers.all(transfer, transfer.from == 'Sender')", true],
		["solana.tx.transfers.any(transfer, transfer.to == 'Bad')", false],
		["solana.tx.transfers.count() == 1 && solana.tx.transfers[0].to == 'Recipient'", true],
		["solana.tx.program_keys.all(p, p == '11111111111111111111111111111111')", true],
		["solana.tx.address_table_lookups.count() > 0", false],
		["solana.tx.transfers.any(t, t.to == 'LOOKUP') || solana.tx.spl_transfers.any(t, t.to == 'LOOKUP')", false],
		[
			"solana.tx.instructions.any(i, (i.program_key == 'A' || i.program_key == 'JupiterProgram') && i.instruction_data_hex == '09')",
			true,
		],
		[
			"solana.tx.instructions[0].accounts[0].account_key == 'Account' && solana.tx.instructions[0].accounts[0].signer",
			true,
		],
		[
			"solana.tx.instructions.any(i, i.parsed_instruction_data.instruction_name == 'route' && i.parsed_instruction_data.program_call_args['in_amount'] == 995500000)",
			true,
		],
		[
			"solana.tx.instructions.count() == 1 && solana.tx.spl_transfers.count() == 1 && solana.tx.spl_transfers.all(transfer, transfer.amount < 5)",
			false,
		],
		[
			"solana.tx.instructions.count() == solana.tx.spl_transfers.count() && solana.tx.spl_transfers.all(t, t.token_mint == 'Mint')",
			true,
		],
		["solana.tx.spl_transfers.all(transfer, transfer.signers.any(s, s == 'Signer'))", true],
	]);
});

describe("transactions of other chains", () => {
	const tron = {
		tx: { contract: [{ type: "TransferContract", amount: 9_999_999, contract_address: "TX", data: "a9059cbb00" }] },
	};
	const bitcoin = {
		tx: { fee: 10_000, inputs: [{ tx_id: "id", vout: 0 }], outputs: [{ address: "bc1", value: 199_999 }] },
	};
	const call = {
		to: "0xtoken",
		input: `0xa9059cbb${"0".repeat(24)}${"ab".repeat(20)}`,
		function_signature: "0xa9059cbb",
	};
	const tempo = {
		tx: { chain_id: 42431, gas_limit: 100_001, fee_token: "0xt", valid_before: 9_999_999_999, calls: [call] },
	};
	const scope = scopeOf({ activity: signing, tron, bitcoin, tempo, wallet_account: { address: "0xsigner" } });
	itEvaluates("condition", scope, [
		["tron.tx.contract[0].amount < 10000000 && tron.tx.contract[0].type == 'TransferContract'", true],
		["tron.tx.contract[0].contract_address == 'TX' && tron.tx.contract[0].data[0..8] == 'a9059cbb'", true],
		["bitcoin.tx.fee <= 10000", true],
		["bitcoin.tx.inputs.all(i, i.tx_id == 'id' && i.vout == 0)", true],
		["bitcoin.tx.outputs.all(o, o.address == 'bc1' && o.value < 200000)", true],
		["tempo.tx.calls.count() == 1 && tempo.tx.calls[0].function_signature == '0xa9059cbb'", true],
		["wallet_account.address == '0xsigner' && tempo.tx.calls.all(call, call.to == '0xallowed')", false],
		["tempo.tx.calls[0].input[34..74] == 'abababababababababababababababababababab'", true],
		["tempo.tx.chain_id == 42431 && tempo.tx.gas_limit > 100000 && tempo.tx.valid_before == 9999999999", true],
	]);
});

describe("Spark activities", () => {
	const derivation = { type: "signing_leaf", signing_leaf: { leaf_id: "leaf-1" }, static_deposit: { index: 0 } };
	const params = {
		sign_with: "spark",
		signatures: [{ derivation, message: "", verifying_key: "", adaptor_public_key: "" }],
		transfer: {
			leaves: [{ leaf_id: "leaf-1", old_leaf_derivation: derivation, new_leaf_derivation: derivation }],
			receiver_public_key: "02r",
		},
		claim: { sender_identity_public_key: "02s" },
		lightning_receive: { threshold: 2, operator_recipients: [{ operator_id: "o1", encryption_public_key: "k1" }] },
	};
	itEvaluates("condition", scopeOf({ activity: activity("SPARK_SIGN_FROST", "WALLET", "SIGN", params) }), [
		[
			"activity.params.signatures.count() > 0 && activity.params.signatures.all(sig, sig.derivation.type == 'signing_leaf' && sig.derivation.signing_leaf.leaf_id in ['leaf-1', 'leaf-2'])",
			true,
		],
		["activity.params.signatures.all(sig, sig.adaptor_public_key != '')", false],
		["activity.params.signatures.all(sig, sig.derivation.static_deposit.index == 0)", true],
		[
			"activity.params.transfer.leaves.all(leaf, leaf.old_leaf_derivation.type == 'signing_leaf' && leaf.leaf_id in ['leaf-1'])",
			true,
		],
		["activity.params.transfer.receiver_public_key in ['02a', '02r']", true],
		["activity.params.claim.sender_identity_public_key in ['02a', '02b']", false],
		[
			"activity.params.lightning_receive.threshold == 2 && activity.params.lightning_receive.operator_recipients.all(recipient, (recipient.operator_id == 'o1' && recipient.encryption_public_key == 'k1') || recipient.operator_id == 'o2')",
			true,
		],
	]);
});

describe("when a policy takes part", () => {
	const march = "time.now >= Timestamp('2026-03-01T00:00:00Z') && time.now < Timestamp('2026-04-01T00:00:00Z')";
	const office = "CronSpan('0 9 * * 1-5', '8h', 'America/New_York')";
	const night = "CronSpan('0 22 * * *', '8h', 'America/New_York')";

	describe("on a Monday in March at 10:00 in New York", () => {
		itEvaluates("time", at("2026-03-16T14:00:00Z"), [
			[march, true],
			[office, true],
			[`!${office}`, false],
			[night, false],
			[`${office} && time.now < Timestamp('2026-01-01T00:00:00Z')`, false],
			[`${night} || ${march}`, true],
		]);
	});

	describe("at the end of March", () => {
		itEvaluates("time", at("2026-04-01T00:00:00Z"), [
			[march, false],
			["time.now == Timestamp('2026-04-01T00:00:00Z')", true],
			["time.now != Timestamp('2026-04-01T00:00:00+00:00')", false],
			["time.now > Timestamp('2026-03-31T23:59:59.999z') && time.now <= Timestamp('2026-04-01t00:00:00-00:00')", true],
		]);
	});
});
