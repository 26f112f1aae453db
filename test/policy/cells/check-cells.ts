/** Holds powers and impact against every concrete activity and every set of approvers of a random organization. */
import { type Compiled, compileExpression, type Vocabulary } from "../../../src/emulator/policies/compile.ts";
import type { AccessState } from "../../../src/policy/access.ts";
import { factsOfGroup } from "../../../src/policy/powers/activity.ts";
import { compareGroup } from "../../../src/policy/powers/compare.ts";
import type { ImpactFinding } from "../../../src/policy/powers/finding.ts";
import { forecastApproval } from "../../../src/policy/powers/forecast.ts";
import { findParts } from "../../../src/policy/powers/judge.ts";
import { findPower, type GroupPower } from "../../../src/policy/powers/powers.ts";
import { prepareAccess, prepareBoth } from "../../../src/policy/powers/prepare.ts";
import { type Activity, activitiesOf, groups, isTrue, type World } from "../activities/activity-worlds.ts";
import { atMs } from "../model.ts";
import { membersOf, type Sets, smallestOf, withMore } from "../oracle.ts";

/** What was found wrong, and how much was asked. */
export interface Tally {
	/** Groups of an organization that were compared. */
	asked: number;
	/** Those in which something changes, in the sense of the emulator. */
	changed: number;
	findings: number;
	phantoms: number;
	unknown: number;
	/** Comparisons in which some expression is not understood, and how many of them are unknown. */
	opaque: number;
	opaqueUnknown: number;
	forecasts: number;
	skipped: number;
}

export const emptyTally = (): Tally => ({
	asked: 0,
	changed: 0,
	findings: 0,
	phantoms: 0,
	unknown: 0,
	opaque: 0,
	opaqueUnknown: 0,
	forecasts: 0,
	skipped: 0,
});

/** Who can do one activity: sets of users by number. */
interface Allowed {
	readonly byPolicies: Sets;
	readonly all: Sets;
}

const consensuses = new Map<string, Compiled>();

const vocabulary: Vocabulary = {
	names: {
		approvers: { list: { fields: { id: "string", tags: { list: "string" } } } },
		credentials: { list: { fields: {} } },
	},
	hasTimeFunctions: false,
};

function isReached(text: string, users: readonly { readonly id: string; readonly tags: readonly string[] }[]): boolean {
	const compiled = consensuses.get(text) ?? compileExpression(text, vocabulary);
	consensuses.set(text, compiled);
	return compiled({ approvers: users, credentials: [] });
}

/** Replaces what is not understood by what it is, in one reading. */
type Settle = (text: string) => string;

/** Asks an organization about each activity; equal answers of policies are one answer. */
class Asked {
	readonly #access: AccessState;
	readonly #userIds: readonly string[];
	readonly #settle: Settle;
	readonly #known = new Map<string, Allowed>();

	constructor(access: AccessState, userIds: readonly string[], settle: Settle) {
		this.#access = access;
		this.#userIds = userIds;
		this.#settle = settle;
	}

