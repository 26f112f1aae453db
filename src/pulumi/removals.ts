/**
 * What must not exist, as Pulumi resources: OAuth providers of a user, policies, a TVC app. One row a resource; each is a
 * question to plan/ and sync/.
 */
import { GuardError } from "../errors.ts";
import { keyOfRemoval } from "../plan/objects.ts";
import { type DesiredOrganization, type LiveOrganization, removalsOf } from "../plan/organization.ts";
import { sameValue } from "../plan/value.ts";
import type { AppliedObject } from "../sync/journal.ts";
import type { SubmitName } from "../wire/operations.ts";
import { announceCreation } from "./announcement.ts";
import { nameOwners } from "./claims.ts";
import { explain, explainReport, failCheck, isDone, ResourceFailure } from "./failure.ts";
import {
	type CheckFailure,
	hasUnknown,
	type MetaInputs,
	metaOf,
	type Properties,
	type PropertyPlaces,
	readDocument,
	withoutUndefined,
} from "./inputs.ts";
import { type Kept, keepActivities } from "./kept.ts";
import { type KeptActivity, readKeptActivities, readKeptTimes } from "./kept-read.ts";
import type { Session } from "./session.ts";
import { checkShapes, type InputShapes, type Shape } from "./shapes.ts";
import type { Checked } from "./user-tag.ts";
import { noOrganization, nothingKept } from "./user-tag-inputs.ts";

export interface RemovalInputs extends MetaInputs {
	readonly organizationId: string;
	readonly policyIds?: readonly string[];
	readonly userId?: string;
	readonly providerIds?: readonly string[];
	readonly appId?: string;
	readonly limits?: Properties;
}

export interface RemovalOutputs extends RemovalInputs {
	/** The ids as the program wrote them; the list of the inputs is what of them is gone. */
	readonly wanted?: readonly string[];
	/** When each id was removed by orgsync, ISO 8601 in UTC, by the key that memory has for it. */
	readonly removedAt?: Readonly<Record<string, string>>;
	/** Activities that have not ended. */
	readonly activities?: readonly KeptActivity[];
}

/** What one removal resource is about. */
export interface RemovalRow {
	readonly kind: Exclude<AppliedObject["kind"], "userTag">;
	readonly operation: SubmitName;
	/** The input that lists ids, or names the one. */
	readonly idsProperty: "policyIds" | "providerIds" | "appId";
	/** Inputs that make it another resource when they change. */
	readonly identity: readonly ("organizationId" | "userId" | "appId")[];
	readonly shapes: InputShapes;
	readonly places: PropertyPlaces;
	absent(inputs: Partial<RemovalInputs>): Properties;
	/** The ids as an input. */
	withIds(ids: readonly string[]): Partial<RemovalInputs>;
	resourceId(inputs: RemovalInputs): string;
}

function shapesOf(own: Readonly<Record<string, Shape>>, limit: string): InputShapes {
	const limits: Shape = { fields: { [limit]: "any" } };
	return { required: Object.keys(own), fields: { ...own, organizationId: "id", limits } };
}

export const policies: RemovalRow = {
	kind: "policy",
	operation: "delete_policies",
	idsProperty: "policyIds",
	identity: ["organizationId"],
	shapes: shapesOf({ policyIds: { listOf: "id" } }, "policies"),
	places: [
		["absent.policies", "policyIds"],
		["limits", "limits"],
	],
	absent: ({ policyIds }) => ({ policies: policyIds }),
	withIds: (policyIds) => ({ policyIds }),
	resourceId: ({ organizationId }) => `${organizationId}/policies`,
};

export const oauthProviders: RemovalRow = {
	kind: "oauthProvider",
	operation: "delete_oauth_providers",
	idsProperty: "providerIds",
	identity: ["organizationId", "userId"],
	shapes: shapesOf({ userId: "id", providerIds: { listOf: "id" } }, "oauthProviders"),
	places: [
		["absent.oauthProviders", "providerIds"],
		["limits", "limits"],
	],
	absent: ({ userId, providerIds }) => ({ oauthProviders: { [String(userId)]: providerIds } }),
	withIds: (providerIds) => ({ providerIds }),
	resourceId: ({ organizationId, userId }) => `${organizationId}/${userId}`,
};

export const tvcApps: RemovalRow = {
	kind: "tvcApp",
	operation: "delete_tvc_app_and_deployments",
	idsProperty: "appId",
	identity: ["organizationId", "appId"],
	shapes: shapesOf({ appId: "id" }, "tvcApps"),
	places: [
		["absent.tvcApps", "appId"],
		["limits", "limits"],
	],
	absent: ({ appId }) => ({ tvcApps: [appId] }),
	withIds: ([appId]) => withoutUndefined({ appId }) as Partial<RemovalInputs>,
	resourceId: ({ appId }) => String(appId),
};

