/** Finds the steps of a saved plan that are done: a reason to refuse a second run, never a reason to submit. */
import { listParameter } from "../plan/activities/requests.ts";
import type { Step } from "../plan/step.ts";
import { digestOf, sameValue } from "../plan/value.ts";
import { parametersOf } from "../wire/request-body.ts";
import type { SettledEntry } from "./journal/journal.ts";

/** Returns the steps that are done, each with its last entry. A removal by objects is done when all are removed. */
export function findCompletedSteps(
	steps: readonly Step[],
	entries: readonly SettledEntry[],
): readonly { readonly step: Step; readonly entry: SettledEntry }[] {
	const sent = entries.map((entry) => ({ entry, parameters: parametersOf(entry.body) }));
	return steps.flatMap((step) => {
		const list = listParameter(step.operation);
		const wanted = splitList(step.parameters, list);
		const same = sent
			.map(({ entry, parameters }) => ({ entry, ...splitList(parameters, list) }))
			.filter(({ entry, rest }) => entry.body.operation.name === step.operation && sameValue(rest, wanted.rest));
		const done = new Set(same.flatMap(({ ids }) => ids.map(digestOf)));
		const last = same.at(-1);
		return last !== undefined && wanted.ids.every((id) => done.has(digestOf(id))) ? [{ step, entry: last.entry }] : [];
	});
}

/** Returns the ids that an operation lists, and all other parameters. */
function splitList(
	parameters: Readonly<Record<string, unknown>>,
	list = "",
): { readonly ids: readonly unknown[]; readonly rest: unknown } {
	const { [list]: ids, ...rest } = parameters;
	return { ids: [ids ?? []].flat(), rest };
}
