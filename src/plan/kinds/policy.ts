/** Policies: one activity removes any number of them. */
import { compareText } from "../value.ts";
import type { RequestShape } from "./kind.ts";
import { removalKind } from "./removal.ts";

export const policyRequest: RequestShape<"delete_policies"> = {
	kind: "policy",
	list: "policyIds",
	subject: null,
	narrow: ({ operation }, policyIds) => ({ operation, parameters: { policyIds } }),
};

export const policy = removalKind({
	name: "policy",
	words: ["policy", "policies"],
	isOfUser: false,
	operation: "delete_policies",
	creations: /_CREATE_POLIC(Y|IES)(_V\d+)?$/,
	steps: (changes) => {
		if (changes.length === 0) return [];
		const step = {
			key: "policies",
			operation: "delete_policies",
			parameters: { policyIds: changes.map(({ id }) => id).sort(compareText) },
			covers: changes.map(({ address, id }) => ({ address, id })),
			after: [],
			reason: { kind: "remove", of: "policy", count: changes.length },
		} as const;
		return [step];
	},
});
