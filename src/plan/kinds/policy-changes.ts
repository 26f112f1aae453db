/** What differs between the policies that a document writes and those that are live. */

import { defined } from "../../common/defined.ts";
import type { Problem } from "../../common/errors.ts";
import { showName } from "../../common/escape.ts";
import { templateOf } from "../../policy/language/check-template.ts";
import { sameExpression } from "../../policy/language/same-expression.ts";
import { escapeTemplate } from "../../policy/language/template.ts";
import { printAddress } from "../address.ts";
import type { Differences, PolicyChange, PolicyContent, RemovalChange, Unread, WrittenExpressions } from "../change.ts";
import { matchesGlob } from "../glob.ts";
import {
	type DesiredOrganization,
	type DesiredPolicy,
	type Known,
	type LiveOrganization,
	type LivePolicy,
	policiesOf,
	removalsOf,
} from "../organization.ts";
import { standInFor } from "../stand-in.ts";
import { type IdsOfReferences, idsOfReferences, resolveText } from "./references.ts";

/** Whether the document states policies, or says that its list of them is complete. */
export function statesPolicies(desired: DesiredOrganization): boolean {
	return policiesOf(desired).length > 0 || desired.exactly?.policies !== undefined;
}

/** Returns why policies were not read that the document states or lists completely; undefined where they were. */
export function findUnreadPolicies(desired: DesiredOrganization, unread: readonly Unread[]): Unread | undefined {
	if (!statesPolicies(desired)) return undefined;
	return unread.find((one) => one.scope === "kind" && one.kind === "policy");
}

/** The changes of written policies, and the removals of those that a complete list leaves out. */
export function writtenDifferences(desired: DesiredOrganization, live: LiveOrganization): Differences {
	const wanted = policiesOf(desired);
	const exceptions = desired.exactly?.policies;
	if (wanted.length === 0 && exceptions === undefined) return { changes: [], problems: [], unread: [] };
	const known: Known<readonly LivePolicy[]> = live.policies ?? { known: false, because: { kind: "not-asked" } };
	if (!known.known) {
		const unread: Unread = { scope: "kind", kind: "policy", because: known.because, standsIn: "nothing" };
		return { changes: [], problems: [], unread: [unread] };
	}
	const { found, problems } = findPolicies(wanted, known.value);
	const ids = idsOfReferences(desired, live);
	const changes = found.flatMap((one) => comparePolicy(one, desired, live, ids) ?? []);
	const unlisted = exceptions === undefined ? [] : removeUnlisted(known.value, found, desired, exceptions.except);
	const taken = takenNames(found, known.value, new Set(unlisted.map(({ id }) => id)));
	return {
		changes: [...changes, ...unlisted],
		problems: [...problems, ...taken, ...bothWays(found, desired)],
		unread: [],
	};
}

/** A live policy that one entry states and another wants gone, each by its name or its id. */
function bothWays(found: readonly FoundPolicy[], desired: DesiredOrganization): readonly Problem[] {
	const absent = new Set(removalsOf(desired, "policy").map(({ id }) => id));
	return found.flatMap(({ wanted, policy }) => {
		if (policy === null || !(absent.has(policy.id) || absent.has(policy.name))) return [];
		const message = `the live policy ${quote(policy.name)} (${policy.id}) is stated here, and is under \`absent\` too; remove one of the two`;
		return [problem(wanted, "policy-absent", message)];
	});
}

interface FoundPolicy {
	readonly wanted: DesiredPolicy;
	/** Null: there is none, and the plan creates it. */
	readonly policy: LivePolicy | null;
}

/** Id first, then name, then the earlier names; more than one match is a problem, never a guess. */
export function findPolicies(
	wanted: readonly DesiredPolicy[],
	live: readonly LivePolicy[],
): { readonly found: readonly FoundPolicy[]; readonly problems: readonly Problem[] } {
	const byId = new Map(live.map((policy) => [policy.id, policy]));
	const byName = Map.groupBy(live, ({ name }) => name);
	const claimed = new Map<string, DesiredPolicy>();
	const found: FoundPolicy[] = [];
	const problems: Problem[] = [];
	for (const one of wanted) {
		const matches = matchPolicy(one, byId, byName);
		const mistake = mistakeIn(one, matches, claimed);
		if (mistake !== undefined) {
			problems.push(mistake);
			continue;
		}
		const policy = matches[0] ?? null;
		if (policy !== null) claimed.set(policy.id, one);
		found.push({ wanted: one, policy });
	}
	return { found, problems };
}

function matchPolicy(
	{ id, name, previously }: DesiredPolicy,
	byId: ReadonlyMap<string, LivePolicy>,
	byName: ReadonlyMap<string, readonly LivePolicy[]>,
): readonly LivePolicy[] {
	if (id !== undefined) return [byId.get(id)].filter((policy) => policy !== undefined);
	return byName.get(name) ?? previously.flatMap((earlier) => byName.get(earlier) ?? []);
}

