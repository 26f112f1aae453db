/** The organizations of one case, with the users, tags and policies that its clients write. */
import { createHash } from "node:crypto";
import { credentialId, keys as passkeys } from "../../emulator/world.ts";
import { makeKey } from "../../keys.ts";
import { Ledger, Versioned } from "./ledger.ts";

export const keys = { alice: makeKey(), bob: makeKey() };

export interface LoadTag {
	readonly tagId: string;
	readonly name: Versioned;
}

export interface LoadOrganization {
	readonly organizationId: string;
	readonly users: readonly [alice: string, bob: string, carol: string];
	readonly tags: readonly LoadTag[];
	/** Each with notes that have versions. */
	readonly policies: readonly { readonly policyId: string; readonly notes: Versioned }[];
	readonly ledger: Ledger;
	/** The signature counter of the last answered request with the passkey. */
	signCount: number;
	/** In the form of a seed. */
	readonly seed: object;
}

/** A UUID that follows from its parts. */
function uuid(...parts: readonly (string | number)[]): string {
	const hex = createHash("sha256").update(parts.join("/")).digest("hex");
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The members of a tag at a version: they follow from it, so that half a change is seen. */
export function membersAt({ users }: Pick<LoadOrganization, "users">, version: number): readonly string[] {
	return users.filter((_user, index) => (version & (1 << index)) !== 0);
}

/** When a change of a tag takes effect: at once, after a second vote, or after this many milliseconds. */
type Effect = "at once" | "after a vote" | { readonly pendingMs: number };

const updateTag = "ACTIVITY_TYPE_UPDATE_USER_TAG";

function rulesFor(effect: Effect): object {
	if (effect === "at once") return {};
	if (effect === "after a vote") return { rules: { approvals: { [updateTag]: 2 } } };
	return { rules: { pendingMs: { [updateTag]: effect.pendingMs } } };
}

/** Returns an organization with so many tags and policies. */
function makeOrganization(
	run: string,
	name: string,
	counts: { readonly tags: number; readonly policies: number },
	effect: Effect,
): LoadOrganization {
	const organizationId = uuid(run, name);
	const users = [uuid(run, name, "alice"), uuid(run, name, "bob"), uuid(run, name, "carol")] as const;
	const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
	const tags = numbers(counts.tags).map((index) => ({
		tagId: uuid(run, name, "tag", index),
		name: new Versioned(`${name} tag ${index}`),
	}));
	const policies = numbers(counts.policies).map((index) => ({
		policyId: uuid(run, name, "policy", index),
		notes: new Versioned(`${name} policy ${index}`),
	}));
	const seed = {
		organizationId,
		organizationName: `${run} ${name}`,
		users: [
			{ userId: users[0], userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] },
			{ userId: users[1], userName: "bob", apiKeys: [{ publicKey: keys.bob.publicKey }] },
			{
				userId: users[2],
				userName: "carol",
				authenticators: [{ credentialId, publicKey: passkeys.passkey.publicKey }],
			},
		],
		userTags: tags.map((tag) => ({ tagId: tag.tagId, tagName: tag.name.textOf(0) })),
		...(policies.length === 0 ? {} : { rootQuorum: { threshold: 1, userIds: users.slice(0, 1) } }),
		policies: policies.map(({ policyId, notes }) => ({ policyId, policyName: notes.label, notes: notes.textOf(0) })),
		...rulesFor(effect),
	};
	return { organizationId, users, tags, policies, ledger: new Ledger(), signCount: 0, seed };
}

export interface LoadWorld {
	/** Their tags change at once. */
	readonly written: readonly LoadOrganization[];
	/** Its tags change after a second vote. */
	readonly voted: LoadOrganization;
	/** Its tags change a moment after the answer. */
	readonly delayed: LoadOrganization;
	/** Its policies change under /emulator/. */
	readonly controlled: LoadOrganization;
	readonly all: readonly LoadOrganization[];
}

export const clientCounts = {
	writers: 36,
	delayed: 4,
	readers: 9,
	voters: 8,
	controllers: 2,
	passkeys: 1,
	rough: 4,
} as const;
const writtenOrganizations = 4;

export function makeLoadWorld(run: string): LoadWorld {
	const tags = clientCounts.writers / writtenOrganizations;
	const written = Array.from({ length: writtenOrganizations }, (_, index) =>
		makeOrganization(run, `written ${index}`, { tags, policies: 0 }, "at once"),
	);
	const voted = makeOrganization(run, "voted", { tags: clientCounts.voters, policies: 0 }, "after a vote");
	const delayed = makeOrganization(run, "delayed", { tags: clientCounts.delayed, policies: 0 }, { pendingMs: 20 });
	const controlled = makeOrganization(run, "controlled", { tags: 0, policies: clientCounts.controllers }, "at once");
	return { written, voted, delayed, controlled, all: [...written, voted, delayed, controlled] };
}

/** What `GET /emulator/state` answers of one organization, as far as it is compared. */
export interface ShownState {
	readonly organization: {
		readonly userTags?: readonly { tagId: string; tagName: string; userIds: readonly string[] }[];
		readonly policies?: readonly { policyId: string; notes: string; condition: string }[];
	};
	readonly activities: readonly Parameters<Ledger["answer"]>[0][];
}

/** The condition that a policy has at a version. */
export function conditionAt(version: number): string {
	return version === 0 ? "" : `activity.resource == '${version}'`;
}

/** Throws unless the organization has everything that was answered, and of each change in flight all or nothing. */
export function checkOrganization(organization: LoadOrganization, state: ShownState, where: string): void {
	const stored = organization.ledger.check(state.activities, where);
	for (const tag of organization.tags) {
		const { name } = tag;
		const shown = state.organization.userTags?.find(({ tagId }) => tagId === tag.tagId);
		const version = name.see(shown?.tagName, name.floor(), where);
		const members = [...(shown?.userIds ?? [])].sort().join();
		if (members !== [...membersAt(organization, version)].sort().join()) {
			throw new Error(`${where}: ${name.textOf(version)} has the members of another version: ${members}`);
		}
		if (name.sent === name.answered || name.fingerprint === undefined) continue;
		const hasActivity = stored.has(name.fingerprint);
		if (hasActivity !== (version === name.sent)) {
			throw new Error(
				`${where}: ${name.textOf(name.sent)} was in flight; its activity is ${hasActivity ? "there" : "missing"}, and the tag is "${shown?.tagName}"`,
			);
		}
	}
	for (const { policyId, notes } of organization.policies) {
		const shown = state.organization.policies?.find((policy) => policy.policyId === policyId);
		const version = notes.see(shown?.notes, notes.floor(), where);
		if (shown?.condition !== conditionAt(version)) {
			throw new Error(`${where}: ${notes.textOf(version)} has the condition of another version: ${shown?.condition}`);
		}
	}
}
