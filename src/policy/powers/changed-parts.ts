/** What two sides of a comparison have in common, and what they do not. */
import type { Side } from "./cell-changes.ts";
import type { GroupParts, Part } from "./judge.ts";
import { notRead, type Reason } from "./reason.ts";

/** Returns a text that is equal for parts that mean the same. */
const identityOf = (part: Part): string =>
	`${part.effect}\t${part.condition ?? ""}\t${part.unknown?.key ?? ""}\t${part.key}`;

/** Returns the parts that only one side has. */
export function changedParts(before: GroupParts, after: GroupParts): readonly Part[] {
	const [one, other] = [new Set(before.parts.map(identityOf)), new Set(after.parts.map(identityOf))];
	return [
		...before.parts.filter((part) => !other.has(identityOf(part))),
		...after.parts.filter((part) => !one.has(identityOf(part))),
	];
}

/** Returns whether the root quorum is the same on both sides, and policies that are not known are too. */
export function isSameBase(one: Side, other: Side): boolean {
	const [before, after] = [one.prepared, other.prepared];
	if (JSON.stringify(before.access.rootQuorum) !== JSON.stringify(after.access.rootQuorum)) return false;
	if (one.found.missing === null && other.found.missing === null) return true;
	return (
		JSON.stringify(one.found.missing) === JSON.stringify(other.found.missing) &&
		JSON.stringify(before.access.users) === JSON.stringify(after.access.users)
	);
}

/** Returns why something is unknown: what was not read, then what changed, then what is so in some cells. Null: all is known. */
export function whyUnknown(before: Side, after: Side, changed: readonly Part[], inCells: Reason | null): Reason | null {
	for (const { prepared, found } of [after, before]) {
		const { users } = prepared.access;
		if (found.missing !== null) return notRead(found.missing);
		if (!users.known) return notRead(users.because);
		// What both sides leave unknown is named only where nothing that changed is unknown.
		const part = [...changed, ...found.parts].find(({ unknown }) => unknown !== null);
		if (part?.unknown) return part.unknown.because;
	}
	if (inCells !== null) return inCells;
	for (const { prepared } of [after, before]) {
		const { rootQuorum } = prepared.access;
		if (!rootQuorum.known) return notRead(rootQuorum.because);
	}
	return null;
}
