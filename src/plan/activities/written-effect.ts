/** What activities that create or change policies, or create or remove user tags, would change: exactly as they were signed. Pure. */
import { isRecord } from "../../common/json.ts";
import { templateOf } from "../../policy/language/check-template.ts";
import { printAddress } from "../address.ts";
import type { PolicyChange, PolicyContent, TagChange } from "../change.ts";
import { contentOf, newContent, updatedContent } from "../kinds/policy-content.ts";
import { idsOfReferences } from "../kinds/references.ts";
import { tagChangeOf } from "../kinds/tag-change.ts";
import type { DesiredOrganization, LiveOrganization, LivePolicy } from "../organization.ts";
import { standInFor } from "../stand-in.ts";
import { sameValue } from "../value.ts";
import { type AnyParameters, idsIn } from "./requests.ts";

interface Written {
	readonly operation: string;
	readonly parameters: AnyParameters;
}

interface EffectState {
	readonly organizationId: string;
	readonly live: LiveOrganization;
	readonly desired: DesiredOrganization | undefined;
}

const writers = {
	create_policies: (parameters, state) =>
		listOf(parameters.policies).map((one) => policyChangeOf(null, newContent(one), state)),
	update_policy: (parameters, state) => {
		const id = String(parameters.policyId).toLowerCase();
		const before = findPolicy(state.live, (one) => one.id === id);
		return [{ ...policyChangeOf(before ?? null, updatedContent(parameters, before), state), action: "update", id }];
	},
	create_user_tag: ({ userTagName, userIds }, { organizationId }) => {
		const name = String(userTagName);
		const addUserIds = idsIn(userIds);
		return [
			tagChangeOf("create", { tagId: standInFor(organizationId, "userTag", name), name, members: [], addUserIds }),
		];
	},
	delete_user_tags: ({ userTagIds }, { live: { userTags } }) =>
		idsIn(userTagIds).map((tagId) => {
			const tag = userTags.known ? userTags.value.find(({ id }) => id === tagId) : undefined;
			const members = tag?.members.known === true ? tag.members.value : null;
			return tagChangeOf("remove", { tagId, name: tag?.name ?? tagId, members, removeUserIds: members ?? [] });
		}),
} satisfies Readonly<
	Record<string, (parameters: AnyParameters, state: EffectState) => readonly (PolicyChange | TagChange)[]>
>;

/** Whether the operation is one of those whose changes are found here. */
export function isWriting(operation: string): operation is keyof typeof writers {
	return Object.hasOwn(writers, operation);
}

/** Returns the changes of the activity; none where its operation is not one of these. */
export function writtenChangesOf(
	{ operation, parameters }: Written,
	state: EffectState,
): readonly (PolicyChange | TagChange)[] {
	return isWriting(operation) ? writers[operation](parameters, state) : [];
}

/** Returns all that the policies say which a request creates, with ids in place of names. */
export function createdPolicies({ policies }: AnyParameters): readonly PolicyChange[] {
	return listOf(policies).map((one) => policyChangeOf(null, newContent(one)));
}

/** Whether the change makes a difference: what is created is not there, what is removed is, and a text differs. */
export function isRealWriting(change: PolicyChange | TagChange, live: LiveOrganization): boolean {
	if (change.kind === "policy") {
		if (change.action === "update") return !sameValue(change.before, change.after);
		const { after } = change;
		const same = findPolicy(live, ({ name }) => name === after.name);
		return same === undefined || !sameValue(contentOf(same), after);
	}
	if (!live.userTags.known) return true;
	const { tagId, before } = change;
	return change.action === "remove"
		? live.userTags.value.some(({ id }) => id === tagId)
		: !live.userTags.value.some(({ name }) => name === before.name);
}

/**
 * Returns the parameters of an update with all fields, those that it leaves out as they are live: the service keeps them
 * (docs/internals/service.md#extended-submits).
 */
export function fullUpdate(parameters: AnyParameters, live: LiveOrganization): AnyParameters {
	const before = findPolicy(live, ({ id }) => id === String(parameters.policyId).toLowerCase());
	const { name, effect, condition, consensus, notes, time } = updatedContent(parameters, before);
	return {
		...{ ...parameters, policyName: name, policyEffect: effect, policyCondition: condition },
		...{ policyConsensus: consensus, policyNotes: notes, time },
	};
}

function findPolicy({ policies }: LiveOrganization, is: (policy: LivePolicy) => boolean): LivePolicy | undefined {
	return policies?.known === true ? policies.value.find(is) : undefined;
}

function listOf(value: unknown): readonly AnyParameters[] {
	return Array.isArray(value) ? value.filter(isRecord) : [];
}

function policyChangeOf(policy: LivePolicy | null, after: PolicyContent, state?: EffectState): PolicyChange {
	const ids = state?.desired && idsOfReferences(state.desired, state.live);
	const namesById = (map: ReadonlyMap<string, string> = new Map()) => [...map].map(([name, id]) => [id, name] as const);
	const tags = state?.live.userTags.known === true ? state.live.userTags.value : [];
	// A name that two tags have, or that is another tag's in the document, would mislead who votes.
	const isOnly = ({ id, name }: (typeof tags)[number]): boolean =>
		!tags.some((one) => one.name === name && one.id !== id) && (ids?.userTags.get(name) ?? id) === id;
	const live = tags.filter(isOnly).map(({ id, name }) => [id, name] as const);
	const tagNames = new Map([...live, ...namesById(ids?.userTags)]);
	const names = { tagNames, aliases: new Map(namesById(ids?.users)) };
	const inNames = ({ consensus, condition }: PolicyContent) => ({
		...{ consensus: templateOf(consensus, names), condition: templateOf(condition, names) },
	});
	return {
		address: printAddress("policy", policy?.name ?? after.name),
		...{ kind: "policy", action: "create", userId: null, takesOver: false },
		reason: policy === null ? "not-there" : "differs",
		basis: state?.live.policies?.known === true ? "live" : "unknown",
		id: policy?.id ?? standInFor(state?.organizationId ?? "", "policy", after.name),
		before: policy === null ? null : contentOf(policy),
		after,
		written: inNames(after),
		writtenBefore: policy === null ? null : inNames(policy),
	};
}
