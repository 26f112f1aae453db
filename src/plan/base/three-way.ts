/** The three-way plan (docs/saved-plans.md#comparison-with-a-base). An atom is the smallest thing that can differ. */
import { defined } from "../../common/defined.ts";
import type { Problem } from "../../common/errors.ts";
import { desiredAt, factsOf, isExpired } from "../access-window.ts";
import { includesObject, printAddress, type Scope } from "../address.ts";
import type { Basis, Unread } from "../change.ts";
import { diff } from "../diff.ts";
import { addressOfObject } from "../objects.ts";
import { type DesiredObject, type DesiredOrganization, type LiveOrganization, tagsOf } from "../organization.ts";
import { namesOfUsers } from "../plan.ts";
import { standInFor } from "../stand-in.ts";
import { aliasDifferences, liveNamesFor, type UserNames, usersOf } from "../users.ts";
import { compareText, sameValue } from "../value.ts";
import { type Atom, atomsOf, cells, isSameField, type PlannedWord } from "./atoms.ts";
import { compareDocuments, type DocumentChange } from "./document-changes.ts";
import type { LeftPolicy } from "./left-policies.ts";
import { pairPolicies, pinPolicies, policyDifferences } from "./three-way-policies.ts";
import { pairTags, pinTags, type TagPair } from "./three-way-tags.ts";

/** The document as it stood before, and how the user named it; null where it said nothing of the organization. */
export interface BaseDocument {
	readonly name: string;
	readonly desired: DesiredOrganization | null;
}

/** One way in which live is not as the base document says; `before` is the document's, `after` is live's. */
export interface DriftedDifference
	extends Pick<DocumentChange, "address" | "tagId" | "userId" | "field" | "before" | "after"> {
	/**
	 * `member-expired`: the user still has the tag, and the window of the base ended at `before`. `is-there`: though it must not exist.
	 * `problem`: the document cannot be reached any more, `message` says why.
	 */
	readonly what:
		| "renamed"
		| "member-gained"
		| "member-expired"
		| "member-lost"
		| "is-there"
		| "field"
		| "not-there"
		| "problem";
	readonly basis: Basis;
	readonly message: string | null;
	readonly fate: Fate;
}

/** `replaced`: the change asks for a third value. `remains`: nothing can change it. `held`: its step was rejected. */
type Fate = "reverted" | "accepted" | "replaced" | "remains" | "held";

/** Something that apply does; `before` is live's, `after` the head document's. */
export interface PlannedDifference extends Pick<DocumentChange, "address" | "tagId" | "userId"> {
	readonly what: PlannedWord;
	/** Of a policy that is changed; left out for everything else. */
	readonly field?: string;
	/** The name, also of what is removed, or the value of the field; null where it is not known. */
	readonly before: string | null;
	readonly after: string | null;
	readonly basis: Basis;
}

/** schemas/three-way.json describes it. */
export interface ThreeWay extends UserNames {
	readonly organizationId: string;
	readonly base: { readonly name: string; readonly documentDigest: string | null };
	/** Null where the head documents say nothing of the organization: then live was not asked either. */
	readonly head: { readonly documentDigest: string } | null;
	readonly documentChanges: readonly DocumentChange[];
	readonly drifted: readonly DriftedDifference[];
	/** Of what apply will do, what the change does not mention and what puts drift back. */
	readonly reverts: readonly PlannedDifference[];
	/** Of `drifted`, what the change leaves as it is. */
	readonly accepted: readonly DriftedDifference[];
	/** Of `documentChanges`, what live is already. */
	readonly alreadyInSync: readonly DocumentChange[];
	/** Policies that left the document and stay live; left out where there is none, and where it was not read who can do what. */
	readonly leftPolicies?: readonly LeftPolicy[];
	/** Objects of the base document that could not be read: whether they drifted is not known. */
	readonly unread: readonly Unread[];
}

/** Whether the change of the document, or what drifted before it, has anything to show. */
export function hasFindings(threeWay: ThreeWay | null): boolean {
	if (threeWay === null) return false;
	return threeWay.documentChanges.length + threeWay.drifted.length + (threeWay.aliases ?? []).length > 0;
}

