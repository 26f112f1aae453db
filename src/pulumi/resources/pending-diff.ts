/** Compares a resource whose state has activities that have not ended, so that a preview does not show its change as a new one. */
import { OrgsyncError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { hasUnknown } from "../inputs/inputs.ts";
import { describePending, describeStored } from "../notices/pending-words.ts";
import type { Session } from "../session/session.ts";
import { explain } from "./failure.ts";
import {
	mustRead,
	type ResourceDefinition,
	type ResourceInputs,
	type ResourceOutputs,
	storedStateOf,
} from "./resource.ts";

/** Lines about pending activities of the state, and what the update does about them; none for a component's part, or if unknown. */
export async function describeUnfinished(
	definition: ResourceDefinition,
	olds: ResourceInputs & ResourceOutputs,
	news: Partial<ResourceInputs>,
	session: Session,
): Promise<readonly string[]> {
	if (news.partOf !== undefined || hasUnknown(news)) return [];
	const inputs = news as ResourceInputs;
	try {
		const stored = storedStateOf(definition, olds, session);
		const target = await definition.findTarget?.(inputs, olds, session);
		const desired = target?.desired ?? mustRead(definition, inputs);
		const { plan } = await session.compare({ resource: inputs.resource, desired, stored });
		return [...describePending(inputs, plan), ...describeStored(inputs, stored.activities, plan)];
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		const activity = showText(`warning: ${inputs.resource}: it has a pending activity, which cannot be read: `);
		return [`${activity}${explain(error)}`];
	}
}
