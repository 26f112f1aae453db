/** What creating a resource changes: the engine does not show how adopting a live object changes it. */

import { showText } from "../../common/escape.ts";
import type { Change } from "../../plan/change.ts";
import type { Plan } from "../../plan/plan.ts";
import type { MetaInputs } from "../inputs/inputs.ts";

/**
 * For example `signers: adopts the user tag approvers, renames it to signers`; undefined if nothing changes. Secret members
 * are counted, not listed.
 */
export function describeCreate(
	{ resource, secretInputs = [] }: Pick<MetaInputs, "resource" | "secretInputs">,
	{ changes }: Plan,
): string | undefined {
	const hidesMembers = secretInputs.includes("members");
	const parts = changes.flatMap((change) => describe(change, hidesMembers));
	return parts.length === 0 ? undefined : showText(`${resource}: ${parts.join("; ")}`);
}

function describe(change: Change, hidesMembers: boolean): readonly string[] {
	const doubt = change.basis === "unknown" ? " (it may be in sync already: live state cannot be read)" : "";
	if (change.kind === "userTag") {
		const { before, after, addUserIds, removeUserIds } = change;
		const list = (ids: readonly string[]): string => {
			const noun = ids.length === 1 ? "member" : "members";
			return hidesMembers ? `${ids.length} ${noun}` : `the ${noun} ${ids.join(", ")}`;
		};
		const done = [
			...(before.name === after.name ? [] : [`renames it to ${after.name}`]),
			...(addUserIds.length === 0 ? [] : [`adds ${list(addUserIds)}`]),
			...(removeUserIds.length === 0 ? [] : [`removes ${list(removeUserIds)}`]),
		];
		return [`adopts the user tag ${before.name}, ${done.join(", ")}${doubt}`];
	}
	if (change.action !== "remove") return [];
	const name = change.before === null || change.before.name === "" ? "" : ` (${change.before.name})`;
	return [`removes ${change.address}${name}${doubt}`];
}
