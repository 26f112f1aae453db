/** The steps that create and change policies: one creates any number of them, and each change is an activity of its own. */
import type { PolicyChange, PolicyContent, TagChange } from "./change.ts";
import type { StepDraft } from "./kinds/kind.ts";
import type { Named } from "./organization.ts";
import { asideKey, changedKey, isTemporaryName, orderRenames, type TemporaryNames, temporaryName } from "./renames.ts";
import type { NewPolicy, StepParameters, StepReason } from "./step.ts";
import { sameValue } from "./value.ts";

interface DraftOptions {
	readonly removedIds: ReadonlySet<string>;
	readonly temporaryNames: TemporaryNames;
	readonly renamedFirst: ReadonlySet<string>;
	/** Whether each policy is created by an activity of its own. */
	readonly separately: boolean;
}

/** Returns the drafts of written policies, in an order in which each finds its name free and the tags that it names. */
export function policyDrafts(
	changes: readonly PolicyChange[],
	tagChanges: readonly TagChange[],
	livePolicies: readonly Named[],
	{ removedIds, temporaryNames, renamedFirst, separately }: DraftOptions,
): readonly StepDraft[] {
	const holders = new Map(livePolicies.map(({ id, name }) => [name, id]));
	const tagKeys = (policies: readonly PolicyChange[]) => keysOfNamedTags(policies, tagChanges);
	const creations = changes.filter(({ action }) => action === "create");
	const batches = separately ? creations.map((change) => [change]) : creations.length === 0 ? [] : [creations];
	const updates = changes.filter(({ action }) => action === "update");
	const renames = updates.flatMap(({ id, address, before, after }) => {
		return before === null || before.name === after.name ? [] : [{ id, address, from: before.name, to: after.name }];
	});
	const { order, asides, after, freedBy } = orderRenames(renames, holders);
	const taken = new Set([...holders.keys(), ...changes.map(({ after: { name } }) => name)]);
	// The step that removes policies has this key.
	const removal = (name: string): readonly string[] => (removedIds.has(holders.get(name) ?? "") ? ["policies"] : []);
	const byId = new Map(updates.map((change) => [change.id, change]));
	const update = (change: PolicyChange, others: readonly string[]): StepDraft =>
		updateDraft(change, change.after, change.id, [...others, ...tagKeys([change])]);
	return [
		...asides.flatMap(({ id }) => {
			const change = byId.get(id);
			if (change?.before == null) return [];
			const name = temporaryName(id, taken, temporaryNames);
			return [updateDraft(change, { ...change.before, name }, asideKey(id), [])];
		}),
		...batches.map((created) =>
			creationDraft(created, [
				...created.flatMap(({ after: { name } }) => [...freedBy(name), ...removal(name)]),
				...tagKeys(created),
			]),
		),
		...order.flatMap((rename) => {
			const change = byId.get(rename.id);
			if (change === undefined) return [];
			const earlier = [...after(rename), ...removal(rename.to)];
			if (change.before === null || !renamedFirst.has(rename.id)) return [update(change, earlier)];
			const renamed = { ...change.before, name: rename.to };
			return [
				updateDraft(change, renamed, rename.id, earlier),
				{ ...update({ ...change, before: renamed }, [rename.id]), key: changedKey(rename.id) },
			];
		}),
		...updates.filter(({ id }) => !renames.some((rename) => rename.id === id)).map((change) => update(change, [])),
	];
}

/** Returns the keys of the steps that create tags which the policies name. */
function keysOfNamedTags(policies: readonly PolicyChange[], tagChanges: readonly TagChange[]): readonly string[] {
	const created = tagChanges.filter(({ action }) => action === "create");
	const texts = policies.flatMap(({ after: { consensus, condition } }) => [consensus, condition]);
	return created.filter(({ tagId }) => texts.some((text) => text.includes(tagId))).map(({ tagId }) => tagId);
}

function creationDraft(changes: readonly PolicyChange[], after: readonly string[]): StepDraft {
	return {
		key: `policies:created:${changes[0]?.id}`,
		operation: "create_policies",
		parameters: { policies: changes.map(({ after: content }) => toNewPolicy(content)) },
		covers: changes.map(({ address, after: { name } }) => ({ address, id: name })),
		after: [...new Set(after)],
		reason: { kind: "create", of: "policy", count: changes.length, name: changes[0]?.after.name ?? "" },
	};
}

function toNewPolicy({ name, effect, consensus, condition, notes, time }: PolicyContent): NewPolicy {
	return { policyName: name, effect, condition, consensus, notes, ...(time === "" ? {} : { time }) };
}

function updateDraft(
	{ id, address, before }: PolicyChange,
	content: PolicyContent,
	key: string,
	after: readonly string[],
): StepDraft {
	const isTimed = content.time !== "" || (before !== null && before.time !== "");
	const parameters: StepParameters["update_policy"] = {
		policyId: id,
		policyName: content.name,
		policyEffect: content.effect,
		policyCondition: content.condition,
		policyConsensus: content.consensus,
		policyNotes: content.notes,
		...(isTimed ? { time: content.time } : {}),
	};
	const { name: from = content.name } = before ?? {};
	const kind = isTemporaryName(content.name, id) ? "names-exchanged" : "name-differs";
	const isRename = from !== content.name && sameValue({ ...before, name: "" }, { ...content, name: "" });
	const reason: StepReason = isRename ? { kind, from, to: content.name } : { kind: "change-policy", name: from };
	return { key, operation: "update_policy", parameters, covers: [{ address, id }], after, reason };
}
