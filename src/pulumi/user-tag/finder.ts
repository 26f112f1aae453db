/** How a live tag is found by its id or name. */
import { diff } from "../../plan/diff.ts";
import { reasonText } from "../../say/reason.ts";
import { explainMissing, findImported } from "../inputs/import-id.ts";
import type { Finder } from "../resources/resource.ts";
import { nothingStored } from "../state/stored-state.ts";
import { readTagInputs } from "./inputs.ts";

const kind = { noun: "user tag", word: "TAG", query: "list_user_tags" } as const;

export const tagFinder: Finder = {
	kind,
	async find(named, resource, session) {
		const { organizationId, object } = named;
		// Any tag that a document can have: all tags are read at once.
		const asked = readTagInputs({ organizationId, name: organizationId, tagId: organizationId });
		const found = await session.read({ resource, desired: { ...asked, readsMembers: true }, stored: nothingStored });
		const all = found.userTags.known ? found.userTags.value : [];
		const ofUsers = all.filter(({ type }) => type === "TAG_TYPE_USER" || type === "");
		const tag = findImported(kind, named, ofUsers);
		if (tag === undefined) {
			// Throws for a name that no tag can have.
			const explain = () => diff(readTagInputs({ organizationId, name: object }), found).problems[0]?.message;
			return explainMissing(kind, named, explain);
		}
		const { id, name, members: live } = tag;
		const members = live.known ? { exactly: live.value } : undefined;
		const outputs = { tagId: id, onDestroy: "keep", managed: members };
		if (live.known) return { id, inputs: { name, members }, outputs };
		const unknown = `the members of the tag are unknown, because ${reasonText(live.because)}: they are not imported`;
		return { id, inputs: { name }, outputs, notices: [unknown] };
	},
};
