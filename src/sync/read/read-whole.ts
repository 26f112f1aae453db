/** Reads the whole organization for `export`, as far as one key can. What cannot be read is unknown, never empty. */
import {
	emptyLastApplied,
	type Known,
	type LiveOrganization,
	type LiveRecord,
	type LiveUser,
	type WholeOrganization,
} from "../../plan/organization.ts";
import type { Reads } from "../../plan/plan.ts";
import { compareText } from "../../plan/value.ts";
import { mapKnown } from "../../policy/access.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads, type QueryOperation, queries } from "../../wire/operations.ts";
import { toLivePolicies } from "./access-objects.ts";
import { recordsOf, toId, toUserNames, toUserTags } from "./live-objects.ts";
import { awaitAll, type QueryFunction, queryIfAvailable, queryList } from "./live-queries.ts";
import { readRemovables } from "./read.ts";

/** Reads what the service has; with `"documented"` the user tags alone. Throws if `list_user_tags` fails. */
export async function readWholeOrganization(
	organizationId: string,
	reader: Reader,
	reads: Reads,
): Promise<WholeOrganization> {
	const query: QueryFunction = async (operation, fields = {}) =>
		(await reader.query(operation, { organizationId, ...fields })).value;
	const queryExtended = async (operation: QueryOperation): Promise<Known<LiveRecord>> =>
		reads === "auto" ? queryIfAvailable(query, operation) : notRead;
	const listTags = query(queries.list_user_tags);
	const listUsers = queryExtended(extendedReads.list_users);
	const listPolicies = queryExtended(extendedReads.list_policies);
	const [userTags, users, policies, removables, profiles] = await awaitAll([
		listTags,
		listUsers,
		listPolicies,
		readRemovables((kind, operation) => (kind === "policy" ? listPolicies : queryExtended(operation)), listUsers),
		queryExtended(extendedReads.get_session_profiles),
	] as const);
	const live: LiveOrganization = {
		organizationId,
		userTags: { known: true, value: toUserTags(userTags, users) },
		policies: policies.known ? toLivePolicies(policies.value) : policies,
		removables,
		users: toUserNames(users),
		records: {
			sessionProfile: toSessionProfiles(profiles),
			mfaPolicy: users.known ? await readMfaPolicies(users.value, query) : {},
		},
		lastApplied: emptyLastApplied,
	};
	return { live, users: toUsers(live.users), sessionProfilesKnown: profiles };
}

const notRead: Known<never> = { known: false, because: { kind: "extended-reads-off" } };

type Records = Readonly<Record<string, Known<readonly LiveRecord[]>>>;

function toUsers(names: LiveOrganization["users"]): Known<readonly LiveUser[]> {
	return mapKnown(names, (known) =>
		Object.entries(known)
			.map(([id, name]) => ({ id, name }))
			.sort((left, right) => compareText(left.id, right.id)),
	);
}

function toSessionProfiles(answer: Known<LiveRecord>): Records {
	if (!answer.known) return {};
	const profiles = recordsOf(answer.value, "sessionProfiles");
	return Object.fromEntries(profiles.map((one) => [toId(one.sessionProfileId), { known: true, value: [one] }]));
}

/** Reads the MFA policies of every user that `list_users` does not show (docs/internals/service.md#extended-reads): a query a user. */
async function readMfaPolicies(answer: LiveRecord, query: QueryFunction): Promise<Records> {
	const readOf = async (user: LiveRecord): Promise<readonly [string, Known<readonly LiveRecord[]>]> => {
		const userId = toId(user.userId);
		if (Array.isArray(user.mfaPolicies)) return [userId, { known: true, value: recordsOf(user, "mfaPolicies") }];
		return [userId, await queryList(query, queries.get_mfa_policies, { userId })];
	};
	return Object.fromEntries(await awaitAll(recordsOf(answer, "users").map(readOf)));
}
