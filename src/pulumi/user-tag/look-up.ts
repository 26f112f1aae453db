/** A live tag by its id or name: to import it as a managed resource, or to read it without managing it. */

import { defined } from "../../common/defined.ts";
import { diff } from "../../plan/diff.ts";
import type { LiveOrganization, LiveUserTag } from "../../plan/organization.ts";
import { reasonText } from "../../say/reason.ts";
import { explainMissing, findImported, type ImportedKind, type ImportId, readImportId } from "../inputs/import-id.ts";
import { type MetaInputs, metaOf, type Properties, readDocument } from "../inputs/inputs.ts";
import { ResourceFailure } from "../resources/failure.ts";
import type { ReadResult } from "../resources/resource.ts";
import { explainSecond } from "../session/claims.ts";
import type { Session } from "../session/session.ts";
import { nothingStored } from "../state/stored-state.ts";
import { claimAdvice, claimOf, readTagInputs, type TagInputs, tagDocument } from "./inputs.ts";
import type { Members } from "./members.ts";

/** A resource that only reads a tag: `"requested"` by the program; `"found"` in a state, so that a deleted tag is no mistake. */
interface LookUp extends Partial<TagInputs> {
	readonly lookUp: "requested" | "found";
}

const imported: ImportedKind = { noun: "user tag", word: "TAG", query: "list_user_tags" };

export function isLookUp(props: object): props is LookUp {
	return "lookUp" in props;
}

/** The live tag with this id or name. Throws ResourceFailure if there is none, or nothing if a state has found it before. */
export async function lookUpTag(id: string, props: LookUp, session: Session): Promise<ReadResult> {
	const organizationId = props.organizationId ?? session.settings.organizationId;
	const named =
		props.organizationId === undefined
			? readImportId(imported, id, organizationId)
			: { organizationId: props.organizationId.toLowerCase(), object: id };
	const { tag, live } = await find(named, props, session);
	if (tag === undefined) {
		if (props.lookUp === "found") return {};
		throw new ResourceFailure(explain(named, live));
	}
	const found = { ...describe(named, tag), tagId: tag.id, onDestroy: "keep", lookUp: "found" };
	// The id as the program writes it, so that its case is no change.
	const isSame = id.toLowerCase() === tag.id;
	return { id: isSame ? id : tag.id, props: { ...found, ...metaOf(props) } };
}

/** State and inputs of the live tag with this import id. Throws ResourceFailure if there is none, or it cannot be managed. */
export async function importTag(id: string, meta: MetaInputs, session: Session): Promise<ReadResult> {
	const named = readImportId(imported, id, session.settings.organizationId);
	const { tag, live } = await find(named, meta, session);
	if (tag === undefined) throw new ResourceFailure(explain(named, live));
	const inputs = describe(named, tag);
	const read = readDocument(tagDocument.toDocument(inputs), tagDocument.places);
	if ("failures" in read) {
		const reasons = read.failures.map(({ reason }) => reason).join("; ");
		throw new ResourceFailure(`the user tag ${tag.id} cannot be imported: ${reasons}`);
	}
	refuseSecond(tag, named, meta, session);
	const props = defined({
		...inputs,
		...metaOf(meta),
		tagId: tag.id,
		onDestroy: "keep",
		managed: inputs.members,
	});
	const notices = tag.members.known
		? []
		: [`the members of the tag are unknown, because ${reasonText(tag.members.because)}: they are not imported`];
	return { id: tag.id, props, inputs: { ...inputs, ...metaOf(meta) }, notices };
}

/** Throws ResourceFailure if another resource of this run manages the tag. */
function refuseSecond({ id }: LiveUserTag, { organizationId }: ImportId, meta: MetaInputs, session: Session): void {
	const { object, subject } = claimOf(id);
	const owner = session.claims.claim(organizationId, object, meta);
	if (owner !== undefined) throw new ResourceFailure(explainSecond(subject, owner, meta, claimAdvice));
}

function describe({ organizationId }: ImportId, { name, members }: LiveUserTag): Properties & Partial<TagInputs> {
	const exactly: Members | undefined = members.known ? { exactly: members.value } : undefined;
	return defined({ organizationId, name, members: exactly });
}

async function find(
	named: ImportId,
	props: object,
	session: Session,
): Promise<{ readonly tag: LiveUserTag | undefined; readonly live: LiveOrganization }> {
	const { organizationId } = named;
	const { resource } = metaOf(props);
	// Any tag that a document can have: all tags are read at once.
	const asked = readTagInputs({ organizationId, name: organizationId, tagId: organizationId });
	const live = await session.read({ resource, desired: { ...asked, readsMembers: true }, stored: nothingStored });
	const all = live.userTags.known ? live.userTags.value : [];
	const ofUsers = all.filter(({ type }) => type === "TAG_TYPE_USER" || type === "");
	return { tag: findImported(imported, named, ofUsers), live };
}

function explain(named: ImportId, live: LiveOrganization): string {
	const { organizationId, object: name } = named;
	// Throws for a name that no tag can have.
	return explainMissing(
		imported,
		named,
		() => diff(readTagInputs({ organizationId, name }), live).problems[0]?.message,
	);
}
