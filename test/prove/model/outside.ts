/** What others do to the organization, with other tools. */
import { type Change, hasChange, keys, payers, requestOf, type SmallWorld } from "../small-world.ts";
import type { Service } from "./service.ts";

interface Seed {
	readonly userTags: readonly {
		readonly tagId: string;
		readonly tagName: string;
		readonly userIds: readonly string[];
	}[];
	readonly policies: readonly { readonly policyId: string; readonly policyName: string }[];
	readonly users: readonly { readonly userId: string; readonly oauthProviders?: readonly object[] }[];
}

/**
 * Changes a tag. Returns what was done, for people. Only tags: a policy, a provider or an app that is removed has an id that never
 * comes again.
 */
export async function changeOutside(service: Service, world: SmallWorld, which: number): Promise<string> {
	if (which >= 60 && /^policies:$/m.test(world.document)) return changeWritten(service, which);
	const first = (world.seed as unknown as Seed).userTags[which % 3];
	const now = (service.look().organization as Seed).userTags.find(({ tagId }) => tagId === first?.tagId);
	if (first === undefined || now === undefined) throw new Error("the world has too few tags");
	if (which % 5 === 4) {
		await service.change({ userTags: [{ tagId: now.tagId, tagName: `renamed-${which}` }] });
		return `someone renames the tag ${now.tagId}`;
	}
	// Its name of the beginning may be taken: only the members. Without the time of its last change: the service notes a new one.
	await service.change({ userTags: [{ tagId: now.tagId, userIds: first.userIds }] });
	return `someone puts the members of the beginning into the tag ${now.tagId}`;
}

/** What others do to a policy or tag that the document writes, by its name. */
export async function changeWritten(
	service: Pick<Service, "look" | "change" | "nowMs">,
	which: number,
): Promise<string> {
	const { userTags, policies } = service.look().organization as Seed;
	const [kind, name] = (
		[
			["tag", "payers"],
			["policy", "pay"],
			["policy", "refund"],
		] as const
	)[which % 3] ?? ["tag", "payers"];
	const held =
		kind === "tag"
			? userTags.find(({ tagName }) => tagName === name)?.tagId
			: policies.find(({ policyName }) => policyName === name)?.policyId;
	const newId = `f0000000-0000-4000-8000-${String(service.nowMs).slice(-12).padStart(12, "0")}`;
	const give = (id: string, given: string): Promise<void> =>
		service.change(
			kind === "tag"
				? { userTags: [{ tagId: id, tagName: given, ...(held === undefined ? { userIds: payers } : {}) }] }
				: { policies: [{ policyId: id, policyName: given, notes: `by others ${which}` }] },
		);
	if (held === undefined) {
		await give(newId, name);
		return `someone creates the ${kind} ${name}`;
	}
	if (which % 2 === 0) {
		await give(held, `moved-${which}`);
		return `someone renames the ${kind} ${name}`;
	}
	await service.change({ remove: kind === "tag" ? { userTags: [held] } : { policies: [held] } });
	return `someone deletes the ${kind} ${name}`;
}

/** Bob submits one of the changes that the document asks for, if it is still to be made. Returns what was done, for people. */
export function submitOutside(service: Service, wanted: readonly Change[], which: number, number: number): string {
	const { organization } = service.look();
	const { policies } = organization as Seed;
	// A policy that others deleted cannot be changed.
	const isPossible = (change: Change): boolean =>
		!change.startsWith("text ") || policies.some(({ policyId }) => policyId === change.split(" ")[2]);
	const missing = wanted.filter(
		(change) => !change.startsWith("name ") && isPossible(change) && !hasChange(organization, change),
	);
	const change = missing[which % Math.max(1, missing.length)];
	if (change === undefined) return "bob has nothing to submit";
	const [name, parameters] = requestOf(change, organization);
	// Bytes of his own.
	service.submitAs(keys.bob, name, parameters, service.nowMs - 7 * number);
	return `bob submits: ${change}`;
}
