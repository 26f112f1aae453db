/**
 * Reads the live organization with as few queries as the document needs, all of them at once.
 *
 * A kind that documents only expect is one entry of `expectedReads`. What cannot be read is unknown, never empty. This file
 * has a Reader and cannot change anything.
 */
import type { DesiredOrganization, Known, LiveOrganization, LiveRecord, Memory } from "../plan/organization.ts";
import type { Reads } from "../plan/plan.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads, queries } from "../wire/operations.ts";
import { toNamed, toOauthProviders, toUserNames, toUserTags } from "./live-objects.ts";
import {
	awaitAll,
	confirmOrganization,
	type QueryFunction,
	queryIfAvailable,
	queryList,
	queryObject,
} from "./live-queries.ts";

export interface LiveReading {
	readonly live: LiveOrganization;
	/**
	 * A time by the service's clock at which nothing had been read yet, in milliseconds since 1970. Undefined if the service
	 * does not say, or if it was not measured how long the queries took. It is the time of the Date header, which is written
	 * with the answer, less all the time that the query took. The header has whole seconds, so it errs to the early side too.
	 */
	readonly serverTimeMs: number | undefined;
}

/**
 * Reads what the document is about. With `"auto"` that includes the extended reads that show something it needs. What a
 * service does not have (404, 501) or denies (403), in its own error shape, is unknown. `steadyNow` returns milliseconds
 * from any start and is never set back. Throws AuthenticationError, TransportError, and ServiceError if a documented query
 * fails.
 */
export async function readLive(
	desired: DesiredOrganization,
	reader: Reader,
	lastApplied: Memory,
	reads: Reads,
	steadyNow?: () => number,
): Promise<LiveReading> {
	const { query, answerTimes } = timeQueries(desired.organizationId, reader, steadyNow);
	const wants = wantedReads(desired, reads);
	const [userTags, users, policies, tvcApps, expected] = await awaitAll([
		wants.userTags ? query(queries.list_user_tags) : undefined,
		wants.users ? queryIfAvailable(query, extendedReads.list_users) : notRead(reads),
		wants.policies ? queryIfAvailable(query, extendedReads.list_policies) : notRead(reads),
		wants.tvcApps ? queryIfAvailable(query, extendedReads.list_tvc_apps) : notRead(reads),
		readExpected(desired, query),
	] as const);
	// Without an answer, what is known of an object is a 404, which can be about the organization.
	const isKnown = Object.values(expected).some((found) => Object.values(found).some(({ known }) => known));
	if (isKnown && answerTimes.length === 0) await confirmOrganization(query);
	const live: LiveOrganization = {
		organizationId: desired.organizationId,
		userTags:
			userTags === undefined
				? { known: false, because: "the document lists no user tags" }
				: { known: true, value: toUserTags(userTags, users) },
		policies: toNamed(policies, extendedReads.list_policies, "policyId", "policyName"),
		oauthProviders: toOauthProviders(users),
		tvcApps: toNamed(tvcApps, extendedReads.list_tvc_apps, "id", "name"),
		users: toUserNames(users),
		...expected,
		memory: lastApplied,
	};
	const times = answerTimes.filter((time) => time !== undefined);
	return { live, serverTimeMs: times.length === 0 ? undefined : Math.min(...times) };
}

/**
 * Returns what was read for more than this document as if it had been read for this one alone, so that both readings lead to
 * the same plan.
 */
export function narrowReading(desired: DesiredOrganization, live: LiveOrganization, reads: Reads): LiveOrganization {
	const wants = wantedReads(desired, reads);
	if (wants.users) return live;
	const unread = notRead(reads) as Known<never>;
	if (!live.userTags.known) return { ...live, users: unread };
	const userTags = live.userTags.value.map((tag) => ({ ...tag, members: unread }));
	return { ...live, users: unread, userTags: { known: true, value: userTags } };
}

/**
 * Queries an organization. `answerTimes` gets an element for each answer: the service's clock before it was asked, or
 * undefined if that is not known.
 */
