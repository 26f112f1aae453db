/** `credentials`: who has which credentials in the live organizations of the documents. It has a Reader, so it cannot submit. */
import { defined, nonEmpty } from "../../common/defined.ts";
import { combineExitCodes, type ExitCode, exitCodes } from "../../common/errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { namedAs } from "../../plan/organization-name.ts";
import { namesOfUsers } from "../../plan/plan.ts";
import { brokenRules, describeRules, findRules, unreadRules } from "../../plan/rules/judge.ts";
import { digestOf } from "../../plan/value.ts";
import type { Known } from "../../policy/access.ts";
import {
	type ApiKey,
	anchorOf,
	isSession,
	type OauthProvider,
	type UserCredentials,
} from "../../policy/credentials.ts";
import { resultHead } from "../../render/result/head.ts";
import type {
	CredentialsResult,
	OrganizationCredentials,
	ShownCredential,
	ShownUser,
} from "../../render/result/organization-credentials.ts";
import type { CredentialsReading } from "../../sync/read/read-access.ts";
import type { ServiceFlags } from "../connect.ts";
import type { Call } from "../output/output.ts";
import { readEach } from "./read-each.ts";
import { findNamed, type NamingFlags } from "./selection.ts";

interface CredentialsFlags extends NamingFlags, ServiceFlags {
	readonly personal?: boolean;
	readonly concurrency: number;
}

/** Returns the credentials of every organization: exit 2 where a rule of the document about them is broken, 1 where users cannot be read or a rule is unknown. */
export async function credentials(call: Call<CredentialsFlags>): Promise<CredentialsResult> {
	const { readCredentials } = await import("../../sync/read/read-access.ts");
	const isDigested = call.flags.personal !== true;
	const organizations = (await readEach(await findNamed(call), call, readCredentials)).map(
		({ desired, reading, ...named }) => describe(reading, { ...namedAs(named), isDigested }, desired),
	);
	return { ...resultHead("credentials", combineExitCodes(organizations.map(exitCodeOf)), null), organizations };
}

/** As of `drift`: what is surely broken counts more than what is unknown. */
function exitCodeOf(one: OrganizationCredentials): ExitCode {
	if (brokenRules(one).length > 0) return exitCodes.changes;
	const isUnknown = one.unread.length > 0 || unreadRules(one.rules ?? []).length > 0;
	return isUnknown ? exitCodes.error : exitCodes.inSync;
}

type Head = Pick<OrganizationCredentials, "organizationId" | "organizationName" | "isDigested">;

function describe(
	{ credentials: users, userNames, userTags, access, sessionProfiles, atMs }: CredentialsReading,
	head: Head,
	desired: DesiredOrganization | undefined,
): OrganizationCredentials {
	const aliases = desired === undefined ? {} : namesOfUsers(desired);
	const names = userNames.known ? userNames.value : undefined;
	const rules = (desired?.rules ?? []).filter(({ rule }) => rule === "credentials");
	const live = { userTags: { known: true, value: userTags } } as const;
	const found = findRules(rules, { live, steps: [], access, credentials: users, consequences: {}, atMs });
	return {
		...head,
		at: new Date(atMs).toISOString(),
		userNames: { ...names, ...aliases },
		...defined({ liveNames: names }),
		users: users.known ? users.value.map((user) => describeUser(user, head, sessionProfiles)) : [],
		...defined({ rules: nonEmpty(describeRules(found, { userNames: aliases, ...defined({ liveNames: names }) })) }),
		unread: users.known ? [] : [{ what: "users", because: users.because }],
	};
}

function describeUser(user: UserCredentials, head: Head, profiles: CredentialsReading["sessionProfiles"]): ShownUser {
	const { apiKeys, authenticators, oauthProviders } = user;
	const hide = (text: string | null) => hidden(text, head);
	const anchor = anchorOf(user);
	const keys = valuesOf(apiKeys).map((key): ShownCredential => {
		const { sessionProfileId: id } = key;
		const sessionProfile = id === null ? undefined : { id, name: profiles[id] ?? null };
		const isAnchor = anchor.known && anchor.value === key ? (true as const) : undefined;
		return { ...describeKey(key), ...defined({ isAnchor, sessionProfile }) };
	});
	return {
		userId: user.id,
		email: hide(user.email),
		phoneNumber: hide(user.phoneNumber),
		credentials: [
			...keys.filter(({ kind }) => kind === "apiKey"),
			...valuesOf(authenticators).map((one) => describeCommon("authenticator", one)),
			...valuesOf(oauthProviders).map((one) => ({
				...describeCommon("oauthProvider", one),
				...{ issuer: one.issuer, audience: one.audience, subject: hide(one.subject) },
			})),
		],
		sessions: keys.filter(({ kind }) => kind === "session"),
		unread: Object.entries({ "API keys": apiKeys, authenticators, "OAuth providers": oauthProviders }).flatMap(
			([what, list]) => (list.known ? [] : [{ what, because: list.because }]),
		),
	};
}

const valuesOf = <T>(list: Known<readonly T[]>): readonly T[] => (list.known ? list.value : []);

function describeKey(key: ApiKey): ShownCredential {
	const { type, expiresAtMs } = key;
	const expiresAt = expiresAtMs === Number.POSITIVE_INFINITY ? "never" : toIso(expiresAtMs);
	return { ...describeCommon(isSession(key) ? "session" : "apiKey", key), type, expiresAt };
}

function describeCommon(
	kind: ShownCredential["kind"],
	{ id, name, createdAtMs }: Pick<OauthProvider, "id" | "name" | "createdAtMs">,
): ShownCredential {
	return { kind, id, name, createdAt: toIso(createdAtMs) };
}

const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** A digest is of this organization: that of the same address elsewhere is another one. */
function hidden(text: string | null, { organizationId, isDigested }: Head): string | null {
	return text === null || !isDigested ? text : digestOf({ organizationId, text });
}
