/** The organizations of a soak: their documents, what outsiders change in them, and when an activity has no cause. */
import { randomUUID } from "node:crypto";
import type { TestKey } from "../../keys.ts";

const uuid = (kind: string, organization: number, number: number): string =>
	`${kind}0000000-0000-4000-8000-0000000${organization}000${number}`;

export interface SoakOrganization {
	readonly name: string;
	readonly organizationId: string;
	readonly users: readonly [alice: string, bob: string, carol: string];
	readonly tags: readonly [signers: string, oncall: string];
	/** A tag of all users that is not in the document: a guard keeps users from removing their own last tag. */
	readonly everyone: string;
	/** Whether a change of a tag needs two votes. */
	readonly needsVotes: boolean;
}

export function soakOrganization(number: number, name: string, needsVotes: boolean): SoakOrganization {
	return {
		name,
		organizationId: uuid("0", number, 1),
		users: [uuid("a", number, 1), uuid("a", number, 2), uuid("a", number, 3)],
		tags: [uuid("7", number, 1), uuid("7", number, 2)],
		everyone: uuid("7", number, 3),
		needsVotes,
	};
}

/** The organization as it is in sync, in the form of a seed. */
export function seedOf(organization: SoakOrganization, keys: readonly [TestKey, TestKey]): object {
	const { organizationId, name, users, tags, everyone, needsVotes } = organization;
	const [alice, bob, carol] = users;
	return {
		organizationId,
		organizationName: name,
		users: [
			{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys[0].publicKey }] },
			{ userId: bob, userName: "bob", apiKeys: [{ publicKey: keys[1].publicKey }] },
			{ userId: carol, userName: "carol" },
		],
		userTags: [
			{ tagId: tags[0], tagName: "signers", userIds: [alice, bob] },
			{ tagId: tags[1], tagName: "oncall", userIds: [carol] },
			{ tagId: everyone, tagName: "everyone", userIds: users },
		],
		rootQuorum: { threshold: 1, userIds: [alice] },
		...(needsVotes ? { rules: { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } } } : {}),
	};
}

/** The document, with the policies that outsiders have made so far among what must be absent. */
export function documentOf({ organizationId, users, tags }: SoakOrganization, policies: readonly string[]): string {
	const [alice, bob, carol] = users;
	return [
		`organizationId: ${organizationId}`,
		`users: { alice: ${alice}, bob: ${bob}, carol: ${carol} }`,
		"userTags:",
		`  - { name: signers, id: ${tags[0]}, members: { exactly: [alice, bob] } }`,
		`  - { name: oncall, id: ${tags[1]}, members: { exactly: [carol] } }`,
		`absent: { policies: [${policies.join(", ")}] }`,
		"limits: { memberRemovals: 100%, policies: 100 }",
		"",
	].join("\n");
}

export interface OutsideChange {
	/** For `POST /emulator/state`. */
	readonly patch: Readonly<Record<string, unknown>>;
	/** The objects that it changes. */
	readonly objects: readonly string[];
	/** A new policy, which the document has to name. */
	readonly policyId?: string;
}

/** Returns a change that takes an organization out of sync. `round` makes its names new. */
export function outsideChange(
	{ organizationId, users, tags }: SoakOrganization,
	random: () => number,
	round: number,
): OutsideChange {
	const kind = Math.floor(random() * 4);
	const [alice, bob, carol] = users;
	if (kind === 0) {
		const policyId = randomUUID();
		const policies = [{ policyId, policyName: `policy of round ${round}`, consensus: "false" }];
		return { patch: { organizationId, policies }, objects: [policyId], policyId };
	}
	const [tagId, tagName, members] =
		kind === 1
			? [tags[0], `signatories ${round}`, [alice, bob]]
			: kind === 2
				? [tags[1], "oncall", [carol, round % 2 === 0 ? alice : bob]]
				: [tags[0], "signers", [alice, carol]];
	return { patch: { organizationId, userTags: [{ tagId, tagName, userIds: members }] }, objects: [tagId] };
}

/** What `GET /emulator/state` answers of an organization, as far as it is looked at. */
export interface SoakState {
	readonly organization: {
		readonly userTags: readonly { tagId: string; tagName: string; userIds: readonly string[] }[];
		readonly policies?: readonly { policyId: string }[];
	};
	readonly activities: readonly SoakActivity[];
}

export interface SoakActivity {
	readonly id: string;
	readonly status: string;
	readonly timestampMs: string;
	readonly intent: Readonly<Record<string, { readonly userTagId?: string; readonly policyIds?: readonly string[] }>>;
}

const isPending = ({ status }: SoakActivity): boolean => status === "ACTIVITY_STATUS_CONSENSUS_NEEDED";

export function hasPending({ activities }: SoakState): boolean {
	return activities.some(isPending);
}

/** The objects that an activity changes. */
function objectsOf({ intent }: SoakActivity): readonly string[] {
	return Object.values(intent).flatMap(({ userTagId, policyIds = [] }) => [userTagId ?? [], policyIds].flat());
}

/** Throws unless the organization is as its document has it, and nothing is pending. */
export function expectInSync(organization: SoakOrganization, { organization: live, activities }: SoakState): void {
	const [alice, bob, carol] = organization.users;
	const managed = live.userTags.filter(({ tagId }) => organization.tags.includes(tagId));
	const shown = managed.map(({ tagName, userIds }) => `${tagName}: ${[...userIds].sort().join()}`).sort();
	const desired = [`oncall: ${carol}`, `signers: ${[alice, bob].sort().join()}`];
	if (shown.join("; ") !== desired.join("; ")) {
		throw new Error(`${organization.name} is not in sync: ${shown.join("; ")}; desired: ${desired.join("; ")}`);
	}
	const left = live.policies ?? [];
	if (left.length > 0) throw new Error(`${organization.name} still has the policies ${JSON.stringify(left)}`);
	const pending = activities.filter(isPending);
	if (pending.length > 0)
		throw new Error(`${organization.name} still has pending activities: ${JSON.stringify(pending)}`);
}

/** Which outside change each activity answers: an activity without one is a duplicate. */
export class Causes {
	/** Completed activities of earlier checks. */
	readonly #seen = new Set<string>();
	/** Objects that outsiders changed since the organization was in sync. */
	readonly #open = new Set<string>();

	/** Notes an outside change of these objects. Returns false for an object that waits for an activity already. */
	add(objects: readonly string[]): boolean {
		if (objects.some((object) => this.#open.has(object))) return false;
		for (const object of objects) this.#open.add(object);
		return true;
	}

	/**
	 * Throws if an object has more than one completed activity since the last check, or one that no outside change caused.
	 * Call it when the organization is in sync. Returns the number of activities.
	 */
	check({ name }: SoakOrganization, { activities }: SoakState): number {
		const fresh = activities.filter(({ id, status }) => status === "ACTIVITY_STATUS_COMPLETED" && !this.#seen.has(id));
		for (const { id } of fresh) this.#seen.add(id);
		const changes = fresh.filter((activity) => objectsOf(activity).length > 0);
		const uncaused = changes.flatMap(objectsOf).find((object) => !this.#open.delete(object));
		if (uncaused === undefined) return changes.length;
		const all = changes
			.filter((activity) => objectsOf(activity).includes(uncaused))
			.map(({ id, timestampMs, intent }) => `\n${id}, timestamp ${timestampMs}: ${JSON.stringify(intent)}`);
		throw new Error(`${name}: more activities that took effect than outside changes of ${uncaused}:${all.join("")}`);
	}
}
