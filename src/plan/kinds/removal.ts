/** What kinds share that can only be removed: a change where the object is live, or may be and orgsync never removed it. */
import { printAddress } from "../address.ts";
import type { Differences, RemovalChange, Unread } from "../change.ts";
import { keyOfRemoval, labelOfObject } from "../objects.ts";
import { type DesiredOrganization, type LiveOrganization, removalsOf } from "../organization.ts";
import type { CoveredObject, StepRequest } from "../step.ts";
import type { RemovalKind, StepDraft } from "./kind.ts";
import type { RemovalKindName } from "./names.ts";

export function removalKind(kind: Omit<RemovalKind, "action" | "differences">): RemovalKind {
	return {
		...kind,
		action: "remove",
		differences: (desired, live) => removalDifferences(kind.name, desired, live),
	};
}

/** Returns the step that removes these objects, of one kind and of one user where it is theirs. */
export function removalDraft(
	key: string,
	request: StepRequest,
	removed: readonly Pick<CoveredObject, "address" | "id">[],
	of: "userTag" | RemovalKindName,
): StepDraft {
	const covers = removed.map(({ address, id }) => ({ address, id }));
	return { key, ...request, covers, after: [], reason: { kind: "remove", of, count: removed.length } };
}

/** Returns the removal of an object. `isKnown`: whether it is known what is live; `name`: undefined where it is not there. */
export function removalOf(
	{ kind, id, userId }: Pick<RemovalChange, "kind" | "id" | "userId">,
	label: string,
	isKnown: boolean,
	name: string | undefined,
): RemovalChange {
	return {
		address: printAddress(kind, label),
		...{ kind, action: "remove", reason: isKnown ? "is-there" : "not-known-to-be-absent" },
		...{ basis: isKnown ? "live" : "unknown", id, userId },
		...{ before: name === undefined ? null : { name }, after: null },
	};
}

function removalDifferences(kind: RemovalKindName, desired: DesiredOrganization, live: LiveOrganization): Differences {
	const removals = removalsOf(desired, kind);
	if (removals.length === 0) return { changes: [], problems: [], unread: [] };
	const found = live.removables[kind];
	const applied = live.lastApplied.removed[kind];
	const names = new Map(found.known ? found.value.map((one) => [keyOfRemoval(one), one.name]) : []);
	const ids = new Map(found.known && kind === "policy" ? found.value.map(({ id, name }) => [name, id]) : []);
	const changes = removals.flatMap((written): RemovalChange[] => {
		const isId = names.has(keyOfRemoval(written));
		const object = isId ? written : { ...written, id: ids.get(written.id) ?? written.id };
		const key = keyOfRemoval(object);
		if (found.known ? !names.has(key) : applied?.[key] !== undefined) return [];
		const name = found.known ? (names.get(key) ?? "") : undefined;
		return [removalOf(object, labelOfObject(object, desired), found.known, name)];
	});
	if (found.known) return { changes, problems: [], unread: [] };
	const standsIn = changes.length < removals.length ? "last-applied" : "nothing";
	const unread: Unread = { scope: "kind", kind, because: found.because, standsIn };
	return { changes, problems: [], unread: [unread] };
}
