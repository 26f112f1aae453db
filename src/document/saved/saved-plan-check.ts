/**
 * Checks a saved plan against itself. A writer of the file can write its digest too, so everything that follows from
 * the plan's own changes is derived again: how each change is worded, the steps with their parameters, order and reasons,
 * what is pending, and what is touched. Where the file states something else, orgsync did not make it.
 *
 * What only the service or the document can confirm cannot be checked here; `statedMembers` in saved-plan.ts lists it.
 */

import { showAddress, showText } from "../../common/escape.ts";
import { earlierActivityOf } from "../../plan/activities/pending.ts";
import { listParameter, piecesOf } from "../../plan/activities/requests.ts";
import { parseAddress } from "../../plan/address.ts";
import type { Change, RemovalChange, ReportChange, TagChange } from "../../plan/change.ts";
import { kinds, readOnlyKindOf, removalKinds } from "../../plan/kinds/index.ts";
import { tagChangeOf } from "../../plan/kinds/tag-change.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Step } from "../../plan/step.ts";
import { compareText, digestOf, sameValue } from "../../plan/value.ts";
import { differs, first, firstDifference } from "./saved-plan-difference.ts";
import { findWrongMeaning, isSorted } from "./saved-plan-meaning.ts";
import { deriveSteps, impliedStep, isFree } from "./saved-plan-steps.ts";
import { findWrongWindows, isWrittenTime } from "./saved-plan-windows.ts";
import { findWrongPolicy, findWrongWholeTag } from "./saved-plan-written.ts";

/** Returns where a plan states something else than its own changes imply, and what; undefined when all of it agrees. */
export function findContradiction(plan: Plan): string | undefined {
	return (
		findWrongTime(plan) ??
		first(plan.changes, findUnknownKind) ??
		findWrongOrder(plan.changes) ??
		first(plan.changes, (change) => prefix(change, findWrongChange(change, plan))) ??
		findWrongTouched(plan) ??
		findWrongSteps(plan) ??
		findWrongMeaning(plan) ??
		findWrongWindows(plan) ??
		findStranger(plan)
	);
}

function prefix({ address }: Change, what: string | undefined): string | undefined {
	return what === undefined ? undefined : `the change of ${showAddress(address)}: ${what}`;
}

function findWrongTime({ readAt }: Plan): string | undefined {
	return isWrittenTime(readAt) ? undefined : `readAt is ${showText(readAt)}, which is no time that orgsync writes`;
}

/** The schema leaves the names of kinds to this check. */
function findUnknownKind({ kind, action }: Change): string | undefined {
	if (kinds.find(({ name }) => name === kind)?.action === action) return undefined;
	// The type of a file's change is only claimed.
	if ((kind === "userTag" || kind === "policy") && String(action) !== "report") return undefined;
	return `there is no kind ${showText(kind)} with the action ${action}`;
}

/** Changes come in the order of the kinds, then by address; each object and each tag once. */
function findWrongOrder(changes: readonly Change[]): string | undefined {
	const ranks = new Map(kinds.map(({ name }, index) => [name, index]));
	const rank = ({ kind }: Change): number => ranks.get(kind) ?? -1;
	const tags = new Set<string>();
	return first(changes, (change, index) => {
		const before = changes[index - 1];
		const order =
			before === undefined ? -1 : rank(before) - rank(change) || compareText(before.address, change.address);
		if (order === 0 && change.action !== "report") return `${showAddress(change.address)} is changed twice`;
		if (order > 0) return `the change of ${showAddress(change.address)} is not in order`;
		if (change.kind !== "userTag") return undefined;
		if (tags.has(change.tagId)) return `the tag ${change.tagId} is changed twice`;
		tags.add(change.tagId);
		return undefined;
	});
}

function findWrongChange(change: Change, plan: Plan): string | undefined {
	if (change.kind === "userTag") {
		return change.action === "update" ? findWrongTag(change) : findWrongWholeTag(change, plan);
	}
	if (change.kind === "policy" && change.action !== "remove") return findWrongPolicy(change, plan);
	return change.action === "remove" ? findWrongRemoval(change, plan) : findWrongReport(change, plan);
}

