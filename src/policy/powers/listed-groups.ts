/** Finds the groups of activities that powers are reported for and compared in, by what policies decide and not by how they are written. */
import { remember } from "../../common/remember.ts";
import type { AccessPolicy } from "../access.ts";
import { activityTypes } from "../activities/types.ts";
import { comparedWith } from "../language/mentions.ts";
import { printExpression } from "../language/printer.ts";
import { factsOfGroup, isForRootQuorum } from "./activity.ts";
import { compilePolicy, outcomeFor } from "./compile.ts";
import { type ActivityGroup, activityActions, namedPowers, type PowerName, printGroup } from "./groups.ts";
import { isUndocumented } from "./reason.ts";

/** Powers whose groups are always listed. */
const core: readonly PowerName[] = [
	...(["sign", "export", "policies", "users", "credentials", "wallets", "organizations", "imports", "apps"] as const),
];
const always: readonly ActivityGroup[] = core.flatMap((name) => namedPowers[name]);

/** All groups of the table about which policies are asked: every type is in one. */
const table: readonly ActivityGroup[] = [
	...new Map(
		Object.values(namedPowers)
			.flat()
			.map((group) => [printGroup(group), group]),
	).values(),
].filter((group) => !isForRootQuorum(factsOfGroup(group)));

const coreNames: ReadonlySet<string> = new Set(always.map(printGroup));
const others = table.filter((group) => !coreNames.has(printGroup(group)));

/**
 * Returns the core groups; every other group of which policies do not decide as they do of most, where a core group shows what that is;
 * and the kinds and types that policies name.
 */
export function listGroups(
	all: readonly { readonly policies: readonly { readonly policy: AccessPolicy }[] }[],
	more: readonly ActivityGroup[] = [],
): readonly ActivityGroup[] {
	const policies = [
		...new Map(all.flatMap((one) => one.policies).map(({ policy }) => [policy.condition, policy])).values(),
	];
	const named = policies.flatMap((policy) => [
		...namedGroups(policy),
		...unlistedPairs(policy).filter((group) => partIn(policy, group) !== ""),
	]);
	const found = new Map([...singledOut(policies), ...named].map((group) => [printGroup(group), group]));
	const rankOf = (group: ActivityGroup): number => ("resource" in group ? 0 : "kind" in group ? 1 : 2);
	const sorted = [...found].sort(
		([left, one], [right, other]) => rankOf(one) - rankOf(other) || (left < right ? -1 : 1),
	);
	const listed = [...always, ...sorted.map(([, group]) => group), ...more];
	return [...new Map(listed.map((group) => [printGroup(group), group])).values()];
}

/** Returns those of the groups, as reports write them, that are apart from this one: what is reported for a kind or type is not repeated. */
export function groupsApart(groups: readonly ActivityGroup[], of: ActivityGroup): ReadonlySet<string> {
	return new Set(
		groups.filter((one) => !("type" in of) && ("type" in one || ("resource" in of && "kind" in one))).map(printGroup),
	);
}

/** When the condition of a compiled policy holds in each group of the table. */
const partsInTable = new WeakMap<object, readonly (string | null)[]>();

/** Returns the groups beside the core of which policies decide otherwise than of most; all where no core group is like most. */
function singledOut(policies: readonly AccessPolicy[]): readonly ActivityGroup[] {
	const rows = policies.map((policy) =>
		remember(partsInTable, compilePolicy(policy), () => table.map((group) => partIn(policy, group))),
	);
	const partsOf = new Map(table.map((group, index) => [group, rows.map((row) => row[index] ?? null)]));
	const documented = [...partsOf].filter(([group]) => "resource" in group);
	const classes = Map.groupBy(documented, ([, parts]) => JSON.stringify(parts));
	const [most = []] = [...classes.values()].sort((one, other) => other.length - one.length);
	const [[, usual] = [null, []]] = most;
	if (!most.some(([group]) => coreNames.has(printGroup(group)))) return others;
	return others.filter((group) =>
		(partsOf.get(group) ?? []).some((part, index) => part !== null && part !== usual[index]),
	);
}

/** Returns when the condition holds in the group: empty where it never does; null where no documentation says. */
function partIn(policy: AccessPolicy, group: ActivityGroup): string | null {
	const outcome = outcomeFor(policy, factsOfGroup(group));
	if (outcome.holds === "unknown") return isUndocumented(outcome.because) ? null : "unknown";
	if (outcome.holds === "open") return printExpression(outcome.condition);
	return outcome.holds === "yes" ? "yes" : "";
}

/** Returns the texts that the condition compares `activity.NAME` with. */
function textsFor(policy: AccessPolicy, name: string): readonly string[] {
	return comparedWith(compilePolicy(policy).condition.tree, `activity.${name}`);
}

/** Returns pairs of resources and actions that the policy may mean and the table has no activity of. */
function unlistedPairs(policy: AccessPolicy): readonly ActivityGroup[] {
	const [resources, actions] = [textsFor(policy, "resource"), textsFor(policy, "action")];
	const isListed = (resource: string): boolean => activityTypes.some((one) => one.resource === resource);
	const isAction = (action: string): boolean => activityActions.some((one) => one === action);
	const asked = new Set<string>([...activityActions, ...actions]);
	return resources.flatMap((resource) =>
		[...asked].filter((action) => !isListed(resource) || !isAction(action)).map((action) => ({ resource, action })),
	);
}

/** Returns the kinds and types that the policy names. */
function namedGroups(policy: AccessPolicy): readonly ActivityGroup[] {
	return [
		...textsFor(policy, "kind").map((kind) => ({ kind })),
		...textsFor(policy, "type")
			.filter((type) => !textsFor(policy, "kind").includes(type))
			.map((type) => ({ type })),
	];
}
