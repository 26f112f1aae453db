/** Organizations of examples as who can do what, once their document is applied: written apart from what makes plans. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { CaseNames } from "../../../src/plan/access-cases/resolve.ts";
import type { AccessPolicy, AccessState } from "../../../src/policy/access.ts";

interface Document {
	readonly users?: Readonly<Record<string, string>>;
	readonly userTags?: readonly {
		readonly name: string;
		readonly id?: string;
		readonly members?: Readonly<Partial<Record<"exactly" | "atLeast" | "never", readonly string[]>>>;
	}[];
	readonly policies?: readonly {
		readonly name: string;
		readonly effect: "allow" | "deny";
		readonly consensus?: string;
		readonly condition?: string;
		readonly time?: string;
	}[];
	readonly absent?: { readonly policies?: readonly string[] };
}

interface SeedOrganization {
	readonly users: readonly { readonly userId: string; readonly userName: string }[];
	readonly userTags?: readonly {
		readonly tagId: string;
		readonly tagName: string;
		readonly userIds?: readonly string[];
	}[];
	readonly policies?: readonly (Partial<AccessPolicy> & { readonly policyId: string; readonly policyName: string })[];
	readonly rootQuorum?: { readonly threshold: number; readonly userIds: readonly string[] };
}

export interface ExampleState {
	readonly access: AccessState;
	readonly names: CaseNames;
}

export const readExample = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

const known = <T>(value: T) => ({ known: true, value }) as const;

/** Returns the state of a seed after a document, each as YAML. A tag without an id has its name as id. */
export function stateOf(seed: string, document = "{}"): ExampleState {
	const {
		users: live,
		userTags = [],
		policies: seeded = [],
		rootQuorum,
	} = (parse(seed) as { organizations: readonly [SeedOrganization] }).organizations[0];
	const { users: aliases = {}, userTags: wanted = [], policies: written = [], absent } = parse(document) as Document;
	const idOf = (text: string): string => aliases[text] ?? text;
	const tags = new Map(userTags.map((tag) => [tag.tagId, { name: tag.tagName, members: new Set(tag.userIds) }]));
	for (const { name, id, members: { exactly, atLeast = [], never = [] } = {} } of wanted) {
		const found = id ?? [...tags].find(([, tag]) => tag.name === name)?.[0] ?? name;
		const members = new Set(exactly === undefined ? tags.get(found)?.members : exactly.map(idOf));
		for (const user of atLeast) members.add(idOf(user));
		for (const user of never) members.delete(idOf(user));
		tags.set(found, { name, members });
	}
	const tagNamed = (name: string): string => [...tags].find(([, tag]) => tag.name === name)?.[0] ?? name;
	const resolve = (text = ""): string =>
		text
			.replace(/\$\{users\.([^}]+)\}/g, (_, alias: string) => idOf(alias))
			.replace(/\$\{userTags(?:\.([^}[]+)|\['([^']+)'\])\}/g, (_, name = "", quoted = "") => tagNamed(name || quoted));
	const policies: readonly AccessPolicy[] = [
		...seeded.map(({ policyId, policyName, effect = "EFFECT_ALLOW", consensus = "", condition = "", time = "" }) => {
			return { id: policyId, name: policyName, effect, consensus, condition, time };
		}),
		...written.map(({ name, effect, ...texts }) => {
			const [consensus, condition, time] = [texts.consensus, texts.condition, texts.time].map(resolve);
			return { id: name, name, effect: `EFFECT_${effect.toUpperCase()}`, consensus, condition, time } as AccessPolicy;
		}),
	].filter(({ id }) => absent?.policies?.includes(id) !== true);
	const users = live.map(({ userId }) => ({
		id: userId,
		tagIds: known([...tags].flatMap(([id, { members }]) => (members.has(userId) ? id : [])).sort()),
		email: known(null),
		credentials: known([]),
	}));
	const byId = <T extends { readonly id: string }>(all: readonly T[]): readonly T[] =>
		all.toSorted((one, other) => (one.id < other.id ? -1 : 1));
	return {
		access: {
			users: known(byId(users)),
			policies: known(byId(policies)),
			rootQuorum: known(rootQuorum ?? { threshold: 1, userIds: [] }),
		},
		names: {
			aliases: Object.fromEntries(Object.entries(aliases).map(([alias, id]) => [id, alias])),
			liveNames: Object.fromEntries(live.map(({ userId, userName }) => [userId, userName])),
			tagNames: Object.fromEntries([...tags].map(([id, { name }]) => [id, name])),
		},
	};
}
