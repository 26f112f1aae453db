/** What the clients of a case do, each over its own connection: they write, read, vote, and misbehave. */
import { createHash } from "node:crypto";
import { passkeyStamp } from "../../emulator/world.ts";
import { apiKeyStamp, type TestKey } from "../../keys.ts";
import type { Counts } from "../proof.ts";
import type { Connection, LoadAnswer } from "./connection.ts";
import type { Versioned } from "./ledger.ts";
import { conditionAt, keys, type LoadOrganization, type LoadTag, membersAt } from "./world.ts";

/** Does one thing. It is called again and again. */
export type Client = () => Promise<void>;

export interface ClientParts {
	readonly connection: Connection;
	/** Numbers in [0, 1). */
	readonly random: () => number;
	readonly counts: Counts;
}

function fingerprintOf(raw: string): string {
	return `sha256:${createHash("sha256").update(raw).digest("hex")}`;
}

function expectStatus(answer: LoadAnswer, status: number, what: string): void {
	if (answer.status === status) return;
	throw new Error(`${what} was answered with ${answer.status}, expected ${status}: ${JSON.stringify(answer.body)}`);
}

let nonce = 0;

/** The bytes of a submit; no two calls make the same. */
function bytesOf(organization: LoadOrganization, name: string, parameters: object): string {
	nonce += 1;
	const type = `ACTIVITY_TYPE_${name.toUpperCase()}`;
	const { organizationId } = organization;
	return JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters, nonce });
}

/** The change of a tag to its next version. */
function nextVersion(organization: LoadOrganization, { tagId, name }: LoadTag): string {
	const version = name.answered + 1;
	const before = membersAt(organization, name.answered);
	const after = membersAt(organization, version);
	return bytesOf(organization, "update_user_tag", {
		userTagId: tagId,
		newUserTagName: name.textOf(version),
		addUserIds: after.filter((user) => !before.includes(user)),
		removeUserIds: before.filter((user) => !after.includes(user)),
	});
}

/** Submits bytes until they are answered, and notes the activity. Returns its id. */
async function submit(
	{ connection }: ClientParts,
	organization: LoadOrganization,
	name: string,
	raw: string,
	key: TestKey,
	label: string,
	end?: "COMPLETED",
): Promise<string | undefined> {
	organization.ledger.sending(fingerprintOf(raw));
	const answer = await connection.deliver(`/public/v1/submit/${name}`, raw, apiKeyStamp(raw, key));
	if (answer === undefined) return undefined;
	expectStatus(answer, 200, label);
	const { activity } = answer.body;
	if (activity.fingerprint !== fingerprintOf(raw)) throw new Error(`${label}: answered the fingerprint of other bytes`);
	organization.ledger.answer(activity, label, end);
	return activity.id;
}

async function query(
	{ connection }: ClientParts,
	{ organizationId }: LoadOrganization,
	name: string,
	more: object = {},
): Promise<LoadAnswer | undefined> {
	const raw = JSON.stringify({ organizationId, ...more });
	const answer = await connection.deliver(`/public/v1/query/${name}`, raw, apiKeyStamp(raw, keys.alice));
	if (answer !== undefined) expectStatus(answer, 200, name);
	return answer;
}

/** Changes its tag, and at times submits earlier bytes again: they are the same activity. */
export function writer(parts: ClientParts, organization: LoadOrganization, tag: LoadTag): Client {
	const earlier: { readonly raw: string; readonly label: string }[] = [];
	return async () => {
		const again = parts.random() < 0.15 ? earlier[Math.floor(parts.random() * earlier.length)] : undefined;
		if (again !== undefined) {
			await submit(parts, organization, "update_user_tag", again.raw, keys.alice, again.label);
			parts.counts.add("replays");
			return;
		}
		const { name } = tag;
		const raw = nextVersion(organization, tag);
		const label = name.textOf(name.answered + 1);
		name.sent = name.answered + 1;
		name.fingerprint = fingerprintOf(raw);
		if ((await submit(parts, organization, "update_user_tag", raw, keys.alice, label)) === undefined) return;
		name.answered = name.sent;
		earlier.push({ raw, label });
		if (earlier.length > 20) earlier.shift();
	};
}

/** Changes its tag by an activity that is executed later, by whichever request comes then. Asks until it is. */
export function delayedWriter(parts: ClientParts, organization: LoadOrganization, tag: LoadTag): Client {
	return async () => {
		const { name } = tag;
		const raw = nextVersion(organization, tag);
		const label = name.textOf(name.answered + 1);
		name.sent = name.answered + 1;
		const activityId = await submit(parts, organization, "update_user_tag", raw, keys.alice, label, "COMPLETED");
		if (activityId === undefined) return;
		for (;;) {
			const answer = await query(parts, organization, "get_activity", { activityId });
			if (answer === undefined) return;
			organization.ledger.answer(answer.body.activity, label);
			if (answer.body.activity.status === "ACTIVITY_STATUS_COMPLETED") break;
		}
		name.answered = name.sent;
		parts.counts.add("delayed changes");
	};
}

/** Reads what others write. What one answer shows, no later answer lacks. */
export function reader(parts: ClientParts, organizations: readonly LoadOrganization[]): Client {
	return async () => {
		const organization = organizations[Math.floor(parts.random() * organizations.length)];
		if (organization === undefined) return;
		if (parts.random() < 0.2) {
			const listed = await query(parts, organization, "list_activities", { paginationOptions: { limit: "5" } });
			for (const activity of listed?.body.activities ?? []) {
				if (activity.status === "ACTIVITY_STATUS_COMPLETED") organization.ledger.answer(activity, "a listed activity");
			}
			return;
		}
		const floors = new Map(organization.tags.map(({ tagId, name }) => [tagId, name.floor()]));
		const answer = await query(parts, organization, "list_user_tags");
		if (answer === undefined) return;
		for (const { tagId, name } of organization.tags) {
			const shown = answer.body.userTags.find((tag: { tagId: string }) => tag.tagId === tagId);
			name.see(shown?.tagName, floors.get(tagId) ?? 0, "list_user_tags");
		}
	};
}

