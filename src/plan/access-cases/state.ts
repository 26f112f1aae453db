/** The state in which access cases are judged. */
import type { AccessState } from "../../policy/access.ts";
import { accessAfter, completing, coveredId } from "../impact/access-after.ts";
import type { Step } from "../step.ts";

interface NamedAccess {
	readonly access: AccessState;
	readonly tagNames: Readonly<Record<string, string>>;
}

/** Returns the state once all steps have completed; those that were rejected before do not count. */
export function stateAfter<S extends NamedAccess>(state: S, all: readonly Step[]): S {
	const steps = completing(all);
	const tagNames = { ...state.tagNames };
	for (const step of steps) {
		if (step.operation === "create_user_tag") {
			const { userTagName } = step.parameters;
			tagNames[coveredId(step, userTagName)] = userTagName;
		} else if (step.operation === "update_user_tag") {
			const { userTagId, newUserTagName } = step.parameters;
			if (newUserTagName !== undefined) tagNames[userTagId] = newUserTagName;
		} else if (step.operation === "delete_user_tags") {
			for (const id of step.parameters.userTagIds) delete tagNames[id];
		}
	}
	return { ...state, access: accessAfter(state.access, steps), tagNames };
}