function timeQueries(organizationId: string, reader: Reader, steadyNow?: () => number) {
	const answerTimes: (number | undefined)[] = [];
	const query: QueryFunction = async (operation, fields = {}) => {
		const startedAtMs = steadyNow?.();
		const { value, serverTimeMs } = await reader.query(operation, { organizationId, ...fields });
		const isTimed = serverTimeMs !== undefined && steadyNow !== undefined && startedAtMs !== undefined;
		answerTimes.push(isTimed ? serverTimeMs - Math.max(0, steadyNow() - startedAtMs) : undefined);
		return value;
	};
	return { query, answerTimes };
}

/** Which of the whole-organization reads the document needs: requests are the cost (docs/service.md#rates-and-limits). */
function wantedReads(desired: DesiredOrganization, reads: Reads) {
	const auto = reads === "auto";
	const managesMembers = desired.readsMembers === true || desired.userTags.some(({ members }) => members !== undefined);
	return {
		userTags: desired.userTags.length > 0,
		users: auto && (managesMembers || desired.absent.oauthProviders.length > 0),
		policies: auto && desired.absent.policyIds.length > 0,
		tvcApps: auto && desired.absent.tvcAppIds.length > 0,
	};
}

function notRead(reads: Reads): Known<LiveRecord> {
	const because =
		reads === "documented"
			? "the eight documented queries do not show it, and extended reads are off"
			: "the document does not need it";
	return { known: false, because };
}

/** How the objects of a kind are read that a document expects. */
interface ExpectedRead<T> {
	/** Returns the keys that are read; each is read once, however often it occurs. */
	readonly keys: (desired: DesiredOrganization) => readonly string[];
	readonly read: (key: string, query: QueryFunction, desired: DesiredOrganization) => Promise<Known<T>>;
}

type ExpectedName = "sessionProfiles" | "mfaPolicies" | "bootProofs" | "supportedAssets";

type Expected = Pick<LiveOrganization, ExpectedName>;

const expectedReads: {
	readonly [N in ExpectedName]: ExpectedRead<Extract<Expected[N][string], { known: true }>["value"]>;
} = {
	sessionProfiles: {
		keys: ({ expect }) => expect.sessionProfiles.map(({ id }) => id),
		read: (sessionProfileId, query) => queryObject(query, queries.get_session_profile, { sessionProfileId }),
	},
	mfaPolicies: {
		keys: ({ expect }) => expect.mfaPolicies.map(({ userId }) => userId),
		read: readMfaPolicies,
	},
	bootProofs: {
		keys: ({ expect }) => expect.bootProofs.map(({ appId }) => appId),
		read: (appName, query) => queryObject(query, queries.get_latest_boot_proof, { appName }),
	},
	supportedAssets: {
		keys: ({ expect }) => expect.supportedAssets.map(({ caip2 }) => caip2),
		read: (caip2, query) => queryList(query, queries.list_supported_assets, { caip2 }),
	},
};

/** Reads one policy if the document expects only that one of the user, by its id; otherwise all of the user. */
async function readMfaPolicies(
	userId: string,
	query: QueryFunction,
	{ expect }: DesiredOrganization,
): Promise<Known<readonly LiveRecord[]>> {
	const [first, ...others] = expect.mfaPolicies.filter((one) => one.userId === userId);
	const mfaPolicyId = others.length === 0 ? first?.id : undefined;
	if (mfaPolicyId === undefined) return queryList(query, queries.get_mfa_policies, { userId });
	const found = await queryObject(query, queries.get_mfa_policy, { userId, mfaPolicyId });
	return found.known ? { known: true, value: found.value === null ? [] : [found.value] } : found;
}

async function readExpected(desired: DesiredOrganization, query: QueryFunction): Promise<Expected> {
	const readKind = async ([name, { keys, read }]: [string, ExpectedRead<unknown>]) => {
		const all = [...new Set(keys(desired))];
		const found = await awaitAll(all.map((key) => read(key, query, desired)));
		return [name, Object.fromEntries(all.map((key, index) => [key, found[index]]))] as const;
	};
	return Object.fromEntries(await awaitAll(Object.entries(expectedReads).map(readKind))) as unknown as Expected;
}