	allowedFor(activity: Activity): Allowed {
		const policies = this.#access.policies.known ? this.#access.policies.value : [];
		const applying = policies.filter(({ condition }) => isTrue(this.#settle(condition), activity));
		const key = applying.map(({ id }) => id).join();
		const known = this.#known.get(key);
		if (known !== undefined) return known;
		const users = this.#access.users.known ? this.#access.users.value : [];
		const { rootQuorum } = this.#access;
		const sets = Array.from({ length: 2 ** this.#userIds.length }, (_, set) => membersOf(set, this.#userIds));
		const byPolicies = sets.map((ids) => {
			const approvers = users
				.filter(({ id }) => ids.includes(id))
				.map(({ id, tagIds }) => ({ id, tags: tagIds.known ? tagIds.value : [] }));
			if (approvers.length === 0) return false;
			const reached = applying.filter(({ consensus }) => isReached(consensus, approvers));
			return reached.length > 0 && reached.every(({ effect }) => effect === "EFFECT_ALLOW");
		});
		const isRoot = (ids: readonly string[]): boolean =>
			rootQuorum.known &&
			rootQuorum.value.userIds.length > 0 &&
			ids.filter((id) => rootQuorum.value.userIds.includes(id)).length >= rootQuorum.value.threshold;
		const all = sets.map((ids, set) => (byPolicies[set] ?? false) || isRoot(ids));
		const allowed = { byPolicies: withMore(byPolicies), all: withMore(all) };
		this.#known.set(key, allowed);
		return allowed;
	}
}

const isEmpty = (sets: Sets): boolean => !sets.includes(true);
const aloneOf = (sets: Sets): number =>
	sets.reduce((all, isIn, set) => (isIn && (set & (set - 1)) === 0 ? all | set : all), 0);
const isSame = (one: Sets, other: Sets): boolean => one.every((isIn, set) => isIn === other[set]);

interface Compared {
	readonly activity: Activity;
	readonly before: Allowed;
	readonly after: Allowed;
}

/** Throws an error for a wrong answer; counts phantoms and unknowns. */
export function checkWorld(world: World, tally: Tally): void {
	const prepared = prepareBoth(world.before, world.after, atMs);
	const { userIds } = prepared[0].users;
	const texts = [world.before, world.after].flatMap(({ policies }) =>
		policies.known ? policies.value.map(({ condition }) => condition) : [],
	);
	const readings = readingsOf(world).map((settle) => ({
		settle,
		before: new Asked(world.before, userIds, settle),
		after: new Asked(world.after, userIds, settle),
	}));
	for (const group of groups) {
		const activities = activitiesOf(group, texts);
		if (activities === null) {
			tally.skipped += 1;
			continue;
		}
		const pair = { resource: group.resource, action: group.action };
		const { findings } = compareGroup(...prepared, pair);
		const power = findPower(prepareAccess(world.after, atMs), pair);
		const parts = prepared.flatMap((side) => findParts(side, factsOfGroup(pair)).parts);
		const conditions = new Set([...parts.flatMap(({ condition }) => condition ?? []), ...texts, ...world.opaque]);
		count(findings, world, tally);
		for (const { settle, before, after } of readings) {
			const compared = activities.map((activity) => ({
				activity,
				before: before.allowedFor(activity),
				after: after.allowedFor(activity),
			}));
			if (compared.some((one) => !isSame(one.before.all, one.after.all))) tally.changed += 1;
			const reading = new Reading(conditions, settle);
			checkImpact(compared, findings, reading, userIds, tally, world);
			checkPower(compared, power, reading, userIds, describe(world));
		}
	}
	if (world.opaque.length === 0) checkForecasts(world, userIds, tally);
}

/** Returns what is not understood as an error, then as true and as false. */
const readingsOf = ({ opaque }: World): readonly Settle[] => [
	(text) => text,
	...(opaque.length === 0 ? [] : ["true", "false"]).map(
		(value) => (text: string) => opaque.reduce((settled, one) => settled.replaceAll(one, value), text),
	),
];

function count(findings: readonly ImpactFinding[], { opaque }: World, tally: Tally): void {
	const isUnknown = findings.some(({ change }) => change === "unknown");
	if (opaque.length > 0) {
		tally.opaque += 1;
		if (isUnknown) tally.opaqueUnknown += 1;
		return;
	}
	tally.asked += 1;
	if (isUnknown) tally.unknown += 1;
}

/** Checks what becomes of a deletion of policies, for each user who submits it. */
function checkForecasts({ after: access }: World, userIds: readonly string[], tally: Tally): void {
	const [kind, type] = ["DELETE_POLICIES", "ACTIVITY_TYPE_DELETE_POLICIES"];
	const names = { activity: { kind, type, resource: "POLICY", action: "DELETE" } };
	const asked = new Asked(access, userIds, (text) => text);
	const smallest = smallestOf(asked.allowedFor({ names, shape: "none,none" }).all);
	for (const [index, userId] of userIds.entries()) {
		const approval = forecastApproval(access, { type, ownerId: null }, { userId, publicKey: null }, atMs);
		const own = 1 << index;
		const expected = smallest.includes(own) ? "runs" : smallest.some((set) => (set & own) !== 0) ? "pending" : "denied";
		tally.forecasts += 1;
		if (approval.verdict !== expected)
			throw new Error(`wrong forecast for ${userId}: ${approval.verdict}, not ${expected}`);
	}
}

/** Reads the conditions of reports for the policies whose conditions they are made of. */
class Reading {
	readonly #texts: ReadonlySet<string>;
	readonly #settle: Settle;

	/** `texts`: the conditions of policies, as far as they are open for the group. */
	constructor(texts: ReadonlySet<string>, settle: Settle) {
		this.#texts = texts;
		this.#settle = settle;
	}

	#isTrue(text: string, activity: Activity): boolean {
		return isTrue(this.#settle(text), activity);
	}

	/** Whether the finding is about the activity, in each way in which its condition can be read. */
	isAbout({ condition, unless }: Pick<ImpactFinding, "condition" | "unless">, activity: Activity): readonly boolean[] {
		const isDenied = unless.some((text) => this.#isTrue(text, activity));
		return this.holds(condition, activity).map((holds) => holds && !isDenied);
	}

	/**
	 * Whether the condition holds: policies' conditions that do, and behind them, in `!(…)`, those that do not or err. A policy's
	 * own condition can be `!(…)` too, so that there are several ways to read it.
	 */
	holds(condition: string | null, activity: Activity): readonly boolean[] {
		if (condition === null) return [true];
		const places = [...this.#texts].flatMap((text) => [
			{ written: text, test: () => this.#isTrue(text, activity) },
			{ written: `(${text})`, test: () => this.#isTrue(text, activity) },
			{ written: `!(${text})`, test: () => !this.#isTrue(text, activity) },
		]);
		const read = (rest: string): readonly boolean[] =>
			places.flatMap(({ written, test }) => {
				if (rest === written) return [test()];
				if (!rest.startsWith(`${written} && `)) return [];
				return read(rest.slice(written.length + 4)).map((more) => more && test());
			});
		const ways = read(condition);
		if (ways.length === 0) throw new Error(`no condition of a policy is ${condition}`);
		return ways;
	}
}

function checkImpact(
	compared: readonly Compared[],
	findings: readonly ImpactFinding[],
	reading: Reading,
	userIds: readonly string[],
	tally: Tally,
	world: World,
): void {
	if (findings.some(({ change }) => change === "unknown")) return;
	const say = (text: string, one: Compared): string =>
		`${text}: ${write(one.activity)}\n${JSON.stringify(findings.map(({ change, userIds: ids, condition, unless, isEscalation }) => ({ change, ids, condition, unless, isEscalation })))}\n${describe(world)}`;
	for (const one of compared) {
		const { before, after, activity } = one;
		if (isSame(before.all, after.all) && isSame(before.byPolicies, after.byPolicies)) continue;
		if (!isSame(before.all, after.all) && findings.length === 0) throw new Error(say("false equivalent", one));
		const isLess = before.all.some((isIn, set) => isIn && !after.all[set]);
		if (isLess && !isEmpty(before.byPolicies) && isEmpty(after.byPolicies)) {
			if (!findings.some((finding) => finding.change === "nobody" && reading.isAbout(finding, activity).includes(true)))
				throw new Error(say("missed lockout", one));
		}
		const alone = membersOf(aloneOf(after.all) & ~aloneOf(before.all), userIds);
		const isEscalation = isEmpty(before.byPolicies) ? null : aloneOf(before.byPolicies) === 0;
		for (const id of alone) {
			const own = findings.filter(
				(finding) =>
					finding.change === "alone" &&
					finding.userIds.includes(id) &&
					reading.isAbout(finding, activity).includes(true),
			);
			if (own.length === 0) throw new Error(say(`missed that ${id} can alone`, one));
			if (isEscalation === true && !own.some((finding) => finding.isEscalation))
				throw new Error(say(`missed escalation of ${id}`, one));
		}
	}
	// What rests on an expression that is not understood is so in some reading.
	if (world.opaque.length > 0) return;
	for (const finding of findings) {
		tally.findings += 1;
		const users = finding.userIds.reduce((all, id) => all | (1 << userIds.indexOf(id)), 0);
		const isSo = ({ after }: Compared): boolean => {
			switch (finding.change) {
				case "nobody":
					return isEmpty(after.byPolicies);
				case "alone":
					return (aloneOf(after.all) & users) === users;
				default:
					return true;
			}
		};
		const changes = ({ before, after }: Compared): boolean => {
			const witness = finding.witness.reduce((all, id) => all | (1 << userIds.indexOf(id)), 0);
			const isGain = finding.change === "alone" || finding.change === "fewer" || finding.change === "gains";
			const [more, less] = isGain ? [after, before] : [before, after];
			return (more.all[witness] ?? false) && !less.all[witness];
		};
		const ways = compared.map((one) => ({ one, is: reading.isAbout(finding, one.activity) }));
		const isRight = (ways[0]?.is ?? []).some((_, way) => {
			const about = ways.flatMap(({ one, is }) => (is[way] ? [one] : []));
			return about.some(changes) && about.every(isSo);
		});
		if (isRight) continue;
		tally.phantoms += 1;
		const [wrong] = compared;
		if (process.env.ORGSYNC_SHOW_PHANTOMS && wrong)
			console.log(say(`phantom ${JSON.stringify([finding.change, finding.userIds, finding.condition])}`, wrong));
	}
}

function checkPower(
	compared: readonly Compared[],
	power: GroupPower,
	reading: Reading,
	userIds: readonly string[],
	policies: string,
): void {
	if (power.unknown !== null) return;
	const maskOf = (alone: readonly string[]): number => alone.reduce((all, id) => all | (1 << userIds.indexOf(id)), 0);
	for (const { activity, after } of compared) {
		let [least, most] = [maskOf(power.alone), maskOf(power.alone)];
		for (const { condition, holds, alone } of power.conditional) {
			const ways = reading.holds(condition, activity);
			if (ways.includes(holds)) most |= maskOf(alone);
			if (!ways.includes(!holds)) least |= maskOf(alone);
		}
		const expected = aloneOf(after.all);
		if ((least & ~expected) !== 0 || (expected & ~most) !== 0)
			throw new Error(
				`who can alone: ${membersOf(expected, userIds)} and not ${membersOf(most, userIds)}: ${write(activity)} ${JSON.stringify(power)} ${policies}`,
			);
	}
}

const write = ({ names, shape }: Activity): string =>
	`${shape} ${JSON.stringify(names, (_key, value) => (typeof value === "bigint" ? Number(value) : value))}`;

function describe({ before, after }: World): string {
	const policies = (access: AccessState) =>
		access.policies.known
			? access.policies.value.map(
					({ id, effect, consensus, condition }) => `${id} ${effect} ${consensus} WHEN ${condition}`,
				)
			: [];
	const users = (access: AccessState) =>
		access.users.known
			? access.users.value.map(({ id, tagIds }) => `${id}:${tagIds.known ? tagIds.value : "?"}`).join(" ")
			: "";
	return [
		users(before),
		...policies(before),
		"→",
		users(after),
		...policies(after),
		JSON.stringify(before.rootQuorum),
	].join("\n");
}