/** Changes its tag by an activity that a second user approves or rejects. */
export function voter(parts: ClientParts, organization: LoadOrganization, tag: LoadTag): Client {
	const { ledger } = organization;
	return async () => {
		const { name } = tag;
		const raw = nextVersion(organization, tag);
		const target = fingerprintOf(raw);
		const label = `a pending ${name.textOf(name.answered + 1)}`;
		if ((await submit(parts, organization, "update_user_tag", raw, keys.alice, label)) === undefined) return;
		const approves = parts.random() < 0.75;
		const operation = approves ? "approve_activity" : "reject_activity";
		const vote = bytesOf(organization, operation, { fingerprint: target });
		const end = approves ? "COMPLETED" : "REJECTED";
		ledger.allow(target, ["CONSENSUS_NEEDED", end]);
		if (approves) {
			name.sent = name.answered + 1;
			name.fingerprint = fingerprintOf(vote);
		}
		if ((await submit(parts, organization, operation, vote, keys.bob, `the vote on ${label}`)) === undefined) return;
		ledger.allow(target, [end]);
		name.answered = name.sent;
		parts.counts.add("votes");
	};
}

/** Changes its policy under /emulator/, where no stamp is needed. */
export function controller(parts: ClientParts, organization: LoadOrganization, index: number): Client {
	const { organizationId, policies } = organization;
	return async () => {
		const policy = policies[index];
		if (policy === undefined) return;
		const { policyId, notes } = policy;
		notes.sent = notes.answered + 1;
		const changed = {
			policyId,
			policyName: notes.label,
			notes: notes.textOf(notes.sent),
			condition: conditionAt(notes.sent),
		};
		const raw = JSON.stringify({ organizationId, policies: [changed] });
		const answer = await parts.connection.deliver("/emulator/state", raw, {});
		if (answer === undefined) return;
		expectStatus(answer, 200, "POST /emulator/state");
		notes.answered = notes.sent;
		const floor = notes.floor();
		const state = await parts.connection.deliver(`GET /emulator/state?organizationId=${organizationId}`, "", {});
		if (state === undefined) return;
		const shown = state.body.organization.policies.find((one: { policyId: string }) => one.policyId === policyId);
		notes.see(shown?.notes, floor, "GET /emulator/state");
	};
}

/** Signs with a passkey, whose counter grows with each request. */
export function passkeyUser(parts: ClientParts, organization: LoadOrganization): Client {
	let counter = 0;
	return async () => {
		counter += 1;
		const raw = JSON.stringify({ organizationId: organization.organizationId, counter });
		const answer = await parts.connection.deliver("/public/v1/query/whoami", raw, passkeyStamp(raw, { counter }));
		if (answer === undefined) return;
		expectStatus(answer, 200, `a stamp of a passkey with the counter ${counter}`);
		organization.signCount = counter;
	};
}

/** Throws unless a stamp is refused whose counter was used in an answered request. */
export async function expectCounterKept(connection: Connection, organization: LoadOrganization): Promise<void> {
	const { organizationId, signCount } = organization;
	if (signCount === 0) return;
	const raw = JSON.stringify({ organizationId, other: signCount });
	const stamp = passkeyStamp(raw, { counter: signCount });
	const answer = await connection.once("/public/v1/query/whoami", raw, stamp);
	if (answer !== undefined) expectStatus(answer, 401, `a second stamp of a passkey with the counter ${signCount}`);
}

/** Sends what a broken client sends: half a submit, no HTTP, a wrong stamp, an idle connection. Nothing of it takes effect. */
export function rough(parts: ClientParts, organization: LoadOrganization, tag: LoadTag): Client {
	return async () => {
		const raw = bytesOf(organization, "update_user_tag", { userTagId: tag.tagId, newUserTagName: "half a request" });
		const headers = Object.entries(apiKeyStamp(raw, keys.alice)).map(([name, value]) => `${name}: ${value}\r\n`);
		const post = (path: string, length: number, body: string) =>
			`POST ${path} HTTP/1.1\r\nhost: localhost\r\n${headers.join("")}content-length: ${length}\r\n\r\n${body}`;
		const half = raw.slice(0, Math.floor(raw.length * parts.random()));
		const path = "/public/v1/submit/update_user_tag";
		const holdMs = Math.floor(parts.random() * 20);
		parts.counts.add("broken requests");
		const kind = Math.floor(parts.random() * 5);
		if (kind === 0) return parts.connection.raw(post(path, raw.length, half), holdMs);
		if (kind === 1) return parts.connection.raw("\u0000\u0001 no HTTP\r\n\r\n", 200);
		if (kind === 2) return parts.connection.raw("", holdMs);
		if (kind === 3) return parts.connection.raw(post(path, 2_000_000, "x".repeat(100_000)), holdMs);
		const answer = await parts.connection.deliver(path, raw, apiKeyStamp(half, keys.alice));
		if (answer !== undefined) expectStatus(answer, 401, "a submit with the stamp of other bytes");
	};
}

/** Throws unless the text is at the version that was answered last. */
export function expectSettled({ label, answered, sent }: Versioned): void {
	if (answered !== sent) throw new Error(`${label}: version ${sent} was sent and never answered`);
}
