/** Finds user tags that policies name instead of giving their id: the text is understood, and no user has such a tag. */
import { idsNamed } from "../../common/own.ts";
import type { AccessState } from "../access.ts";
import { idsIn } from "../language/checker.ts";
import { compilePolicy } from "../powers/compile.ts";

/** A policy that asks for a user tag by its name, and the tags that have it. */
export interface NamedTag {
	readonly policyId: string;
	readonly name: string;
	readonly tagIds: readonly string[];
}

/** Returns each name once for each policy. `tagNames`: id of each live user tag to its name. */
export function findNamedTags(
	{ policies }: AccessState,
	tagNames: Readonly<Record<string, string>>,
): readonly NamedTag[] {
	if (!policies.known) return [];
	return policies.value.flatMap((policy) => {
		const { consensus } = compilePolicy(policy);
		const ids = consensus.slip === null ? idsIn(consensus.tree) : [];
		const asked = new Set(ids.flatMap(({ kind, value }) => (kind === "userTag" ? [value] : [])));
		return [...asked].flatMap((name): NamedTag[] => {
			const tagIds = idsNamed(name, tagNames);
			const isId = Object.hasOwn(tagNames, name.toLowerCase());
			return isId || tagIds.length === 0 ? [] : [{ policyId: policy.id, name, tagIds }];
		});
	});
}
