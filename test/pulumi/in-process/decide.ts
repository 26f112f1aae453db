/** What an engine adds to the answers of a provider before it decides. */
import type { Registration, StateResource } from "./model.ts";
import type { ProviderDiff } from "./providers.ts";
import type { Values } from "./values.ts";

/** The difference, with the inputs that differ where the provider names none. */
export function withNames(diff: ProviderDiff, olds: Values, news: Values): ProviderDiff {
	if (!diff.changes || diff.names.length > 0) return diff;
	const all = [...new Set([...Object.keys(olds), ...Object.keys(news)])];
	return { ...diff, names: all.filter((name) => JSON.stringify(olds[name]) !== JSON.stringify(news[name])) };
}

/** The inputs with the old values of properties whose changes are ignored. */
export function ignoringChanges({ inputs, ignoreChanges }: Registration, old: StateResource | undefined): Values {
	if (old === undefined) return inputs;
	return { ...inputs, ...Object.fromEntries(ignoreChanges.map((name) => [name, old.inputs[name]])) };
}
