/** Live objects by their id or name: to import one as a managed resource, or to read it without managing it. */
import { defined } from "../../common/defined.ts";
import { type ImportId, readImportId, refusalOf } from "../inputs/import-id.ts";
import { type MetaInputs, metaOf, readDocument } from "../inputs/inputs.ts";
import type { Session } from "../session/session.ts";
import { claimOrRefuse } from "./check.ts";
import { ResourceFailure } from "./failure.ts";
import type { Finder, FoundObject, ReadResult, ResourceDefinition, ResourceInputs } from "./resource.ts";

/** A resource that only reads an object: `"requested"` by the program; `"found"` in a state, so that an object that is gone is no mistake. */
interface LookUp extends Partial<ResourceInputs> {
	readonly lookUp: "requested" | "found";
}

export function isLookUp(props: object): props is LookUp {
	return "lookUp" in props;
}

/** The live object with this id or name. Throws ResourceFailure if there is none, or nothing if a state has found it before. */
export async function lookUp(
	definition: ResourceDefinition,
	id: string,
	props: LookUp,
	session: Session,
): Promise<ReadResult> {
	const finder = finderOf(definition, "read");
	const named =
		props.organizationId === undefined
			? readImportId(finder.kind, id, session.settings.organizationId)
			: { organizationId: props.organizationId.toLowerCase(), object: id };
	const found = await finder.find(named, metaOf(props).resource, session);
	if (typeof found === "string" && props.lookUp === "found") return {};
	const { organizationId, inputs, outputs, id: own } = mustFind(found, named);
	return {
		// The id as the program writes it, so that its case is no change.
		id: id.toLowerCase() === own ? id : own,
		props: defined({ organizationId, ...inputs, ...outputs, lookUp: "found", ...metaOf(props) }),
	};
}

/** State and inputs of the live object with this import id. Throws ResourceFailure if there is none, or it cannot be managed. */
export async function importObject(
	definition: ResourceDefinition,
	id: string,
	meta: MetaInputs,
	session: Session,
): Promise<ReadResult> {
	const finder = finderOf(definition, "import");
	const named = readImportId(finder.kind, id, session.settings.organizationId);
	const found = mustFind(await finder.find(named, metaOf(meta).resource, session), named);
	const inputs = defined({ organizationId: found.organizationId, ...found.inputs, ...metaOf(meta) });
	const read = readDocument(definition.toDocument(inputs), definition.places);
	if ("failures" in read) {
		const reasons = read.failures.map(({ reason }) => reason).join("; ");
		const { noun } = finder.kind;
		const input = noun === "policy" ? "adopt: true" : `tagId: ${found.id}`;
		// Only an id finds an object of such a name, and a program cannot give that of a policy.
		const isUnfindable = noun === "policy" && read.failures.some(({ property }) => property === "name");
		const advice = isUnfindable
			? "rename the policy, then import it"
			: `to change it, write the resource with \`${input}\` and run \`pulumi up\``;
		throw new ResourceFailure(`the ${noun} ${found.id} cannot be imported: ${reasons}; ${advice}`);
	}
	const props = defined({ ...inputs, ...found.outputs }) as unknown as ResourceInputs;
	claimOrRefuse(definition, props, session);
	return { id: found.id, props: { ...props }, inputs, ...defined({ notices: found.notices }) };
}

function finderOf({ name, finder }: ResourceDefinition, verb: "import" | "read"): Finder {
	if (finder === undefined) throw new ResourceFailure(refusalOf(name, verb));
	return finder;
}

function mustFind(
	found: FoundObject | string,
	{ organizationId }: ImportId,
): FoundObject & Pick<ImportId, "organizationId"> {
	if (typeof found === "string") throw new ResourceFailure(found);
	return { ...found, organizationId };
}
