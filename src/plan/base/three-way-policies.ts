/** Which policies of two documents are the same, and in what they differ. */
import { escapeTemplate } from "../../policy/language/template.ts";
import { printAddress } from "../address.ts";
import { matchesGlob } from "../glob.ts";
import { findObjects } from "../kinds/found-objects.ts";
import { type IdsOfReferences, idsOfReferences, resolveText } from "../kinds/references.ts";
import {
	type DesiredObject,
	type DesiredOrganization,
	type DesiredPolicy,
	type LiveOrganization,
	type LivePolicy,
	policiesOf,
	removalsOf,
} from "../organization.ts";
import { compareText } from "../value.ts";
import { cells, isSameField, policyFields } from "./atoms.ts";
import { type DemandingDifference, differenceAt } from "./document-changes.ts";

export interface PolicyPair {
	readonly base: DesiredPolicy | undefined;
	readonly head: DesiredPolicy | undefined;
	/** Null where there is none, undefined where that is unknown. */
	readonly live: LivePolicy | null | undefined;
}

/** Every policy of the two documents once, in the order of the head and then of the base; `live` is null when it was not asked. */
export function pairPolicies(
	base: DesiredOrganization,
	head: DesiredOrganization,
	live: LiveOrganization | null,
): readonly PolicyPair[] {
	const [inBase, inHead] = [policiesOf(base), policiesOf(head)].map((all) => findLive(all, live)) as [Found, Found];
	const isPartner = (one: DesiredPolicy, other: DesiredPolicy): boolean => {
		const [left, right] = [one.id ?? inBase.get(one)?.id, other.id ?? inHead.get(other)?.id];
		if (left !== undefined && right !== undefined) return left === right;
		return one.name === other.name || other.previously.includes(one.name);
	};
	const taken = new Set<DesiredPolicy>();
	const pairs = policiesOf(head).map((one): PolicyPair => {
		const free = policiesOf(base).filter((other) => !taken.has(other) && isPartner(other, one));
		const partner = free.find(({ name }) => name === one.name) ?? free[0];
		if (partner !== undefined) taken.add(partner);
		return { base: partner, head: one, live: inHead.get(one) };
	});
	const left = policiesOf(base).filter((one) => !taken.has(one));
	return [...pairs, ...left.map((one): PolicyPair => ({ base: one, head: undefined, live: inBase.get(one) }))];
}

type Found = ReadonlyMap<DesiredPolicy, LivePolicy | null>;

function findLive(policies: readonly DesiredPolicy[], live: LiveOrganization | null): Found {
	if (live?.policies?.known !== true) return new Map();
	const { found, missing } = findObjects(policies, live.policies.value, ({ id }) => id ?? null);
	return new Map([
		...found.map((one) => [one.wanted, one.live] as const),
		...missing.map((one) => [one, null] as const),
	]);
}

/**
 * Returns the base's objects, with live ids that only the head finds, and the ids that the base means in place of references:
 * the same alias may be another user in the head.
 */
export function pinPolicies(
	base: DesiredOrganization,
	pairs: readonly PolicyPair[],
	live: LiveOrganization,
): readonly DesiredObject[] {
	const ids = idsOfReferences(base, live);
	const pinned = new Map<DesiredObject, DesiredPolicy>(
		pairs.flatMap(({ base: one, live: policy }) => {
			if (one === undefined) return [];
			const { consensus, condition } = textsOf(one, ids);
			const texts = { consensus: escapeTemplate(consensus), condition: escapeTemplate(condition) };
			return [[one, { ...one, ...texts, ...(policy ? { id: policy.id } : {}) }]];
		}),
	);
	return base.objects.map((object) => pinned.get(object) ?? object);
}

function textsOf({ consensus, condition, time = "" }: DesiredPolicy, ids: IdsOfReferences) {
	const [who = "", what = "", when = ""] = [consensus, condition, time].map((text) => resolveText(text, ids));
	return { consensus: who, condition: what, time: when };
}

/** Everything in which the head says something else of policies than the base, sorted by address. */
export function policyDifferences(
	base: DesiredOrganization,
	head: DesiredOrganization,
	pairs: readonly PolicyPair[],
	live: LiveOrganization | null,
): readonly DemandingDifference[] {
	const ids = live && { base: idsOfReferences(base, live), head: idsOfReferences(head, live) };
	return pairs
		.flatMap((pair) => {
			if (pair.head === undefined) return pair.base === undefined ? [] : [leftDocument(pair.base, head, pair.live)];
			const address = printAddress("policy", pair.head.name);
			if (pair.base === undefined) return [differenceAt(address, "managed")];
			return ids === null ? [] : fieldDifferences(address, pair, pair.base, pair.head, ids);
		})
		.sort((left, right) => compareText(left.difference.address, right.difference.address));
}

/** What becomes of a policy that left the document. */
type LeftPolicy = "stays" | "removed" | "not-there";

/** `after` is null where live state is unknown. The head names what it removes as it is live. */
function leftDocument(
	stated: DesiredPolicy,
	head: DesiredOrganization,
	live: LivePolicy | null | undefined,
): DemandingDifference {
	const { id, name } = live ?? stated;
	const isAbsent = removalsOf(head, "policy").some((one) => one.id === name || one.id === id);
	const except = head.exactly?.policies?.except;
	const isUnlisted = except !== undefined && !except.some((glob) => matchesGlob(glob, name));
	const known: LeftPolicy | null = live === undefined ? null : live === null ? "not-there" : "stays";
	const after = known !== "not-there" && (isAbsent || isUnlisted) ? "removed" : known;
	return differenceAt(printAddress("policy", stated.name), "unmanaged", { after });
}

function fieldDifferences(
	address: string,
	{ live }: PolicyPair,
	base: DesiredPolicy,
	head: DesiredPolicy,
	ids: { readonly base: IdsOfReferences; readonly head: IdsOfReferences },
): readonly DemandingDifference[] {
	const demands = (field: string): string => (live ? cells.field(live.id, field) : cells.object(address));
	const [was, is] = [
		{ ...base, ...textsOf(base, ids.base) },
		{ ...head, ...textsOf(head, ids.head) },
	];
	const fields = policyFields.filter((field) => !isSameField(field, was[field], is[field]));
	// As the documents write them.
	const writtenIn = (policy: DesiredPolicy, field: (typeof fields)[number]) =>
		policy[field] ?? (field === "notes" ? null : "");
	const marks = { before: base.unchecked === true, after: head.unchecked === true };
	return [
		...fields.map((field) => {
			const parts = {
				field: field === "name" ? null : field,
				before: writtenIn(base, field),
				after: writtenIn(head, field),
			};
			return differenceAt(address, field === "name" ? "renamed" : "field", parts, demands(field));
		}),
		...(base.unchecked === head.unchecked ? [] : [differenceAt(address, "field", { field: "unchecked", ...marks })]),
	];
}
