/** Policies: one activity removes any number of them, one creates any number, and each change is an activity of its own. */
import { compareText } from "../value.ts";
import type { RemovalKind, RequestShape } from "./kind.ts";
import { writtenDifferences } from "./policy-changes.ts";
import { removalDraft, removalKind } from "./removal.ts";

export const policyRequest: RequestShape<"delete_policies"> = {
	kind: "policy",
	list: "policyIds",
	subject: null,
	narrow: ({ operation }, policyIds) => ({ operation, parameters: { policyIds } }),
};

/** Nothing has an id before it is created: the objects of this request are names. */
export const policyCreation: RequestShape<"create_policies"> = {
	kind: "policy",
	list: "policies",
	subject: null,
	objects: ({ policies }) => (Array.isArray(policies) ? policies.map((one) => String(one?.policyName)) : []),
	narrow: ({ operation, parameters }, names) => ({
		operation,
		parameters: { policies: parameters.policies.filter(({ policyName }) => names.includes(policyName)) },
	}),
};

export const policyUpdate: RequestShape<"update_policy"> = {
	kind: "policy",
	list: null,
	subject: "policyId",
	narrow: (request) => request,
};

const removable = removalKind({
	name: "policy",
	words: ["policy", "policies"],
	isOfUser: false,
	operation: "delete_policies",
	creations: /_CREATE_POLIC(Y|IES)(_V\d+)?$/,
	steps: (changes) => {
		const policyIds = changes.map(({ id }) => id).sort(compareText);
		const request = { operation: "delete_policies", parameters: { policyIds } } as const;
		return changes.length === 0 ? [] : [removalDraft("policies", request, changes, "policy")];
	},
});

/** What a document writes is compared as a whole; what it wants gone, as for the other kinds. */
export const policy: RemovalKind = {
	...removable,
	differences: (desired, live) => {
		const [written, removed] = [writtenDifferences(desired, live), removable.differences(desired, live)];
		return {
			changes: [...written.changes, ...removed.changes],
			problems: [...written.problems, ...removed.problems],
			unread: written.unread.length > 0 ? written.unread : removed.unread,
		};
	},
};
