/** Differences as the engine's protocol has them. */
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import { namesOf, type PropertyChange } from "../inputs/property-changes.ts";
import type { ResourceDiff } from "../resources/resource-operations.ts";

const { DiffResponse, PropertyDiff } = providerMessages;
const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;

const kinds = {
	add: [ADD, ADD_REPLACE],
	delete: [DELETE, DELETE_REPLACE],
	update: [UPDATE, UPDATE_REPLACE],
} as const;

/** The response to a diff. `identity` are the outputs that only a replacement changes. No internal key is shown. */
export function writeDiff(
	{ changes, replaces, details }: ResourceDiff,
	identity: readonly string[],
): InstanceType<typeof DiffResponse> {
	const shown = details.filter(({ path: [name] }) => name !== "__provider");
	const response = new DiffResponse();
	response.setChanges(changes ? DiffResponse.DiffChanges.DIFF_SOME : DiffResponse.DiffChanges.DIFF_NONE);
	response.setReplacesList([...replaces]);
	response.setStablesList(replaces.length === 0 ? [...identity] : []);
	response.setDiffsList(namesOf(shown));
	response.setHasdetaileddiff(true);
	for (const change of shown) response.getDetaileddiffMap().set(printPath(change.path), writeChange(change));
	return response;
}

function writeChange({ kind, replaces, isOfInputs }: PropertyChange): InstanceType<typeof PropertyDiff> {
	const difference = new PropertyDiff();
	difference.setKind(kinds[kind][replaces ? 1 : 0]);
	difference.setInputdiff(isOfInputs === true);
	return difference;
}

/** The path in the engine's syntax, for example `members.exactly[2]`. */
function printPath(path: PropertyChange["path"]): string {
	return path
		.map((part, index) => {
			if (typeof part === "number") return `[${part}]`;
			if (!/^\w+$/.test(part)) return `[${JSON.stringify(part)}]`;
			return index === 0 ? part : `.${part}`;
		})
		.join("");
}