function mistakeIn(
	wanted: DesiredPolicy,
	matches: readonly LivePolicy[],
	claimed: ReadonlyMap<string, DesiredPolicy>,
): Problem | undefined {
	const [policy] = matches;
	if (matches.length > 1) {
		const all = matches.map(({ name, id }) => `${quote(name)} (${id})`).join(" and ");
		return problem(
			wanted,
			"policy-ambiguous",
			`${all} exist, and ${quote(wanted.name)} could be either: add its \`id\``,
		);
	}
	if (policy === undefined) {
		if (wanted.id === undefined) return undefined;
		const message = `no policy has the id ${wanted.id}; remove \`id\` to create ${quote(wanted.name)}: the service chooses ids`;
		return problem(wanted, "policy-not-there", message);
	}
	const other = claimed.get(policy.id);
	if (other === undefined) return undefined;
	const message = `two entries match the live policy ${quote(policy.name)} (${policy.id}): ${quote(other.name)} and ${quote(wanted.name)}; keep one`;
	return problem(wanted, "duplicate-policy", message);
}

/** Names are unique: one whose holder neither gives it up nor is removed cannot be had. */
function takenNames(
	found: readonly FoundPolicy[],
	live: readonly LivePolicy[],
	removed: ReadonlySet<string>,
): readonly Problem[] {
	const holders = new Map(live.map((policy) => [policy.name, policy]));
	const renamed = new Set(
		found.flatMap(({ wanted, policy }) => (policy?.name === wanted.name ? [] : (policy?.id ?? []))),
	);
	return found.flatMap(({ wanted, policy }) => {
		const holder = holders.get(wanted.name);
		if (holder === undefined || holder.id === policy?.id || renamed.has(holder.id) || removed.has(holder.id)) return [];
		const message = `${quote(policy?.name ?? wanted.name)} cannot be called ${quote(wanted.name)}: the policy ${holder.id} has that name and keeps it`;
		return [problem(wanted, "policy-name-taken", message)];
	});
}

function comparePolicy(
	{ wanted, policy }: FoundPolicy,
	desired: DesiredOrganization,
	live: LiveOrganization,
	ids: IdsOfReferences,
): PolicyChange | null {
	const before = policy === null ? null : contentOf(policy);
	const after: PolicyContent = {
		name: wanted.name,
		effect: wanted.effect,
		consensus: resolveText(wanted.consensus, ids),
		condition: resolveText(wanted.condition, ids),
		notes: wanted.notes ?? before?.notes ?? "",
		time: resolveText(wanted.time ?? "", ids),
	};
	if (before !== null && isSame(before, after, wanted)) return null;
	return {
		address: printAddress("policy", wanted.name),
		kind: "policy",
		action: policy === null ? "create" : "update",
		reason: policy === null ? "not-there" : "differs",
		basis: "live",
		id: policy?.id ?? standInFor(desired.organizationId, "policy", wanted.name),
		userId: null,
		before,
		after,
		written: { consensus: wanted.consensus, condition: wanted.condition },
		writtenBefore: before === null ? null : writtenOf(before, wanted, ids),
		takesOver: policy !== null && live.lastApplied.policies?.[policy.id] === undefined,
		...defined({ unchecked: wanted.unchecked }),
	};
}

function contentOf({ name, effect, consensus, condition, notes, time }: LivePolicy): PolicyContent {
	return { name, effect, consensus, condition, notes, time };
}

/** Returns the live expressions with the names that the document has for ids. */
function writtenOf(
	{ consensus, condition }: PolicyContent,
	{ unchecked }: DesiredPolicy,
	ids: IdsOfReferences,
): WrittenExpressions {
	if (unchecked === true) return { consensus: escapeTemplate(consensus), condition: escapeTemplate(condition) };
	const names = { tagNames: invert(ids.userTags), aliases: invert(ids.users) };
	return { consensus: templateOf(consensus, names), condition: templateOf(condition, names) };
}

function invert(map: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
	return new Map([...map].map(([name, id]) => [id, name]));
}

/** Whether nothing has to be changed: expressions with the same tree are the same. */
function isSame(before: PolicyContent, after: PolicyContent, { unchecked }: DesiredPolicy): boolean {
	const same = (one: string, other: string): boolean =>
		unchecked === true ? one === other : sameExpression(one, other);
	return (
		before.name === after.name &&
		before.effect === after.effect &&
		same(before.consensus, after.consensus) &&
		same(before.condition, after.condition) &&
		before.notes === after.notes &&
		same(before.time, after.time)
	);
}

function removeUnlisted(
	live: readonly LivePolicy[],
	found: readonly FoundPolicy[],
	desired: DesiredOrganization,
	except: readonly string[],
): readonly RemovalChange[] {
	const listed = new Set(found.map(({ policy }) => policy?.id));
	const removed = new Set(removalsOf(desired, "policy").map(({ id }) => id));
	return live
		.filter(({ id, name }) => !listed.has(id) && !removed.has(id) && !removed.has(name))
		.filter(({ name }) => !except.some((glob) => matchesGlob(glob, name)))
		.map(({ id, name }) => ({
			address: printAddress("policy", id),
			kind: "policy",
			action: "remove",
			reason: "is-there",
			basis: "live",
			id,
			userId: null,
			before: { name },
			after: null,
		}));
}

function quote(name: string): string {
	return `\`${showName(name)}\``;
}

function problem(wanted: DesiredPolicy, code: string, message: string): Problem {
	return { ...wanted.at, path: printAddress("policy", wanted.name), code, message };
}
