/** Compares what a case says with who can do what for one kind of activities. */
import { takingPart } from "../../policy/powers/conditional.ts";
import { allowedBy, type Part, possibly, surely } from "../../policy/powers/judge.ts";
import type { PreparedAccess } from "../../policy/powers/prepare.ts";
import { bound } from "../../policy/sets/formula.ts";
import { type Alternative, difference, resolve, type UserSets } from "../../policy/sets/resolve.ts";
import { type Bits, bit, membersOf, setOf, sizeOf } from "../../policy/sets/sets.ts";
import { aloneIn, findSmallestSets, isMember, participantsIn } from "../../policy/sets/user-sets.ts";
import { idsOf } from "../../policy/sets/votes.ts";
import { Work } from "../../policy/sets/work.ts";
import type { CaseList } from "./case.ts";
import type { Check, Point } from "./finding.ts";
import type { ResolvedCase, UserSet } from "./resolve.ts";

/** Returns what does not hold, and what may not. Throws TooComplex. */
export function checksOf(one: ResolvedCase, point: Point): readonly Check[] {
	const expectedAlone = one.lists.filter(({ about, mode }) => about === "alone" && mode !== "never");
	const alone = expectedAlone.reduce((all, list) => all | usersOf(list, point), 0n);
	return [
		...one.lists.flatMap((list): readonly Check[] => {
			if (list.about === "alone") return checkAlone(list, point);
			if (list.about === "takesPart") return checkTakesPart(list, point);
			return checkTogether(list, alone, point);
		}),
		...(one.by === null ? [] : checkPolicies(one.by, point)),
	];
}

const numbers = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

export function bitsOf(userIds: readonly string[], { users }: PreparedAccess): Bits {
	const known = numbers.get(users.userIds) ?? new Map(users.userIds.map((id, index) => [id, index]));
	numbers.set(users.userIds, known);
	return setOf(userIds.flatMap((id) => known.get(id) ?? []));
}

const usersOf = ({ sets }: CaseList<UserSet>, { prepared }: Point): Bits =>
	sets.reduce((all, { of }) => all | bitsOf(of, prepared), 0n);

/** Returns a finding for each of the users: failed where they are in `sure`. */
function each(users: Bits, sure: Bits, check: Omit<Check, "state" | "userIds">, { prepared }: Point): readonly Check[] {
	return membersOf(users).map((user) => ({
		...check,
		state: (sure & bit(user)) === 0n ? "unknown" : "failed",
		userIds: idsOf(prepared.users, bit(user)),
	}));
}

function checkAlone(list: CaseList<UserSet>, point: Point): readonly Check[] {
	const { mode } = list;
	const key = `alone.${mode}`;
	const listed = usersOf(list, point);
	const [sure, possible] = [aloneIn(point.sure), aloneIn(point.possible)];
	const refused = mode === "never" ? listed : mode === "exactly" ? ~listed : 0n;
	const required = mode === "never" ? 0n : listed;
	return [
		...(mode === "never" ? [] : checkCounts(list, key)),
		...each(possible & refused, sure, { key, found: "can" }, point),
		...each(required & ~sure, ~possible, { key, found: "cannot" }, point),
	];
}

/** A tag that lost its members must not make a case hold that says what they can do. */
function checkCounts({ sets }: CaseList<UserSet>, key: string): readonly Check[] {
	const tooFew = sets.filter(({ count, of }) => of.length < count);
	return tooFew.map(({ of, tagId }): Check => {
		return { key, found: "too-few", state: "failed", userIds: of, ...(tagId === null ? {} : { tagId }) };
	});
}

/** A user who takes part in no smallest set cannot do it, not even with others. */
function checkTakesPart(list: CaseList<UserSet>, point: Point): readonly Check[] {
	const { may, surely } = takingPart(point.prepared, point.parts, point.hasRootQuorum);
	return each(usersOf(list, point) & may, surely, { key: "never", found: "takesPart" }, point);
}