function idsOf({ kind }: RemovalRow, desired: DesiredOrganization): readonly string[] {
	return removalsOf(desired, kind).map(({ id }) => id);
}

/** Ids that are there now, or undefined when that cannot be read. */
function liveIds({ kind }: RemovalRow, live: LiveOrganization, inputs: RemovalInputs): readonly string[] | undefined {
	const known = live.removables[kind];
	const userId = inputs.userId ?? null;
	return known.known ? known.value.filter((one) => one.userId === userId).map(({ id }) => id) : undefined;
}

/** The key by which last-applied state holds the removal of an object. */
function keyOf({ userId }: Pick<RemovalInputs, "userId">, id: string): string {
	return keyOfRemoval({ userId: userId ?? null, id });
}

/** The inputs completed, or what is wrong with them: as inputs, and against the live organization where they are new. */
export async function checkRemoval(
	row: RemovalRow,
	olds: Partial<RemovalInputs>,
	news: Partial<RemovalInputs>,
	session: Session,
): Promise<Checked> {
	const organizationId = news.organizationId ?? session.settings.organizationId;
	const misshapen = checkShapes({ ...news }, row.shapes);
	if (misshapen.length > 0) return { inputs: { ...news }, failures: misshapen };
	if (organizationId === undefined) return { inputs: { ...news }, failures: [noOrganization] };
	const given = { ...news, organizationId };
	if (hasUnknown(given)) return { inputs: given, failures: [] };
	const read = readDocument(documentOf(row, given), row.places);
	if ("failures" in read) return { inputs: given, failures: read.failures };
	const inputs = writeInputs(row, news, read.desired);
	const failures = claim(row, inputs, idsOf(row, read.desired), session);
	const { resource } = inputs;
	const isNew = !sameValue(requestedRemoval(olds), requestedRemoval(inputs));
	if (failures.length > 0 || !isNew) return { inputs: { ...inputs }, failures };
	try {
		const { plan } = await session.judge({ resource, desired: read.desired, kept: nothingKept });
		session.refuseGuarded(plan, resource);
		const isShown = olds.organizationId === undefined && inputs.partOf === undefined;
		const say = isShown ? announceCreation(inputs, plan) : undefined;
		return { inputs: { ...inputs }, failures: [], ...withoutUndefined({ say }) };
	} catch (error) {
		const property = error instanceof GuardError ? row.idsProperty : "";
		return { inputs: { ...inputs }, failures: [failCheck(error, property)] };
	}
}

/**
 * Two resources that remove the same are one too many. The OAuth providers of a user belong in one, because whether the
 * last one would go is judged for each resource by itself.
 */
function claim(
	row: RemovalRow,
	inputs: RemovalInputs,
	ids: readonly string[],
	session: Session,
): readonly CheckFailure[] {
	const { organizationId, userId } = inputs;
	const objects = userId === undefined ? ids : [userId];
	return objects.flatMap((object) => {
		const owner = session.claims.claim(organizationId, `${row.kind}/${object}`, inputs);
		if (owner === undefined) return [];
		const [other, own] = nameOwners(owner, inputs);
		const what = userId === undefined ? `${object} is` : `OAuth providers of the user ${object} are`;
		const reason = `${what} removed by the resource \`${other}\` and by \`${own}\`; list them in one`;
		return [{ property: row.idsProperty, reason }];
	});
}

/** What is wanted gone: without whose resource it is, and how much an update may take away. */
function requestedRemoval({
	organizationId,
	policyIds,
	userId,
	providerIds,
	appId,
}: Partial<RemovalInputs>): Properties {
	return { organizationId, policyIds, userId, providerIds, appId };
}

/** What differs between the state and the program; nothing is asked of the service. */
export function diffRemoval(
	row: RemovalRow,
	olds: RemovalOutputs,
	news: Partial<RemovalInputs>,
): { changes: boolean; replaces: string[] } {
	const replaces = row.identity.filter((key) => {
		const value = news[key];
		return value !== undefined && !hasUnknown(value) && value.toLowerCase() !== olds[key];
	});
	const key = row.idsProperty;
	const changes = hasUnknown(news) || !sameValue(olds[key], news[key]);
	return { changes: changes || replaces.length > 0, replaces };
}

