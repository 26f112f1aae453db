/** Random expressions of the policy language that are well typed, values for their names, and ways to spoil their text. */
import type { Clause } from "../../../src/policy/language/syntax.ts";
import { namesOf, type Type } from "../../../src/policy/language/types.ts";
import {
	isList,
	isStruct,
	listOf,
	ofActivity,
	structOf,
	timestampOf,
	unread,
	type Value,
} from "../../../src/policy/language/values.ts";

/** Numbers from 0 up to, but not including, 1; the same for the same seed. */
export function randomOf(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

const strings = ["", "a", "b", "SIGN", "0xa9059cbb00", "tag-1", "é", "&& ||", '"'];
const keys = ["a", "b"];
const moments = ["2026-01-01T00:00:00Z", "2026-03-29T01:30:00.5Z", "2026-10-25T01:30:00+00:00"];
const schedules = [
	"'0 9 * * 1-5', '8h', 'America/New_York'",
	"'* * * * *', '1m', 'UTC'",
	"'30 1 29 * 0', '7d', 'Europe/London'",
];

interface Named {
	readonly text: string;
	readonly type: Type;
}

/** Writes well-typed expressions of a clause, with spaces and parentheses by chance. */
export class Writer {
	readonly #random: () => number;
	readonly #clause: Clause;
	readonly #paths: readonly Named[];
	#items: readonly Named[] = [];
	#count = 0;

	constructor(random: () => number, clause: Clause) {
		this.#random = random;
		this.#clause = clause;
		this.#paths = pathsOf(clause);
	}

	/** Returns an expression of the type. `depth`: how many more levels it may have. */
	write(type: Type, depth: number): string {
		const text = this.#writeBare(type, depth);
		return this.#random() < 0.1 ? `(${text})` : text;
	}

	#writeBare(type: Type, depth: number): string {
		if (type.kind === "bool" && depth > 0 && this.#random() < 0.85) return this.#bool(depth - 1);
		const path = this.#path(type, depth);
		if (path !== null && this.#random() < 0.6) return path;
		if (depth > 0 && this.#random() < 0.1) return `{ id: ${this.write(type, depth - 1)} }.id`;
		if (depth > 0 && this.#random() < 0.1)
			return `[${this.write(type, depth - 1)}, ${this.write(type, depth - 1)}][${this.#int(2)}]`;
		if (type.kind === "number") return this.#number(depth);
		if (type.kind === "string") return this.#string(depth);
		if (type.kind === "list") return this.#list(type, depth);
		if (type.kind === "bool") return this.#pick(["true", "false"]);
		if (type.kind === "timestamp" && this.#clause === "time") return `Timestamp('${this.#pick(moments)}')`;
		return path ?? this.#never(type);
	}

	#bool(depth: number): string {
		const both = (operator: string): string =>
			`${this.#operand(depth)}${this.#space()}${operator}${this.#space()}${this.#operand(depth)}`;
		const compare = (type: Type, operators: readonly string[]): string =>
			`${this.write(type, depth)} ${this.#pick(operators)} ${this.write(type, depth)}`;
		const orders = ["<", ">", "<=", ">=", "==", "!="];
		const choices: (() => string)[] = [
			() => both("&&"),
			() => both("||"),
			() => `!(${this.write({ kind: "bool" }, depth)})`,
			() => compare({ kind: "number" }, orders),
			() => compare({ kind: "string" }, ["==", "!="]),
			() => this.#membership(depth),
			() => this.#overItems(this.#pick(["any", "all"]), this.#elementType(), depth),
			() => this.#overItems(this.#pick(["any", "all"]), this.#elementType(), depth),
		];
		if (this.#clause === "time") {
			choices.push(
				() => compare({ kind: "timestamp" }, orders),
				() => `CronSpan(${this.#pick(schedules)})`,
			);
		}
		return this.#pick(choices)();
	}

	#operand(depth: number): string {
		return `(${this.write({ kind: "bool" }, depth)})`;
	}

	#membership(depth: number): string {
		const of: Type = { kind: this.#pick(["number", "string"] as const) };
		const list = this.write({ kind: "list", of }, depth);
		const value = this.write(of, depth);
		return this.#random() < 0.5 ? `${value} in ${list}` : `${list}.contains(${value})`;
	}

	#overItems(method: string, of: Type, depth: number): string {
		const list = this.write({ kind: "list", of }, depth);
		const outer = this.#items;
		this.#count += 1;
		const name = `item${this.#count}`;
		this.#items = [...outer, { text: name, type: of }];
		const condition = this.write({ kind: "bool" }, depth);
		this.#items = outer;
		return `${list}.${method}(${name},${this.#space()}${condition})`;
	}

	#number(depth: number): string {
		if (depth > 0 && this.#random() < 0.5)
			return `${this.write({ kind: "list", of: this.#elementType() }, depth - 1)}.count()`;
		return this.#pick(["0", "1", "2", "3", "340282366920938463463374607431768211456"]);
	}

	#string(depth: number): string {
		const literal = `'${this.#pick(strings)}'`;
		if (depth === 0 || this.#random() < 0.6) return literal;
		const text = this.write({ kind: "string" }, depth - 1);
		return this.#random() < 0.5 ? `${text}[${this.#int(3)}]` : `${text}[0..${this.#int(3)}]`;
	}

	#list(type: Type & { readonly kind: "list" }, depth: number): string {
		if (depth > 0 && this.#random() < 0.4) return this.#overItems("filter", type.of, depth - 1);
		if (depth > 0 && this.#random() < 0.2) return `${this.write(type, depth - 1)}[0..${this.#int(3)}]`;
		const items = Array.from({ length: this.#int(3) }, () => this.write(type.of, Math.max(0, depth - 1)));
		return `[${items.join(`,${this.#space()}`)}]`;
	}

	/** Returns the path of a value of this type, or null. */
	#path(type: Type, depth: number): string | null {
		const items = this.#items.flatMap((item) => partsOf(item));
		const found = [...items, ...items, ...this.#paths].filter((one) => sameType(one.type, type));
		if (found.length === 0) return null;
		const { text } = this.#pick(found);
		return depth > 0 || !text.includes("[0]") ? text : null;
	}

	/** The type of the items of a list that has a path, or else numbers. */
	#elementType(): Type {
		const lists = this.#paths.filter(({ type }) => type.kind === "list");
		if (lists.length === 0 || this.#random() < 0.3) return { kind: this.#pick(["number", "string"] as const) };
		const { type } = this.#pick(lists);
		return type.kind === "list" ? type.of : type;
	}

	#never(type: Type): string {
		if (type.kind !== "struct") throw new Error(`no expression of ${type.kind}`);
		return this.#items.find((item) => sameType(item.type, type))?.text ?? this.#structPath(type);
	}

	#structPath(type: Type): string {
		const found = this.#paths.find((one) => one.type.kind === "list" && sameType(one.type.of, type));
		if (found === undefined) throw new Error("no path of this struct");
		return `${found.text}[0]`;
	}

	#space(): string {
		return this.#pick(["", " ", " ", "\n\t"]);
	}

	#int(limit: number): number {
		return Math.floor(this.#random() * limit);
	}

	#pick<One>(choices: readonly One[]): One {
		return choices[this.#int(choices.length)] as One;
	}
}

function sameType(left: Type, right: Type): boolean {
	if (left.kind === "list" && right.kind === "list") return sameType(left.of, right.of);
	if (left.kind === "struct" && right.kind === "struct") return left.name === right.name;
	return left.kind === right.kind;
}

/** Returns a value and the parts of it that are not of type `any`. */
function partsOf({ text, type }: Named): readonly Named[] {
	if (type.kind === "any") return [];
	if (type.kind === "map") return keys.flatMap((key) => partsOf({ text: `${text}['${key}']`, type: type.of }));
	if (type.kind !== "struct") return [{ text, type }];
	const fields = [...type.fields].flatMap(([name, field]) => partsOf({ text: `${text}.${name}`, type: field }));
	return [{ text, type }, ...fields];
}

const cachedPaths = new Map<Clause, readonly Named[]>();

function pathsOf(clause: Clause): readonly Named[] {
	const paths = cachedPaths.get(clause) ?? [...namesOf(clause)].flatMap(([text, type]) => partsOf({ text, type }));
	cachedPaths.set(clause, paths);
	return paths;
}

/** Returns a complete value of the type. */
export function randomValue(type: Type, random: () => number): Value {
	if (type.kind === "bool") return random() < 0.5;
	if (type.kind === "number") return BigInt(Math.floor(random() * 4));
	if (type.kind === "timestamp") return timestampOf(Date.UTC(2026, Math.floor(random() * 12), 29, 1, 30));
	if (type.kind === "map") return structOf(Object.fromEntries(keys.map((key) => [key, randomValue(type.of, random)])));
	if (type.kind === "list") {
		return listOf(Array.from({ length: Math.floor(random() * 4) }, () => randomValue(type.of, random)));
	}
	if (type.kind !== "struct") return strings[Math.floor(random() * strings.length)] ?? "";
	const fields = [...type.fields].map(([name, field]) => [name, randomValue(field, random)] as const);
	return structOf(Object.fromEntries(fields));
}

/** Returns the value with parts of it unknown, by chance. */
export function blur(value: Value, path: string, random: () => number): Value {
	if (random() < 0.08) return random() < 0.5 ? ofActivity : unread(`no read shows \`${path}\``);
	if (isList(value)) return listOf(value.items.map((item, index) => blur(item, `${path}[${index}]`, random)));
	if (!isStruct(value)) return value;
	const fields = [...value.fields].map(([name, field]) => [name, blur(field, `${path}.${name}`, random)] as const);
	return structOf(Object.fromEntries(fields));
}

const debris = [
	..."()[]{}.,:;!<>=&|'\"`+-*/%#\\ \n\0",
	"..",
	"&&",
	"||",
	"==",
	"=",
	"in",
	"true",
	"false",
	".count",
	".count()",
	".any(x, x)",
	"x",
	"0",
	"00",
	"1.5",
	"Timestamp(",
	"CronSpan('0 9 * * *', '8h', 'UTC')",
	"//",
	"\ud800",
	"\u200b",
	"é",
	"approvers",
	"time.now",
	"[0]",
	"[0..1]",
	"'a'",
];

/** Returns the text with a few parts removed, repeated, swapped or put in. */
export function spoil(text: string, random: () => number): string {
	let spoiled = text;
	const changes = 1 + Math.floor(random() * 4);
	for (let change = 0; change < changes; change += 1) {
		const from = Math.floor(random() * (spoiled.length + 1));
		const to = Math.min(spoiled.length, from + Math.floor(random() * 6));
		const put = debris[Math.floor(random() * debris.length)] ?? "";
		const kind = Math.floor(random() * 4);
		const middle = [put, "", spoiled.slice(from, to).repeat(2), spoiled.slice(0, 20)][kind] ?? "";
		spoiled = spoiled.slice(0, from) + middle + spoiled.slice(kind === 0 && random() < 0.5 ? from : to);
	}
	return spoiled;
}

const few = ["a", "b", "c", "d"];
const chosen = <One>(random: () => number, of: readonly One[]): One => of[Math.floor(random() * of.length)] as One;

/** Returns a comparison of few names with few values, in each form that tells activities apart: many are true of some `randomActivity`. */
export function randomComparison(random: () => number): string {
	const pick = <One>(of: readonly One[]): One => chosen(random, of);
	const [text, bound, order] = [pick(few), pick(["0", "1", "2", "3"]), pick(["==", "!=", "<", ">", "<=", ">="])];
	const [equality, number, place] = [pick(["==", "!="]), pick(["gas", "value", "nonce"]), pick([0, 1, 2, 3, 4])];
	const list = pick(["solana.tx.transfers", "eth.tx.contract_call_args['calls']"]);
	const ofItem = pick([`t['to'] ${equality} '${text}'`, `t['amount'] ${order} ${bound}`, `t['to'] == wallet.label`]);
	const ofTransfer = pick([`t.to ${equality} '${text}'`, `t.amount ${order} ${bound}`, `t.to ${equality} t.from`]);
	const asked = list.startsWith("solana") ? ofTransfer : ofItem;
	const address = "wallet_account.address";
	return pick([
		`eth.tx.to ${equality} ${pick([`'${text}'`, "eth.tx.from", address])}`,
		`${pick(["eth.tx.to", "wallet.label"])} in ['${text}', ${pick(["'b'", "eth.tx.from"])}]`,
		`eth.tx.${number} ${order} ${pick([bound, "eth.tx.gas", "eth.tx.value"])}`,
		`eth.tx.data[${pick(["0..2", "1..3", "2..4"])}] ${equality} ${pick(["'aa'", "'ab'", `${address}[0..2]`])}`,
		`wallet.label[0] ${equality} ${pick([`'${text}'`, "wallet.label[1]"])}`,
		`eth.tx.contract_call_args['${pick(["x", "y"])}'] ${pick([`${order} ${bound}`, `${equality} '${text}'`, `${equality} ${address}`, `${order} eth.tx.${number}`, "== true"])}`,
		`${list}.${pick(["any", "all"])}(t, ${asked})`,
		`${list}.filter(t, ${asked}).count() ${order} ${bound}`,
		`${list}.count() ${order} ${bound}`,
		`solana.tx.transfers[${place}].to ${equality} ${pick([`'${text}'`, "solana.tx.transfers[0].from"])}`,
		`wallet_account.path_indexes[${place}] ${order} ${bound}`,
		`wallet_account.path_indexes.${pick([`contains(${bound})`, `count() ${order} ${bound}`])}`,
		`wallet_account.path_hardened[${place}]`,
		`wallet.imported ${equality} ${pick(["true", "wallet.exported"])}`,
	]);
}

/** Returns the names of an activity, with values that `randomComparison` names, and others. */
export function randomActivity(random: () => number): ReadonlyMap<string, Value> {
	const text = (): Value => chosen(random, [...few, "aa", "ab", "aab", "aaab", "bbb", "e"]);
	const number = (): Value => BigInt(Math.floor(random() * 7));
	const list = (of: () => Value): Value => listOf(Array.from({ length: Math.floor(random() * 6) }, of));
	const any = (): Value => chosen(random, [text, number, () => -1n, () => random() < 0.5, () => listOf([])])();
	const isSolana = random() < 0.4;
	const transfer = (): Value => structOf({ from: text(), to: text(), amount: number() });
	const args: Record<string, Value> = {};
	for (const key of ["x", "y"]) if (random() < 0.8) args[key] = any();
	if (random() < 0.8) args.calls = random() < 0.9 ? list(transfer) : any();
	const ethereum = {
		...{ to: text(), from: text(), data: text(), gas: number(), value: number(), nonce: number() },
		contract_call_args: structOf(args),
	};
	return new Map<string, Value>([
		...(isSolana ? [] : [["eth", structOf({ tx: structOf(ethereum) })] as const]),
		...(isSolana ? [["solana", structOf({ tx: structOf({ transfers: list(transfer) }) })] as const] : []),
		["wallet", structOf({ label: text(), imported: random() < 0.5, exported: random() < 0.5 })],
		[
			"wallet_account",
			structOf({ address: text(), path_indexes: list(number), path_hardened: list(() => random() < 0.5) }),
		],
	]);
}
