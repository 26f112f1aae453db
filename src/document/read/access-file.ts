/** Reads a file of access cases (docs/testing.md, schemas/access.json). */

import type { Problem } from "../../common/errors.ts";
import { uuid } from "../../common/uuid.ts";
import {
	type AccessCase,
	type AskedActivities,
	type CaseFile,
	type CaseList,
	type CaseName,
	listModes,
	type NamedSet,
} from "../../plan/access-cases/case.ts";
import { activityTypes, kindOfType } from "../../policy/activities/types.ts";
import { printExpression } from "../../policy/language/printer.ts";
import { type Fields, printFields, readFields } from "../../policy/powers/fields.ts";
import { type ActivityGroup, namedPowers, type PowerName, printGroup } from "../../policy/powers/groups.ts";
import { validators } from "../../schema/validators/access.ts";
import { type Cell, entriesOf, entryOf, hasOrIntends, itemsOf, pathOf } from "../cell.ts";
import { Problems } from "../problems.ts";
import { describeCell, didYouMean, distinct, invalidate, problemsOf, quote, quoteCell, report } from "../report.ts";
import { readMoment } from "./moment.ts";
import type { DocumentSource } from "./read-documents.ts";
import { type ActivityRequest, readRequest } from "./request.ts";
import { readSingleMap } from "./single-map.ts";
import { checkStructure } from "./structure.ts";
import { nameMistake, readId } from "./users.ts";
import { Substitution, type Variables } from "./variables.ts";

/** Returns a file that `body` names, by its path from the file of the cases; or what is wrong with it. */
export type BodyFinder = (
	file: string,
	body: string,
) => { readonly file: string; readonly content: Uint8Array } | { readonly mistake: string };

interface AccessOptions extends Variables {
	readonly findBody: BodyFinder;
}

/** Returns the cases of a file, or its problems with line and column. Never throws. */
export function readAccessFile(
	{ file, content }: DocumentSource,
	options: AccessOptions,
): { readonly cases: CaseFile } | { readonly problems: readonly Problem[] } {
	const problems = new Problems();
	const root = readSingleMap({ file, content }, new Substitution(options), problems, expected, isField);
	const cases = root === undefined ? undefined : new AccessReader(file, options.findBody).read(root);
	return cases === undefined || !problems.isEmpty ? { problems: problems.sorted([file]) } : { cases };
}

class AccessReader {
	readonly #file: string;
	readonly #findBody: BodyFinder;

	constructor(file: string, findBody: BodyFinder) {
		this.#file = file;
		this.#findBody = findBody;
	}

	read(root: Cell): CaseFile {
		checkStructure(root, "access.json", validators);
		const id = entryOf(root, "organizationId");
		const given = entriesOf(entryOf(entryOf(root, "given"), "users"));
		for (const cell of given) this.#checkName(cell, String(cell.key));
		const list = entryOf(root, "tests");
		if (list?.items.length === 0) report(list, "empty-list", "`tests` has no case; write one, or remove the file");
		const tests = itemsOf(list);
		distinct(
			tests.flatMap((test) => entryOf(test, "name") ?? []),
			({ value }) => String(value),
		);
		return {
			file: this.#file,
			organizationId: id === undefined ? null : (readId(id) ?? null),
			isRootQuorumAside: entryOf(root, "rootQuorum")?.value === "aside",
			given: given.map((cell) => ({ name: String(cell.key), at: cell.keyAt, tags: itemsOf(cell).map(nameIn) })),
			cases: tests.flatMap((test) => this.#case(test) ?? []),
		};
	}

	#checkName(cell: Cell, name: string): void {
		const mistake = uuid.test(name) ? "looks like an id; write a name" : nameMistake(name);
		if (mistake !== undefined) invalidate(cell, "bad-name", `the name ${quote(name)} ${mistake}`, "key");
	}

	#case(test: Cell): AccessCase | undefined {
		const [name, at, by] = ["name", "at", "by"].map((key) => entryOf(test, key));
		if (name !== undefined && String(name.value).trim() === "")
			invalidate(name, "bad-name", "`name` is empty; write what the case states");
		const lists = [
			...(["alone", "together"] as const).flatMap((about) =>
				listModes.flatMap((mode) => this.#list(entryOf(entryOf(test, about), mode), { about, mode })),
			),
			...this.#list(entryOf(test, "never"), { about: "takesPart", mode: "never" }),
		];
		const asked = this.#asked(test);
		// A key with a problem of its own may be meant as any.
		const isDoubtful = [test, ...["alone", "together", "never", "by"].map((key) => test.entries.get(key))].some(
			(cell) => cell !== undefined && ((cell !== test && cell.invalid) || cell.intendedKeys.size > 0),
		);
		if (lists.length === 0 && by === undefined && !isDoubtful) {
			const message = "the case states nothing; add one of `alone`, `together`, `never` and `by`";
			report(test, "empty-case", message);
		}
		const atMs = at === undefined ? null : this.#moment(at);
		if (name === undefined || asked === undefined || atMs === undefined) return undefined;
		return { name: String(name.value), at: name.at, asked, atMs, lists, by: by ? itemsOf(by).map(nameIn) : null };
	}

