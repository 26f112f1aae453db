/** Deletes the object of a resource, unless another resource, another stack or a document manages it by now. */
import type { LastOwner } from "../../sync/journal-owners.ts";
import { readDocument } from "../inputs/inputs.ts";
import { isSameOwner } from "../session/claims.ts";
import type { Session } from "../session/session.ts";
import { appliedIn, findOrigin, knownId, withoutStandIn } from "./created-object.ts";
import { explainReport, isDone, ResourceFailure } from "./failure.ts";
import {
	mustRead,
	type ResourceDefinition,
	type ResourceInputs,
	type ResourceOutputs,
	storedStateOf,
} from "./resource.ts";

type Outputs = ResourceInputs & ResourceOutputs;

/** Returns which other resource manages the object, in words; undefined if none does. */
export async function findOtherOwner(props: Outputs, object: string, session: Session): Promise<string | undefined> {
	const { organizationId } = props;
	const claim = session.claims.find(organizationId, object, props);
	if (claim !== undefined) return `the program manages it with the resource \`${claim.resource}\``;
	const owner = await session.lastOwners.find(organizationId, object);
	if (owner === undefined || isOwn(owner, props)) return undefined;
	const subject = owner.resource === props.resource ? "another resource called" : "the resource";
	return `${subject} \`${owner.resource}\` has managed it since ${new Date(owner.appliedAtMs).toISOString()}`;
}

/** Whether the resource of this state applied the object last. */
function isOwn(owner: LastOwner, props: Outputs): boolean {
	const { appliedAs } = props;
	if (appliedAs?.urn === owner.resourceUrn && appliedAs?.atMs === owner.appliedAtMs) return true;
	// A replacement has the same URN, and so can a new resource of the old name of a renamed dynamic one.
	return isSameOwner(owner, props) && (appliedAs === undefined || owner.appliedAtMs <= appliedAs.atMs);
}

/** Returns why the object stays, or undefined once it is deleted. Throws ResourceFailure while the deletion is not completed. */
export async function deleteObject(
	definition: ResourceDefinition,
	props: Outputs,
	session: Session,
): Promise<string | undefined> {
	const { organizationId, resource } = props;
	const found = await findObject(definition, props, session);
	const { creation } = definition;
	const id = creation && knownId(creation.idName, found);
	if (creation === undefined || id === undefined) return undefined;
	const object = definition.claims(found)[0]?.object ?? "";
	const reason =
		(await findOtherOwner(props, object, session)) ?? (await findLaterApply(definition, props, id, session));
	if (reason !== undefined) return reason;
	const absent = creation.kind === "userTag" ? { userTags: [id] } : { policies: [id] };
	const read = readDocument({ organizationId, absent }, []);
	if ("failures" in read) throw new ResourceFailure(read.failures.map((one) => one.reason).join("; "));
	const stored = storedStateOf(definition, props, session);
	const { report } = await session.converge({ resource, desired: read.desired, stored }, { isDelete: true });
	if (!isDone(report)) throw new ResourceFailure(explainReport(report));
	// A replacement has the same URN and owns the object from now on.
	if (session.claims.find(organizationId, object, props) === undefined)
		await session.lastOwners.forget(organizationId, object, props);
	return undefined;
}

/** The properties with the id of an object whose creation was pending and has completed. */
async function findObject(definition: ResourceDefinition, props: Outputs, session: Session): Promise<Outputs> {
	const { creation, locate } = definition;
	if (creation === undefined || knownId(creation.idName, props) !== undefined) return props;
	const inputs = withoutStandIn(creation.idName, definition.writtenIn(props));
	const target = { inputs, desired: mustRead(definition, inputs) };
	const stored = storedStateOf(definition, props, session);
	const live = await session.read({ resource: props.resource, desired: target.desired, stored });
	const origin = await findOrigin(definition, target, props, { live }, session);
	return origin === "own" ? { ...props, ...locate?.(target, live) } : props;
}

/** Returns that something else applied the object after this resource, in words. */
async function findLaterApply(
	{ creation, claims }: ResourceDefinition,
	props: Outputs,
	id: string,
	session: Session,
): Promise<string | undefined> {
	const { lastApplied } = props as { readonly lastApplied?: { readonly appliedAt: string } };
	const latest = creation && appliedIn(creation, await session.lastApplied(props.organizationId), id);
	if (lastApplied === undefined || latest === undefined || latest.appliedAt <= lastApplied.appliedAt) return undefined;
	// A run of this resource whose state was lost.
	const own = await session.lastOwners.find(props.organizationId, claims(props)[0]?.object ?? "");
	if (own !== undefined && own.appliedAtMs >= Date.parse(latest.appliedAt)) return undefined;
	return `something other than this resource applied it at ${latest.appliedAt}`;
}
