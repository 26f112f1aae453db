/** Reads a file of access cases (docs/testing.md, schemas/access.json). */
import type { Problem } from "../../common/errors.ts";
import {
	type AccessCase,
	type AskedActivities,
	type CaseFile,
	type CaseList,
	type CaseName,
	listModes,
	type NamedSet,
} from "../../plan/access-cases/case.ts";
import { uuid } from "../../plan/organization.ts";
import { activityTypes } from "../../policy/activities/types.ts";
import { printExpression } from "../../policy/language/printer.ts";
import type { Value } from "../../policy/language/values.ts";
import { type Fields, printFields, readFields } from "../../policy/powers/fields.ts";
import { namedPowers, type PowerName, printGroup } from "../../policy/powers/groups.ts";
import { validators } from "../../schema/validators/access.ts";
import { type Cell, entriesOf, entryOf, hasOrIntends, itemsOf, pathOf } from "../cell.ts";
import { describeCell, type Problems as ProblemList, Problems, quote, quoteCell } from "../problems.ts";
import { readText } from "./file-text.ts";
import { readMoment } from "./moment.ts";
import type { DocumentSource } from "./read-documents.ts";
import { type ActivityRequest, readRequest } from "./request.ts";
import { checkStructure } from "./structure.ts";
import { readTree } from "./tree.ts";
import { nameMistake, readId } from "./users.ts";
import { type Environment, Substitution, type VariableOptions } from "./variables.ts";
import { readYaml } from "./yaml.ts";

/** Returns a file that `body` names, by its path from the file of the cases; or what is wrong with it. */
export type BodyFinder = (
	file: string,
	body: string,
) => { readonly file: string; readonly content: Uint8Array } | { readonly mistake: string };

interface AccessOptions extends VariableOptions {
	readonly findBody: BodyFinder;
}

/** Returns the cases of a file, or its problems with line and column. Never throws. */
export function readAccessFile(
	{ file, content }: DocumentSource,
	environment: Environment,
	options: AccessOptions,
): { readonly cases: CaseFile } | { readonly problems: readonly Problem[] } {
	const problems = new Problems();
	const cases = new AccessReader(file, problems, options).read(content, new Substitution(environment, options));
	return cases === undefined || !problems.isEmpty ? { problems: problems.sorted([file]) } : { cases };
}

class AccessReader {
	readonly #file: string;
	readonly #problems: ProblemList;
	readonly #options: AccessOptions;

	constructor(file: string, problems: ProblemList, options: AccessOptions) {
		this.#file = file;
		this.#problems = problems;
		this.#options = options;
	}

