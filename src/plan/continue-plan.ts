/** The rest of a saved plan of which some steps completed, so that a tag and the policies that name it need one review. Pure. */
import type { LiveOrganization } from "./organization.ts";
import type { Plan } from "./plan.ts";
import { fillStandIns } from "./stand-in.ts";
import type { Step } from "./step.ts";
import { coveredAddresses } from "./step.ts";

/**
 * Returns the ids of the tags that a plan was to create, by stand-in: those of live tags with their names that were applied
 * from here, which the journal says.
 */
export function createdTags({ steps }: Plan, { userTags, lastApplied }: LiveOrganization): ReadonlyMap<string, string> {
	const live = userTags.known ? userTags.value : [];
	return new Map(
		steps.flatMap((step) => {
			if (step.operation !== "create_user_tag") return [];
			const { userTagName } = step.parameters;
			const own = live.filter(({ id, name }) => name === userTagName && lastApplied.userTags[id]?.name === name);
			const [standIn, tag] = [step.covers[0]?.id, own[0]];
			return standIn === undefined || tag === undefined || own.length > 1 ? [] : [[standIn, tag.id] as const];
		}),
	);
}

/** Returns the plan without the completed steps and what they changed, and with these ids in place of stand-ins. */
export function restOf(plan: Plan, completed: readonly Step[], created: ReadonlyMap<string, string>): Plan {
	const done = new Set(completed.map(({ id }) => id));
	const steps = plan.steps.filter(({ id }) => !done.has(id));
	const open = new Set<string>(coveredAddresses(steps));
	const isDone = (address: string): boolean =>
		!open.has(address) && completed.some(({ covers }) => covers.some((one) => one.address === address));
	const rest: Plan = {
		...plan,
		changes: plan.changes.filter(({ address }) => !isDone(address)),
		touched: plan.touched.filter(({ address }) => !isDone(address)),
		steps: steps.map((step) => ({ ...step, dependsOn: step.dependsOn.filter((id) => !done.has(id)) })),
	};
	return fillStandIns(rest, created);
}