/** Returns all three comparisons; `live` was read for both documents. `timeMs` decides what windows want, if there are any. */
export function makeThreeWay(
	base: BaseDocument,
	document: DesiredOrganization,
	live: LiveOrganization,
	timeMs = 0,
): ThreeWay {
	const head = desiredAt(document, timeMs);
	const before = desiredAt(base.desired ?? emptyOf(head), timeMs);
	const pairs = pairTags(tagsOf(before), tagsOf(head), live);
	const policies = pairPolicies(before, head, live);
	const toLive = diff(head, live);
	const pinned = { ...before, objects: pinTags(before.objects, pairs) };
	// Users go by the head's names in both, so that an address means the same object on either side.
	const fromBase = diff({ ...before, users: head.users, objects: pinPolicies(pinned, policies, live) }, live);
	const planned = new Map(atomsOf(toLive.changes).map((atom) => [atom.cell, atom]));
	const addresses = new Map<string, string>(
		[...pairs, ...policies].flatMap(({ base: one, head: other }) =>
			one && other ? [[printAddress(one.kind, one.name), printAddress(other.kind, other.name)]] : [],
		),
	);
	const expired = expiredIn(pairs, timeMs);
	const found = atomsOf(fromBase.changes).filter(({ basis }) => basis !== "unknown");
	const inNames = namerOfStandIns(before, head);
	const drifted = [
		...found.map((atom) => ({
			...driftOf({ ...atom, wanted: inNames(atom.wanted) }, addresses),
			...describeExpired(atom, expired),
			fate: fateOf(atom, planned.get(atom.cell)),
		})),
		...driftedProblems(fromBase.problems, toLive.problems),
	];
	// The end of access is no change by others.
	const reverted = new Set(
		found
			.filter((atom) => fateOf(atom, planned.get(atom.cell)) === "reverted" && !expired.has(atom.cell))
			.map(({ cell }) => cell),
	);
	const isUnknown = (address: string, of: Scope["scope"]): boolean =>
		toLive.unread.some((one) => one.scope === of && includesObject(one, address));
	const written = policyDifferences(pinned, head, policies, live);
	const changed = compareDocuments(before, head, { pairs, policies: written, live });
	const isSo = ({ demands, difference: { address, what } }: (typeof changed)[number]): boolean =>
		demands !== null &&
		!planned.has(demands) &&
		!planned.has(cells.object(address)) &&
		!isUnknown(address, "kind") &&
		// Where members cannot be read, names can.
		(what === "renamed" || !isUnknown(address, "object"));
	const userNames = namesOf(before, head);
	const named = changed.flatMap(({ difference: { userId } }) => userId ?? []);
	const mentioned = [...named, ...[...toLive.changes, ...fromBase.changes].flatMap(usersOf)];
	const liveNames = liveNamesFor(mentioned, userNames, live.users);
	return {
		organizationId: head.organizationId,
		base: { name: base.name, documentDigest: base.desired?.digest ?? null },
		head: { documentDigest: head.digest },
		userNames,
		...defined({ liveNames }),
		aliases: aliasDifferences(before.users, head.users),
		documentChanges: changed.map(({ difference }) => difference),
		drifted,
		reverts: [...planned.values()]
			.filter(({ cell }) => reverted.has(cell))
			.map((atom) => plannedOf({ ...atom, wanted: inNames(atom.wanted) })),
		accepted: drifted.filter(({ fate }) => fate === "accepted"),
		alreadyInSync: changed.filter(isSo).map(({ difference }) => difference),
		unread: fromBase.unread,
	};
}

/** Returns the comparison of an organization that only the base documents: live state is not read. */
export function makeDropped(name: string, base: DesiredOrganization): ThreeWay {
	const head = emptyOf(base);
	const policies = policyDifferences(base, head, pairPolicies(base, head, null), null);
	const pairs = pairTags(tagsOf(base), [], null);
	const changed = compareDocuments(base, { ...head, users: base.users }, { pairs, policies, live: null });
	return {
		organizationId: base.organizationId,
		base: { name, documentDigest: base.digest },
		head: null,
		userNames: namesOf(base, head),
		aliases: [],
		documentChanges: changed.map(({ difference }) => difference),
		drifted: [],
		reverts: [],
		accepted: [],
		alreadyInSync: [],
		unread: [],
	};
}

/** One document that needs every read that either does, for reading live once. It must not be used for what it wants. */
export function unite(base: DesiredOrganization, head: DesiredOrganization): DesiredOrganization {
	const all = [...base.objects, ...head.objects];
	// An object that both expect is one expectation: then one query of one MFA policy is enough.
	const keyOf = (object: DesiredObject): string =>
		object.kind === "userTag" ? JSON.stringify(object) : addressOfObject(object, { users: {} });
	const exactly = { ...base.exactly, ...head.exactly };
	const objects = [...new Map(all.map((object) => [keyOf(object), object])).values()];
	const rules = [...(head.rules ?? []), ...(base.rules ?? [])];
	const cases = head.cases ?? base.cases;
	return {
		...head,
		...(Object.keys(exactly).length === 0 ? {} : { exactly }),
		objects,
		rules,
		...defined({ cases }),
	};
}

