/** The changes of a plan: what differs, what apply would do about it, and what became of it. */
import { clipMiddle, showAddress, showAddressWithin, showName, showText, showValue } from "../../common/escape.ts";
import type { PlannedDifference } from "../../plan/base/three-way.ts";
import { type Change, isWritten, type RemovalChange, type ReportChange, type TagChange } from "../../plan/change.ts";
import { countChanges } from "../../plan/change-counts.ts";
import type { Plan } from "../../plan/plan.ts";
import { resultsByAddress } from "../../plan/report.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import { describeOwner, showUser } from "../../plan/user-labels.ts";
import { count } from "../../say/count.ts";
import { outcomeWords, toneOf } from "../../say/outcomes.ts";
import { address, identifier, listOf, type Phrase, reason, title } from "../../say/phrase.ts";
import { namePerson } from "../../say/powers.ts";
import { type Note, notesOf, type Row, type Section, section } from "../../say/section.ts";
import { compareNaturally } from "../natural-order.ts";
import type { PlannedOrganization } from "../result/found.ts";
import { comparedRow, policyRow, renameRow } from "./policy-changes.ts";
import { describeWindow, findExpiry, longestReason } from "./windows.ts";

/** Returns the remarks on a change, or on a part of it; `what` is null for the change as a whole. */
export type MarksOf = (
	change: Change,
	what: PlannedDifference["what"] | null,
	userId: string | null,
) => readonly Note[];

const noMarks: MarksOf = () => [];

export const revertsDrift = "reverts drift";

/** Returns remarks on parts that revert drift, on changes that no step makes now, and on each change what became of it. */
export function marksOfResult({ command, plan, threeWay, failed, results }: PlannedOrganization): MarksOf {
	const heldAt = holdsOf(plan);
	const key = (...part: readonly (string | null)[]): string => JSON.stringify(part);
	const reverted = new Set((threeWay?.reverts ?? []).map((one) => key(one.address, one.what, one.userId)));
	const byAddress = resultsByAddress(results);
	const unsubmitted = failed !== null ? "no result" : results === null && command === "apply" ? "not submitted" : null;
	return ({ address: at }, what, userId) => {
		if (what !== null) return notesOf("attention", reverted.has(key(at, what, userId)) ? [revertsDrift] : null);
		const result = byAddress.get(at);
		if (result !== undefined) return [{ look: toneOf(result), said: [outcomeWords[result.outcome]] }];
		const word = heldAt(at) ?? unsubmitted;
		return notesOf("attention", word === null ? null : [word]);
	};
}

/** The word for a change that waits for `--retry-rejected`. */
const heldByRejection = "on hold: rejected";

/** Returns why no step makes the change at an address now; null where one does, or none could. */
function holdsOf({ steps }: Pick<Plan, "steps">): (address: string) => string | null {
	const groups = groupSteps(steps);
	const [sent, rejected] = [new Set(groups.sent), new Set([...groups.rejected, ...groups.behind])];
	const covering = Map.groupBy(
		steps.flatMap((step) => step.covers.map((one) => ({ at: one.address as string, step }))),
		({ at }) => at,
	);
	return (at) => {
		const own = (covering.get(at) ?? []).map(({ step }) => step);
		if (own.length === 0 || own.some((step) => sent.has(step))) return null;
		if (own.every((step) => rejected.has(step))) return heldByRejection;
		return own.every(({ earlierActivity }) => earlierActivity?.relation === "same") ? "pending" : "on hold";
	};
}

