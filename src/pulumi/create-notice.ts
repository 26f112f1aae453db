/**
 * What creating a resource would submit, in one line: the engine shows the inputs of what it creates, but not what adopting
 * a live object changes about it.
 */

import { showText } from "../escape.ts";
import type { Change } from "../plan/change.ts";
import type { Plan } from "../plan/plan.ts";
import type { MetaInputs } from "./inputs.ts";

/**
 * For example `signers: adopts the user tag approvers and renames it to signers`; undefined when it changes nothing. Of
 * members that are a secret it gives the number.
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
	const doubt = change.basis === "unknown" ? ", which is not known to be needed" : "";
	if (change.kind === "userTag") {
		const { before, after, addUserIds, removeUserIds } = change;
		const show = (ids: readonly string[]): string => (hidesMembers ? `${ids.length} users` : ids.join(", "));
		const done = [
			...(before.name === after.name ? [] : [`renames it to ${after.name}`]),
			...(addUserIds.length === 0 ? [] : [`gives it to ${show(addUserIds)}`]),
			...(removeUserIds.length === 0 ? [] : [`takes it from ${show(removeUserIds)}`]),
		];
		return [`adopts the user tag ${before.name} and ${done.join(", ")}${doubt}`];
	}
	if (change.action !== "remove") return [];
	const name = change.before === null || change.before.name === "" ? "" : ` (${change.before.name})`;
	return [`removes ${change.address}${name}${doubt}`];
}
