/** `credentials`: who has which credentials in the live organizations of the documents. It has a Reader, so it cannot submit. */

import { defined, nonEmpty } from "../../common/defined.ts";
import { combineExitCodes, type ExitCode, exitCodes } from "../../common/errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { namedAs } from "../../plan/organization-name.ts";
import { namesOfUsers } from "../../plan/plan.ts";
import { brokenRules, describeRules, findRules, unreadRules } from "../../plan/rules/judge.ts";
import { digestOf } from "../../plan/value.ts";
import { unreadIn } from "../../policy/access.ts";
import {
	type ApiKey,
	anchorOf,
	type Credential,
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
import type { Flags } from "../flags/given-flags.ts";
import type { Call } from "../output/output.ts";
import { readEach } from "./read-each.ts";
import { findNamed, type NamingFlags } from "./selection.ts";

type CredentialsFlags = NamingFlags & ServiceFlags & Flags<"personal" | "concurrency">;

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
	const aliases = namesOfUsers(desired);
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
		unread: unreadIn({ users }),
	};
}

function describeUser(user: UserCredentials, head: Head, profiles: CredentialsReading["sessionProfiles"]): ShownUser {
	const { id: userId, apiKeys, authenticators, oauthProviders } = user;
	// A digest is of this organization: that of the same address elsewhere is another one.
	const hide = (text: string | null): string | null =>
		text === null || !head.isDigested ? text : digestOf({ organizationId: head.organizationId, text });
	const anchor = anchorOf(user);
	const describe = (kind: ShownCredential["kind"], one: Credential | ApiKey | OauthProvider): ShownCredential => {
		const common = { kind, id: one.id, name: one.name, createdAt: toIso(one.createdAtMs) };
		if ("issuer" in one) return { ...common, issuer: one.issuer, audience: one.audience, subject: hide(one.subject) };
		if (!("type" in one)) return common;
		const { type, expiresAtMs, sessionProfileId: id } = one;
		return {
			...{ ...common, kind: isSession(one) ? "session" : kind, type },
			expiresAt: expiresAtMs === Number.POSITIVE_INFINITY ? "never" : toIso(expiresAtMs),
			...(anchor.known && anchor.value === one ? { isAnchor: true } : {}),
			...(id === null ? {} : { sessionProfile: { id, name: profiles[id] ?? null } }),
		};
	};
	const lists = { apiKey: apiKeys, authenticator: authenticators, oauthProvider: oauthProviders } as const;
	const all = Object.entries(lists).flatMap(([kind, list]) =>
		list.known ? list.value.map((one) => describe(kind as keyof typeof lists, one)) : [],
	);
	return {
		...{ userId, email: hide(user.email), phoneNumber: hide(user.phoneNumber) },
		credentials: all.filter(({ kind }) => kind !== "session"),
		sessions: all.filter(({ kind }) => kind === "session"),
		unread: unreadIn({ "API keys": apiKeys, authenticators, "OAuth providers": oauthProviders }),
	};
}

const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
