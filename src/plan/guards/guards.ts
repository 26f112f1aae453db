/** Guards: limits for the whole plan, checked before the first request (docs/guards.md). */
import { defined } from "../../common/defined.ts";
import type { Expiry } from "../access-window.ts";
import type { Change, TagChange } from "../change.ts";
import { removalKindNames, removalLists } from "../kinds/names.ts";
import {
	type DesiredOrganization,
	type Known,
	type Limits,
	type LiveOrganization,
	powerLimits,
} from "../organization.ts";
import { coveredAddresses, type Step } from "../step.ts";
import { liveNamesFor, type UserNames } from "../users.ts";
import { compareText } from "../value.ts";
import type { GuardFinding } from "./finding.ts";

/** What can block a plan; also the word before `=` in `--allow`. */
export const guardKinds = [
	"memberRemovals",
	...Object.values(removalLists),
	"protected",
	"ownOauthProviders",
	"ownUserTags",
	...powerLimits,
	"unlisted",
	"rules",
	"newAccess",
	"reversals",
	"stranded",
	"unsafeMoments",
	"ownPowers",
	"accessCases",
	"userTags",
	"policyUpdates",
	"takeovers",
	"danglingTags",
	"rebound",
] as const;

/** Guards that count what is removed. */
export const removalGuards: ReadonlySet<string> = new Set([
	"memberRemovals",
	"userTags",
	...Object.values(removalLists),
]);

/** What is guarded. `oldNames` only warns, so there is nothing to override. */
export type GuardKind = (typeof guardKinds)[number] | "oldNames";

export function isGuardKind(text: string): text is GuardKind {
	return guardKinds.some((kind) => kind === text);
}

/** One guard that was judged. `found` is what `--allow KIND=FOUND` has to name. */
export interface Guard {
	readonly kind: GuardKind;
	readonly found: number;
	readonly refuses: boolean;
	/** Addresses that it is about; sorted. */
	readonly where: readonly string[];
	readonly finding: GuardFinding;
	/** The base document has the limit, which is stricter; left out where this document does. */
	readonly isOfBase?: true;
}

/** The default limit: losing more is more often a mistake. Objects under `absent` are named one by one, so they have none. */
export const defaultMemberRemovals = { percent: 50 } as const;

/** Percentages mean little for a handful: a tag of fewer known members is not judged by one (docs/guards.md). */
const minKnownMembers = 4;

/** A product of decimals such as 9.12 * 625 lies a little beside its exact value; no true excess is this small. */
const roundingError = 1e-6;

/** What the guards judge, besides the desired and the live organization. */
interface JudgedChanges {
	readonly changes: readonly Change[];
	readonly caller: Known<string>;
	/** Those of the plan: which removals are of access that expired. */
	readonly expiries: readonly Expiry[];
}

/** Returns the guard that found so much, at these addresses; none where it found nothing. */
export function guardOf(
	kind: GuardKind,
	found: number,
	where: readonly string[],
	finding: GuardFinding,
	refuses = true,
): readonly Guard[] {
	return found === 0 ? [] : [{ kind, found, refuses, where, finding }];
}

/** Every guard that these changes come near: limits of the document, what is protected, and the caller's own way in. */
export function judgeGuards(
	desired: DesiredOrganization,
	live: LiveOrganization,
	{ changes, caller, expiries }: JudgedChanges,
): readonly Guard[] {
	return [
		...judgeMemberRemovals(desired.limits, changes, expiries),
		...judgeCounts(desired, changes),
		...judgeProtected(desired, changes),
		...(caller.known ? judgeCaller(desired, live, changes, caller.value) : []),
	];
}

/** Whether the caller matters to these changes: only who loses something can lose the last way in. */
export function needsCaller(changes: readonly Change[]): boolean {
	return changes.some((change) =>
		change.kind === "userTag" ? change.removeUserIds.length > 0 : change.kind === "oauthProvider",
	);
}

/** The values that were acknowledged, by kind: several plans can find several numbers. */
export type Allowed = ReadonlyMap<GuardKind, ReadonlySet<number>>;

export function refusingGuards(guards: readonly Guard[], allowed: Allowed): readonly Guard[] {
	return guards.filter(({ kind, found, refuses }) => refuses && allowed.get(kind)?.has(found) !== true);
}

/** Refuses to send while the list of pending activities is cut off: a step could duplicate one that is not listed. */
export function judgeUnlisted(steps: readonly Step[]): readonly Guard[] {
	const sent = steps.filter(({ earlierActivity }) => earlierActivity === null);
	const where = [...new Set(coveredAddresses(sent))].sort(compareText);
	return guardOf("unlisted", sent.length, where, { what: "unlisted" });
}

function tagChanges(changes: readonly Change[]): readonly TagChange[] {
	return changes.filter((change) => change.kind === "userTag");
}

/** A tag, and how many of its removals count. */
interface Loss {
	readonly change: TagChange;
	readonly count: number;
}