function findWrongTag(change: TagChange): string | undefined {
	const { before, after, addUserIds: add, removeUserIds: remove, basis, lastApplied } = change;
	const isRenamed = before.name !== after.name;
	const isMoved = add.length + remove.length > 0;
	if (!isRenamed && !isMoved) return "it changes nothing";
	const implied = tagChangeOf("update", { ...change, ...before, after: after.name });
	const wrong = firstDifference(change, { address: `userTag:${after.name}`, reason: implied.reason });
	if (wrong !== undefined) return wrong;
	const { members } = implied.after;
	if (!sameValue(after.members, members)) return differs("after.members", after.members, members);
	const [has, loses] = [new Set(before.members ?? []), new Set(remove)];
	if (!isSorted(add) || !isSorted(remove)) return "its users are not sorted";
	const twice = add.find((userId) => has.has(userId) || loses.has(userId));
	if (twice !== undefined) return `addUserIds lists ${twice}, who has the tag already or loses it too`;
	const absent = basis === "live" && isMoved ? remove.find((userId) => !has.has(userId)) : undefined;
	if (absent !== undefined) return `removeUserIds lists ${absent}, who does not have the tag`;
	const isPossible = isMoved
		? {
				live: before.members !== null && lastApplied === null,
				"last-applied": before.members !== null && lastApplied?.changedSince === false,
				unknown: before.members === null,
			}[basis]
		: basis === "live";
	return isPossible ? undefined : `basis is ${basis}, which does not go with what it states of the members`;
}

function findWrongRemoval(change: RemovalChange, plan: Plan): string | undefined {
	const { kind, id, userId, before } = change;
	const isOfUser = removalKinds.some(({ name, isOfUser: is }) => is && name === kind);
	if (isOfUser === (userId === null)) return differs("userId", userId, isOfUser ? "a user" : null);
	const expected = {
		address: `${kind}:${userId === null ? "" : `${nameOf(userId, plan)}/`}${id}`,
		reason: before === null ? "not-known-to-be-absent" : "is-there",
		basis: before === null ? "unknown" : "live",
	} as const;
	return firstDifference(change, expected);
}

function findWrongReport(change: ReportChange, plan: Plan): string | undefined {
	const { kind, address, before, after, userId } = change;
	const isOfUser = readOnlyKindOf(kind).groupedBy === "user";
	const label = isOfUser ? `${userId === undefined ? "" : nameOf(userId, plan)}/` : "";
	const parsed = parseAddress(address);
	if (parsed?.kind !== kind || !parsed.label.startsWith(label)) return differs("address", address, `${kind}:${label}…`);
	if (isOfUser === (userId === undefined)) return differs("userId", userId, isOfUser ? "a user" : undefined);
	const wrong = firstDifference(change, { reason: before === null ? "not-there" : "differs", basis: "live" });
	if (wrong !== undefined || before === null) return wrong;
	const fields = Object.keys(after);
	const isSame = sameValue(Object.keys(before).sort(compareText), [...fields].sort(compareText));
	if (!isSame || fields.length === 0) return "before and after do not list the same fields";
	const equal = fields.find((field) => sameValue(before[field], after[field]));
	return equal === undefined ? undefined : `the field ${showText(equal)} does not differ`;
}

function nameOf(userId: string, { userNames }: Plan): string {
	return Object.hasOwn(userNames, userId) ? (userNames[userId] ?? userId) : userId;
}

