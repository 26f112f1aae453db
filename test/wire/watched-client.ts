/** A client with a clock, a sleep and a stamper that the tests can watch, against the independent server. */
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import {
	type AttemptEvent,
	type Client,
	type ClientOptions,
	createClient,
	type SubmitAnswer,
} from "../../src/wire/client.ts";
import { queries, submits } from "../../src/wire/operations.ts";
import { encodeSubmit, type RequestBody } from "../../src/wire/request-body.ts";
import { createApiKeyStamper, type Stamper } from "../../src/wire/stamp.ts";
import { type IndependentServer, type Reply, startIndependentServer } from "./independent-server.ts";

export const privateKey = "5e".repeat(32);
export const apiKey = createApiKeyStamper({ privateKey });
export const organizationId = "0a1b2c3d-0000-4000-8000-000000000001";
export const startMs = 1767225600000;
export const body: RequestBody = encodeSubmit(submits.delete_policies, organizationId, { policyIds: ["p"] }, startMs);

export let server: IndependentServer;
export let client: Client;
export let clockMs: number;
export let sleeps: number[];
export let stamped: string[];
export let events: AttemptEvent[];
export const clients: Client[] = [];

/** A stamper that remembers every value it made, so that errors can be searched for it. */
export const stamper: Stamper & { publicKey: string } = {
	publicKey: apiKey.publicKey,
	async stamp(bytes) {
		const stamp = await apiKey.stamp(bytes);
		stamped.push(stamp.stampHeaderValue);
		return stamp;
	},
};

export function makeClient(options: Partial<ClientOptions> = {}): Client {
	const made = createClient({
		url: server.url,
		stamper,
		random: () => 0,
		now: () => clockMs,
		sleep: async (delayMs) => {
			sleeps.push(delayMs);
			clockMs += delayMs;
		},
		onAttempt: (event) => events.push(event),
		...options,
	});
	clients.push(made);
	return made;
}

beforeAll(async () => {
	server = await startIndependentServer(apiKey.publicKey);
});
afterAll(() => server.close());
beforeEach(() => {
	[clockMs, sleeps, stamped, events] = [startMs, [], [], []];
	client = makeClient();
});
afterEach(async () => {
	await Promise.all(clients.splice(0).map((made) => made.close()));
	server.script();
});

export async function query(asking: Client = client): Promise<unknown> {
	const answer: unknown = await asking.reader
		.query(queries.list_user_tags, { organizationId })
		.catch((error: unknown) => error);
	if (answer instanceof Error) expectNoSecret(answer);
	return answer;
}

export async function submit(asking: Client = client): Promise<SubmitAnswer> {
	const answer = await asking.submitter.submit(body);
	expectNoSecret(answer);
	return answer;
}

export function expectNoSecret(value: unknown): void {
	const seen = inspect(value, { depth: 12, showHidden: true }) + JSON.stringify(value) + JSON.stringify(events);
	let text = seen;
	for (let error = value; error instanceof Error; error = error.cause) text += error.message + String(error.stack);
	for (const secret of [privateKey, ...stamped]) {
		expect(text.includes(secret)).toBe(false);
		if (secret.length > 100) expect(text.includes(secret.slice(100, 140))).toBe(false);
	}
}

export const forEver = (reply: Reply): readonly Reply[] => Array.from({ length: 50 }, () => reply);
export const failure = (status: number, code: number, message: string, details: readonly unknown[] = []): Reply => ({
	status,
	body: { code, message, details, turnkeyErrorCode: "X" },
});
