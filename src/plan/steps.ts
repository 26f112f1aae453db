/**
 * The fewest activities that make the changes, in an order in which each can succeed. Names are unique
 * (docs/internals/service.md#server-side-validation), so dependent renames form chains, which run from the free end, and cycles,
 * which cost exactly one activity more: one tag takes a temporary name first. Fewer is impossible: every tag of a cycle
 * needs its own activity, and whichever runs first meets a name that is still taken.
 */
import type { Change, RemovalChange, TagChange } from "./change.ts";
import { removalKinds } from "./kinds/index.ts";
import type { StepDraft } from "./kinds/kind.ts";
import type { RemovalKindName } from "./kinds/names.ts";
import type { Step } from "./step.ts";
import { compareText } from "./value.ts";

/** Returns the steps in order. A tag of a cycle takes its name in `temporaryNames`, if that is free. */
export function makeSteps(
	changes: readonly Change[],
	liveTags: readonly { id: string; name: string }[],
	temporaryNames: TemporaryNames = {},
): readonly Step[] {
	const tagChanges = changes.filter((change) => change.kind === "userTag");
	const removals = removalKinds.flatMap(({ name, steps }) => steps(changes.filter((one) => isRemoval(one, name))));
	const drafts = [...tagDrafts(tagChanges, liveTags, temporaryNames), ...removals];
	const ids = new Map(drafts.map(({ key }, index) => [key, `step-${index + 1}`]));
	return drafts.map(({ key, after, covers, reason, ...request }) => ({
		id: ids.get(key) ?? key,
		...request,
		covers,
		dependsOn: after.map((other) => ids.get(other) ?? other),
		reason,
		earlierActivity: null,
	}));
}

/** Returns the operations of the steps that make these changes, each once. A change that is only reported has none. */
export function operationsFor(changes: readonly Change[]): readonly Step["operation"][] {
	const removals = removalKinds.filter(({ name }) => changes.some(({ kind }) => kind === name));
	const ofTags = changes.some(({ kind }) => kind === "userTag") ? (["update_user_tag"] as const) : [];
	return [...ofTags, ...removals.map(({ operation }) => operation)];
}

function isRemoval(change: Change, kind: RemovalKindName): change is RemovalChange {
	return change.kind === kind;
}

/** By tag id. */
type TemporaryNames = Readonly<Record<string, string>>;

function tagDrafts(
	changes: readonly TagChange[],
	liveTags: readonly { id: string; name: string }[],
	temporaryNames: TemporaryNames,
): readonly StepDraft[] {
	if (changes.length === 0) return [];
	const holders = new Map(liveTags.map(({ id, name }) => [name, id]));
	const renames = new Map(changes.filter(isRename).map((change) => [change.tagId, change]));
	/** Returns the rename that has to free this name first. */
	const blocker = (change: TagChange): TagChange | undefined => {
		const holder = holders.get(change.after.name);
		return holder === undefined || holder === change.tagId ? undefined : renames.get(holder);
	};
	const asides = [...renames.values()].filter((change) => isFirstOfCycle(change, blocker));
	const taken = new Set([...holders.keys(), ...changes.map(({ after }) => after.name)]);
	const drafts: StepDraft[] = asides.map((change) =>
		temporaryDraft(change, temporaryName(change, taken, temporaryNames)),
	);
	const freed = new Map(asides.map((change) => [change.tagId, `aside:${change.tagId}`]));
	for (const change of inChainOrder(renames, asides, blocker)) {
		const other = blocker(change);
		const after = [
			...(freed.has(change.tagId) ? [`aside:${change.tagId}`] : []),
			...(other === undefined ? [] : [freed.get(other.tagId) ?? other.tagId]),
		];
		drafts.push(tagDraft(change, after));
	}
	return [...drafts, ...changes.filter((change) => !isRename(change)).map((change) => tagDraft(change, []))];
}

function isRename(change: TagChange): boolean {
	return change.before.name !== change.after.name;
}

/** Whether the change is in a cycle, and has the smallest address there. */
function isFirstOfCycle(change: TagChange, blocker: (change: TagChange) => TagChange | undefined): boolean {
	const seen = new Set<string>([change.tagId]);
	let smallest = change.address;
	for (let next = blocker(change); next !== undefined; next = blocker(next)) {
		if (next.tagId === change.tagId) return smallest === change.address;
		if (seen.has(next.tagId)) return false;
		seen.add(next.tagId);
		if (compareText(next.address, smallest) < 0) smallest = next.address;
	}
	return false;
}

/** Every rename after the one that frees its name; the last of a cycle is the one with a temporary name. */
function inChainOrder(
	renames: ReadonlyMap<string, TagChange>,
	asides: readonly TagChange[],
	blocker: (change: TagChange) => TagChange | undefined,
): readonly TagChange[] {
	const ordered: TagChange[] = [];
	const done = new Set<string>();
	const aside = new Set(asides.map(({ tagId }) => tagId));
	for (const start of renames.values()) {
		const chain: TagChange[] = [];
		for (
			let next: TagChange | undefined = start;
			next !== undefined && !done.has(next.tagId);
			next = aside.has(blocker(next)?.tagId ?? "") ? undefined : blocker(next)
		) {
			chain.push(next);
			done.add(next.tagId);
		}
		ordered.push(...chain.reverse());
	}
	// Tags with a temporary name depend on a chain that is walked from another tag: they come last, in their own order.
	return [...ordered.filter(({ tagId }) => !aside.has(tagId)), ...ordered.filter(({ tagId }) => aside.has(tagId))];
}

/**
 * Returns a free name, the same every time for the same tag. Unverified, chosen: letters, digits and hyphens only,
 * because the service's rules for the characters and length of names are not known (docs/internals/service.md#not-documented).
 */
function temporaryName(change: TagChange, taken: Set<string>, chosen: TemporaryNames): string {
	const stem = temporaryStem(change.tagId);
	const before = chosen[change.tagId];
	if (before !== undefined && !taken.has(before)) {
		taken.add(before);
		return before;
	}
	const ofOthers = new Set(Object.values(chosen));
	let name = stem;
	for (let count = 2; taken.has(name) || ofOthers.has(name); count += 1) name = `${stem}-${count}`;
	taken.add(name);
	return name;
}

function temporaryStem(tagId: string): string {
	return `orgsync-temporary-${tagId.slice(0, 8)}`;
}

/** Whether this can be a temporary name that orgsync gives the tag. */
export function isTemporaryName(name: string, tagId: string): boolean {
	const stem = temporaryStem(tagId);
	return name === stem || (name.startsWith(`${stem}-`) && /^([2-9]|[1-9]\d+)$/.test(name.slice(stem.length + 1)));
}

function temporaryDraft(change: TagChange, name: string): StepDraft {
	return {
		key: `aside:${change.tagId}`,
		operation: "update_user_tag",
		parameters: { userTagId: change.tagId, newUserTagName: name, addUserIds: [], removeUserIds: [] },
		covers: [{ address: change.address, id: change.tagId }],
		after: [],
		reason: { kind: "names-exchanged", from: change.before.name, to: name },
	};
}

function tagDraft(change: TagChange, after: readonly string[]): StepDraft {
	return {
		key: change.tagId,
		operation: "update_user_tag",
		parameters: {
			userTagId: change.tagId,
			...(isRename(change) ? { newUserTagName: change.after.name } : {}),
			addUserIds: change.addUserIds,
			removeUserIds: change.removeUserIds,
		},
		covers: [{ address: change.address, id: change.tagId }],
		after,
		reason: { kind: change.reason, from: change.before.name, to: change.after.name },
	};
}