/** `alone`: users who may do it alone by the same case, so that it need not say so twice. */
function checkTogether(list: CaseList<UserSet>, alone: Bits, point: Point): readonly Check[] {
	const { prepared, sure, possible } = point;
	const key = `together.${list.mode}`;
	if (list.mode === "never") return list.sets.flatMap((set) => checkNever(set, point));
	const listed: UserSets = list.sets.flatMap(({ count, of, tagId }): readonly Alternative[] => {
		const users = bitsOf(of, prepared);
		return of.length < count ? [] : [[bound(count, users, tagId)]];
	});
	const without = (sets: UserSets, others: UserSets): UserSets =>
		difference(sets, others, prepared.users, prepared.budget);
	const decide = (found: "can" | "cannot", surely: UserSets, maybe: () => UserSets): readonly Check[] => {
		if (surely.length > 0) return [{ key, found, state: "failed", userIds: witnessOf(surely, point) }];
		const open = maybe();
		return open.length === 0 ? [] : [{ key, found, state: "unknown", userIds: witnessOf(open, point) }];
	};
	const expected: UserSets = alone === 0n ? listed : [...listed, [bound(1, alone)]];
	return [
		...checkCounts(list, key),
		...decide("cannot", without(listed, possible), () => without(listed, sure)),
		...(list.mode === "exactly" ? decide("can", without(sure, expected), () => without(possible, expected)) : []),
	];
}

/** Whether a set with at most `count` of these users, and nobody else, can do it. */
function checkNever({ count, of }: UserSet, point: Point): readonly Check[] {
	const { prepared, sure, possible } = point;
	const users = bitsOf(of, prepared);
	const within = (sets: UserSets): UserSets => {
		const limits = [bound(0, prepared.users.all & ~users), bound(count, users)];
		const atMost = limits.filter((one) => one.count < sizeOf(one.set));
		return resolve(
			sets.map((atLeast) => ({ atLeast, atMost })),
			[],
			prepared.users,
			new Work(prepared.budget),
		);
	};
	const [found, open] = [within(sure), within(possible)];
	if (open.length === 0) return [];
	const state = found.length > 0 ? "failed" : "unknown";
	return [{ key: "together.never", found: "can", state, userIds: witnessOf(found.length > 0 ? found : open, point) }];
}

/** Returns the first smallest set. */
function witnessOf(sets: UserSets, { prepared }: Point): readonly string[] {
	const { alone, together } = findSmallestSets(sets, prepared.budget);
	const [first] = membersOf(alone);
	return idsOf(prepared.users, first === undefined ? (together[0] ?? 0n) : bit(first));
}

function checkPolicies(by: readonly string[], point: Point): readonly Check[] {
	const [sure, possible] = [decidingPolicies(point, surely), decidingPolicies(point, possibly)];
	const check = (policyId: string, found: Check["found"], isSure: boolean): Check => {
		return { key: "by", found, state: isSure ? "failed" : "unknown", userIds: [], policyId };
	};
	return [
		...[...possible].filter((id) => !by.includes(id)).map((id) => check(id, "decides", sure.has(id))),
		...by.filter((id) => !sure.has(id)).map((id) => check(id, "does-not-decide", !possible.has(id))),
	];
}

/**
 * Returns the policies that decide: one that allows decides where it lets some users do it, one that denies where it applies to
 * what some users approve, also where nothing else would let them.
 */
function decidingPolicies({ prepared, parts }: Point, read: typeof surely): ReadonlySet<string> {
	const denies = parts.filter(({ effect }) => effect === "deny");
	const deciding = parts.filter((part) => {
		if (part.effect === "allow") return allowedBy(prepared, [part, ...denies], read).length > 0;
		return allowedBy(prepared, [{ ...part, effect: "allow" }], read).length > 0;
	});
	return new Set(deciding.flatMap(({ policyId }) => policyId ?? []));
}

/** Whether the set of users is enough by this part, before policies that deny. */
export function isMetBy(part: Part, userIds: readonly string[], { prepared }: Point): boolean {
	const sets = allowedBy(prepared, [{ ...part, effect: "allow" }], surely);
	return isMember(sets, bitsOf(userIds, prepared));
}

/** Returns ids of the policies by which the users take part in a smallest set. */
export function decidingParts({ prepared, parts }: Point, userIds: readonly string[]): readonly string[] {
	const users = bitsOf(userIds, prepared);
	const denies = parts.filter(({ effect }) => effect === "deny");
	const taking = parts.filter(
		(part) =>
			part.effect === "allow" &&
			(participantsIn(allowedBy(prepared, [part, ...denies], surely), prepared.budget) & users) !== 0n,
	);
	return taking.flatMap(({ policyId }) => policyId ?? []);
}
