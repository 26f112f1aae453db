/** Ids in place of the references that expressions of a document make to its tags and users. */
import { resolveTemplate } from "../../policy/language/resolve-template.ts";
import { parseTemplate } from "../../policy/language/template.ts";
import { type DesiredOrganization, type DesiredPolicy, type LiveOrganization, tagsOf } from "../organization.ts";
import { standInFor } from "../stand-in.ts";
import { findTags } from "./user-tag.ts";

export interface IdsOfReferences {
	/** By the name of a tag that the document lists; of one that the plan creates, a stand-in. */
	readonly userTags: ReadonlyMap<string, string>;
	/** By alias. */
	readonly users: ReadonlyMap<string, string>;
}

/** Returns the ids that references of the document mean in this live state. */
export function idsOfReferences(
	desired: DesiredOrganization,
	{ userTags: live }: Pick<LiveOrganization, "userTags">,
): IdsOfReferences {
	const { organizationId, users } = desired;
	const tags = tagsOf(desired);
	const { found } = findTags(tags, live.known ? live.value : []);
	const byName = new Map(found.map((one) => [one.wanted.name, one.live.id]));
	const userTags = tags.map(
		({ name }) => [name, byName.get(name) ?? standInFor(organizationId, "userTag", name)] as const,
	);
	return { userTags: new Map(userTags), users: new Map(Object.entries(users)) };
}

/** Returns the names of the tags that a policy of a document names. */
export function tagsNamedBy({
	consensus,
	condition,
}: Pick<DesiredPolicy, "consensus" | "condition">): readonly string[] {
	return [consensus, condition].flatMap((text) =>
		parseTemplate(text).references.flatMap(({ kind, name }) => (kind === "userTag" ? [name] : [])),
	);
}

/** Returns the text with ids in place of its references; a text that is not understood has none. */
export function resolveText(text: string, ids: IdsOfReferences): string {
	const resolved = resolveTemplate(parseTemplate(text), { ...ids, variable: () => noVariable });
	return "text" in resolved ? resolved.text : text;
}

/** Variables have their values once a document was read. */
const noVariable = { code: "unknown-variable", message: "it has no value" } as const;
