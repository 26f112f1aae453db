/** Checks what a saved plan states of tags that are created or removed, and of policies that are created or changed. */

import { uuid } from "../../common/uuid.ts";
import type { PolicyChange, TagChange } from "../../plan/change.ts";
import { tagChangeOf } from "../../plan/kinds/tag-change.ts";
import type { Plan } from "../../plan/plan.ts";
import { standInFor } from "../../plan/stand-in.ts";
import { sameValue } from "../../plan/value.ts";
import { parseTemplate, type Reference, withoutEscapes } from "../../policy/language/template.ts";
import { firstDifference } from "./saved-plan-difference.ts";
import { isSorted } from "./saved-plan-meaning.ts";

/** Returns what a tag that is created or removed states wrongly; undefined when all of it agrees. */
export function findWrongWholeTag(change: TagChange, { organizationId }: Plan): string | undefined {
	const { action, before, after } = change;
	const users = (action === "create" ? after.members : before.members) ?? [];
	if (!isSorted(users)) return "its users are not sorted";
	const { name } = after;
	const created = { tagId: standInFor(organizationId, "userTag", name), name, members: [], addUserIds: users };
	const removed = { tagId: change.tagId, ...before, removeUserIds: users };
	return firstDifference(change, tagChangeOf(action, action === "create" ? created : removed));
}

/** The same of a policy that is created or changed. */
export function findWrongPolicy(change: PolicyChange, plan: Plan): string | undefined {
	const { action, before, after, written } = change;
	const isCreated = action === "create";
	if (isCreated !== (before === null)) return "before does not go with its action";
	if (before !== null && sameValue(before, after)) return "it changes nothing";
	const standIn = standInFor(plan.organizationId, "policy", after.name);
	return (
		firstDifference(change, {
			...{ address: `policy:${after.name}`, basis: "live", userId: null, reason: isCreated ? "not-there" : "differs" },
			...(isCreated ? { id: standIn, takesOver: false } : {}),
		}) ??
		(["consensus", "condition"] as const)
			.filter((clause) => !isWrittenAs(after[clause], written[clause], plan))
			.map((clause) => `after.${clause} is not what its template becomes`)[0]
	);
}

/** Whether the text is the template with ids in place of its references, those that the plan knows among them. */
function isWrittenAs(text: string, written: string, plan: Plan): boolean {
	const { references } = parseTemplate(written);
	let [done, at] = [0, 0];
	for (const reference of references) {
		const plain = withoutEscapes(written.slice(done, reference.span.start));
		const id = text.slice(at + plain.length + 1, at + plain.length + 37);
		if (text.slice(at, at + plain.length) !== plain || !uuid.test(id) || !isMeant(reference, id, plan)) return false;
		if (text[at + plain.length] !== "'" || text[at + plain.length + 37] !== "'") return false;
		at += plain.length + 38;
		done = reference.span.end;
	}
	return text.slice(at) === withoutEscapes(written.slice(done));
}

/** Whether the id is that of the tag or user, as far as the plan has it. */
function isMeant({ kind, name }: Reference, id: string, { changes, userNames }: Plan): boolean {
	// A user can have two aliases, and the plan has one of them.
	if (kind === "user") return Object.values(userNames).includes(name) ? userNames[id] === name : id in userNames;
	const tags = changes.filter((change) => change.kind === "userTag");
	const tag = tags.find(({ tagId, after }) => tagId === id || after.name === name);
	return tag === undefined || (tag.tagId === id && tag.after.name === name);
}