/** What is touched is what changes, and of a tag the digest of what the change says of it. */
function findWrongTouched({ changes, touched }: Plan): string | undefined {
	const touching = changes.filter(({ action }) => action !== "report");
	const addresses = touching.map(({ address }) => address);
	const stated = touched.map(({ address }) => address);
	if (!sameValue(stated, addresses)) return differs("touched", stated, addresses);
	return first(touching, (change, index) => {
		const { address, before, basis } = change;
		const implied =
			change.kind === "userTag"
				? digestOf({ tagId: change.tagId, before, basis })
				: basis === "unknown"
					? digestOf({ address, before, basis, record: null })
					: touched[index]?.digest;
		const { digest } = touched[index] ?? {};
		return digest === implied ? undefined : differs(`touched[${index}].digest`, digest, implied);
	});
}

function findWrongSteps(plan: Plan): string | undefined {
	const { problems, steps, waiting } = plan;
	if (problems.length > 0)
		return steps.length + waiting.length === 0 ? undefined : "it has problems, and steps all the same";
	const pending = waiting.filter(({ relation }) => relation !== "rejected");
	const derived = deriveSteps(plan);
	return (
		first(derived.waiting, (one, index) =>
			sameValue(pending[index], one) ? undefined : differs(`waiting[${index}]`, pending[index], one),
		) ??
		(pending.length > derived.waiting.length ? "waiting lists an activity that touches no step" : undefined) ??
		first(steps, ({ id }, index) =>
			id === `step-${index + 1}` ? undefined : differs(`steps[${index}].id`, id, `step-${index + 1}`),
		) ??
		first(steps, ({ dependsOn }, index) =>
			dependsOn.every((other) => steps.slice(0, index).some(({ id }) => id === other))
				? undefined
				: "the steps are not in order",
		) ??
		findWrongParts(plan.impact === undefined ? steps : withoutOrder(steps, derived), derived) ??
		findWrongRejections(plan)
	);
}

/**
 * Returns the steps in the order of the derived ones, without the dependencies that follow from who can do what: only
 * `apply --plan` can find those again. A dependency that names imply stays where it is stated, also by way of another step.
 */
function withoutOrder(steps: readonly Step[], { steps: derived, keyOf }: Derived): readonly Step[] {
	const ranks = new Map(derived.map((step, index) => [keyOf(step), index]));
	const before = new Map<string, ReadonlySet<string>>();
	for (const { id, dependsOn } of steps) {
		before.set(id, new Set(dependsOn.flatMap((other) => [other, ...(before.get(other) ?? [])])));
	}
	const keys = new Map(steps.map((step) => [step.id, keyOf(step)]));
	const loose = steps.map((step) => {
		const stated = new Set([...(before.get(step.id) ?? [])].map((id) => keys.get(id)));
		const whole = derived[ranks.get(keyOf(step)) ?? -1];
		const implied = derived.filter(({ id }) => whole?.dependsOn.includes(id));
		return { ...step, dependsOn: implied.filter((one) => stated.has(keyOf(one))).map(({ id }) => id) };
	});
	const rankOf = (step: Step): number => ranks.get(keyOf(step)) ?? derived.length;
	return loose.sort((one, other) => rankOf(one) - rankOf(other));
}

type Stated = readonly [index: number, step: Step];

type Derived = ReturnType<typeof deriveSteps>;

/** Compares with the steps that the changes imply: parts of a step, for pending or doubtful requests, have to be it together. */
function findWrongParts(steps: readonly Step[], { steps: derived, keyOf }: Derived): string | undefined {
	const stated = Map.groupBy(steps.entries(), ([, step]) => keyOf(step));
	const implied = Map.groupBy(derived, keyOf);
	const missing = derived.find((step) => !stated.has(keyOf(step)));
	if (missing !== undefined) return describeMissing(missing);
	const extra = steps.findIndex((step) => !implied.has(keyOf(step)));
	if (extra >= 0) return `steps[${extra}] does something that no change implies`;
	if (!sameValue(runsOf(steps.map(keyOf)), runsOf(derived.map(keyOf)))) return "the steps are not in order";
	return first([...stated], ([key, group]) => findWrongGroup(group, implied.get(key) ?? []));
}

function describeMissing({ covers }: Step): string {
	return `no step does what the change of ${covers.map(({ address }) => showAddress(address)).join(", ")} implies`;
}

