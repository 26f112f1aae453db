/**
 * An `up` that creates a tag and two policies, whose provider is killed at any of its requests, or loses an answer: the next `up`
 * has one object and one activity for each, and a state that says so. The engine's part is played here: it stores what a create
 * returns, and creates again what it has not stored.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { alice, bob, makeWorld, organizationId, type World } from "../../world.ts";
import { providers } from "../providers.ts";

/** `before`: the request does not arrive. `after`: its answer does not. A killed provider does nothing from then on. */
type End = "killed before" | "killed after" | "lost after";

/** A service between provider and emulator, at which the request with this number ends so. */
async function startCut(world: World, at: number, end: End) {
	const urls: string[] = [];
	let isDead = false;
	const waiting: ServerResponse[] = [];
	const killed = Promise.withResolvers<"killed">();
	const server = createServer(async (request, response) => {
		const parts: Buffer[] = [];
		for await (const part of request) parts.push(part as Buffer);
		urls.push(String(request.url));
		const isCut = urls.length === at;
		if (isDead || (isCut && end === "killed before")) return die(response);
		const { method = "POST", url = "", headers } = request;
		const sent = { "content-type": "application/json", "x-stamp": String(headers["x-stamp"]) };
		const answer = await fetch(`${world.url}${url}`, { method, headers: sent, body: Buffer.concat(parts) });
		const text = await answer.text();
		if (isCut && end === "lost after") return void request.socket.destroy();
		if (isDead || isCut) return die(response);
		response.writeHead(answer.status, { "content-type": "application/json", date: String(answer.headers.get("date")) });
		response.end(text);
	});
	/** No answer comes any more, as no one is there who could get it. */
	const die = (response: ServerResponse): void => {
		isDead = true;
		waiting.push(response);
		killed.resolve("killed");
	};
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	/** Serves the next process: what the killed one has asked stays without an answer. */
	const revive = (): void => {
		isDead = false;
	};
	return { url: `http://127.0.0.1:${port}`, killed: killed.promise, requests: () => [...urls], revive };
}

const text = "approvers.any(user, user.tags.contains('${userTags.treasury}'))";
const policyOf = (name: string, tagId: unknown) => ({
	...{ organizationId, name, effect: "allow", consensus: text, condition: `activity.kind == '${name}'` },
	...{ references: { treasury: tagId }, resource: name },
});
const tag = {
	organizationId,
	name: "treasury",
	create: true,
	members: { exactly: [alice, bob] },
	resource: "treasury",
};
const names = ["SIGN_TRANSACTION", "SIGN_RAW_PAYLOAD"];

type Stored = Map<string, { readonly id: string; readonly outs: Readonly<Record<string, unknown>> }>;

/** Creates what is not stored yet, as the engine does, until the provider is killed. */
async function up(start: (typeof providers)[number]["start"], world: World, stored: Stored, settings: object) {
	const create = async (type: string, inputs: { readonly resource: string }): Promise<void> => {
		if (stored.has(inputs.resource)) return;
		const provider = await start(type, world, settings as Readonly<Record<string, string>>);
		const checked = await provider.check({}, inputs);
		expect(checked.failures ?? []).toEqual([]);
		const { id, outs = {} } = await provider.create({ ...checked.inputs, resource: inputs.resource });
		stored.set(inputs.resource, { id, outs });
	};
	await create("UserTag", tag);
	for (const name of names) await create("Policy", policyOf(name, stored.get("treasury")?.outs.tagId));
	return "done" as const;
}

/** One `up` that ends so at this request, and the next one. Returns the addresses of the requests of the first. */
async function play({ start }: (typeof providers)[number], at: number, end: End): Promise<readonly string[]> {
	const world = await makeWorld();
	const stored: Stored = new Map();
	const cut = await startCut(world, at, end);
	const settings = { url: cut.url, journal: join(world.folder, "journal.sqlite"), timeout: "600" };
	await Promise.race([up(start, world, stored, settings), cut.killed]);
	const requests = cut.requests();
	cut.revive();
	// Another `wait` makes another session, as in another process.
	await up(start, world, stored, { ...settings, wait: "9" });
	const { userTags, policies } = world.organization();
	const [made, ...more] = userTags.filter(({ tagName }: { tagName: string }) => tagName === tag.name);
	expect(more).toEqual([]);
	expect(stored.get("treasury")).toMatchObject({ id: made.tagId, outs: { tagId: made.tagId, created: true } });
	for (const name of names) {
		const [one, ...others] = policies.filter(({ policyName }: { policyName: string }) => policyName === name);
		expect(others).toEqual([]);
		expect(stored.get(name)).toMatchObject({ id: one.policyId, outs: { policyId: one.policyId } });
		expect(one.consensus).toContain(made.tagId);
	}
	const types = world.activities().map(({ type }) => type);
	expect(types.toSorted()).toEqual([
		"ACTIVITY_TYPE_CREATE_POLICIES",
		"ACTIVITY_TYPE_CREATE_POLICIES",
		"ACTIVITY_TYPE_CREATE_USER_TAG",
	]);
	return requests;
}

describe.each(providers)("an up of $title that creates a tag and two policies", (provider) => {
	it("ends with one object and one activity for each, at whatever request it is killed or loses an answer", async () => {
		vi.spyOn(console, "error").mockImplementation(() => undefined);
		vi.spyOn(console, "log").mockImplementation(() => undefined);
		onTestFinished(() => void vi.restoreAllMocks());
		const whole = await play(provider, Number.POSITIVE_INFINITY, "killed before");
		const submits = whole.flatMap((url, index) => (url.includes("/submit/") ? [index + 1] : []));
		expect(submits).toHaveLength(3);
		// A request that does not arrive is the end after the one before it, except where it would have changed something. Both adapters
		// share what they do, so that the dynamic provider plays its submits only.
		const all = provider.title === "the plugin" ? whole.map((_url, index) => index + 1) : submits;
		const cases = [
			...all.map((at) => [at, "killed after"] as const),
			...submits.flatMap((at) => [[at, "killed before"] as const, [at, "lost after"] as const]),
		];
		for (const [at, end] of cases) {
			await play(provider, at, end).catch((error: Error) => {
				throw new Error(`request ${at} of ${whole.length}, ${end}: ${error.message}`);
			});
		}
	}, 120_000);
});
