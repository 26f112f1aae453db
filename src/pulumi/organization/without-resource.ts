/** What documents state and no resource of Pulumi applies: policies, creations of tags, and removals that are found by reading. */
import { type Cell, entryOf, itemsOf } from "../../document/cell.ts";
import { type Problems, quoteCell } from "../../document/problems.ts";
import { uuid } from "../../plan/organization.ts";

/** Reports each key of the document that would have no part. `protect` and `limits` need none: the whole plan is judged by them. */
export function refuseWithoutResource(root: Cell, problems: Problems): void {
	const absent = entryOf(root, "absent");
	const creations = itemsOf(entryOf(root, "userTags")).flatMap((tag) => entryOf(tag, "create") ?? []);
	const keys = [
		entryOf(root, "policies"),
		entryOf(root, "exactly"),
		entryOf(absent, "userTags"),
		...creations.filter(({ value }) => value === true),
	];
	for (const cell of keys) {
		if (cell !== undefined) problems.report(cell, code, `\`${cell.key}\` has no Pulumi resource yet; ${advice}`, "key");
	}
	for (const cell of itemsOf(entryOf(absent, "policies"))) {
		if (uuid.test(String(cell.value))) continue;
		problems.report(cell, code, `PolicyRemoval needs the policy's id, but this is ${quoteCell(cell)}; ${advice}`);
	}
}

const code = "no-pulumi-resource";
const advice = "the command line can apply it, from a document of its own";