export function changeRow(change: Change, plan: Plan, marksOf: MarksOf = noMarks): Row {
	if (change.kind === "userTag") return tagRow(change, plan, marksOf);
	if (isWritten(change)) return policyRow(change, marksOf(change, null, null));
	// The owner of an object whose address alone could be mistaken.
	const owner = describeOwner(change.userId, plan);
	const shared = { about: [change.address], ...(owner === "" ? {} : { aside: [reason(owner)] }) };
	const named: Phrase = [identifier(showAddress(change.address))];
	if (change.action === "report") {
		const found = change.before === null ? "not found" : "differs";
		return { ...shared, sign: "!", said: [...named, `  ${found}; report-only`], rows: fieldRows(change) };
	}
	const name = change.before?.name ?? "";
	return {
		...shared,
		sign: "-",
		said: name === "" ? named : [...named, "  ", title(showName(clipMiddle(name)))],
		marks: [...doubtsOf(change), ...marksOf(change, null, null), ...marksOf(change, "remove", null)],
	};
}

/** Returns the fields that differ, both sides as a reader would write them; none when the object does not exist. */
function fieldRows({ before, after }: ReportChange): readonly Row[] {
	if (before === null) return [];
	return Object.keys(after).map((field) =>
		comparedRow(showText(field), { live: showValue(before[field]), document: showValue(after[field]) }),
	);
}

const signs = { create: "+", update: "~", remove: "-" } as const;

function tagRow(change: TagChange, plan: Plan, marksOf: MarksOf): Row {
	const { tagId, before, after, addUserIds, removeUserIds } = change;
	const renamed: Row = { ...renameRow(before.name, after.name), marks: marksOf(change, "rename", null) };
	const members = (sign: "+" | "-", what: "add-member" | "remove-member", userIds: readonly string[]) =>
		sortByName(userIds, plan).map(
			(userId): Row => ({
				sign,
				noun: ["member", "members"],
				said: [namePerson(userId, plan)],
				marks: [...windowOf(plan, change, userId, longestReason), ...marksOf(change, what, userId)],
			}),
		);
	const kept = before.members?.filter((userId) => !removeUserIds.includes(userId)).length ?? 0;
	return {
		sign: signs[change.action],
		said: [address(change.address)],
		...(change.action === "create" ? {} : { aside: [identifier(showText(tagId))] }),
		marks: marksOf(change, null, null),
		rows: [
			...(before.name === after.name ? [] : [renamed]),
			...members("+", "add-member", addUserIds),
			...members("-", "remove-member", removeUserIds),
		],
		notes: doubtsOf(change),
		...(kept === 0 ? {} : { extra: [`kept by ${count(kept, "user", "users")}`] }),
		about: [change.address],
	};
}

function sortByName(userIds: readonly string[], plan: Plan): readonly string[] {
	const named = userIds.map((userId) => [showUser(userId, plan), userId] as const);
	return named.sort(([left], [right]) => compareNaturally(left, right)).map(([, userId]) => userId);
}

/** Returns until when and why the user has the tag; nothing without a window. */
function windowOf(plan: Plan, change: TagChange, userId: string, maxReason: number): readonly Note[] {
	const expiry = findExpiry(plan, change.address, userId);
	return notesOf("plain", expiry === undefined ? null : describeWindow(expiry, null, maxReason));
}

function doubtsOf(change: TagChange | RemovalChange): readonly Note[] {
	const unread = (doubt: string): readonly Note[] => (change.basis === "unknown" ? notesOf("attention", [doubt]) : []);
	if (change.kind !== "userTag") return unread("may already be gone: it could not be read");
	if (change.lastApplied === null) return unread("members could not be read: these changes may not be needed");
	const since = change.lastApplied.changedSince ? "; the tag was changed elsewhere since" : "";
	return notesOf("attention", [`members as last applied at ${showText(change.lastApplied.at)}, not live${since}`]);
}

/** Returns all changes, in the order of the plan; without a title, because the changes are the plan. */
export function changesSection(plan: Plan, marksOf: MarksOf): Section {
	return section("changes", rowsOf(plan, marksOf));
}

