/** Which user tags of two documents are the same: by live tag, id, name or earlier name. */
import { findTags } from "../kinds/user-tag.ts";
import type { DesiredObject, DesiredUserTag, LiveOrganization } from "../organization.ts";

export interface TagPair {
	readonly base: DesiredUserTag | undefined;
	readonly head: DesiredUserTag | undefined;
	/** The live tag that the head means; undefined where it finds none. */
	readonly tagId: string | undefined;
	/** The one that the base means. */
	readonly baseTagId: string | undefined;
}

/** Every tag of the two documents once, in the order of the head and then of the base; null when live was not asked. */
export function pairTags(
	baseTags: readonly DesiredUserTag[],
	headTags: readonly DesiredUserTag[],
	live: LiveOrganization | null,
): readonly TagPair[] {
	const [inBase, inHead] = [baseTags, headTags].map((tags) => findIds(tags, live)) as [Ids, Ids];
	const partners = new Map<DesiredUserTag, DesiredUserTag>();
	const taken = new Set<DesiredUserTag>();
	const differ = (base: DesiredUserTag, head: DesiredUserTag): boolean => {
		const [one, other] = [base.id ?? inBase.get(base), head.id ?? inHead.get(head)];
		return one !== undefined && other !== undefined && one !== other;
	};
	// A stronger sign is looked for in all tags before a weaker one in any.
	const signs: readonly ((base: DesiredUserTag, head: DesiredUserTag) => boolean)[] = [
		(base, head) => inBase.has(base) && inBase.get(base) === inHead.get(head),
		(base, head) => base.id !== undefined && base.id === head.id,
		(base, head) => base.name === head.name && !differ(base, head),
		(base, head) => head.previously.includes(base.name) && !differ(base, head),
	];
	for (const sign of signs) {
		for (const head of headTags) {
			if (partners.has(head)) continue;
			const base = baseTags.find((one) => !taken.has(one) && sign(one, head));
			if (base === undefined) continue;
			partners.set(head, base);
			taken.add(base);
		}
	}
	const pair = (base: DesiredUserTag | undefined, head: DesiredUserTag | undefined): TagPair => ({
		base,
		head,
		tagId: head && inHead.get(head),
		baseTagId: base && inBase.get(base),
	});
	return [
		...headTags.map((head) => pair(partners.get(head), head)),
		...baseTags.filter((base) => !taken.has(base)).map((base) => pair(base, undefined)),
	];
}

/** Returns the base's objects, with live ids that only the head finds because the tag already has its new name. */
export function pinTags(objects: readonly DesiredObject[], pairs: readonly TagPair[]): readonly DesiredObject[] {
	const byTag = new Map<DesiredObject, string>(
		pairs.flatMap(({ base, head, tagId }) => (base && head && tagId ? [[base, tagId] as const] : [])),
	);
	return objects.map((object) => {
		const id = byTag.get(object);
		return id === undefined || object.kind !== "userTag" ? object : { ...object, id };
	});
}

type Ids = ReadonlyMap<DesiredUserTag, string>;

function findIds(tags: readonly DesiredUserTag[], live: LiveOrganization | null): Ids {
	if (live === null || !live.userTags.known) return new Map();
	return new Map(findTags(tags, live.userTags.value).found.map((one) => [one.wanted, one.live.id]));
}
