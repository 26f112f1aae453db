/**
 * The whole organization, as far as one key can read it, for `export`: not what a document speaks of, but what there is.
 *
 * The rule it keeps: what could not be read is said aloud and is unknown, never empty. It is handed a Reader and cannot
 * change anything. Boot proofs and supported assets are not asked for: they change by themselves, and nobody decided them.
 */
import {
	emptyLastApplied,
	type Known,
	type LiveOrganization,
	type LiveRecord,
	type LiveUser,
	type WholeOrganization,
} from "../plan/organization.ts";
import type { Reads } from "../plan/plan.ts";
import { compareText } from "../plan/value.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads, type QueryOperation, queries } from "../wire/operations.ts";
import { stringOr, toUserNames, toUserTags } from "./live-values.ts";
import { awaitAll, type QueryFunction, queryIfAvailable, readRemovables, unknownIfUnavailable } from "./read.ts";

/**
 * What the service has: with `"documented"` the user tags alone, because no documented query shows more without an id.
 * Throws AuthenticationError, TransportError, and ServiceError where `list_user_tags` fails.
 */
export async function readWholeOrganization(
	organizationId: string,
	reader: Reader,
	reads: Reads,
): Promise<WholeOrganization> {
	const ask: QueryFunction = async (operation, fields = {}) =>
		(await reader.query(operation, { organizationId, ...fields })).value;
	const askExtended = async (operation: QueryOperation): Promise<Known<LiveRecord>> =>
		reads === "auto" ? queryIfAvailable(ask, operation) : notAsked;
	const listTags = ask(queries.list_user_tags);
	const listUsers = askExtended(extendedReads.list_users);
	const [userTags, users, removables, profiles] = await awaitAll([
		listTags,
		listUsers,
		readRemovables((_kind, operation) => askExtended(operation), listUsers),
		askExtended(extendedReads.get_session_profiles),
	] as const);
	const live: LiveOrganization = {
		organizationId,
		userTags: { known: true, value: toUserTags(userTags, users) },
		removables,
		users: toUserNames(users),
		records: {
			sessionProfile: toSessionProfiles(profiles),
			mfaPolicy: users.known ? await readMfaPolicies(users.value, ask) : {},
		},
		lastApplied: emptyLastApplied,
	};
	return { live, users: toUsers(users), sessionProfilesKnown: profiles };
}

const notAsked: Known<never> = {
	known: false,
	because: "the eight documented queries do not list them, and extended reads are off",
};

type Records = Readonly<Record<string, Known<readonly LiveRecord[]>>>;

function recordsOf(answer: LiveRecord, list: string): readonly LiveRecord[] {
	return (answer[list] ?? []) as readonly LiveRecord[];
}

function toUsers(users: Known<LiveRecord>): Known<readonly LiveUser[]> {
	if (!users.known) return users;
	const value = recordsOf(users.value, "users").map((user) => ({
		id: String(user.userId).toLowerCase(),
		name: stringOr(user.userName, ""),
	}));
	return { known: true, value: value.sort((left, right) => compareText(left.id, right.id)) };
}

function toSessionProfiles(answer: Known<LiveRecord>): Records {
	if (!answer.known) return {};
	return Object.fromEntries(
		recordsOf(answer.value, "sessionProfiles").map((profile) => [
			String(profile.sessionProfileId).toLowerCase(),
			{ known: true, value: [profile] } as const,
		]),
	);
}

/** The MFA policies of every user: those that `list_users` shows (docs/service.md#extended-reads), else one query a user. */
async function readMfaPolicies(users: LiveRecord, ask: QueryFunction): Promise<Records> {
	const operation = queries.get_mfa_policies;
	const found = await awaitAll(
		recordsOf(users, "users").map(async (user): Promise<readonly [string, Known<readonly LiveRecord[]>]> => {
			const userId = String(user.userId).toLowerCase();
			if (Array.isArray(user.mfaPolicies)) return [userId, { known: true, value: user.mfaPolicies as LiveRecord[] }];
			const policies = await unknownIfUnavailable(
				async () => recordsOf(await ask(operation, { userId }), "mfaPolicies"),
				operation,
			);
			return [userId, policies];
		}),
	);
	return Object.fromEntries(found);
}