/** The keys once for each run of the same: a key that comes back later is in the result twice. */
function runsOf(keys: readonly string[]): readonly string[] {
	return keys.filter((key, index) => key !== keys[index - 1]);
}

function findWrongGroup(group: readonly Stated[], derived: readonly Step[]): string | undefined {
	const held = group.filter(([, step]) => !isFree(step));
	const free = group.filter(([, step]) => isFree(step));
	const wrong = first(held, (stated) => findWrongMember(stated, derived));
	if (wrong !== undefined) return wrong;
	const whole = derived.find(isFree);
	if (held.length !== derived.filter((step) => !isFree(step)).length || (whole === undefined && free.length > 0))
		return `steps[${group[0]?.[0]}] does not wait for the activity that is pending for it`;
	if (whole === undefined) return undefined;
	const [part, another] = free;
	if (part === undefined) return describeMissing(whole);
	const wanted = piecesOf(whole);
	if (wanted.length === 0 && another !== undefined) return `steps[${another[0]}] is a duplicate`;
	const all = free.flatMap(([, step]) => piecesOf(step)).sort(compareText);
	const list = listParameter(whole.operation);
	if (!sameValue(all, wanted))
		return list === undefined
			? `steps[${part[0]}]: ${differs("parameters", part[1].parameters, whole.parameters)}`
			: differs(`steps[${part[0]}].parameters.${list}`, all, wanted);
	return first(free, (stated) => findWrongMember(stated, derived));
}

function findWrongMember([index, step]: Stated, derived: readonly Step[]): string | undefined {
	const implied = impliedStep(step, derived);
	if (implied === undefined) return `steps[${index}] waits for an activity that is not pending for it`;
	const { id: _id, reason: _reason, earlierActivity, ...rest } = implied;
	const wrong = firstDifference(
		step,
		step.earlierActivity?.relation === "rejected" ? rest : { ...rest, earlierActivity },
	);
	return wrong === undefined ? undefined : `steps[${index}]: ${wrong}`;
}

/** A step was rejected before exactly when the plan lists the activity that was, with the same parameters. */
function findWrongRejections({ steps, waiting }: Plan): string | undefined {
	const rejected = waiting.filter(({ relation }) => relation === "rejected");
	const used = new Set<string>();
	const wrong = first(steps, (step, index) => {
		if (step.earlierActivity !== null && step.earlierActivity.relation !== "rejected") return undefined;
		const same = rejected.findLast(
			(one) => one.operation === step.operation && sameValue(one.parameters, step.parameters),
		);
		const implied = same === undefined ? null : earlierActivityOf(same, "rejected");
		if (!sameValue(step.earlierActivity, implied))
			return differs(`steps[${index}].earlierActivity`, step.earlierActivity, implied);
		if (same === undefined) return undefined;
		used.add(same.fingerprint);
		return sameValue(same.covers, step.covers) ? undefined : differs("waiting: covers", same.covers, step.covers);
	});
	return (
		wrong ??
		(rejected.some(({ fingerprint }) => !used.has(fingerprint)) ? "waiting lists a rejection of no step" : undefined)
	);
}

/** A guard is about what changes. */
function findStranger({ changes, guards, steps, overrides = [] }: Plan): string | undefined {
	const addresses = new Set<string>(changes.map(({ address }) => address));
	const retried = overrides.find((one) => one.flag === "retry-rejected");
	if (retried !== undefined) {
		const { steps: count, covers } = retried;
		const fitting = steps.filter((step) => step.covers.every(({ address }) => covers.includes(address)));
		const isFitting = fitting.length >= count && covers.every((address) => addresses.has(address));
		if (!isFitting) return `overrides: --retry-rejected is about ${count} steps that the plan does not submit`;
	}
	return first(guards, ({ where }, index) => {
		const stranger = where.find((address) => !addresses.has(address));
		return stranger === undefined
			? undefined
			: `guards[${index}] is about ${showAddress(stranger)}, which does not change`;
	});
}