function driftedProblems(ofBase: readonly Problem[], ofHead: readonly Problem[]): readonly DriftedDifference[] {
	const stillWrong = new Set(ofHead.map(({ code, path }) => `${code} ${path}`));
	return ofBase.map(({ code, path, message }) => {
		const fate = stillWrong.has(`${code} ${path}`) ? "remains" : "accepted";
		return { ...nothing, address: path, what: "problem", basis: "live", message, fate };
	});
}

/** Returns a function that puts references in place of the stand-ins of tags that live state does not have: no reader knows those. */
function namerOfStandIns(...documents: readonly DesiredOrganization[]): (value: unknown) => unknown {
	const names = documents.flatMap((one) =>
		tagsOf(one).map(({ name }) => [standInFor(one.organizationId, "userTag", name), `\${userTags.${name}}`] as const),
	);
	return (value) =>
		typeof value === "string" ? names.reduce((text, [id, name]) => text.replaceAll(id, name), value) : value;
}

function emptyOf({ organizationId, users, digest }: DesiredOrganization): DesiredOrganization {
	const nothing = { objects: [], protect: { userIds: [], userTags: [] }, limits: {}, files: [] };
	return { organizationId, users, digest, ...nothing };
}

function namesOf(base: DesiredOrganization, head: DesiredOrganization): Readonly<Record<string, string>> {
	const names = { ...namesOfUsers(base), ...namesOfUsers(head) };
	return Object.fromEntries(Object.entries(names).sort(([left], [right]) => compareText(left, right)));
}

const nothing = { tagId: null, userId: null, field: null, before: null, after: null, message: null } as const;

function fateOf(drift: Atom, planned: Atom | undefined): Fate {
	if (planned === undefined) return "accepted";
	const isSame =
		drift.what === "set"
			? isSameField(drift.field, planned.wanted, drift.wanted)
			: sameValue(planned.wanted, drift.wanted);
	if (!isSame) return "replaced";
	return planned.what === "field" || planned.what === "not-there" ? "remains" : "reverted";
}

/** Returns when access ended by a window of the base, ISO 8601 in UTC, by the atom of live that should have ended too. */
function expiredIn(pairs: readonly TagPair[], timeMs: number): ReadonlyMap<string, string> {
	return new Map(
		pairs.flatMap(({ base, tagId, baseTagId }) => {
			const id = baseTagId ?? tagId;
			const ended = (base?.members?.windows ?? []).filter((window) => isExpired(window, timeMs));
			return id === undefined
				? []
				: ended.map((window) => [cells.member(id, window.userId), factsOf(window).until ?? ""] as const);
		}),
	);
}

function describeExpired(
	{ cell, what }: Atom,
	expired: ReadonlyMap<string, string>,
): Pick<DriftedDifference, "what" | "before"> | undefined {
	const before = expired.get(cell);
	return before === undefined || what !== "remove-member" ? undefined : { what: "member-expired", before };
}

const driftWords = {
	rename: "renamed",
	"add-member": "member-lost",
	"remove-member": "member-gained",
	remove: "is-there",
	create: "not-there",
	set: "field",
	field: "field",
	"not-there": "not-there",
} as const;

/** The atom as drift, under the address that the head document gives its object. */
function driftOf(atom: Atom, addresses: ReadonlyMap<string, string>): Omit<DriftedDifference, "fate"> {
	const { tagId, what, userId, field, live, basis } = atom;
	const address = addresses.get(atom.address) ?? atom.address;
	const before = what === "rename" || what === "field" || what === "set" ? atom.wanted : null;
	return { ...nothing, address, tagId, what: driftWords[what], userId, field, before, after: live, basis };
}

function plannedOf({ address, tagId, what, userId, field, live, wanted, basis }: Atom): PlannedDifference {
	const name = (value: unknown): string | null => (typeof value === "string" ? value : null);
	const after = what === "rename" || what === "set" ? name(wanted) : null;
	const base = { address, tagId, what: what as PlannedWord, userId, before: name(live), after, basis };
	return { ...base, ...defined({ field: field ?? undefined }) };
}
