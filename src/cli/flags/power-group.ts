/** The groups of activities that a person can name: `--group`, and GROUP of `powers --why`. */
import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import {
	type ActivityGroup,
	activityActions,
	activityResources,
	namedPowers,
	type PowerName,
	printGroup,
} from "../../policy/powers/groups.ts";
import { didYouMean } from "./suggest.ts";

/** What was named: some groups, or every group of a resource. */
export type GroupSelection =
	| { readonly groups: readonly ActivityGroup[] }
	| { readonly resource: string; readonly groups: readonly [] };

const hint =
	"write a name such as sign or policies, RESOURCE/ACTION, RESOURCE, or in quotes 'kind KIND' or 'type TYPE': see docs/powers.md";

/** Returns the group that the text names (docs/powers.md). Throws ConfigurationError; `where` is what named it. */
export function parseGroup(text: string, where: string): GroupSelection {
	const refuse = (why: string): never => {
		throw new ConfigurationError(`${where} ${showText(text)}: ${why}`, { hint });
	};
	const names = Object.keys(namedPowers) as PowerName[];
	const name = names.find((one) => one === text.toLowerCase());
	if (name !== undefined) return { groups: namedPowers[name] };
	const [, word = "", value = ""] = /^(kind|type)\s+(\S+)$/i.exec(text.trim()) ?? [];
	if (word !== "") {
		if (!/^\w+$/.test(value)) return refuse(`not a ${word.toLowerCase()} of activities`);
		const upper = value.toUpperCase();
		return { groups: [word.toLowerCase() === "kind" ? { kind: upper } : { type: upper }] };
	}
	const [resource = "", action, ...more] = text.toUpperCase().split("/");
	if (more.length > 0) return refuse("not a group of activities");
	if (!isOneOf(resource, activityResources)) {
		const near = action === undefined ? [...names, ...activityResources.map(lower)] : activityResources.map(lower);
		return refuse(`unknown ${action === undefined ? "group" : "resource"}${suggest(resource, near)}`);
	}
	if (action === undefined) return { resource, groups: [] };
	if (isOneOf(action, activityActions)) return { groups: [{ resource, action }] };
	return refuse(`unknown action${suggest(action, activityActions.map(lower))}`);
}

/** Returns a suggestion in the case in which names are documented: powers in lower case, the others in capitals. */
function suggest(word: string, candidates: readonly string[]): string {
	return didYouMean(word.toLowerCase(), candidates).replace(/(?<=did you mean ).*(?=\?)/, (near) =>
		Object.hasOwn(namedPowers, near) ? near : near.toUpperCase(),
	);
}

function lower(text: string): string {
	return text.toLowerCase();
}

function isOneOf(text: string, all: readonly string[]): boolean {
	return all.includes(text);
}

/** Returns the groups to look at: of a resource, one for each action. */
export function groupsIn(selection: GroupSelection): readonly ActivityGroup[] {
	if (!("resource" in selection)) return selection.groups;
	return activityActions.map((action) => ({ resource: selection.resource, action }));
}

/** Whether the group is among those that were named. */
export function isInSelection(group: ActivityGroup, selection: GroupSelection): boolean {
	if ("resource" in selection) return "resource" in group && group.resource === selection.resource;
	return selection.groups.some((one) => printGroup(one) === printGroup(group));
}
