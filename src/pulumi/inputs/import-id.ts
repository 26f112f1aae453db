/** Ids by which a program imports or reads a tag: `ORGANIZATION/TAG`, or `TAG` in the default one. TAG is an id or a name. */
import { showName } from "../../common/escape.ts";
import { diff } from "../../plan/diff.ts";
import { type DesiredOrganization, type LiveOrganization, type LiveUserTag, uuid } from "../../plan/organization.ts";
import { commandText } from "../../plan/suggested-command.ts";
import { ResourceFailure } from "../resources/failure.ts";
import { hasUnknown, type Properties } from "./inputs.ts";

export interface ImportId {
	/** In lower case. */
	readonly organizationId: string;
	/** As it was written: a tag's id in any case, or its name. */
	readonly tag: string;
}

const example = "the id is ORGANIZATION/TAG, and TAG is the tag's id or its name";

/** Reads the id. A name may contain `/`: only a UUID before the first one is an organization. Throws ResourceFailure. */
export function readImportId(text: string, defaultOrganizationId: string | undefined): ImportId {
	const slash = text.indexOf("/");
	const before = text.slice(0, Math.max(0, slash));
	if (uuid.test(before)) return withTag(before.toLowerCase(), text.slice(slash + 1));
	if (defaultOrganizationId !== undefined) return withTag(defaultOrganizationId, text);
	const missing =
		slash < 0
			? "no organization is given"
			: `no organization is given: \`${showName(before)}\` is not an organization id, which is a UUID`;
	throw new ResourceFailure(
		`${missing}; ${example}; for a default organization, run \`pulumi config set orgsync:organizationId ID\` or set ORGSYNC_ORGANIZATION_ID`,
	);
}

function withTag(organizationId: string, tag: string): ImportId {
	if (tag === "") throw new ResourceFailure(`no user tag is given; ${example}`);
	return { organizationId, tag };
}

/** The live tag with this id or else this name; undefined if there is none. Throws ResourceFailure if two have the name. */
export function findLiveTag({ tag }: ImportId, userTags: readonly LiveUserTag[]): LiveUserTag | undefined {
	const all = userTags.filter(({ type }) => type === "TAG_TYPE_USER" || type === "");
	const byId = all.find(({ id }) => id === tag.toLowerCase());
	const [byName, other] = all.filter(({ name }) => name === tag);
	if (byId !== undefined || other === undefined || byName === undefined) return byId ?? byName;
	throw new ResourceFailure(
		`two user tags are called \`${showName(tag)}\`: ${byName.id} and ${other.id}; write the id of one of them`,
	);
}

/** Why there is no such tag, with the nearest names. `asDesired` may throw for a name that no tag can have. */
export function explainMissing(
	{ organizationId, tag }: ImportId,
	live: LiveOrganization,
	asDesired: () => DesiredOrganization,
): string {
	if (uuid.test(tag)) {
		const query = commandText({ command: "query", arguments: ["list_user_tags"] }, { organization: organizationId });
		return `the organization ${organizationId} has no user tag with the id ${tag}; \`${query}\` lists them`;
	}
	const missing = diff(asDesired(), live).problems[0]?.message ?? `no user tag is called \`${showName(tag)}\``;
	const [before = "", ...after] = tag.split("/");
	const hint = after.length === 0 ? "" : `; ${example}, and \`${showName(before)}\` is not an organization id`;
	return `the organization ${organizationId} does not have the tag: ${missing}${hint}`;
}

/** Why a resource cannot be imported, or read by an id, and what to do instead; undefined if it can. */
export function refuseId(
	{ name, isReadable }: { readonly name: string; readonly isReadable: boolean },
	verb: "import" | "read",
): string | undefined {
	if (isReadable) return undefined;
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
	if (tagId === undefined || "tagId" in oldInputs || typeof news.tagId !== "string" || hasUnknown(news))
		return undefined;
	if (news.tagId === tagId || news.organizationId !== organizationId) return undefined;
	const name = showName(String(news.name));
	return `the imported user tag ${tagId} is not called \`${name}\`, which is the name of ${news.tagId}; correct the name in the program, and run \`pulumi refresh\` if the tag was renamed`;
}

/** Why an `Organization` cannot be imported, and what to do instead. */
export const organizationRefusal = `an Organization cannot be imported, because it is a component; write it with a document, which \`${commandText({ command: "export" }, {})}\` makes, and run \`pulumi up\`: its resources adopt the live objects`;
