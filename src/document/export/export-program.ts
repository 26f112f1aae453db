/** Exports the live organization as a Pulumi program, whose first `up` submits nothing. What can only be deleted is in comments. */
import { printAddress } from "../../plan/address.ts";
import { readOnlyKinds } from "../../plan/kinds/index.ts";
import { expectationLists, type RemovalKindName, removalKindNames, removalLists } from "../../plan/kinds/names.ts";
import type { WholeOrganization } from "../../plan/organization.ts";
import { compareText } from "../../plan/value.ts";
import { type Exported, partsOf } from "./export.ts";
import { makeUnique, shortId } from "./names.ts";
import type { NamedId, Program, ProgramLanguage, ProgramResource } from "./program.ts";
import type { ExportedParts, ExportedTag } from "./text.ts";
import { writeTypescript } from "./typescript.ts";
import type { KeptWindows } from "./windows.ts";
import { writePulumiYaml } from "./yaml.ts";

/** Returns the program of the live state, with these windows. */
export function exportProgram(whole: WholeOrganization, language: ProgramLanguage, kept?: KeptWindows): Exported {
	const program = programOf(partsOf(whole, kept));
	const text = language === "pulumi-yaml" ? writePulumiYaml(program) : writeTypescript(program);
	return { text, unread: program.unread, leftOut: program.leftOut };
}

function programOf({ users, userTags, ...parts }: ExportedParts): Program {
	const byAlias = new Map(users);
	const names = nameResources(userTags);
	return {
		organizationId: parts.organizationId,
		project: `orgsync-${parts.organizationId.slice(0, shortId)}`,
		tags: userTags.map(({ name, id, members, windows }): ProgramResource => {
			const exactly = members
				?.map((member) => ({
					id: byAlias.get(member) ?? member,
					name: byAlias.has(member) ? member : "",
					window: windows?.get(member),
				}))
				.sort((left, right) => compareText(left.id, right.id));
			const more = exactly === undefined ? [] : [["members", { exactly }] as const];
			return { name: names.get(id) ?? id, type: "UserTag", properties: [["name", name], ["tagId", id], ...more] };
		}),
		removals: removalKindNames.flatMap((kind) => removalsOf(kind, parts.removable, byAlias, new Set(names.values()))),
		readOnly: readOnlyKinds
			.filter(({ name }) => parts.expectations.some(({ key }) => key === expectationLists[name]))
			.map(({ words }) => words[1]),
		unread: parts.unread,
		leftOut: parts.leftOut.filter(({ what }) => what.startsWith(printAddress("userTag", ""))),
	};
}

/** The resources that delete objects of each kind. */
const removals: Readonly<
	Record<RemovalKindName, { readonly type: string; readonly input: string; readonly isSingle?: true }>
> = {
	policy: { type: "PolicyRemoval", input: "policyIds" },
	oauthProvider: { type: "OauthProviderRemoval", input: "providerIds" },
	tvcApp: { type: "TvcAppRemoval", input: "appId", isSingle: true },
};

function removalsOf(
	kind: RemovalKindName,
	removable: ExportedParts["removable"],
	byAlias: ReadonlyMap<string, string>,
	taken: ReadonlySet<string>,
): readonly ProgramResource[] {
	const { type, input, isSingle } = removals[kind];
	const groups = removable.filter(({ key }) => key === removalLists[kind]).flatMap((section) => section.groups);
	return groups.flatMap(({ user: alias, items }): readonly ProgramResource[] => {
		const user = alias === null ? undefined : { id: byAlias.get(alias) ?? alias, name: alias };
		const resource = (what: string, ids: NamedId | readonly NamedId[]): ProgramResource => {
			const properties = [...(user === undefined ? [] : [["userId", user] as const]), [input, ids] as const];
			return { name: free(`remove-${what}`, taken), type, properties };
		};
		const named = items.map(({ id, name }) => ({ id, name }));
		if (isSingle) return named.map((one) => resource(`app-${one.id}`, one));
		return [resource(user === undefined ? "policies" : `providers-${user.id}`, named)];
	});
}

function free(name: string, taken: ReadonlySet<string>): string {
	return taken.has(name) ? free(`${name}-`, taken) : name;
}

/** Max characters of a tag's name in the name of its resource. */
const maxNameLength = 60;

/** Returns the name of each tag's resource, by the tag's id. */
function nameResources(userTags: readonly ExportedTag[]): ReadonlyMap<string, string> {
	const sorted = userTags.toSorted((left, right) => compareText(left.id, right.id));
	return makeUnique(new Map(sorted.map(({ id, name }) => [id, safeName(name)])));
}

/** Returns the name without characters that some language, a shell or a URN treats in its own way. */
function safeName(name: string): string {
	const plain = name
		.normalize("NFKD")
		.replace(/\p{M}+/gu, "")
		.replace(/[^A-Za-z0-9_]+/g, "-")
		.slice(0, maxNameLength)
		.replace(/^-+|-+$/g, "");
	// YAML programs reserve `pulumi`.
	return /^[A-Za-z]/.test(plain) && plain !== "pulumi" ? plain : `tag${plain === "" ? "" : `-${plain}`}`;
}
