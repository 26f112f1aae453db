/**
 * What creating a resource would submit, in one line: the engine shows the inputs of what it creates, but not what adopting
 * a live object changes about it.
 */
import type { Change } from "../plan/change.ts";
import type { Plan } from "../plan/plan.ts";
import { showText } from "../plan/render/escape.ts";

/** For example `signers: adopts the user tag approvers and renames it to signers`; undefined when it changes nothing. */
export function announceCreation(resource: string, { changes }: Plan): string | undefined {
	const parts = changes.flatMap((change) => describe(change));
	return parts.length === 0 ? undefined : showText(`${resource}: ${parts.join("; ")}`);
}

function describe(change: Change): readonly string[] {
	const doubt = change.basis === "unknown" ? ", which is not known to be needed" : "";
	if (change.kind === "userTag") {
		const { before, after, addUserIds, removeUserIds } = change;
		const done = [
			...(before.name === after.name ? [] : [`renames it to ${after.name}`]),
			...(addUserIds.length === 0 ? [] : [`gives it to ${addUserIds.join(", ")}`]),
			...(removeUserIds.length === 0 ? [] : [`takes it from ${removeUserIds.join(", ")}`]),
		];
		return [`adopts the user tag ${before.name} and ${done.join(", ")}${doubt}`];
	}
	if (change.action !== "remove") return [];
	const name = change.before === null || change.before.name === "" ? "" : ` (${change.before.name})`;
	return [`removes ${change.address}${name}${doubt}`];
}
