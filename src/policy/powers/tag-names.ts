/** Finds user tags that policies name instead of giving their id: the text is understood, and no user has such a tag. */
import type { AccessState } from "../access.ts";
import { type Expression, partsOf } from "../language/syntax.ts";
import { compilePolicy } from "./compile.ts";

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
		const asked = consensus.is === "tree" ? new Set(partsOf(consensus.tree).flatMap(askedTag)) : [];
		return [...asked].flatMap((name): NamedTag[] => {
			const tagIds = Object.entries(tagNames).flatMap(([id, own]) => (own === name ? [id] : []));
			const isId = Object.hasOwn(tagNames, name.toLowerCase());
			return isId || tagIds.length === 0 ? [] : [{ policyId: policy.id, name, tagIds }];
		});
	});
}

/** Returns the text that is asked for among the tags of a user. */
function askedTag(part: Expression): readonly string[] {
	const isTags = (one: Expression): boolean => one.node === "field" && one.name === "tags";
	const isCall = part.node === "call" && part.method === "contains" && isTags(part.of);
	const isMember = part.node === "binary" && part.operator === "in" && isTags(part.right);
	const [asked] = isCall ? part.arguments : isMember ? [part.left] : [];
	return asked?.node === "literal" && typeof asked.value === "string" ? [asked.value] : [];
}
