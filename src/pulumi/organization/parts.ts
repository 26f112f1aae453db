/** The parts of a component: which resources it registers for a document, and in which order. */
import { defined } from "../../common/defined.ts";
import { type Change, isWritten } from "../../plan/change.ts";
import { idsOfReferences } from "../../plan/kinds/references.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { standInFor } from "../../plan/stand-in.ts";
import { commandText } from "../../plan/suggested-command.ts";
import type { Comparison } from "../../sync/converge.ts";
import type { Properties } from "../inputs/inputs.ts";
import type { PropertyChange } from "../inputs/property-changes.ts";
import { ResourceFailure } from "../resources/failure.ts";
import type { ResourceDefinition } from "../resources/resource.ts";
import { resources } from "../resources/resources.ts";
import { findPlace, type Members } from "../user-tag/members.ts";

/** A part of the component, as it is registered. */
export interface RegisteredPart {
	readonly definition: ResourceDefinition;
	readonly name: string;
	readonly args: Properties;
	/** How the live object differs. Empty if it is in sync, or if that is not known. */
	readonly drift: readonly PropertyChange[];
	/** Names that the part had before: a renamed tag is the same resource. */
	readonly earlierNames: readonly string[];
	/** Whether its object stays when the document drops it. */
	readonly isKept: boolean;
	/** The id that stands in for that of its tag in the other parts. */
	readonly standIn: string | undefined;
	/** Its place in the order of the plan: it is registered after all that come before it. Left out: the order does not matter. */
	readonly rank?: number;
}

/** The parts to register. Each may remove as much as the whole plan does at its addresses, because the guards allowed that. */
export function partsToRegister(
	name: string,
	desired: DesiredOrganization,
	compared: Pick<Comparison, "plan" | "live"> | undefined,
): readonly RegisteredPart[] {
	const { organizationId } = desired;
	const { changes: all = [], steps = [] } = compared?.plan ?? {};
	const unknown = { known: false, because: { kind: "not-asked" } } as const;
	const live = compared?.live ?? ({ userTags: unknown } as unknown as Comparison["live"]);
	const ids = idsOfReferences(desired, live);
	const isOrdered = all.some((one) => isWritten(one) || (one.kind === "userTag" && one.action !== "update"));
	const parts = resources.flatMap((definition) =>
		definition.partsOf(desired, { changes: all, ids }).map((part): RegisteredPart => {
			const changes = all.filter(({ address }) => part.covers(address));
			const drift = driftOf(part.args, changes);
			const args = {
				organizationId,
				partOf: name,
				// Updates a part although its other inputs are unchanged.
				...(drift.length === 0 ? {} : { outOfSync: true }),
				...part.args,
				...(part.limit === undefined ? {} : { limits: { [part.limit]: countRemovals(changes) } }),
			};
			const earlierNames = (part.earlierSuffixes ?? []).map((suffix) => `${name}-${suffix}`);
			const isTag = definition.name === "UserTag";
			return {
				...{ definition, name: `${name}-${part.suffix}`, args, earlierNames, drift, isKept: part.isKept === true },
				standIn: isTag ? standInFor(organizationId, "userTag", String(part.args.name)) : undefined,
				...defined({ rank: isOrdered ? rankOf(part.covers, steps) : undefined }),
			};
		}),
	);
	return parts.toSorted((one, other) => (one.rank ?? -1) - (other.rank ?? -1));
}

/** The place of the first step of a part. Throws ResourceFailure where a step of another part has to be between its own. */
function rankOf(covers: (address: string) => boolean, steps: Plan["steps"]): number | undefined {
	const own = steps.flatMap((step, index) => (step.covers.some(({ address }) => covers(address)) ? [index] : []));
	const [first] = own;
	if (first === undefined || (own.at(-1) ?? first) - first < own.length) return first;
	const address = steps[first]?.covers[0]?.address ?? "";
	const command = commandText({ command: "apply" }, {});
	throw new ResourceFailure(
		`${address} takes several steps with others between them, which the resources of a program cannot do; run \`${command}\` with the document once`,
	);
}

/** The value with the ids of created tags in place of those that stand in for them. */
export function fillIds(value: unknown, made: ReadonlyMap<string, unknown>): unknown {
	if (typeof value === "string") return made.get(value) ?? value;
	if (Array.isArray(value)) return value.map((item) => fillIds(item, made));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fillIds(item, made)]));
}

function countRemovals(changes: Plan["changes"]): number {
	return changes.reduce((sum, change) => {
		if (change.kind === "userTag") return sum + change.removeUserIds.length;
		return sum + (change.action === "remove" ? 1 : 0);
	}, 0);
}

/**
 * Returns what an update does to live state, by the properties of a part with these inputs. Empty if live state is not known to
 * differ: where it is unknown, only the state of the part records whether its desired state was applied before.
 */
function driftOf(args: Properties, changes: readonly Change[]): readonly PropertyChange[] {
	return changes.filter(({ basis }) => basis !== "unknown").flatMap((change) => driftIn(args, change));
}

function driftIn(args: Properties, change: Change): readonly PropertyChange[] {
	if (isWritten(change)) {
		const { before, after } = change;
		const fields = Object.keys(after) as (keyof typeof after)[];
		const differing = fields.filter((field) => before !== null && before[field] !== after[field]);
		return (before === null ? (["name"] as const) : differing).map((field) => ({ path: [field], kind: "update" }));
	}
	if (change.kind !== "userTag") return change.action === "remove" ? [findItem(args, change.id)] : [];
	const { before, after, addUserIds, removeUserIds } = change;
	const members = (args.members ?? {}) as Members;
	const { exactly } = members;
	// A list of all members does not contain the one to remove, which the diff shows after its end.
	let end = exactly?.length ?? 0;
	const removed = (userId: string): PropertyChange => {
		const place = findPlace(members, userId);
		if (place !== undefined) return { path: place.path, kind: place.hasWindow ? "delete" : "add" };
		if (exactly === undefined) return { path: ["members"], kind: "update" };
		end += 1;
		return { path: ["members", "exactly", end - 1], kind: "delete" };
	};
	return [
		...(before.name === after.name ? [] : [{ path: ["name"], kind: "update" } as const]),
		...addUserIds.map((userId): PropertyChange => {
			const place = findPlace(members, userId);
			return place === undefined ? { path: ["members"], kind: "update" } : { path: place.path, kind: "add" };
		}),
		...removeUserIds.map(removed),
	];
}

/** The item of a list that has to apply again; or the property that is the one id of its resource. */
function findItem(lists: Properties, id: string): PropertyChange {
	for (const [name, list] of Object.entries(lists)) {
		const index = Array.isArray(list) ? list.indexOf(id) : -1;
		if (index >= 0) return { path: [name, index], kind: "add" };
		if (list === id) return { path: [name], kind: "update" };
	}
	return { path: [], kind: "update" };
}
