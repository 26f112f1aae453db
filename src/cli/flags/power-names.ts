/** The users and tags that a person can name: `--user`, `--tag`, and USER of `powers --why`, USER and TAG of `grant` and `revoke`. */
import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { idsNamed } from "../../common/own.ts";
import { uuid } from "../../common/uuid.ts";
import { activityTypes } from "../../policy/activities/types.ts";
import { readFields } from "../../policy/powers/fields.ts";
import {
	type ActivityGroup,
	activityActions,
	activityResources,
	namedPowers,
	type PowerName,
	printGroup,
} from "../../policy/powers/groups.ts";
import { didYouMean } from "./suggest.ts";

type NamesById = Readonly<Record<string, string>>;

/** Returns the id of the user with this alias, id or live name, if any. Throws ConfigurationError where several have it. */
export function findUserId(
	text: string,
	{ aliases, liveNames }: { readonly aliases: NamesById; readonly liveNames: NamesById | undefined },
	where: string,
): string | undefined {
	if (uuid.test(text)) {
		const id = text.toLowerCase();
		return liveNames === undefined || Object.hasOwn(liveNames, id) ? id : undefined;
	}
	// An alias of the document is what its author means; live names are whatever their owners chose.
	const [aliased] = idsNamed(text, aliases);
	return (
		aliased ?? onlyOne(idsNamed(text, liveNames ?? {}), `${where} ${showText(text)}: several users have this name`)
	);
}

/** Returns the id of the tag with this name or id; undefined where the organization has none. `where` is what named it. */
export function findTagId(
	text: string,
	{ tagNames }: { readonly tagNames: NamesById },
	where = "--tag",
): string | undefined {
	const id = text.toLowerCase();
	if (Object.hasOwn(tagNames, id)) return id;
	return onlyOne(idsNamed(text, tagNames), `${where} ${showText(text)}: several user tags have this name`);
}

function onlyOne(ids: readonly string[], message: string): string | undefined {
	const [first, ...others] = ids;
	if (others.length === 0) return first;
	throw new ConfigurationError(message, { hint: `write the id: ${ids.join(" or ")}` });
}

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
	const name = names.find((one) => lower(one) === lower(text));
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
		const kind = resource.replace(/^ACTIVITY_TYPE_/, "").replace(/_V\d+$/, "");
		if (activityTypes.some((one) => one.kind === kind)) return refuse(`unknown group; did you mean 'kind ${kind}'?`);
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

/** Returns the group of `GROUP`, and the fields of `GROUP where FIELDS`. Throws ConfigurationError. */
export function parseGroupWhere(text: string, where: string) {
	const [, name = text, said] = /^(.*?)\s+where\s+(.*)$/s.exec(text) ?? [];
	const group = parseGroup(name, where);
	const read = said === undefined ? { fields: undefined } : readFields(said);
	if ("fields" in read) return { group, fields: read.fields };
	throw new ConfigurationError(`${where} ${showText(text)}: ${showText(read.mistakes[0]?.message ?? "")}`, {
		hint: "write fields as policies do: \"sign where wallet.id == 'WALLET_ID' && eth.tx.value == 1000\"",
	});
}

/** Whether the group is among those that were named. */
export function isInSelection(group: ActivityGroup, selection: GroupSelection): boolean {
	if ("resource" in selection) return "resource" in group && group.resource === selection.resource;
	return selection.groups.some((one) => printGroup(one) === printGroup(group));
}