	#moment(cell: Cell): number | undefined {
		const moment = readMoment(String(cell.value));
		if ("ms" in moment) return moment.ms;
		return invalidate(cell, "bad-time", `\`at\` ${quoteCell(cell)} ${moment.mistake}`);
	}

	#list(list: Cell | undefined, head: Pick<CaseList, "about" | "mode">): readonly CaseList[] {
		if (list === undefined) return [];
		const empty = [...(head.mode === "exactly" ? [] : [list]), ...list.items].filter(isEmptyList);
		for (const cell of empty) {
			const message = `${describeCell(cell)} is empty, so it states nothing; write users, or remove it`;
			invalidate(cell, "empty-list", message);
		}
		return [{ ...head, sets: itemsOf(list).flatMap((cell) => this.#set(cell, head.about !== "together") ?? []) }];
	}

	#set(cell: Cell, isOfOne: boolean): NamedSet | undefined {
		if (cell.kind === "list") return { users: itemsOf(cell).map(nameIn), at: cell.at };
		const name = nameIn(cell);
		const [, count, tag = ""] = /^(\d+) +of +(.*)$/.exec(name.text) ?? [];
		if (count !== undefined && (isOfOne ? count === "1" : Number(count) > 0))
			return { count: Number(count), tag: { ...name, text: tag } };
		if (isOfOne && count === undefined) return { users: [name], at: cell.at };
		const help = isOfOne
			? "these are single users: write `1 of TAG` for each member of a tag, and sets under `together`"
			: "write a set as `2 of TAG`, or in brackets: `[[alice, bob]]`";
		return invalidate(cell, "wrong-set", `${quoteCell(cell)} is not expected here; ${help}`);
	}

	#asked(test: Cell): AskedActivities | undefined {
		const activity = entryOf(test, "activity");
		const own = ["kind", "power", "body"].filter((key) => activity !== undefined && hasOrIntends(activity, key));
		const count = own.length + (hasOrIntends(test, "power") ? 1 : 0);
		if (count !== 1) {
			if (test.invalid || activity?.invalid === true || test.intendedKeys.has("activity")) return undefined;
			const message = "a case is about `power: sign`, or an `activity` with one of `kind`, `power` and `body`";
			return report(test, "activity", `${message}; ${count === 0 ? "write one" : "keep one"}`);
		}
		const power = entryOf(test, "power") ?? entryOf(activity, "power");
		const [kind, body, where] = ["kind", "body", "where"].map((key) => entryOf(activity, key));
		const request = body && this.#body(body);
		const fields = new Map([...(request?.fields ?? []), ...this.#where(where)]);
		const name = power && (String(power.value) as PowerName);
		const group = request === undefined ? kind && this.#kind(kind) : { type: request.type };
		const groups = name === undefined ? group && [group] : namedPowers[name];
		if (groups === undefined) return undefined;
		// Fields whose value cannot be written tell activities of different bodies apart by the name of the file.
		const what = [name ?? groups.map(printGroup)[0], ...(body === undefined ? [] : [`body ${String(body.value)}`])];
		const said = fields.size === 0 ? "" : ` where ${printFields(fields)}`;
		const known = fields.size === 0 ? {} : { fields };
		const owner = request?.ownerId === undefined ? {} : { ownerId: request.ownerId };
		return { groups, ...known, ...owner, isOwn: name === "ownCredentials", text: `${what.join(", ")}${said}` };
	}

	#kind(cell: Cell): ActivityGroup | undefined {
		const kinds = [...new Set(activityTypes.map((one) => one.kind))];
		const kind = String(cell.value);
		if (kinds.includes(kind)) return { kind };
		const plain = kindOfType(kind.toUpperCase());
		const help = kinds.includes(plain) ? `; did you mean ${quote(plain)}?` : didYouMean(cell, kind, kinds);
		return invalidate(cell, "unknown-value", `unknown kind of activities ${quoteCell(cell)}${help}`);
	}

	#body(cell: Cell): ActivityRequest | undefined {
		const found = this.#findBody(this.#file, String(cell.value));
		if ("mistake" in found) return invalidate(cell, "no-body", `\`body\` ${quoteCell(cell)} ${found.mistake}`);
		const read = readRequest(found.file, found.content);
		if ("request" in read) return read.request;
		for (const { path, code, message, ...at } of read.problems) problemsOf(cell).add(at, path, code, message);
		return undefined;
	}

	#where(where: Cell | undefined): Fields {
		const read = entriesOf(where).flatMap((cell) => {
			const value = this.#literal(cell);
			if (value === undefined) return [];
			const found = readFields(`${String(cell.key)} == ${value}`);
			if ("fields" in found) return [...found.fields];
			invalidate(cell, "not-understood", found.mistakes[0]?.message ?? "", "key");
			return [];
		});
		return new Map(read);
	}

	/** Returns the value as policies write it. A number is read from the text of the file: a double is not exact. */
	#literal(cell: Cell): string | undefined {
		const { kind, value, written } = cell;
		if (kind === "null" || kind === "boolean") return String(value);
		if (kind === "list") {
			const items = cell.items.map((item) => this.#literal(item));
			return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
		}
		if (kind === "number") {
			if (/^(?:\d+|0x[\da-f]+)$/i.test(written)) return String(BigInt(written));
			const message = `${quoteCell(cell)} is not a whole number of at least 0; write it out in base units, such as \`2000000000000000000\``;
			return invalidate(cell, "not-whole", message);
		}
		const text = String(value);
		if (!text.includes("'")) return printExpression({ node: "literal", value: text, span: { start: 0, end: 0 } });
		const message = "a text with `'` cannot be written in the policy language";
		return invalidate(cell, "not-understood", message);
	}
}

const expected = "expected access cases, such as `tests: [{ name: …, power: sign, alone: { exactly: [] } }]`";

const isEmptyList = ({ kind, items }: Cell): boolean => kind === "list" && items.length === 0;

const nameIn = (cell: Cell): CaseName => ({ text: String(cell.value), at: cell.at, path: pathOf(cell) });

/** Whether the value at this path may be null: a field that the activity lacks. */
const isField = (path: string): boolean => /^tests\[\d+\]\.activity\.where[.[]/.test(path);
