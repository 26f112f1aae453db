/** Reads the whole organization for `export`, as far as one key can. What cannot be read is unknown, never empty. */
import { removalKindNames } from "../../plan/kinds/names.ts";
import {
	emptyLastApplied,
	type Known,
	type LiveOrganization,
	type LiveRecord,
	type Named,
	type WholeOrganization,
} from "../../plan/organization.ts";
import type { Reads } from "../../plan/plan.ts";
import { compareText } from "../../plan/value.ts";
import { mapKnown } from "../../policy/access.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads, queries } from "../../wire/operations.ts";
import { recordsOf, toId } from "./live-objects.ts";
import { awaitAll, type QueryFunction, queryIfAvailable, queryList } from "./live-queries.ts";
import { notRead, readWanted, timeQueries } from "./read.ts";

/** Reads what the service has; with `"documented"` the user tags alone. Throws if `list_user_tags` fails. */
export async function readWholeOrganization(
	organizationId: string,
	reader: Reader,
	reads: Reads,
): Promise<WholeOrganization> {
	const { query } = timeQueries(organizationId, reader);
	const auto = reads === "auto";
	const wants = { userTags: true, users: auto, policies: true, removables: new Set(auto ? removalKindNames : []) };
	const [{ changeable, users }, profiles] = await awaitAll([
		readWanted(wants, query, reads),
		auto ? queryIfAvailable(query, extendedReads.get_session_profiles) : notRead(reads),
	] as const);
	const live: LiveOrganization = {
		organizationId,
		...changeable,
		records: {
			sessionProfile: toSessionProfiles(profiles),
			mfaPolicy: users.known ? await readMfaPolicies(users.value, query) : {},
		},
		lastApplied: emptyLastApplied,
	};
	return { live, users: toUsers(live.users), sessionProfilesKnown: profiles };
}

type Records = Readonly<Record<string, Known<readonly LiveRecord[]>>>;

function toUsers(names: LiveOrganization["users"]): Known<readonly Named[]> {
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