/** Returns the removed objects; no format cuts or folds them. */
export function removalsSection(plan: Plan, marksOf: MarksOf, hasResults: boolean): Section {
	const removed = plan.changes.filter(({ action }) => action === "remove");
	const more = hasResults ? { title: "Removals and their results" } : {};
	return section("removals", rowsOf(plan, marksOf, removed), more);
}

/** More tags than this are a matrix, and their list is folded. */
const maxTagsOpen = 8;

/** Returns the policies to create and to change, with their texts; those to remove are removals. */
export function policiesSection(plan: Plan, marksOf: MarksOf): Section {
	const policies = plan.changes.filter(isWritten);
	return section("policies", rowsOf(plan, marksOf, policies), { isFolded: policies.length > maxPoliciesOpen });
}

/** More policies than this are folded. */
const maxPoliciesOpen = 20;

/** Returns the tags to create and to change, ordered as people count. */
export function tagsSection(plan: Plan, marksOf: MarksOf): Section {
	const tags = plan.changes
		.filter((change) => change.kind === "userTag")
		.filter(({ action }) => action !== "remove")
		.sort((left, right) => compareNaturally(left.after.name, right.after.name));
	return section("user-tags", rowsOf(plan, marksOf, tags), { isFolded: tags.length > maxTagsOpen });
}

export function reportedSection(plan: Plan, marksOf: MarksOf): Section {
	const reported = plan.changes.filter(({ action }) => action === "report");
	return section("report-only", rowsOf(plan, marksOf, reported));
}

function rowsOf(plan: Plan, marksOf: MarksOf, changes: readonly Change[] = plan.changes): readonly Row[] {
	const heldAt = holdsOf(plan);
	return changes.map((change) => {
		const row = changeRow(change, plan, marksOf);
		return heldAt(change.address) === heldByRejection ? { ...row, isHeld: true } : row;
	});
}

/** Longest beginning of an address in a line of lost memberships, in characters: a user needs up to 180 of the line. */
const longestAddress = 60;

/** Longest reason of a window in such a line, in characters as shown. */
const shortReason = 110;

/** Returns the members who lose a tag, in lines too short to be cut, so that a reader sees every one. */
export function lostMembershipsSection(plan: Plan, marksOf: MarksOf, hasResults: boolean): Section {
	const rows = plan.changes.flatMap((change) => (change.kind === "userTag" ? lossRows(change, plan, marksOf) : []));
	return section("memberships-lost", rows, {
		...(hasResults ? { title: "Memberships lost and their results" } : {}),
		number: countChanges(plan, () => true).lost.all,
	});
}

function lossRows(change: TagChange, plan: Plan, marksOf: MarksOf): readonly Row[] {
	const marks = (userId: string): readonly Note[] => [
		...windowOf(plan, change, userId, shortReason),
		...marksOf(change, "remove-member", userId),
		...marksOf(change, null, null),
	];
	const byMarks = Map.groupBy(change.removeUserIds, (userId) => JSON.stringify(marks(userId)));
	return [...byMarks.values()].flatMap((userIds) =>
		groupUsers(userIds, plan).map(
			(group): Row => ({
				sign: "-",
				said: [
					identifier(showAddressWithin(change.address, longestAddress)),
					"  loses ",
					...listOf(group, (userId) => namePerson(userId, plan)),
				],
				marks: marks(group[0] ?? ""),
				about: [change.address],
			}),
		),
	);
}

/** Longest list of names in a line, in characters, unless one name is longer. */
const longestList = 100;

function groupUsers(userIds: readonly string[], plan: Plan): readonly (readonly string[])[] {
	const lines: { userIds: string[]; length: number }[] = [];
	for (const userId of sortByName(userIds, plan)) {
		const { length } = showUser(userId, plan);
		const last = lines.at(-1);
		if (last !== undefined && last.length + length < longestList) {
			last.userIds.push(userId);
			last.length += length + 2;
		} else lines.push({ userIds: [userId], length });
	}
	return lines.map((line) => line.userIds);
}
