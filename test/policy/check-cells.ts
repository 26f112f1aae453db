/** Holds powers and impact against every concrete activity and every set of approvers of a random organization. */
import { type Compiled, compileExpression, type Vocabulary } from "../../src/emulator/policies/compile.ts";
import type { AccessState } from "../../src/policy/access.ts";
import { factsOfGroup } from "../../src/policy/powers/activity.ts";
import { compareGroup } from "../../src/policy/powers/compare.ts";
import type { ImpactFinding } from "../../src/policy/powers/finding.ts";
import { findParts } from "../../src/policy/powers/judge.ts";
import { findPower, type GroupPower } from "../../src/policy/powers/powers.ts";
import { prepareAccess, prepareBoth } from "../../src/policy/powers/prepare.ts";
import { type Activity, activitiesOf, groups, isTrue, type World } from "./activity-worlds.ts";
import { atMs } from "./model.ts";
import { membersOf, type Sets, withMore } from "./oracle.ts";

/** What was found wrong, and how much was asked. */
export interface Tally {
	/** Groups of an organization that were compared. */
	asked: number;
	/** Those in which something changes, in the sense of the emulator. */
	changed: number;
	findings: number;
	phantoms: number;
	unknown: number;
	skipped: number;
}

export const emptyTally = (): Tally => ({ asked: 0, changed: 0, findings: 0, phantoms: 0, unknown: 0, skipped: 0 });

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
	return compiled.holds({ approvers: users, credentials: [] });
}

/** Asks an organization about each activity; equal answers of policies are one answer. */
class Asked {
	readonly #access: AccessState;
	readonly #userIds: readonly string[];
	readonly #known = new Map<string, Allowed>();

	constructor(access: AccessState, userIds: readonly string[]) {
		this.#access = access;
		this.#userIds = userIds;
	}

	allowedFor(activity: Activity): Allowed {
		const policies = this.#access.policies.known ? this.#access.policies.value : [];
		const applying = policies.filter(({ condition }) => isTrue(condition, activity));
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
	const [before, after] = [new Asked(world.before, userIds), new Asked(world.after, userIds)];
	const texts = [world.before, world.after].flatMap(({ policies }) =>
		policies.known ? policies.value.map(({ condition }) => condition) : [],
	);
	for (const group of groups) {
		const activities = activitiesOf(group, texts);
		if (activities === null) {
			tally.skipped += 1;
			continue;
		}
		const compared = activities.map((activity) => ({
			activity,
			before: before.allowedFor(activity),
			after: after.allowedFor(activity),
		}));
		const pair = { resource: group.resource, action: group.action };
		const { findings } = compareGroup(...prepared, pair);
		tally.asked += 1;
		if (compared.some((one) => !isSame(one.before.all, one.after.all))) tally.changed += 1;
		const parts = prepared.flatMap((side) => findParts(side, factsOfGroup(pair)).parts);
		const reading = new Reading(new Set(parts.flatMap(({ condition }) => condition ?? [])));
		checkImpact(compared, findings, reading, userIds, tally, world);
		checkPower(compared, findPower(prepareAccess(world.after, atMs), pair), reading, userIds, describe(world));
	}
}

/** Reads the conditions of reports for the policies whose conditions they are made of. */
class Reading {
	readonly #texts: ReadonlySet<string>;

	/** `texts`: the conditions of policies, as far as they are open for the group. */
	constructor(texts: ReadonlySet<string>) {
		this.#texts = texts;
	}

	/** Whether the finding is about the activity. */
	isAbout({ condition, unless }: Pick<ImpactFinding, "condition" | "unless">, activity: Activity): boolean {
		return this.holds(condition, activity) && !unless.some((text) => isTrue(text, activity));
	}

	/** Whether the condition holds: policies' conditions that do, and behind them, in `!(…)`, those that do not or err. */
	holds(condition: string | null, activity: Activity): boolean {
		if (condition === null) return true;
		const texts = [...this.#texts];
		const places = [
			...texts.map((text) => ({ written: text, test: () => isTrue(text, activity) })),
			...texts.map((text) => ({ written: `(${text})`, test: () => isTrue(text, activity) })),
			...texts.map((text) => ({ written: `!(${text})`, test: () => !isTrue(text, activity) })),
		];
		const read = (rest: string): boolean | null => {
			for (const { written, test } of places) {
				if (rest === written) return test();
				if (!rest.startsWith(`${written} && `)) continue;
				const more = read(rest.slice(written.length + 4));
				if (more !== null) return more && test();
			}
			return null;
		};
		const known = read(condition);
		if (known === null) throw new Error(`no condition of a policy is ${condition}`);
		return known;
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
	const isUnknown = findings.some(({ change }) => change === "unknown");
	if (isUnknown) {
		tally.unknown += 1;
		return;
	}
	const say = (text: string, one: Compared): string =>
		`${text}: ${write(one.activity)}\n${JSON.stringify(findings.map(({ change, userIds: ids, condition, unless, isEscalation }) => ({ change, ids, condition, unless, isEscalation })))}\n${describe(world)}`;
	for (const one of compared) {
		const { before, after, activity } = one;
		if (isSame(before.all, after.all) && isSame(before.byPolicies, after.byPolicies)) continue;
		if (!isSame(before.all, after.all) && findings.length === 0) throw new Error(say("false equivalent", one));
		const isLess = before.all.some((isIn, set) => isIn && !after.all[set]);
		if (isLess && !isEmpty(before.byPolicies) && isEmpty(after.byPolicies)) {
			if (!findings.some((finding) => finding.change === "nobody" && reading.isAbout(finding, activity)))
				throw new Error(say("missed lockout", one));
		}
		const alone = membersOf(aloneOf(after.all) & ~aloneOf(before.all), userIds);
		const isEscalation = isEmpty(before.byPolicies) ? null : aloneOf(before.byPolicies) === 0;
		for (const id of alone) {
			const own = findings.filter(
				(finding) => finding.change === "alone" && finding.userIds.includes(id) && reading.isAbout(finding, activity),
			);
			if (own.length === 0) throw new Error(say(`missed that ${id} can alone`, one));
			if (isEscalation === true && !own.some((finding) => finding.isEscalation))
				throw new Error(say(`missed escalation of ${id}`, one));
		}
	}
	for (const finding of findings) {
		tally.findings += 1;
		const about = compared.filter(({ activity }) => reading.isAbout(finding, activity));
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
		if (about.some(changes) && about.every(isSo)) continue;
		tally.phantoms += 1;
		const wrong = about.find((one) => !isSo(one)) ?? about[0] ?? compared[0];
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
	for (const { activity, after } of compared) {
		const here = power.conditional.filter(({ condition, holds }) => reading.holds(condition, activity) === holds);
		const found = [power, ...here].flatMap(({ alone }) => alone.map((id) => 1 << userIds.indexOf(id)));
		const expected = aloneOf(after.all);
		const mask = found.reduce((all, one) => all | one, 0);
		if (mask !== expected)
			throw new Error(
				`who can alone: ${membersOf(expected, userIds)} and not ${membersOf(mask, userIds)}: ${write(activity)} ${JSON.stringify(power)} ${policies}`,
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
