/** Judges rules about credentials: what surely breaks one. Login sessions, expired keys and anchors break none. */
import { mapKnown, type NotRead } from "../../policy/access.ts";
import { type ApiKey, anchorOf, keysAt, type UserCredentials } from "../../policy/credentials.ts";
import { sensitiveGroups } from "../../policy/powers/groups.ts";
import { findPower } from "../../policy/powers/powers.ts";
import { prepareAccess } from "../../policy/powers/prepare.ts";
import { isUndocumented, notRead, type Reason } from "../../policy/powers/reason.ts";
import { findSensitiveAlone } from "../../policy/powers/sensitive.ts";
import type { Known } from "../organization.ts";
import type { Step } from "../step.ts";
import type { ExceptedUsers } from "./credential-check.ts";
import type { RulePowers } from "./powers.ts";
import { type Breach, factsOf, joinFacts, keptFacts, type RuleFacts, type RuleOf } from "./rules.ts";
import { membersOf, type NamedTags } from "./tags.ts";

type CredentialRule = RuleOf<"credentials">;

interface CredentialFacts {
	readonly credentials: Known<readonly UserCredentials[]>;
	readonly powers: RulePowers;
	readonly tags: NamedTags;
}

export function judgeCredentials(rule: CredentialRule, { credentials, powers, tags }: CredentialFacts): RuleFacts {
	return factsOf(credentials, (users) => {
		if (rule.check === "sensitiveNeedsAuthenticator") return judgeSensitive(users, powers);
		const excepted = "except" in rule ? exceptedBy(rule.except, tags) : { userIds: new Set<string>(), doubt: null };
		const judged = users
			.filter(({ id }) => !excepted.userIds.has(id))
			.map((user) => judgeUser(user, rule, powers.atMs));
		const found = joinFacts(judged);
		// A user of an unknown tag may be excepted.
		return excepted.doubt !== null && found.breaches.length > 0 ? { breaches: [], unknown: excepted.doubt } : found;
	});
}

/** Returns the excepted users, and why there may be more; null where all are known. A tag that does not exist excepts none. */
function exceptedBy({ userIds, userTags }: ExceptedUsers, tags: NamedTags) {
	const members = userTags.filter((name) => !isMissing(name, tags)).map((name) => membersOf(name, tags));
	const unknown = members.find((one) => !one.known);
	return {
		userIds: new Set([...userIds, ...members.flatMap((one) => (one.known ? one.value : []))]),
		doubt: unknown === undefined || unknown.known ? null : notRead(unknown.because),
	};
}

function isMissing(name: string, tags: NamedTags): boolean {
	const tag = tags.get(name);
	return tag?.known === true && tag.value === null;
}

type UserRule = Exclude<CredentialRule, { readonly check: "sensitiveNeedsAuthenticator" }>;

function judgeUser(user: UserCredentials, rule: UserRule, atMs: number): RuleFacts {
	switch (rule.check) {
		case "maxKeyAge":
			return judgeKeys(user, atMs, ({ createdAtMs }) =>
				createdAtMs === null ? "creation" : createdAtMs + rule.maxMs < atMs,
			);
		case "keysExpire":
			return judgeKeys(user, atMs, ({ expiresAtMs }) =>
				expiresAtMs === null ? "expiry" : expiresAtMs === Number.POSITIVE_INFINITY,
			);
		case "issuers":
			return judgeIssuers(user, rule.issuers);
		case "notKeysOnly": {
			if (hasSome(user.authenticators) || hasSome(user.oauthProviders)) return keptFacts;
			const others = judgeKeys(user, atMs, () => true);
			const unread = [user.authenticators, user.oauthProviders].find((list) => !list.known);
			if (others.breaches.length === 0) return others;
			if (unread !== undefined && !unread.known) return unknownFor(unread.because);
			return { breaches: [breachOf(user, null)], unknown: null };
		}
	}
}

/** Returns the keys that break a rule, the anchor apart. `isBad`: or which part of the key says so, and is not shown. */
function judgeKeys(
	user: UserCredentials,
	atMs: number,
	isBad: (key: ApiKey) => boolean | "creation" | "expiry",
): RuleFacts {
	return factsOf(user.apiKeys, (apiKeys) => {
		const anchor = anchorOf(user);
		const judged = keysAt(apiKeys, atMs).map((key): RuleFacts => {
			const bad = isBad(key);
			if (bad === false || (anchor.known && anchor.value === key)) return keptFacts;
			if (bad !== true) return unknownFor(notShown(user, key, bad));
			if (!anchor.known && key.expiresAtMs === Number.POSITIVE_INFINITY) return unknownFor(anchor.because);
			const since = key.createdAtMs === null ? null : new Date(key.createdAtMs).toISOString();
			return { breaches: [breachOf(user, key, since)], unknown: null };
		});
		return joinFacts(judged);
	});
}

function judgeIssuers(user: UserCredentials, issuers: readonly string[]): RuleFacts {
	return factsOf(user.oauthProviders, (providers) =>
		joinFacts(
			providers.map((provider): RuleFacts => {
				const { issuer } = provider;
				if (issuer === null) return unknownFor(notShown(user, provider, "issuer"));
				return issuers.includes(issuer) ? keptFacts : { breaches: [breachOf(user, provider, issuer)], unknown: null };
			}),
		),
	);
}

/** Returns users without an authenticator who can do something sensitive alone, also only under a condition. */
function judgeSensitive(users: readonly UserCredentials[], { access, atMs }: RulePowers): RuleFacts {
	const prepared = prepareAccess(access, atMs);
	const found = [...sensitiveGroups.values()].map((group) => findPower(prepared, group));
	const { always, conditional } = findSensitiveAlone(found);
	const doubt = found.find(({ unknown }) => unknown !== null && !isUndocumented(unknown))?.unknown ?? null;
	return joinFacts(
		users.map((user): RuleFacts => {
			const { id, authenticators } = user;
			if (hasSome(authenticators)) return keptFacts;
			if (!always.has(id) && !conditional.has(id)) return { breaches: [], unknown: doubt };
			return factsOf(authenticators, () => ({ breaches: [breachOf(user, null)], unknown: null }));
		}),
	);
}

function hasSome(list: Known<readonly unknown[]>): boolean {
	return list.known && list.value.length > 0;
}

interface Named {
	readonly id: string | null;
	readonly name: string;
}

const nameOf = ({ id, name }: Named): string => name || id || "a credential without a name";

function breachOf({ id }: UserCredentials, one: Named | null, detail: string | null = null): Breach {
	return { what: "credential", userIds: [id], credential: one === null ? null : nameOf(one), detail };
}

function notShown({ id }: UserCredentials, one: Named, part: "creation" | "expiry" | "issuer"): NotRead {
	return { kind: "credential-part-not-shown", part, name: nameOf(one), userId: id };
}

function unknownFor(why: NotRead): { readonly breaches: readonly []; readonly unknown: Reason } {
	return { breaches: [], unknown: notRead(why) };
}

/** Returns the credentials once these steps have completed: they remove OAuth providers. */
export function credentialsAfter(
	credentials: Known<readonly UserCredentials[]>,
	steps: readonly Step[],
): Known<readonly UserCredentials[]> {
	const removed = new Set<string | null>(
		steps.flatMap((step) => (step.operation === "delete_oauth_providers" ? step.parameters.providerIds : [])),
	);
	const left = (user: UserCredentials): UserCredentials => ({
		...user,
		oauthProviders: mapKnown(user.oauthProviders, (all) => all.filter(({ id }) => !removed.has(id))),
	});
	return removed.size === 0 ? credentials : mapKnown(credentials, (users) => users.map(left));
}
