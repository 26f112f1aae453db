/**
 * Aliases that two documents give to different users, in words: names alone would hide that.
 */

import { showName } from "../../common/escape.ts";
import type { ThreeWay } from "../../plan/base/three-way.ts";
import { identifyUser } from "../../plan/user-labels.ts";
import { type AliasDifference, reassignedAliases } from "../../plan/users.ts";

export const aliasHeading = "Aliases that now mean another user";

/** An alias with its user now and before, each by id and live name; escaped. */
interface MovedAlias {
	readonly alias: string;
	readonly now: string;
	readonly before: string;
}

/** Returns all aliases that now mean another user. */
export function describeMovedAliases(threeWay: ThreeWay | null): readonly MovedAlias[] {
	return threeWay === null
		? []
		: reassignedAliases(threeWay).map(({ alias, before, after }) => ({
				alias: showName(alias),
				now: identifyUser(after ?? "", threeWay),
				before: identifyUser(before ?? "", threeWay),
			}));
}

/** Returns such an alias on one line. */
export function showMovedAlias({ alias, now, before }: MovedAlias): string {
	return `${alias} is now ${now}, before ${before}`;
}

/** Returns the aliases that only one of the documents has, each in words; escaped. */
export function describeOtherAliases(threeWay: ThreeWay): readonly { readonly alias: string; readonly text: string }[] {
	const moved: ReadonlySet<AliasDifference> = new Set(reassignedAliases(threeWay));
	return (threeWay.aliases ?? [])
		.filter((one) => !moved.has(one))
		.map(({ alias, before, after }) => ({
			alias: showName(alias),
			text:
				after === null
					? `is no longer an alias; it was ${identifyUser(before ?? "", threeWay)}`
					: `is ${identifyUser(after, threeWay)}`,
		}));
}

/** Returns a sentence for the verdict, with a space before it; empty where no alias now means another user. */
export function summarizeAliases(threeWay: ThreeWay | null | undefined): string {
	const found = threeWay === null || threeWay === undefined ? 0 : reassignedAliases(threeWay).length;
	if (found === 0) return "";
	return found === 1 ? " 1 alias now means another user." : ` ${found} aliases now mean other users.`;
}
