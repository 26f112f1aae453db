/** What is known of one activity beside its group: how it is written, and what follows from it. */
import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";
import { evaluate } from "../../../src/policy/language/evaluate.ts";
import { isUnknown } from "../../../src/policy/language/values.ts";
import { factsOfType, scopeOf } from "../../../src/policy/powers/activity.ts";
import { explainActivity } from "../../../src/policy/powers/explain-power.ts";
import { type Fields, printFields, readFields, withFields } from "../../../src/policy/powers/fields.ts";
import { findPower } from "../../../src/policy/powers/powers.ts";
import { prepareAccess } from "../../../src/policy/powers/prepare.ts";
import { Random } from "../model.ts";
import { parseText, scopeOf as scopeWith } from "../worlds.ts";

const type = "ACTIVITY_TYPE_SIGN_TRANSACTION_V2";
const group = { type } as const;

function fieldsOf(text: string): Fields {
	if (text === "") return new Map();
	const read = readFields(text);
	if ("mistakes" in read) throw new Error(read.mistakes[0]?.message);
	return read.fields;
}

const mistakeIn = (text: string): string | undefined => {
	const read = readFields(text);
	return "mistakes" in read ? read.mistakes[0]?.message : undefined;
};

describe("What is known of one activity", () => {
	it.each([
		"eth.tx.value == 1000 && wallet.id == 'A'",
		"wallet == null && private_key.exported == true",
		"activity.params.type == 'TRANSACTION_TYPE_ETHEREUM'",
		"eth.tx.contract_call_args['to'] == '0x1'",
		"solana.tx.account_keys == ['a', 'b'] && solana.tx.transfers == [{ to: 'x', amount: 5 }]",
	])("is printed as it is read: %s", (text) => {
		expect(printFields(fieldsOf(text))).toBe(text);
	});

	it.each([
		["eth.tx.value < 5", "expected FIELD == VALUE, such as `wallet.id == 'WALLET_ID'` or `wallet == null`"],
		["eth.tx.value == 5 || true", "expected FIELD == VALUE"],
		["eth.tx.value == '5'", "`==` compares a number with a string; write `5` without quotes"],
		["eth.tx.valu == 5", "has no field `valu`; did you mean `value`?"],
		["eth.tx.value == wallet.id", "`==` compares a number with a string"],
		["wallet.id == private_key.id", "expected a value for `wallet.id`"],
		["solana.tx.transfers == 5", "expected a value for `solana.tx.transfers`: a list"],
		["wallet.id == 'A' && wallet.id == 'B'", "`wallet.id` is here twice"],
		["activity.type == 'A'", "`activity.type` is known by the type of the activity: leave it out"],
		["approvers == null", "`approvers` is a name of consensus, not of condition"],
	])("is refused: %s", (text, message) => {
		expect(mistakeIn(text)).toContain(message);
	});

	it("excludes other chains, other parts of Ethereum and the other kind of signer", () => {
		const scope = withFields(scopeOf(factsOfType(type)), fieldsOf("eth.tx.value == 1 && wallet.id == 'A'"));
		const errs = (path: string): boolean => {
			const value = evaluate(parseText(path), scope);
			return isUnknown(value) && value.cause === "error";
		};
		expect(["solana.tx.version", "eth.eip_712.primary_type", "private_key.id"].map(errs)).toEqual([true, true, true]);
		expect(["eth.tx.to", "wallet.label", "wallet_account.address"].map(errs)).toEqual([false, false, false]);
	});

	it("does not add what activities of the type lack", () => {
		const scope = withFields(scopeOf(factsOfType("ACTIVITY_TYPE_CREATE_POLICY_V3")), fieldsOf("eth.tx.value == 5"));
		expect(evaluate(parseText("eth.tx.value"), scope)).toMatchObject({ cause: "error" });
	});
});

const atMs = Date.parse("2026-06-01T12:00:00Z");

function accessOf(policies: readonly Pick<AccessPolicy, "effect" | "condition">[]): AccessState {
	const credentials = { known: true, value: [] } as const;
	const user = {
		id: "alice",
		tagIds: { known: true, value: [] },
		email: { known: true, value: null },
		credentials,
	} as const;
	const whole = policies.map((one, index) => ({ id: `p${index}`, name: "", consensus: "", time: "", ...one }));
	return {
		users: { known: true, value: [user] },
		policies: { known: true, value: whole },
		rootQuorum: { known: true, value: { threshold: 1, userIds: [] } },
	};
}

