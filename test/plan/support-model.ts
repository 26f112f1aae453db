/**
 * The service as a model of its own: what the five activities do to a small world, and a search through everything that
 * activities could do. It knows nothing of how a plan is made.
 */
import type { Step } from "../../src/plan/step.ts";
import { idsIn, providerIdsIn, type SmallTag, type SmallWorld, usersOf } from "./support-organizations.ts";

/** An activity that the service would refuse. */
class RefusedByModel extends Error {}

/** A world that steps are taken in, one after the other. */
export class ModelService {
	readonly #tags: Map<string, { name: string; members: Set<string> }>;
	readonly #policies: Set<string>;
	readonly #providers: Map<string, Set<string>>;
	readonly #apps: Set<string>;

	constructor(world: SmallWorld) {
		this.#tags = new Map(
			world.tags.map((tag) => [tag.id, { name: tag.name, members: new Set(usersOf(world, tag.members)) }]),
		);
		this.#policies = new Set(idsIn("policy", world.policies, "kept", "removed"));
		this.#providers = new Map(
			world.userIds.map((userId, user) => [userId, new Set(providerIdsIn(world, user, "kept", "removed"))]),
		);
		this.#apps = new Set(idsIn("app", world.apps, "kept", "removed"));
	}

	/** Everything there is, as text to compare. */
	state(): string {
		const sorted = (set: ReadonlySet<string>): string[] => [...set].sort();
		return JSON.stringify([
			[...this.#tags].map(([tagId, { name, members }]) => [tagId, name, sorted(members)]),
			sorted(this.#policies),
			[...this.#providers].map(([userId, ids]) => [userId, sorted(ids)]),
			sorted(this.#apps),
		]);
	}

	/** Does what the step asks for; throws where the service would refuse, or where part of it would change nothing. */
	take(step: Step): void {
		switch (step.operation) {
			case "update_user_tag": {
				const { userTagId, newUserTagName, addUserIds, removeUserIds } = step.parameters;
				this.#updateTag(userTagId, newUserTagName, addUserIds, removeUserIds);
				break;
			}
			case "delete_policies":
				removeAll(this.#policies, step.parameters.policyIds);
				break;
			case "delete_oauth_providers":
				removeAll(this.#providers.get(step.parameters.userId), step.parameters.providerIds);
				break;
			case "delete_tvc_app_and_deployments":
				removeAll(this.#apps, [step.parameters.appId]);
		}
	}

	#updateTag(tagId: string, name: string | undefined, add: readonly string[], remove: readonly string[]): void {
		const tag = this.#tags.get(tagId);
		if (tag === undefined) throw new RefusedByModel(`no tag ${tagId}`);
		if (name !== undefined && [...this.#tags.values()].some((other) => other.name === name)) {
			throw new RefusedByModel(`the name ${name} is taken`);
		}
		if (name === undefined && add.length + remove.length === 0) throw new RefusedByModel("the activity is empty");
		for (const userId of add) {
			if (tag.members.has(userId)) throw new RefusedByModel(`${userId} has the tag already`);
			tag.members.add(userId);
		}
		for (const userId of remove) {
			if (!tag.members.delete(userId)) throw new RefusedByModel(`${userId} does not have the tag`);
		}
		if (name !== undefined) tag.name = name;
	}
}

function removeAll(set: Set<string> | undefined, ids: readonly string[]): void {
	if (ids.length === 0) throw new RefusedByModel("nothing to remove");
	for (const found of ids) if (set?.delete(found) !== true) throw new RefusedByModel(`${found} is not there`);
}

/** Returns the state in which the document holds and everything that it does not list is as it was. */
export function finalState(world: SmallWorld): string {
	const tags = world.tags.map((tag): SmallTag => {
		const { wanted } = tag;
		if (wanted === undefined) return tag;
		const { members } = wanted;
		if (members === undefined) return { ...tag, name: wanted.name };
		const after = "exactly" in members ? members.exactly : (tag.members | members.atLeast) & ~members.never;
		return { ...tag, name: wanted.name, members: after };
	});
	const remove = (removables: SmallWorld["policies"]): SmallWorld["policies"] =>
		removables.map((state) => (state === "kept" ? "kept" : "gone"));
	return new ModelService({
		...world,
		tags,
		policies: remove(world.policies),
		providers: world.providers.map(remove),
		apps: remove(world.apps),
	}).state();
}

const tagBits = 6;
const nameCount = 8;

/**
 * A world as two numbers. `tags`: six bits a tag, three for the number of its name and three for its members. `others`:
 * one bit for everything that is there and can be removed.
 */
interface Search {
	readonly tagCount: number;
	/** By tag and its six bits: whether the document holds there. */
	readonly tagIsRight: readonly (readonly boolean[])[];
	/** Names that a tag may get in the search: all in use or wanted, and two that no tag has. */
	readonly names: number;
	/** Which bits of `others` one activity can clear, any of them at once: policies, a user's providers, an app. */
	readonly groups: readonly number[];
	/** The bits that the document leaves. */
	readonly rightOthers: number;
}

/**
 * The length of the shortest sequence of activities after which the document holds, when there is one of at most `limit`
 * activities; undefined when there is none. Tries every activity in every state, breadth first: any tag may get any free
 * name and any members, any of the policies may go together, any providers of one user, any app. A state is abandoned only
 * when more objects are still wrong in it than activities are left: an activity touches one tag, one user's providers,
 * one app, or policies.
 */
export function shortestSequence(world: SmallWorld, limit: number): number | undefined {
	const { search, tags, others } = encode(world);
	let frontier = new Map([[others * 2 ** 24 + tags, { tags, others }]]);
	if (limit < 0) return undefined;
	if (wrongObjects(search, tags, others) === 0) return 0;
	const seen = new Set(frontier.keys());
	for (let length = 1; length <= limit; length += 1) {
		const following = new Map<number, { tags: number; others: number }>();
		let reached = false;
		const visit = (nextTags: number, nextOthers: number): void => {
			const wrong = wrongObjects(search, nextTags, nextOthers);
			if (wrong === 0) reached = true;
			if (length + wrong > limit) return;
			const key = nextOthers * 2 ** 24 + nextTags;
			if (seen.has(key)) return;
			seen.add(key);
			following.set(key, { tags: nextTags, others: nextOthers });
		};
		for (const state of frontier.values()) {
			tryTags(search, state.tags, (nextTags) => visit(nextTags, state.others));
			tryRemovals(search, state.others, (nextOthers) => visit(state.tags, nextOthers));
		}
		if (reached) return length;
		frontier = following;
	}
	return undefined;
}

/** How many objects are not as the document says: none of them can become so by an activity on another one. */
function wrongObjects(search: Search, tags: number, others: number): number {
	if ((others & search.rightOthers) !== search.rightOthers) return Number.POSITIVE_INFINITY;
	let wrong = 0;
	for (let tag = 0; tag < search.tagCount; tag += 1) {
		if (search.tagIsRight[tag]?.[(tags >> (tag * tagBits)) & 63] !== true) wrong += 1;
	}
	for (const group of search.groups) if ((others & group) !== (search.rightOthers & group)) wrong += 1;
	return wrong;
}

function tryTags(search: Search, tags: number, visit: (tags: number) => void): void {
	let taken = 0;
	for (let tag = 0; tag < search.tagCount; tag += 1) taken |= 1 << ((tags >> (tag * tagBits)) & 7);
	for (let tag = 0; tag < search.tagCount; tag += 1) {
		const shift = tag * tagBits;
		const current = (tags >> shift) & 63;
		const rest = tags & ~(63 << shift);
		for (let name = 0; name < search.names; name += 1) {
			if (name !== (current & 7) && (taken & (1 << name)) !== 0) continue;
			for (let members = 0; members < 8; members += 1) {
				const value = name | (members << 3);
				if (value !== current) visit(rest | (value << shift));
			}
		}
	}
}

function tryRemovals(search: Search, others: number, visit: (others: number) => void): void {
	for (const group of search.groups) {
		const there = others & group;
		for (let removed = there; removed !== 0; removed = (removed - 1) & there) visit(others & ~removed);
	}
}

function encode(world: SmallWorld): { search: Search; tags: number; others: number } {
	const names = [...new Set(world.tags.flatMap((tag) => [tag.name, tag.wanted?.name ?? tag.name]))];
	if (names.length + 2 > nameCount) throw new Error("the search has no bits for so many names");
	let tags = 0;
	const tagIsRight = world.tags.map((tag, number) => {
		tags |= (names.indexOf(tag.name) | (tag.members << 3)) << (number * tagBits);
		return Array.from({ length: 64 }, (_, value) => isRight(tag, names[value & 7], value >> 3));
	});
	let others = 0;
	let rightOthers = 0;
	let bit = 1;
	const addGroup = (removables: readonly string[]): number => {
		let group = 0;
		for (const state of removables) {
			if (state !== "gone") {
				group |= bit;
				others |= bit;
			}
			if (state === "kept") rightOthers |= bit;
			bit <<= 1;
		}
		return group;
	};
	const groups = [
		addGroup(world.policies),
		...world.providers.map(addGroup),
		...world.apps.map((state) => addGroup([state])),
	];
	const search = { tagCount: world.tags.length, tagIsRight, names: names.length + 2, groups, rightOthers };
	return { search, tags, others };
}

/** A tag that the document does not list is right as it was; one whose members it does not name keeps them. */
function isRight(tag: SmallTag, name: string | undefined, members: number): boolean {
	const { wanted } = tag;
	if (name !== (wanted?.name ?? tag.name)) return false;
	if (wanted?.members === undefined) return members === tag.members;
	if ("exactly" in wanted.members) return members === wanted.members.exactly;
	return (members & wanted.members.atLeast) === wanted.members.atLeast && (members & wanted.members.never) === 0;
}
