/** Ids by which a program imports or reads an object: `ORGANIZATION/TAG`, or `TAG` in the default one. TAG is an id or a name. */
import { showName } from "../../common/escape.ts";
import { uuid } from "../../common/uuid.ts";
import { standInsIn } from "../../plan/stand-in.ts";
import { commandText } from "../../plan/suggested-command.ts";
import { ResourceFailure } from "../resources/failure.ts";
import { hasUnknown, type Properties } from "./inputs.ts";

export interface ImportId {
	/** In lower case. */
	readonly organizationId: string;
	/** As it was written: an object's id in any case, or its name. */
	readonly object: string;
}

/** What can be imported, in words. */
export interface ImportedKind {
	readonly noun: "user tag" | "policy";
	/** Where it has a place in messages, for example `TAG`. */
	readonly word: string;
	/** The query that lists all. */
	readonly query: string;
}

function exampleOf({ noun, word }: ImportedKind): string {
	return `the id is ORGANIZATION/${word}, and ${word} is the ${noun.replace("user ", "")}'s id or its name`;
}

/** Reads the id. A name may contain `/`: only a UUID before the first one is an organization. Throws ResourceFailure. */
export function readImportId(kind: ImportedKind, text: string, defaultOrganizationId: string | undefined): ImportId {
	const slash = text.indexOf("/");
	const before = text.slice(0, Math.max(0, slash));
	if (uuid.test(before)) return withObject(kind, before.toLowerCase(), text.slice(slash + 1));
	if (defaultOrganizationId !== undefined) return withObject(kind, defaultOrganizationId, text);
	const missing =
		slash < 0
			? "no organization is given"
			: `no organization is given: \`${showName(before)}\` is not an organization id, which is a UUID`;
	throw new ResourceFailure(
		`${missing}; ${exampleOf(kind)}; for a default organization, run \`pulumi config set orgsync:organizationId ID\` or set ORGSYNC_ORGANIZATION_ID`,
	);
}

function withObject(kind: ImportedKind, organizationId: string, object: string): ImportId {
	if (object === "") throw new ResourceFailure(`no ${kind.noun} is given; ${exampleOf(kind)}`);
	return { organizationId, object };
}

/** The live object with this id or else this name; undefined if there is none. Throws ResourceFailure if two have the name. */
export function findImported<Live extends { readonly id: string; readonly name: string }>(
	{ noun }: ImportedKind,
	{ object }: ImportId,
	all: readonly Live[],
): Live | undefined {
	const byId = all.find(({ id }) => id === object.toLowerCase());
	const [byName, other] = all.filter(({ name }) => name === object);
	if (byId !== undefined || other === undefined || byName === undefined) return byId ?? byName;
	throw new ResourceFailure(
		`two ${noun === "policy" ? "policies" : "user tags"} are called \`${showName(object)}\`: ${byName.id} and ${other.id}; write the id of one of them`,
	);
}

/** Why there is no such object. `nearest`: what to say of the name, for example which names are near it. */
export function explainMissing(
	kind: ImportedKind,
	{ organizationId, object }: ImportId,
	nearest: () => string | undefined,
): string {
	const { noun, query } = kind;
	if (uuid.test(object)) {
		const command = commandText({ command: "query", arguments: [query] }, { organization: organizationId });
		return `the organization ${organizationId} has no ${noun} with the id ${object}; \`${command}\` lists them`;
	}
	const missing = nearest() ?? `no ${noun} is called \`${showName(object)}\``;
	const [before = "", ...after] = object.split("/");
	const hint = after.length === 0 ? "" : `; ${exampleOf(kind)}, and \`${showName(before)}\` is not an organization id`;
	return `the organization ${organizationId} does not have the ${noun.replace("user ", "")}: ${missing}${hint}`;
}

/** Why a resource cannot be imported, or read by an id, and what to do instead. */
export function refusalOf(name: string, verb: "import" | "read"): string {
	const because = "because it lists what must not exist";
	return verb === "read"
		? `a ${name} cannot be read by an id, ${because}; remove the option \`id\` or \`get\``
		: `a ${name} cannot be imported, ${because}; write the resource and run \`pulumi up\`: it submits nothing for objects that are gone`;
}

/**
 * Why a resource that was imported cannot be compared: its name belongs to another tag now. Until the first `up` or refresh, its
 * inputs have no id and the tag is found by its name, so comparing would replace the resource and manage the other tag.
 */
export function refuseOtherTag(olds: Properties, oldInputs: Properties, news: Properties): string | undefined {
	const { tagId, organizationId } = olds;
	if (
		tagId === undefined ||
		standInsIn(String(tagId)).length > 0 ||
		"tagId" in oldInputs ||
		typeof news.tagId !== "string" ||
		hasUnknown(news)
	)
		return undefined;
	if (news.tagId === tagId || news.organizationId !== organizationId) return undefined;
	const name = showName(String(news.name));
	return `the imported user tag ${tagId} is not called \`${name}\`, which is the name of ${news.tagId}; correct the name in the program, and run \`pulumi refresh\` if the tag was renamed`;
}

/** Why an `Organization` cannot be imported, and what to do instead. */
export const organizationRefusal = `an Organization cannot be imported, because it is a component; write it with a document, which \`${commandText({ command: "export" }, {})}\` makes, and run \`pulumi up\`: its resources adopt the live objects`;
