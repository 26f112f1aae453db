/** Finds the users, tags and policies that access cases name. */
import { idsNamed } from "../../common/own.ts";
import { uuid } from "../../common/uuid.ts";
import { type AccessState, type AccessUser, type Known, policyNamesIn } from "../../policy/access.ts";
import { compareText } from "../value.ts";
import type { AccessCase, CaseFile, CaseList, CaseName, NamedSet } from "./case.ts";

type NamesById = Readonly<Record<string, string>>;

/** What the names of an organization mean. */
export interface CaseNames {
	/** User id to the alias of the document. */
	readonly aliases: NamesById;
	/** User id to live name. */
	readonly liveNames: NamesById;
	readonly tagNames: NamesById;
	/** Policy id to name; left out, those of the state. */
	readonly policyNames?: NamesById;
}

/** A name that is of nothing, or of several. */
export interface WrongName extends CaseName {
	readonly of: "user" | "tag" | "policy" | "given";
	/** Ids of all that have the name. */
	readonly ids: readonly string[];
	/** Names that it can be a typing error of. */
	readonly known: readonly string[];
}

/** Any `count` of these users. */
export interface UserSet {
	readonly count: number;
	/** Sorted. */
	readonly of: readonly string[];
	readonly tagId: string | null;
}

/** A case with ids. */
export interface ResolvedCase extends Omit<AccessCase, "lists" | "by"> {
	readonly lists: readonly CaseList<UserSet>[];
	/** Ids, sorted. */
	readonly by: readonly string[] | null;
}

export interface ResolvedFile extends Pick<Resolver, "access" | "wrong"> {
	readonly cases: readonly ResolvedCase[];
}

/** Returns the cases of the file with ids. What cannot be looked up, because it was not read, is no wrong name. */
export function resolveCases(file: CaseFile, access: AccessState, names: CaseNames): ResolvedFile {
	const resolver = new Resolver(file, access, names);
	return { access: resolver.access, cases: file.cases.map((one) => resolver.resolve(one)), wrong: resolver.wrong };
}

class Resolver {
	readonly wrong: WrongName[] = [];
	/** With the users that do not exist yet. */
	readonly access: AccessState;
	readonly #file: CaseFile;
	readonly #names: CaseNames;
	readonly #users: readonly AccessUser[];

	constructor(file: CaseFile, access: AccessState, names: CaseNames) {
		this.#file = file;
		this.#names = names;
		const given = file.given.map(({ name, at, tags }): AccessUser => {
			const ids = [names.aliases, names.liveNames].flatMap((all) => idsNamed(name, all));
			if (ids.length > 0) this.wrong.push({ text: name, at, path: "given.users", of: "given", ids, known: [] });
			const tagIds = tags.flatMap((tag) => this.#tag(tag) ?? []);
			const notShown: Known<never> = { known: false, because: { kind: "not-made-yet" } };
			return {
				id: name,
				tagIds: { known: true, value: [...new Set(tagIds)].sort(compareText) },
				email: notShown,
				credentials: notShown,
			};
		});
		const { users } = access;
		const isNew = given.length > 0 && users.known;
		this.access = isNew ? { ...access, users: { known: true, value: sortById([...users.value, ...given]) } } : access;
		this.#users = this.access.users.known ? this.access.users.value : [];
	}

	resolve(one: AccessCase): ResolvedCase {
		return {
			...one,
			lists: one.lists.map((list) => ({ ...list, sets: list.sets.flatMap((set) => this.#set(set)) })),
			by: one.by?.flatMap((name) => this.#policy(name) ?? []).sort(compareText) ?? null,
		};
	}

	#set(set: NamedSet): readonly UserSet[] {
		if ("users" in set) {
			const found = set.users.flatMap((name) => this.#user(name) ?? []);
			// One user can have several names.
			const of = [...new Set(found)].sort(compareText);
			return found.length === set.users.length && of.length > 0 ? [{ count: of.length, of, tagId: null }] : [];
		}
		const tagId = this.#tag(set.tag);
		if (tagId === undefined) return [];
		const members = this.#users.filter(({ tagIds }) => tagIds.known && tagIds.value.includes(tagId));
		return [{ count: set.count, of: members.map(({ id }) => id), tagId }];
	}

	#user(name: CaseName): string | undefined {
		const { aliases, liveNames } = this.#names;
		const given = this.#file.given.map((one) => one.name);
		if (given.includes(name.text)) return name.text;
		const known = new Set(this.#users.map(({ id }) => id));
		const named = [aliases, liveNames].map((all) => idsNamed(name.text, all).filter((one) => known.has(one)));
		const found = named.find((ids) => ids.length > 0);
		const id = name.text.toLowerCase();
		const ids = found ?? (uuid.test(id) && (known.has(id) || !this.access.users.known) ? [id] : []);
		return this.#only(name, "user", ids, [...given, ...Object.values(aliases), ...Object.values(liveNames)]);
	}

	#tag(name: CaseName): string | undefined {
		const { tagNames } = this.#names;
		const id = name.text.toLowerCase();
		const ids = Object.hasOwn(tagNames, id) ? [id] : idsNamed(name.text, tagNames);
		return this.#only(name, "tag", ids, Object.values(tagNames));
	}

	#policy(name: CaseName): string | undefined {
		if (!this.access.policies.known) return undefined;
		const { policyNames = policyNamesIn(this.access) } = this.#names;
		const id = name.text.toLowerCase();
		const named = idsNamed(name.text, policyNames);
		const ids = Object.hasOwn(policyNames, id) ? [...new Set([id, ...named])] : named;
		return this.#only(name, "policy", ids, Object.values(policyNames));
	}

	#only(name: CaseName, of: WrongName["of"], ids: readonly string[], known: readonly string[]): string | undefined {
		if (of === "user" && ids.length === 0 && !this.access.users.known) return undefined;
		if (ids.length !== 1) this.wrong.push({ ...name, of, ids, known: [...new Set(known)] });
		return ids.length === 1 ? ids[0] : undefined;
	}
}

const sortById = (users: readonly AccessUser[]): readonly AccessUser[] =>
	users.toSorted((left, right) => compareText(left.id, right.id));
