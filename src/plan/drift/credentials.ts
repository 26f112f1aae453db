/** Credentials that are new since the last report (docs/drift.md#new-credentials). Login sessions and anchors are left out. */
import type { AccessState, Known } from "../../policy/access.ts";
import { anchorOf, isSession, type UserCredentials } from "../../policy/credentials.ts";
import { printGroups } from "../../policy/powers/groups.ts";
import { findPowers } from "../../policy/powers/powers.ts";
import { narrowToUser } from "../../policy/powers/select-powers.ts";
import type { DesiredOrganization } from "../organization.ts";
import type { Attribution } from "./attribution.ts";

export interface AddedCredential {
	/** As in `seen`. */
	readonly key: string;
	readonly userId: string;
	readonly kind: "apiKey" | "authenticator" | "oauthProvider";
	readonly id: string;
	readonly name: string;
	/** What a protected user, and so the holder of the credential, can do, as groups; null for other users. */
	readonly escalation: { readonly alone: readonly string[]; readonly together: readonly string[] } | null;
	readonly by: Attribution | null;
}

export interface CredentialNews {
	/** `USER/KIND/ID` of each, sorted by user: the next report compares with it. */
	readonly seen: readonly string[];
	/** Empty without an earlier report that has `seen`. */
	readonly added: readonly AddedCredential[];
}

interface Reading {
	readonly credentials: Known<readonly UserCredentials[]>;
	readonly access: AccessState;
	/** Milliseconds since 1970. */
	readonly atMs: number;
}

export const hasCredentialRules = ({ rules = [] }: Pick<DesiredOrganization, "rules">): boolean =>
	rules.some(({ rule }) => rule === "credentials");

/** Returns what is new, of all users only with rules about credentials; what could not be read stays as the last report has it. */
export function findNewCredentials(
	{ credentials, access, atMs }: Reading,
	desired: Pick<DesiredOrganization, "protect" | "rules">,
	earlier: CredentialNews | undefined,
): CredentialNews {
	const before = new Set(earlier?.seen);
	if (!credentials.known) return { seen: [...before], added: [] };
	const isProtected = ({ userId }: { readonly userId: string }): boolean => desired.protect.userIds.includes(userId);
	const isAsked = hasCredentialRules(desired) ? () => true : isProtected;
	// All are seen, so that one of a user who is protected later is not new then.
	const all = credentials.value.flatMap((user) => listOf(user, before));
	const fresh = all
		.flatMap(({ key, found }) => (found === null || earlier === undefined || before.has(key) ? [] : found))
		.filter(isAsked);
	const powers = fresh.some(isProtected) ? findPowers(access, atMs) : [];
	const escalationOf = (userId: string): AddedCredential["escalation"] => {
		if (!isProtected({ userId })) return null;
		const own = narrowToUser(powers, userId);
		const print = (some: typeof own): readonly string[] => printGroups(some.map(({ group }) => group));
		const others = own.filter((one) => one.alone.length === 0);
		return {
			alone: print(own.filter((one) => one.alone.length > 0)),
			together: print(others.filter((one) => one.thresholds.length > 0)),
		};
	};
	return {
		seen: all.map(({ key }) => key),
		added: fresh.map((one) => ({ ...one, escalation: escalationOf(one.userId), by: null })),
	};
}

/** Returns the credentials of a user that have an id; `found` is null for an anchor, and for what is kept because it was not read. */
function listOf(user: UserCredentials, before: ReadonlySet<string>) {
	const { id: userId, apiKeys, authenticators, oauthProviders } = user;
	const anchor = anchorOf(user);
	return Object.entries({
		apiKey: apiKeys,
		authenticator: authenticators,
		oauthProvider: oauthProviders,
	} as const).flatMap(([name, list]) => {
		const kind = name as AddedCredential["kind"];
		const begin = `${userId}/${kind}/`;
		if (!list.known) return [...before].filter((key) => key.startsWith(begin)).map((key) => ({ key, found: null }));
		return list.value.flatMap((one) => {
			if (one.id === null || ("type" in one && isSession(one))) return [];
			const key = `${begin}${one.id}`;
			const isAnchor = anchor.known && anchor.value === one;
			return [{ key, found: isAnchor ? null : { key, userId, kind, id: one.id, name: one.name } }];
		});
	});
}
