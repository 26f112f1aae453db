/** How a live policy is found by its id or name. */
import { showName } from "../../common/escape.ts";
import { nearest } from "../../plan/nearest.ts";
import { explainMissing, findImported } from "../inputs/import-id.ts";
import type { Finder } from "../resources/resource.ts";
import { nothingStored } from "../state/stored-state.ts";
import { anyPolicy, describePolicy, policiesIn } from "./inputs.ts";

const kind = { noun: "policy", word: "POLICY", query: "list_policies" } as const;

export const policyFinder: Finder = {
	kind,
	async find(named, resource, session) {
		const desired = anyPolicy(named.organizationId);
		const all = policiesIn(await session.read({ resource, desired, stored: nothingStored }));
		const found = findImported(kind, named, all);
		if (found !== undefined) {
			const { policyId, createdAt, ...inputs } = describePolicy(found);
			return { id: found.id, inputs, outputs: { policyId, createdAt } };
		}
		const { object } = named;
		const near = nearest(
			object,
			all.map(({ name }) => name),
		);
		const missing = `no policy is called \`${showName(object)}\``;
		const advice = near === undefined ? "" : `; did you mean \`${showName(near)}\`?`;
		return explainMissing(kind, named, () => `${missing}${advice}`);
	},
};
