/**
 * Inputs that another resource gives, which are not known in a preview: nothing is asked for with them, nothing is replaced
 * because of them.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectSuccess } from "../engine/harness.ts";
import { alice, apps, bob, carol, organizationId, policies, providers, tags } from "../world.ts";
import { makePulumiWorld, shown, withImports } from "./world.ts";

/** What Pulumi has in the place of a value that is not known yet. */
const sentinel = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Passes every request on to the service and keeps its body. */
async function startRecorder(service: string): Promise<{ readonly url: string; readonly bodies: readonly string[] }> {
	const bodies: string[] = [];
	const server = createServer(async (request, response) => {
		const parts: Buffer[] = [];
		for await (const part of request) parts.push(part as Buffer);
		const body = Buffer.concat(parts).toString("utf8");
		bodies.push(body);
		const headers = { "x-stamp": String(request.headers["x-stamp"]), "content-type": "application/json" };
		const answer = await fetch(service + request.url, { method: "POST", headers, body });
		response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

/** A resource whose outputs are known once it is created; another round replaces it. */
const later = `"use strict";
exports.later = {
	diff: async (_id, olds, news) => ({ changes: olds.round !== news.round, replaces: olds.round === news.round ? [] : ["round"] }),
	create: async (inputs) => ({ id: "later", outs: { ...inputs, given: inputs.values } }),
	delete: async () => undefined,
};
`;

const values = {
	organizationId,
	tagId: tags.signers,
	name: "oncall",
	userId: bob,
	policyId: policies[0],
	providerId: providers.bob[0],
	appId: apps.old,
};

const program = (round: number) =>
	withImports(`
const __provider = 'exports.handler=()=>require("module").createRequire(process.cwd()+"/")("./later.cjs").later';
class Later extends pulumi.CustomResource {
	constructor(name, args) {
		super("pulumi-nodejs:dynamic/probe:Later", name, { given: undefined, ...args, __provider });
	}
}
const { given } = new Later("later", { round: ${round}, values: ${JSON.stringify(values)} });
const members = { exactly: ["${alice}", "${carol}", given.userId] };
new orgsync.UserTag("fed-id", { name: "approvers", tagId: given.tagId, members });
new orgsync.UserTag("fed-name", { name: given.name, members: { atLeast: [given.userId] } });
new orgsync.UserTag("fed-organization", { name: "auditors", organizationId: given.organizationId });
new orgsync.PolicyRemoval("policies", { policyIds: [given.policyId], organizationId: given.organizationId });
new orgsync.OauthProviderRemoval("providers", { userId: given.userId, providerIds: [given.providerId] });
new orgsync.TvcAppRemoval("app", { appId: given.appId });`);

describe("inputs that are not known yet", { timeout: 240_000 }, () => {
	it("cause no request in a preview, replace nothing, and are in sync after the up", async () => {
		const { world, stack } = await makePulumiWorld("", { files: { "index.mjs": program(1), "later.cjs": later } });
		const recorder = await startRecorder(world.url);
		const run = { env: { ORGSYNC_URL: recorder.url } };

		const first = expectSuccess(await stack.preview(["--diff"], run));
		expect(first).toMatch(/tagId +: \[unknown\]/);
		expect(world.requests()).toEqual([]);

		expectSuccess(await stack.up([], run));
		expect([...world.submits()].sort()).toEqual([
			"delete_oauth_providers",
			"delete_policies",
			"delete_tvc_app_and_deployments",
			"update_user_tag",
		]);
		expect(recorder.bodies).toHaveLength(world.requests().length);
		expect(recorder.bodies.filter((body) => body.includes(sentinel))).toEqual([]);

		stack.write({ "index.mjs": program(2) });
		world.clearRequests();
		const second = shown(await stack.preview(["--diff"], run));
		expect(second).toMatch(/probe:Later: \(replace\)/);
		expect(second.match(/orgsync:\w+: \(update\)/g)).toHaveLength(6);
		expect(second).not.toMatch(/orgsync:\w+: \((replace|create|delete)/);
		expect(world.requests()).toEqual([]);

		expect(shown(await stack.up([], run))).toContain("7 unchanged");
		expect(world.requests()).toEqual([]);
	});
});