/** Clauses over these fields, and all activities that have some of them. */
const clauses = [
	...["wallet.id == 'A'", "wallet.id != 'B'", "private_key.id == 'K'", "eth.tx.value < 5", "eth.tx.value >= 9"],
	...["eth.tx.to == wallet_account.address", "solana.tx.version == 'v0'", "wallet.exported"],
	"activity.params.type == 'TRANSACTION_TYPE_ETHEREUM'",
];
const signers = [
	{},
	...["A", "B", "C"].flatMap((id) =>
		[true, false].flatMap((exported) =>
			["x", "y"].map((address) => ({ wallet: { id, exported }, wallet_account: { address } })),
		),
	),
	...["K", "L"].map((id) => ({ private_key: { id } })),
];
const transactions = [
	{},
	...[4, 5, 9].flatMap((value) => ["x", "z"].map((to) => ({ eth: { tx: { value, to } } }))),
	...["v0", "legacy"].map((version) => ({ solana: { tx: { version } } })),
];

function randomCondition(random: Random): string {
	const pick = (): string => {
		const clause = clauses[random.below(clauses.length)] ?? "";
		return random.below(3) === 0 ? `!(${clause})` : clause;
	};
	const size = 1 + random.below(3);
	return Array.from({ length: size }, pick).join(random.below(2) === 0 ? " && " : " || ");
}

/** Returns the paths of an activity with their values as the language writes them. */
const pathsOf = (names: object, before = ""): readonly string[] =>
	Object.entries(names).flatMap(([name, value]) => {
		const path = before === "" ? name : `${before}.${name}`;
		if (typeof value === "object") return pathsOf(value, path);
		return [`${path} == ${typeof value === "string" ? `'${value}'` : String(value)}`];
	});

describe("Who can do one activity", () => {
	it("is certain only where every activity with what is known agrees, and is known where all is known", () => {
		const random = new Random(32);
		let certain = 0;
		for (let round = 0; round < 1_500; round += 1) {
			const policies = Array.from({ length: 1 + random.below(3) }, (_, index) => ({
				effect: index === 2 ? "EFFECT_DENY" : "EFFECT_ALLOW",
				condition: randomCondition(random),
			}));
			const signer = signers[random.below(signers.length)] ?? {};
			const transaction = transactions[random.below(transactions.length)] ?? {};
			const params = { type: ["TRANSACTION_TYPE_ETHEREUM", "TRANSACTION_TYPE_SOLANA"][random.below(2)] ?? "" };
			const names = { activity: { type, params }, ...signer, ...transaction };
			const holds = ({ condition }: (typeof policies)[number]): boolean =>
				evaluate(parseText(condition), scopeWith(names)) === true;
			const isAllowed =
				policies.some((one) => one.effect === "EFFECT_ALLOW" && holds(one)) &&
				!policies.some((one) => one.effect === "EFFECT_DENY" && holds(one));
			const roots = ["wallet", "wallet_account", "private_key", "eth", "solana"];
			const lacked = roots.filter((name) => !(name in names)).map((name) => `${name} == null`);
			const whole = [...pathsOf({ ...names, activity: { params } }), ...lacked];
			const prepared = prepareAccess(accessOf(policies), atMs);
			const canAlone = (said: readonly string[]): boolean =>
				findPower(prepared, group, { fields: fieldsOf(said.join(" && ")) }).alone.includes("alice");
			const context = JSON.stringify({ policies, names });
			expect(canAlone(whole), context).toBe(isAllowed);
			const part = whole.filter(() => random.below(2) === 0);
			if (!canAlone(part)) continue;
			certain += 1;
			expect(isAllowed, `${context} ${part.join(" && ")}`).toBe(true);
		}
		expect(certain).toBeGreaterThan(150);
	});

	it("names the fields that matter and are not said", () => {
		const policies = [
			{ effect: "EFFECT_ALLOW", condition: "wallet.id == 'A' && eth.tx.value < 5 && eth.tx.to == '0x1'" },
			{ effect: "EFFECT_ALLOW", condition: "private_key.tags.any(tag, tag == 'T')" },
		];
		const notSaid = (text: string): readonly string[] =>
			explainActivity({ access: accessOf(policies), group, fields: fieldsOf(text), atMs }).notSaid;
		expect(notSaid("")).toEqual(["eth.tx.to", "eth.tx.value", "private_key.tags", "wallet.id"]);
		expect(notSaid("eth.tx.value == 4 && wallet.id == 'A'")).toEqual(["eth.tx.to"]);
		expect(notSaid("eth.tx.value == 5 && wallet.id == 'A'")).toEqual([]);
	});
});