/** Removes what is there: submits one activity, or none. Throws ResourceFailure. */
export async function convergeRemoval(
	row: RemovalRow,
	inputs: RemovalInputs,
	olds: RemovalOutputs | undefined,
	session: Session,
): Promise<{ readonly id: string; readonly outs: RemovalOutputs }> {
	try {
		const desired = mustRead(row, inputs);
		const kept = keptOf(row, olds, session);
		const { report, journal } = await session.converge({ resource: inputs.resource, desired, kept });
		const id = row.resourceId(inputs);
		const remembered = journal.lastApplied(inputs.organizationId).removed[row.kind] ?? {};
		const ids = idsOf(row, desired);
		const removedAt = Object.fromEntries(
			ids.flatMap((one) => {
				const key = keyOf(inputs, one);
				const at = remembered[key]?.appliedAt;
				return at === undefined ? [] : [[key, at] as const];
			}),
		);
		const activities = keepActivities(report, journal, kept.activities);
		const outs: RemovalOutputs = {
			...inputs,
			wanted: ids,
			...(Object.keys(removedAt).length === 0 ? {} : { removedAt }),
			...(activities.length === 0 ? {} : { activities }),
		};
		if (isDone(report)) return { id, outs };
		const gone = ids.filter((one) => removedAt[keyOf(inputs, one)] !== undefined);
		const properties = { ...outs, ...(row.idsProperty === "appId" ? {} : row.withIds(gone)) };
		throw new ResourceFailure(explainReport(report), { id, properties });
	} catch (error) {
		throw error instanceof ResourceFailure ? error : new ResourceFailure(explain(error));
	}
}

/** The state as live shows it: an id that is back is listed no more, and an app that is back is not removed any more. */
export async function readRemoval(
	row: RemovalRow,
	id: string,
	props: RemovalOutputs,
	session: Session,
): Promise<{ readonly id?: string; readonly props?: Properties; readonly inputs?: Properties }> {
	const desired = mustRead(row, props.wanted === undefined ? props : { ...props, ...row.withIds(props.wanted) });
	const ids = idsOf(row, desired);
	const kept = keptOf(row, props, session);
	const live = ids.length === 0 ? undefined : await session.read({ resource: props.resource, desired, kept });
	const there = live === undefined ? undefined : liveIds(row, live, props);
	const { removedAt, activities, wanted, ...inputs } = props;
	// One that waits is kept, with its activity: the next up has to join that.
	const isKept = row.idsProperty !== "appId" || (activities ?? []).length > 0;
	// An app that nobody can see and that was never removed, because that was denied, must not look as if it were gone.
	if (there === undefined) return isKept || removedAt !== undefined ? { id, props: { ...props }, inputs } : {};
	const left = ids.filter((one) => !there.includes(one));
	if (left.length === 0 && !isKept) return {};
	const seen = row.idsProperty === "appId" ? {} : row.withIds(left);
	return {
		id,
		props: withoutUndefined({ ...inputs, ...seen, removedAt, activities, wanted }),
		inputs: { ...inputs, ...seen },
	};
}

/** What the state of a removal keeps. Throws StorageError if it cannot be used. */
function keptOf(row: RemovalRow, olds: RemovalOutputs | undefined, session: Session): Kept {
	if (olds === undefined) return nothingKept;
	const by = session.keptBy(olds.resource, olds.organizationId, row.operation);
	const times = Object.entries(readKeptTimes(olds.removedAt, by));
	const applied = times.map(([id, appliedAt]) => ({ kind: row.kind, id, appliedAt }));
	return { activities: readKeptActivities(olds.activities, by), applied };
}

function documentOf(row: RemovalRow, inputs: Partial<RemovalInputs>): Properties {
	return {
		organizationId: inputs.organizationId,
		absent: row.absent(inputs),
		...withoutUndefined({ limits: inputs.limits }),
	};
}

function mustRead(row: RemovalRow, inputs: Partial<RemovalInputs>): DesiredOrganization {
	const read = readDocument(documentOf(row, inputs), row.places);
	if ("desired" in read) return read.desired;
	throw new ResourceFailure(read.failures.map(({ reason }) => reason).join("; "));
}

function writeInputs(row: RemovalRow, news: Partial<RemovalInputs>, desired: DesiredOrganization): RemovalInputs {
	const { userId, limits } = news;
	return {
		organizationId: desired.organizationId,
		...withoutUndefined({ userId: userId?.toLowerCase() }),
		...row.withIds(idsOf(row, desired)),
		...withoutUndefined({ limits }),
		...metaOf(news),
	};
}
