/** Names that requests give to policies and user tags, and the live objects that have them already. Pure. */
import { requestShapes } from "../kinds/index.ts";
import type { LiveOrganization, Named } from "../organization.ts";
import { type AnyParameters, isStepOperation, subjectOf } from "./requests.ts";

interface Request {
	readonly operation: string;
	readonly parameters: AnyParameters;
}

/** Returns the names that a request gives, in its order, and the id of the object that gets one; null for those that it creates. */
export function namesGiven({
	operation,
	parameters,
}: Request): readonly [names: readonly string[], own: string | null] {
	if (!isStepOperation(operation)) return [[], null];
	const { objects } = requestShapes[operation];
	if (objects !== undefined) return [objects(parameters), null];
	const name = parameters.policyName ?? parameters.newUserTagName;
	return [typeof name === "string" ? [name] : [], subjectOf({ operation, parameters }).toLowerCase()];
}

/** Returns those of the objects, of the kind that the request writes, that have a name which it gives to another. */
export function findHolders(request: Request, live: readonly Named[]): readonly Named[] {
	const [names, own] = namesGiven(request);
	return live.flatMap(({ id, name }) => (names.includes(name) && id !== own ? [{ id, name }] : []));
}

/** Returns the live objects that have a name which a request gives to another; none where live objects are unknown. */
export function findTaken(request: Request, { policies, userTags }: LiveOrganization): readonly Named[] {
	const known = request.operation.endsWith("_user_tag") ? userTags : policies;
	return known?.known === true ? findHolders(request, known.value) : [];
}
