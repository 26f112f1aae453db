/**
 * Random organizations with conditions of every form, and the concrete activities that these differ in. What an expression says
 * of an activity, the emulator's evaluator decides: it shares nothing with src/policy/.
 */
import { compileExpression, type Vocabulary } from "../../../src/emulator/policies/compile.ts";
import type { Type, Value } from "../../../src/emulator/policies/types.ts";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";
import type { Random } from "../model.ts";

type Fields = Readonly<Record<string, Value>>;

/** A concrete activity: its names, as policies see them. */
export interface Activity {
	readonly names: Fields;
	/** Equal for activities that have the same names and fields. */
	readonly shape: string;
}

export interface World {
	readonly before: AccessState;
	readonly after: AccessState;
	/** Conditions with expressions that are not understood. */
	readonly opaque: readonly string[];
}

const userIds = ["u1", "u2", "u3", "u4"];
const tags = ["t1", "t2"];

interface Kind {
	readonly kind: string;
	readonly types: readonly string[];
}

/** The groups of activities that are asked about, with documented kinds of each. */
export const groups: readonly {
	readonly resource: string;
	readonly action: string;
	readonly kinds: readonly Kind[];
}[] = [
	{
		resource: "PRIVATE_KEY",
		action: "SIGN",
		kinds: [
			{ kind: "SIGN_TRANSACTION", types: ["ACTIVITY_TYPE_SIGN_TRANSACTION", "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"] },
			{ kind: "SIGN_RAW_PAYLOAD", types: ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD", "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"] },
			{ kind: "SIGN_RAW_PAYLOADS", types: ["ACTIVITY_TYPE_SIGN_RAW_PAYLOADS"] },
		],
	},
	{
		resource: "WALLET",
		action: "EXPORT",
		kinds: [
			{ kind: "EXPORT_WALLET", types: ["ACTIVITY_TYPE_EXPORT_WALLET"] },
			{ kind: "EXPORT_WALLET_ACCOUNT", types: ["ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT"] },
		],
	},
	{
		resource: "POLICY",
		action: "DELETE",
		kinds: [
			{ kind: "DELETE_POLICY", types: ["ACTIVITY_TYPE_DELETE_POLICY"] },
			{ kind: "DELETE_POLICIES", types: ["ACTIVITY_TYPE_DELETE_POLICIES"] },
		],
	},
];

const addresses = ["a", "b", "c"];
const bounds = [5n, 10n];
const near = [0n, 4n, 5n, 6n, 9n, 10n, 11n, 12n];
const transfers: readonly Value[] = addresses
	.slice(0, 2)
	.flatMap((to) => [5n, 6n].map((amount) => ({ to, amount }) as Value))
	.concat([{ to: "another-x", amount: 0n }]);
const lists = (items: readonly Value[]): readonly Value[] => [
	[],
	...items.map((one) => [one]),
	...items.flatMap((one) => items.map((other) => [one, other])),
	...items.map((one) => [one, one, items[0] ?? one]),
];

/** Each field: where it is, how expressions name it, its type, and values that include one beside each that is named. */
const fields: readonly {
	readonly origin: string;
	readonly path: readonly string[];
	readonly type: Type;
	readonly values: readonly Value[];
}[] = [
	{ origin: "eth", path: ["eth", "tx", "to"], type: "string", values: [...addresses, "another-x"] },
	{ origin: "eth", path: ["eth", "tx", "value"], type: "int", values: near },
	{ origin: "eth", path: ["eth", "tx", "gas"], type: "int", values: near },
	{ origin: "eth", path: ["eth", "tx", "chain_id"], type: "int", values: [1n, 2n] },
	{
		origin: "eth",
		path: ["eth", "tx", "data"],
		type: "string",
		values: ["", "0x", "0xaa11", "0xbb11", "0xcc", "0xaa"],
	},
	{
		origin: "solana",
		path: ["solana", "tx", "transfers"],
		type: { list: { fields: { to: "string", amount: "int" } } },
		values: lists(transfers),
	},
	{
		origin: "solana",
		path: ["solana", "tx", "account_keys"],
		type: { list: "string" },
		values: lists([...addresses, "another-x"]),
	},
	{ origin: "tron", path: ["tron", "tx", "fee_limit"], type: "int", values: near },
	{ origin: "wallet", path: ["wallet", "id"], type: "string", values: ["w1", "w2", "another-w"] },
	{ origin: "wallet", path: ["wallet", "imported"], type: "bool", values: [true, false] },
	{ origin: "wallet", path: ["wallet_account", "address"], type: "string", values: [...addresses, "another-x"] },
	{ origin: "private_key", path: ["private_key", "id"], type: "string", values: ["k1", "k2", "another-k"] },
	{
		origin: "private_key",
		path: ["private_key", "tags"],
		type: { list: "string" },
		values: lists(["p1", "p2", "another-p"]),
	},
	{ origin: "activity", path: ["activity", "params", "encoding"], type: "string", values: ["a", "b", "another-x"] },
];

/** Returns an atom of the language, and atoms that are near it: what a condition is made of. */
function atom(random: Random): string {
	const to = random.pick(addresses);
	const bound = random.pick(bounds);
	const order = random.pick([">", ">=", "<", "<=", "==", "!="]);
	const roll = random.below(24);
	if (roll < 5) return `eth.tx.to ${random.pick(["==", "!="])} '${to}'`;
	if (roll < 8) return `eth.tx.value ${order} ${bound}`;
	if (roll < 9)
		return `eth.tx.to in [${
			random
				.some(addresses, 0.6)
				.map((one) => `'${one}'`)
				.join(", ") || "'a'"
		}]`;
	if (roll < 10) return `eth.tx.chain_id == ${1 + random.below(2)}`;
	if (roll < 11) return `eth.tx.data[0..4] == '${random.pick(["0xaa", "0xbb"])}'`;
	if (roll < 12) return random.pick(["eth.tx.to == wallet_account.address", "eth.tx.gas > eth.tx.value"]);
	if (roll < 15) return solanaAtom(random);
	if (roll < 16) return `tron.tx.fee_limit ${order} ${bound}`;
	if (roll < 18) return `wallet.id == '${random.pick(["w1", "w2"])}'`;
	if (roll < 19) return random.pick(["wallet.imported", `private_key.id != '${random.pick(["k1", "k2"])}'`]);
	if (roll < 20) return `private_key.tags.contains('${random.pick(["p1", "p2"])}')`;
	if (roll < 21) return `activity.params.encoding == '${random.pick(["a", "b"])}'`;
	return activityAtom(random);
}

function solanaAtom(random: Random): string {
	const to = random.pick(addresses.slice(0, 2));
	return random.pick([
		`solana.tx.transfers.any(t, t.to == '${to}')`,
		`solana.tx.transfers.all(t, t.to == '${to}' && t.amount <= 5)`,
		`solana.tx.transfers.count() ${random.pick(["==", ">=", "<"])} ${1 + random.below(2)}`,
		`solana.tx.transfers.filter(t, t.amount > 5).count() >= ${1 + random.below(2)}`,
		`solana.tx.transfers[0].to == '${to}'`,
		`solana.tx.account_keys.contains('${random.pick(addresses)}')`,
	]);
}

function activityAtom(random: Random): string {
	const { resource, action, kinds } = random.pick(groups);
	const { kind, types } = random.pick(kinds);
	return random.pick([
		`activity.kind == '${kind}'`,
		`activity.kind != '${kind}'`,
		`activity.type == '${random.pick(types)}'`,
		`activity.resource == '${resource}'`,
		`activity.action in ['${action}', 'CREATE']`,
	]);
}

/** Expressions that are not understood; each is true, false or errs. */
const opaqueAtoms = ["controls.daily.spent", "eth.tx.chain_id == '1'", "sponsored(activity)"];

function expression(random: Random, depth: number, style: Style): string {
	if (style.opaque > 0 && random.chance(0.2)) return random.pick(opaqueAtoms.slice(0, style.opaque));
	if (depth > 0 && random.chance(0.5)) {
		const [left, right] = [expression(random, depth - 1, style), expression(random, depth - 1, style)];
		return `(${left} ${random.chance(0.6) ? "&&" : "||"} ${right})`;
	}
	const text = random.chance(0.5) && style.shared.length > 0 ? random.pick(style.shared) : atom(random);
	return random.chance(0.2) ? `!(${text})` : text;
}

interface Style {
	/** How many of the expressions that are not understood may be used. */
	readonly opaque: number;
	/** Atoms that several policies use: so that conditions meet. */
	readonly shared: readonly string[];
}

function condition(random: Random, style: Style): string {
	if (random.chance(0.1)) return random.pick(["true", ""]);
	const { resource, action } = random.chance(0.7) ? (groups[0] as (typeof groups)[number]) : random.pick(groups);
	const pair = `activity.resource == '${resource}' && activity.action == '${action}'`;
	if (random.chance(0.25)) return pair;
	const more = expression(random, 2, style);
	return random.chance(0.85) ? `${pair} && ${more}` : more;
}

function consensus(random: Random): string {
	const id = `approvers.any(u, u.id == '${random.pick(userIds)}')`;
	const tag = `approvers.any(u, u.tags.contains('${random.pick(tags)}'))`;
	return random.pick([
		...[id, id, tag, tag, tag],
		"approvers.count() >= 2",
		`approvers.filter(u, u.tags.contains('${random.pick(tags)}')).count() >= 2`,
		`${id} && ${tag}`,
	]);
}

function policy(random: Random, id: string, style: Style): AccessPolicy {
	const effect = random.chance(0.65) ? "EFFECT_ALLOW" : "EFFECT_DENY";
	return { id, name: id, effect, consensus: consensus(random), condition: condition(random, style), time: "" };
}

/** Returns an organization and a change of it, as a plan could make one. `opaque`: whether some expressions are not understood. */
export function randomWorld(random: Random, isOpaque: boolean): World {
	const style: Style = {
		opaque: isOpaque ? 1 + random.below(opaqueAtoms.length) : 0,
		shared: Array.from({ length: 2 + random.below(2) }, () => atom(random)),
	};
	const users = userIds.slice(0, 2 + random.below(3)).map((id) => ({ id, tagIds: random.some(tags, 0.5) }));
	const policies = Array.from({ length: 1 + random.below(5) }, (_, index) => policy(random, `p${index}`, style));
	const root = random.some(
		users.map(({ id }) => id),
		0.4,
	);
	const rootQuorum = { threshold: 1 + random.below(Math.max(1, root.length)), userIds: root };
	const make = (own: typeof users, all: readonly AccessPolicy[]): AccessState => ({
		users: {
			known: true,
			value: own.map(({ id, tagIds }) => ({
				id,
				tagIds: { known: true, value: tagIds },
				email: { known: true, value: null },
				credentials: { known: true, value: [{ id: null, type: null, credentialId: null, publicKey: id }] },
			})),
		},
		policies: { known: true, value: all },
		rootQuorum: { known: true, value: rootQuorum },
	});
	let [changedUsers, changedPolicies] = [users, policies];
	for (let turn = random.below(2); turn >= 0; turn -= 1) {
		if (random.chance(0.5) && changedPolicies.length > 0) {
			const removed = random.pick(changedPolicies);
			changedPolicies = changedPolicies.filter((one) => one !== removed);
		} else if (random.chance(0.5)) {
			const user = random.pick(users).id;
			const tag = random.pick(tags);
			const flip = (own: readonly string[]) =>
				own.includes(tag) ? own.filter((one) => one !== tag) : [...own, tag].sort();
			changedUsers = changedUsers.map((one) => (one.id === user ? { ...one, tagIds: flip(one.tagIds) } : one));
		} else changedPolicies = [...changedPolicies, policy(random, `q${turn}`, style)];
	}
	const texts = [...policies, ...changedPolicies].map((one) => one.condition);
	return {
		before: make(users, policies),
		after: make(changedUsers, changedPolicies),
		opaque: opaqueAtoms.filter((one) => texts.some((text) => text.includes(one))),
	};
}

const maxActivities = 1_500;

/** Returns the activities of a group that conditions with these texts can distinguish; null where there are very many. */
export function activitiesOf(group: (typeof groups)[number], texts: readonly string[]): readonly Activity[] | null {
	const used = fields.filter(({ path }) => texts.some((text) => text.includes(path.join("."))));
	const [signs, isOfWallet] = [group.action === "SIGN", group.resource === "WALLET"];
	const chains = signs ? ["eth", "solana", "tron", "none"] : ["none"];
	const signers = signs ? ["wallet", "private_key", "none"] : isOfWallet ? ["wallet", "none"] : ["none"];
	const kinds = group.kinds.flatMap(({ kind, types }) => types.map((type) => ({ kind, type })));
	const activities: Activity[] = [];
	for (const chain of chains.filter((one) => one === "none" || used.some(({ origin }) => origin === one))) {
		for (const signer of signers.filter((one) => one === "none" || used.some(({ origin }) => origin === one))) {
			for (const hasParams of used.some(({ origin }) => origin === "activity") ? [true, false] : [false]) {
				const origins = [chain, signer, ...(hasParams ? ["activity"] : [])];
				// Only payloads have an encoding.
				const own = hasParams ? kinds.filter(({ kind }) => kind.startsWith("SIGN_RAW")) : kinds;
				let made: readonly Fields[] = own.map(({ kind, type }) => ({
					activity: { kind, type, resource: group.resource, action: group.action },
				}));
				for (const { path, values } of used.filter(({ origin }) => origins.includes(origin))) {
					if (made.length * values.length > maxActivities) return null;
					made = made.flatMap((names) => values.map((value) => insert(names, path, value)));
				}
				const shape = origins.join();
				activities.push(...made.map((names) => ({ names, shape })));
				if (activities.length > maxActivities) return null;
			}
		}
	}
	return activities;
}

function insert(names: Fields, [name = "", ...rest]: readonly string[], value: Value): Fields {
	const inner = names[name] as Fields | undefined;
	return { ...names, [name]: rest.length === 0 ? value : insert(inner ?? {}, rest, value) };
}

function vocabularyOf(shape: string): Vocabulary {
	const origins = shape.split(",");
	const types = new Map<string, unknown>();
	const names: Record<string, Type> = {};
	for (const name of new Set(fields.map(({ path }) => path[0] ?? ""))) names[name] = "missing";
	for (const { origin, path, type } of fields) {
		if (!origins.includes(origin)) continue;
		const inner = (path.slice(1) as readonly string[]).reduceRight<unknown>(
			(made, step) => ({ fields: { [step]: made } }),
			type,
		);
		types.set(path[0] ?? "", merge(types.get(path[0] ?? ""), inner));
	}
	for (const [name, type] of types) names[name] = type as Type;
	const params = (types.get("activity") as { readonly fields: { readonly params: Type } } | undefined)?.fields.params;
	names.activity = {
		fields: { type: "string", kind: "string", resource: "string", action: "string", params: params ?? "missing" },
	};
	return { names, hasTimeFunctions: false };
}

function merge(one: unknown, other: unknown): unknown {
	if (one === undefined) return other;
	const [left, right] = [one, other] as { readonly fields: Readonly<Record<string, unknown>> }[];
	const merged: Record<string, unknown> = { ...left?.fields };
	for (const [name, type] of Object.entries(right?.fields ?? {})) merged[name] = merge(merged[name], type);
	return { fields: merged };
}

const vocabularies = new Map<string, Vocabulary>();
const compiled = new Map<string, ((names: Fields) => boolean) | null>();

/** Returns whether the expression is true for the activity; what errs or is not understood is not. */
export function isTrue(text: string, { names, shape }: Activity): boolean {
	if (text.trim() === "") return true;
	const key = `${shape}\n${text}`;
	let holds = compiled.get(key);
	if (holds === undefined) {
		const vocabulary = vocabularies.get(shape) ?? vocabularyOf(shape);
		vocabularies.set(shape, vocabulary);
		try {
			holds = compileExpression(text, vocabulary);
		} catch {
			holds = null;
		}
		if (compiled.size > 20_000) compiled.clear();
		compiled.set(key, holds);
	}
	if (holds === null) return false;
	try {
		return holds(names);
	} catch {
		return false;
	}
}