function judgeMemberRemovals(
	{ memberRemovals: limit = defaultMemberRemovals, expiries: ofExpired }: Limits,
	changes: readonly Change[],
	expiries: readonly Expiry[],
): readonly Guard[] {
	const removed = tagChanges(changes).filter(({ removeUserIds }) => removeUserIds.length > 0);
	const losing = removed
		.map((change): Loss => {
			const expired = ofExpired === "any" ? countExpired(change, expiries) : 0;
			return { change, count: change.removeUserIds.length - expired };
		})
		.filter(({ count }) => count > 0);
	const found = losing.reduce((sum, { count }) => sum + count, 0);
	const over = "count" in limit ? [] : losing.filter((loss) => exceedsPercentage(loss, limit.percent));
	const concerned = over.length === 0 ? losing : over;
	const shares = over.map(({ change: { address, before, basis }, count }) => {
		return { address, count, of: basis === "live" ? (before.members?.length ?? null) : null };
	});
	const waived = removed.reduce((sum, { removeUserIds }) => sum + removeUserIds.length, 0) - found;
	const where = concerned.map(({ change }) => change.address);
	const refuses = "count" in limit ? found > limit.count : over.length > 0;
	return guardOf("memberRemovals", found, where, { what: "member-removals", limit, shares, waived }, refuses);
}

/** Returns how many of the removals are of access that expired. */
function countExpired({ address, removeUserIds }: TagChange, expiries: readonly Expiry[]): number {
	const expired = expiries.filter((one) => one.state === "expired" && one.address === address);
	return expired.filter(({ userId }) => removeUserIds.includes(userId)).length;
}

/** Whether the tag would lose more than this percentage. 0% allows no removal and 100% allows all, for every tag. */
function exceedsPercentage({ change: { before, basis }, count }: Loss, percent: number): boolean {
	if (percent === 0) return true;
	if (percent === 100) return false;
	// Unknown members have no percentage, so many removals at once are refused. The last-applied state is only a part of the
	// members, and comes from a file.
	if (basis !== "live" && count >= minKnownMembers) return true;
	if (before.members === null) return false;
	const members = before.members.length;
	return members >= minKnownMembers && count * 100 > percent * members + roundingError;
}

function judgeCounts(desired: DesiredOrganization, changes: readonly Change[]): readonly Guard[] {
	return removalKindNames.flatMap((name) => {
		const removed = changes.filter((change) => change.kind === name && change.action === "remove");
		return judgeLimit(removalLists[name], removed, desired.limits[removalLists[name]], "removals");
	});
}

/** Returns the guard of so many changes; none without a change, or without a limit. */
export function judgeLimit(
	kind: GuardKind,
	changes: readonly Change[],
	limit: number | undefined,
	what: "removals" | "updates" | "takeovers",
): readonly Guard[] {
	if (limit === undefined) return [];
	const where = changes.map(({ address }) => address);
	return guardOf(kind, where.length, where, { what, limit }, where.length > limit);
}

function judgeProtected(desired: DesiredOrganization, changes: readonly Change[]): readonly Guard[] {
	const users = new Set(desired.protect.userIds);
	const tags = new Set(desired.protect.userTags);
	const policies = new Set(desired.protect.policies);
	const touched = changes.filter((change) => {
		if (change.kind === "oauthProvider") return users.has(change.userId ?? "");
		if (change.kind === "policy") {
			const names = [change.id, change.before?.name, change.after?.name];
			return change.action !== "create" && names.some((name) => policies.has(name ?? ""));
		}
		if (change.kind !== "userTag") return false;
		return (
			tags.has(change.before.name) ||
			tags.has(change.after.name) ||
			change.removeUserIds.some((userId) => users.has(userId))
		);
	});
	const where = touched.map(({ address }) => address);
	return guardOf("protected", where.length, where, { what: "protected" });
}

/** Refuses to take the caller's last OAuth provider or last tag, or what could be: the caller could not revert it. */
function judgeCaller(
	desired: DesiredOrganization,
	live: LiveOrganization,
	changes: readonly Change[],
	caller: string,
): readonly Guard[] {
	const names = namesOf(desired, live, caller);
	const { oauthProvider } = live.removables;
	const owned = oauthProvider.known ? oauthProvider.value.filter(({ userId }) => userId === caller).length : undefined;
	const ownProviders = changes.filter((change) => change.kind === "oauthProvider" && change.userId === caller);
	const ownTags = tagChanges(changes).filter(({ removeUserIds }) => removeUserIds.includes(caller));
	const guard = (kind: GuardKind, lost: readonly Change[], left: number | undefined): readonly Guard[] => {
		if (left !== undefined && left > 0) return [];
		const where = lost.map(({ address }) => address);
		const finding = { what: "last-of-caller", userId: caller, names, isUnknown: left === undefined } as const;
		return guardOf(kind, where.length, where, finding);
	};
	return [
		...guard("ownOauthProviders", ownProviders, owned && owned - ownProviders.length),
		...guard("ownUserTags", ownTags, tagsAfter(live, changes, caller)),
	];
}

function namesOf({ users }: DesiredOrganization, live: LiveOrganization, caller: string): UserNames {
	const userNames = Object.fromEntries(Object.entries(users).map(([alias, id]) => [id, alias]));
	return { userNames, ...defined({ liveNames: liveNamesFor([caller], userNames, live.users) }) };
}

/** How many tags the user would have; undefined when members are not known. */
function tagsAfter(live: LiveOrganization, changes: readonly Change[], userId: string): number | undefined {
	if (!live.userTags.known) return undefined;
	const byTag = new Map(tagChanges(changes).map((change) => [change.tagId, change]));
	let count = 0;
	for (const tag of live.userTags.value) {
		if (!tag.members.known) return undefined;
		const change = byTag.get(tag.id);
		const has = tag.members.value.includes(userId);
		if (change?.addUserIds.includes(userId) === true || (has && change?.removeUserIds.includes(userId) !== true))
			count += 1;
	}
	return count;
}