	read(content: DocumentSource["content"], substitution: Substitution): CaseFile | undefined {
		const problems = this.#problems;
		const text = readText(this.#file, content, problems);
		if (text === undefined) return undefined;
		const begin = { file: this.#file, line: 1, column: 1 };
		const missing = "expected access cases, such as `tests: [{ name: …, power: sign, alone: { exactly: [] } }]`";
		if (text.trim() === "") return problems.add(begin, "", "empty-document", missing);
		const yaml = readYaml(this.#file, text, problems);
		const [first, second] = yaml.documents;
		if (first === undefined) return undefined;
		const root = readTree(first, yaml, substitution, problems, { allowsNull: isField });
		if (root.kind !== "map" || second !== undefined)
			return problems.add(
				root.at,
				"",
				"wrong-type",
				second === undefined ? missing : `${missing}, and no other document`,
			);
		checkStructure(root, problems, "access.json", validators);
		const id = entryOf(root, "organizationId");
		const given = entriesOf(entryOf(entryOf(root, "given"), "users"));
		for (const cell of given) this.#checkName(cell, String(cell.key));
		const list = entryOf(root, "tests");
		if (list?.items.length === 0)
			problems.report(list, "empty-list", "`tests` has no case; write one, or remove the file");
		const tests = itemsOf(list);
		problems.distinct(
			tests.flatMap((test) => entryOf(test, "name") ?? []),
			({ value }) => String(value),
		);
		return {
			file: this.#file,
			organizationId: id === undefined ? null : (readId(id, problems) ?? null),
			isRootQuorumAside: entryOf(root, "rootQuorum")?.value === "aside",
			given: given.map((cell) => ({ name: String(cell.key), at: cell.keyAt, tags: itemsOf(cell).map(nameIn) })),
			cases: tests.flatMap((test) => this.#case(test) ?? []),
		};
	}

	#checkName(cell: Cell, name: string): void {
		const mistake = uuid.test(name) ? "looks like an id; write a name" : nameMistake(name);
		if (mistake !== undefined) this.#problems.invalidate(cell, "bad-name", `the name ${quote(name)} ${mistake}`, "key");
	}

	#case(test: Cell): AccessCase | undefined {
		const name = entryOf(test, "name");
		const asked = this.#asked(test);
		const at = entryOf(test, "at");
		const by = entryOf(test, "by");
		const never = entryOf(test, "never");
		const lists = [
			...(["alone", "together"] as const).flatMap((about) =>
				listModes.flatMap((mode): readonly CaseList[] => {
					const cell = entryOf(entryOf(test, about), mode);
					return cell === undefined ? [] : [{ about, mode, sets: this.#sets(cell, about === "alone") }];
				}),
			),
			...(never === undefined ? [] : [{ about: "takesPart", mode: "never", sets: this.#sets(never, true) } as const]),
		];
		// A key with a problem of its own may be meant as any.
		const isRead = !["alone", "together", "never", "by"].some((key) => test.entries.get(key)?.invalid === true);
		const isOther =
			test.intendedKeys.size > 0 ||
			["alone", "together"].some((key) => (entryOf(test, key)?.intendedKeys.size ?? 0) > 0);
		if (lists.length === 0 && by === undefined && isRead && !isOther) {
			const message = "the case states nothing; add one of `alone`, `together`, `never` and `by`";
			this.#problems.report(test, "empty-case", message);
		}
		const atMs = at === undefined ? null : this.#moment(at);
		if (name === undefined || asked === undefined || atMs === undefined) return undefined;
		return {
			name: String(name.value),
			at: name.at,
			asked,
			atMs,
			lists,
			by: by === undefined ? null : itemsOf(by).map(nameIn),
		};
	}

	#moment(cell: Cell): number | undefined {
		const moment = readMoment(String(cell.value));
		if ("ms" in moment) return moment.ms;
		return this.#problems.invalidate(cell, "bad-time", `\`at\` ${quoteCell(cell)} ${moment.mistake}`);
	}

	#sets(list: Cell, isOfOne: boolean): readonly NamedSet[] {
		const isEmpty = list.items.length === 0 && list.key !== "exactly";
		for (const cell of [
			...(isEmpty ? [list] : []),
			...list.items.filter((item) => item.kind === "list" && item.items.length === 0),
		])
			this.#problems.invalidate(
				cell,
				"empty-list",
				`${describeCell(cell)} is empty, so it states nothing; write users, or remove it`,
			);
		return itemsOf(list).flatMap((cell): readonly NamedSet[] => {
			if (cell.kind === "list") return [{ users: itemsOf(cell).map(nameIn), at: cell.at }];
			const { text, ...place } = nameIn(cell);
			const [, count, tag = ""] = /^(\d+) +of +(.*)$/.exec(text) ?? [];
			const isRight = isOfOne ? count === undefined || count === "1" : Number(count) > 0;
			if (isRight)
				return [
					count === undefined
						? { users: [{ text, ...place }], at: cell.at }
						: { count: Number(count), tag: { text: tag, ...place } },
				];
			const help = isOfOne
				? "these are single users: write `1 of TAG` for each member of a tag, and sets under `together`"
				: "write a set as `2 of TAG`, or in brackets: `[[alice, bob]]`";
			this.#problems.invalidate(cell, "wrong-set", `${quoteCell(cell)} is not expected here; ${help}`);
			return [];
		});
	}

	#asked(test: Cell): AskedActivities | undefined {
		const activity = entryOf(test, "activity");
		const own = ["kind", "power", "body"].filter((key) => activity !== undefined && hasOrIntends(activity, key));
		const count = own.length + (hasOrIntends(test, "power") ? 1 : 0);
		if (count !== 1) {
			if (!test.invalid && activity?.invalid !== true && !test.intendedKeys.has("activity")) {
				const message = "a case is about `power: sign`, or an `activity` with one of `kind`, `power` and `body`";
				this.#problems.report(test, "activity", `${message}; ${count === 0 ? "write one" : "keep one"}`);
			}
			return undefined;
		}
		const power = entryOf(test, "power") ?? entryOf(activity, "power");
		const body = entryOf(activity, "body");
		const request = body === undefined ? undefined : this.#body(body);
		const kind = this.#kind(entryOf(activity, "kind"));
		const fields = new Map([...(request?.fields ?? []), ...this.#where(entryOf(activity, "where"))]);
		const name = String(power?.value) as PowerName;
		const groups =
			request !== undefined
				? [{ type: request.type }]
				: kind !== undefined
					? [{ kind }]
					: power === undefined
						? undefined
						: namedPowers[name];
		if (groups === undefined) return undefined;
		const [first] = groups;
		const what = power !== undefined || first === undefined ? name : printGroup(first);
		// Fields whose value cannot be written tell activities of different bodies apart by the name of the file.
		const unwritten = body === undefined ? "" : `, body ${String(body.value)}`;
		return {
			groups,
			...(fields.size === 0 ? {} : { fields }),
			isOwn: name === "ownCredentials",
			text: `${what}${unwritten}${fields.size === 0 ? "" : ` where ${printFields(fields)}`}`,
		};
	}

	#kind(cell: Cell | undefined): string | undefined {
		if (cell === undefined) return undefined;
		const kinds = [...new Set(activityTypes.map((one) => one.kind))];
		const kind = String(cell.value);
		if (kinds.includes(kind)) return kind;
		const plain = kind
			.toUpperCase()
			.replace(/^ACTIVITY_TYPE_/, "")
			.replace(/_V\d+$/, "");
		const help = kinds.includes(plain) ? `; did you mean ${quote(plain)}?` : this.#problems.didYouMean(kind, kinds);
		return this.#problems.invalidate(cell, "unknown-value", `unknown kind of activities ${quoteCell(cell)}${help}`);
	}

	#body(cell: Cell): ActivityRequest | undefined {
		const found = this.#options.findBody(this.#file, String(cell.value));
		if ("mistake" in found)
			return this.#problems.invalidate(cell, "no-body", `\`body\` ${quoteCell(cell)} ${found.mistake}`);
		const read = readRequest(found.file, found.content);
		if ("request" in read) return read.request;
		for (const { file, line, column, path, code, message } of read.problems)
			this.#problems.add({ file, line, column }, path, code, message);
		return undefined;
	}

	#where(where: Cell | undefined): Fields {
		const all = new Map<string, Value | null>();
		for (const cell of entriesOf(where)) {
			const path = String(cell.key);
			const value = this.#literal(cell);
			if (value === undefined) continue;
			const read = readFields(`${path} == ${value}`);
			if ("fields" in read) for (const [name, own] of read.fields) all.set(name, own);
			else this.#problems.invalidate(cell, "not-understood", read.mistakes[0]?.message ?? "", "key");
		}
		return all;
	}

	/** Returns the value as policies write it. A number is read from the text of the file: a double is not exact. */
	#literal(cell: Cell): string | undefined {
		const { kind, value, written } = cell;
		if (kind === "null") return "null";
		if (kind === "boolean") return String(value);
		if (kind === "list") {
			const items = cell.items.map((item) => this.#literal(item));
			return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
		}
		const span = { start: 0, end: 0 };
		if (kind === "number") {
			if (/^(?:\d+|0x[\da-f]+)$/i.test(written)) return String(BigInt(written));
			const message = `${quoteCell(cell)} is not a whole number of at least 0; write it out in base units, such as \`2000000000000000000\``;
			return this.#problems.invalidate(cell, "not-whole", message);
		}
		const text = String(value);
		if (!text.includes("'")) return printExpression({ node: "literal", value: text, span });
		return this.#problems.invalidate(
			cell,
			"not-understood",
			"a text with `'` cannot be written in the policy language",
		);
	}
}

const nameIn = (cell: Cell): CaseName => ({ text: String(cell.value), at: cell.at, path: pathOf(cell) });

/** Whether the value at this path may be null: a field that the activity lacks. */
const isField = (path: string): boolean => /^tests\[\d+\]\.activity\.where[.[]/.test(path);
