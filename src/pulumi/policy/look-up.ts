/** A live policy by its id or name: to import it as a managed resource, or to read it without managing it. */
import { defined } from "../../common/defined.ts";
import { showName } from "../../common/escape.ts";
import { nearest } from "../../plan/nearest.ts";
import type { LivePolicy } from "../../plan/organization.ts";
import { explainMissing, findImported, type ImportedKind, type ImportId, readImportId } from "../inputs/import-id.ts";
import { type MetaInputs, metaOf } from "../inputs/inputs.ts";
import { ResourceFailure } from "../resources/failure.ts";
import type { ReadResult } from "../resources/resource.ts";
import { explainSecond } from "../session/claims.ts";
import type { Session } from "../session/session.ts";
import { nothingStored } from "../state/stored-state.ts";
import { anyPolicy, claimAdvice, claimsOf, describePolicy, type PolicyInputs, policiesIn } from "./inputs.ts";

/** A resource that only reads a policy; see LookUp of user tags. */
interface LookUp extends Partial<PolicyInputs> {
	readonly lookUp: "requested" | "found";
}

const imported: ImportedKind = { noun: "policy", word: "POLICY", query: "list_policies" };

export function isLookUp(props: object): props is LookUp {
	return "lookUp" in props;
}

/** The live policy with this id or name. Throws ResourceFailure if there is none, or nothing if a state has found it before. */
export async function lookUpPolicy(id: string, props: LookUp, session: Session): Promise<ReadResult> {
	const named =
		props.organizationId === undefined
			? readImportId(imported, id, session.settings.organizationId)
			: { organizationId: props.organizationId.toLowerCase(), object: id };
	const found = await find(named, props, session, props.lookUp === "found");
	if (found === undefined) return {};
	const { organizationId } = named;
	const isSame = id.toLowerCase() === found.id;
	return {
		id: isSame ? id : found.id,
		props: defined({ organizationId, ...describePolicy(found), lookUp: "found", ...metaOf(props) }),
	};
}

/** State and inputs of the live policy with this import id. Throws ResourceFailure if there is none, or it has another resource. */
export async function importPolicy(id: string, meta: MetaInputs, session: Session): Promise<ReadResult> {
	const named = readImportId(imported, id, session.settings.organizationId);
	const found = await find(named, meta, session, false);
	if (found === undefined) return {};
	const { organizationId } = named;
	for (const { object, subject } of claimsOf({ policyId: found.id, name: found.name })) {
		const owner = session.claims.claim(organizationId, object, meta);
		if (owner !== undefined) throw new ResourceFailure(explainSecond(subject, owner, meta, claimAdvice));
	}
	const { policyId, createdAt, ...inputs } = describePolicy(found);
	const known = defined({ organizationId, ...inputs, ...metaOf(meta) });
	return { id: found.id, props: { ...known, ...defined({ policyId, createdAt }) }, inputs: known };
}

/** Throws ResourceFailure if policies cannot be read, or there is no such one and that is a mistake. */
async function find(
	named: ImportId,
	props: object,
	session: Session,
	mayBeGone: boolean,
): Promise<LivePolicy | undefined> {
	const { organizationId, object } = named;
	const desired = anyPolicy(organizationId);
	const live = await session.read({ resource: metaOf(props).resource, desired, stored: nothingStored });
	const all = policiesIn(live);
	const found = findImported(imported, named, all);
	if (found !== undefined || mayBeGone) return found;
	const near = nearest(
		object,
		all.map(({ name }) => name),
	);
	const missing = `no policy is called \`${showName(object)}\``;
	throw new ResourceFailure(
		explainMissing(imported, named, () =>
			near === undefined ? missing : `${missing}; did you mean \`${showName(near)}\`?`,
		),
	);
}
