/**
 * Objects that the service makes for a resource. It has no id before that, so a live object with its name may be the one that an
 * earlier run made, whose state was lost, or one of others. The journal knows both: what was applied, and who asked for the name.
 */
import { quoteForShell, showName } from "../../common/escape.ts";
import { commonObjects } from "../../plan/activities/requests.ts";
import type { LastApplied } from "../../plan/organization.ts";
import { standInFor, standInsIn } from "../../plan/stand-in.ts";
import { reasonText } from "../../say/reason.ts";
import type { Comparison } from "../../sync/converge.ts";
import { toPendingActivity } from "../../sync/read/pending-activities.ts";
import type { Properties } from "../inputs/inputs.ts";
import { isSameOwner } from "../session/claims.ts";
import type { Session } from "../session/session.ts";
import { nothingStored } from "../state/stored-state.ts";
import type { Creation, ResourceDefinition, ResourceInputs, Target } from "./resource.ts";

/** Which live object a resource is about: the one of its state, none yet, one that an earlier run made for it, or one of others. */
export type Origin = "known" | "none" | "own" | "other";

/** The id in these properties; undefined for one that stands in for it. */
export function knownId(name: string, properties: object | undefined): string | undefined {
	const id = (properties as Properties | undefined)?.[name];
	return typeof id === "string" && standInsIn(id).length === 0 ? id : undefined;
}

/** The properties without an id that only stands in for one. */
export function withoutStandIn<T extends object>(name: string, properties: T): T {
	return knownId(name, properties) === undefined ? { ...properties, [name]: undefined } : properties;
}

/** The id of ours that an object has until the service has made it: always the same for a name. */
export function pendingId({ kind }: Pick<Creation<never>, "kind">, { organizationId, name }: Properties): string {
	return standInFor(String(organizationId), kind, String(name));
}

type Definition = Pick<ResourceDefinition, "name" | "creation" | "claims" | "locate" | "requestsFor">;

/** Returns the origin of the object; undefined for a resource that creates nothing. Writes nothing. */
export async function findOrigin(
	definition: Definition,
	target: Target<ResourceInputs>,
	olds: object | undefined,
	{ live }: Pick<Comparison, "live">,
	session: Session,
): Promise<Origin | undefined> {
	const { creation } = definition;
	const { inputs } = target;
	if (creation?.isAsked(inputs) !== true) return undefined;
	if (knownId(creation.idName, inputs) !== undefined) return "known";
	const id = knownId(creation.idName, definition.locate?.(target, live));
	if (id === undefined) return "none";
	const isApplied = appliedIn(creation, live.lastApplied, id) !== undefined;
	return isApplied && (olds !== undefined || (await hasAsked(definition, inputs, session))) ? "own" : "other";
}

/** What was last applied to the object; undefined if nothing was. */
export function appliedIn({ kind }: Pick<Creation<never>, "kind">, { userTags, policies }: LastApplied, id: string) {
	return kind === "userTag" ? userTags[id] : policies?.[id];
}

/** Whether an earlier run of this resource was about to create an object of this name. */
export async function hasAsked(
	{ claims }: Pick<Definition, "claims">,
	inputs: ResourceInputs,
	session: Session,
): Promise<boolean> {
	for (const { object } of claims(inputs)) {
		const owner = await session.lastOwners.find(inputs.organizationId, object);
		if (owner !== undefined && isSameOwner(owner, inputs)) return true;
	}
	return false;
}

/** Records who asks for the name, before anything is submitted. */
export async function recordAsking({ claims }: Definition, inputs: ResourceInputs, session: Session): Promise<void> {
	for (const { object } of claims(inputs)) await session.lastOwners.record(inputs.organizationId, object, inputs);
}

/** Whether a request that was submitted for this name is open: the object may be its own, and `up` finds out. */
export async function mayBeMade(definition: Definition, inputs: ResourceInputs, session: Session): Promise<boolean> {
	if (!(await hasAsked(definition, inputs, session))) return false;
	const open = (await session.summarize(nothingStored)).openEntries(inputs.organizationId).map(toPendingActivity);
	return definition.requestsFor(inputs).some((request) => open.some((one) => commonObjects(request, one).length > 0));
}

/** Why a resource must not manage the live object of its name, which it did not create; undefined where it may. */
export function refuseOther(
	{ name: type, creation, locate }: Definition,
	target: Target<ResourceInputs>,
	origin: Origin | undefined,
	{ live }: Pick<Comparison, "live">,
): string | undefined {
	if (creation === undefined) return undefined;
	if (creation.kind === "policy" && live.policies?.known === false)
		return `policies cannot be read, because ${reasonText(live.policies.because)}; a ${type} has to read them`;
	const { adopt, name } = target.inputs as ResourceInputs & Properties;
	if (origin !== "other" || adopt === true) return undefined;
	const id = knownId(creation.idName, locate?.(target, live)) ?? "";
	const all = creation.kind === "userTag" ? live.userTags : live.policies;
	const found = all?.known === true ? all.value.find((one) => one.id === id)?.name : undefined;
	const subject = `a ${creation.noun} called \`${showName(found ?? String(name))}\` exists, which this resource did not create: ${id}`;
	return `${subject}; to manage it, ${importWords(type, target.inputs, id)}set \`adopt: true\`; \`--replace\` and \`pulumi state taint\` need it too`;
}

/** The command that imports the object. A dynamic resource cannot be imported, and that of a component has a parent. */
function importWords(type: string, { resource, resourceUrn = "", organizationId }: ResourceInputs, id: string): string {
	const types = resourceUrn.split("::")[2] ?? "";
	if (/^(.*\$)?pulumi-nodejs:dynamic\//.test(types)) return "";
	const imported = `${organizationId}/${id}`;
	if (types.includes("$")) return `set the resource option \`import: ${imported}\`, or `;
	return `run \`pulumi import orgsync:index:${type} ${quoteForShell(resource)} ${imported}\`, or `;
}
