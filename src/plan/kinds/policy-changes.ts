/** What differs between the policies that a document writes and those that are live. */

import { defined } from "../../common/defined.ts";
import { templateOf } from "../../policy/language/check-template.ts";
import { sameExpression } from "../../policy/language/same-expression.ts";
import { escapeTemplate } from "../../policy/language/template.ts";
import { printAddress } from "../address.ts";
import type { Differences, PolicyChange, PolicyContent, RemovalChange, Unread, WrittenExpressions } from "../change.ts";
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
import { bothWays, findObjects, findUnlisted, quote, takenNames } from "./found-objects.ts";
import { contentOf } from "./policy-content.ts";
import { type IdsOfReferences, idsOfReferences, resolveText } from "./references.ts";
import { removalOf } from "./removal.ts";

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
	const { found, missing, problems } = findObjects(wanted, known.value, ({ id, name }) =>
		id === undefined
			? null
			: `no policy has the id ${id}; remove \`id\` to create ${quote(name)}: the service chooses ids`,
	);
	const ids = idsOfReferences(desired, live);
	const isNew = new Set(missing);
	const liveOf = new Map(found.map((one) => [one.wanted, one.live]));
	const changes = wanted
		.filter((one) => isNew.has(one) || liveOf.has(one))
		.flatMap((one) => comparePolicy(one, liveOf.get(one) ?? null, desired, live, ids) ?? []);
	const absent = new Set(removalsOf(desired, "policy").map(({ id }) => id));
	const isAbsent = ({ id, name }: LivePolicy): boolean => absent.has(id) || absent.has(name);
	const [gone, others] = [known.value.filter(isAbsent), known.value.filter((one) => !isAbsent(one))];
	const unlisted = exceptions === undefined ? [] : findUnlisted(others, wanted, exceptions).removed.map(removeUnlisted);
	const both = bothWays(found, ({ id }) => gone.some((one) => one.id === id));
	const taken = takenNames(found, known.value, new Set([...gone, ...unlisted].map(({ id }) => id)));
	return { changes: [...changes, ...unlisted], problems: [...problems, ...taken, ...both], unread: [] };
}

function comparePolicy(
	wanted: DesiredPolicy,
	policy: LivePolicy | null,
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
	const isSameText = before !== null && isSame(before, after, wanted);
	if (isSameText && before.name === after.name) return null;
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
		writtenBefore: before === null ? null : writtenOf(before, after, wanted, ids),
		takesOver: policy !== null && !isSameText && live.lastApplied.policies?.[policy.id] === undefined,
		...defined({ unchecked: wanted.unchecked }),
	};
}

/** Returns the live expressions with the names that the document has for ids. */
function writtenOf(
	{ consensus, condition }: PolicyContent,
	after: PolicyContent,
	wanted: DesiredPolicy,
	ids: IdsOfReferences,
): WrittenExpressions {
	if (wanted.unchecked === true) {
		// What orgsync does not understand is compared as text: of equal texts, the document's is shown.
		const textOf = (field: keyof WrittenExpressions, text: string): string =>
			text === after[field] ? wanted[field] : escapeTemplate(text);
		return { consensus: textOf("consensus", consensus), condition: textOf("condition", condition) };
	}
	const names = { tagNames: invert(ids.userTags), aliases: invert(ids.users) };
	return { consensus: templateOf(consensus, names), condition: templateOf(condition, names) };
}

function invert(map: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
	return new Map([...map].map(([name, id]) => [id, name]));
}

/** Whether nothing but the name may have to be changed: expressions with the same tree are the same. */
function isSame(before: PolicyContent, after: PolicyContent, { unchecked }: DesiredPolicy): boolean {
	const same = (one: string, other: string): boolean =>
		unchecked === true ? one === other : sameExpression(one, other);
	return (
		before.effect === after.effect &&
		same(before.consensus, after.consensus) &&
		same(before.condition, after.condition) &&
		before.notes === after.notes &&
		same(before.time, after.time)
	);
}

function removeUnlisted({ id, name }: LivePolicy): RemovalChange {
	return removalOf({ kind: "policy", id, userId: null }, id, true, name);
}
