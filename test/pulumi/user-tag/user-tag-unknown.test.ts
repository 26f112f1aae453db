/**
 * Inputs that another resource gives, which are not known in a preview: nothing is asked for with them, nothing is replaced
 * because of them.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectSuccess, shown } from "../../engine/answer.ts";
import { alice, apps, bob, carol, organizationId, policies, providers, tags } from "../../world.ts";
import { adapters } from "../in-process/adapters.ts";
import { type Program, unknown } from "../program.ts";

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

const later = {
	organizationId: unknown(organizationId),
	userId: unknown(bob),
};

/** Another round makes the inputs unknown again, and gives the same values. */
const program = (round: number): Program => ({
	round,
	resources: {
		"fed-id": {
			type: "UserTag",
			properties: {
				name: "approvers",
				tagId: unknown(tags.signers),
				members: { exactly: [alice, carol, later.userId] },
			},
		},
		"fed-name": { type: "UserTag", properties: { name: unknown("oncall"), members: { atLeast: [later.userId] } } },
		"fed-organization": { type: "UserTag", properties: { name: "auditors", organizationId: later.organizationId } },
		policies: {
			type: "PolicyRemoval",
			properties: { policyIds: [unknown(policies[0])], organizationId: later.organizationId },
		},
		providers: {
			type: "OauthProviderRemoval",
			properties: { userId: later.userId, providerIds: [unknown(providers.bob[0])] },
		},
		app: { type: "TvcAppRemoval", properties: { appId: unknown(apps.old) } },
	},
});

describe.each(adapters)("inputs of $title that are not known yet", { timeout: 240_000 }, (adapter) => {
	it("cause no request in a preview, replace nothing, and are in sync after the up", async () => {
		const { world, stack } = await adapter.makeWorld(program(1));
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

		adapter.write(stack, program(2));
		world.clearRequests();
		const second = shown(await stack.preview(["--diff"], run));
		expect(second).toMatch(/pulumi:index:Stash: \(replace\)/);
		expect(second.match(/orgsync:[\w:]+: \(update\)/g)).toHaveLength(6);
		expect(second).not.toMatch(/orgsync:[\w:]+: \((replace|create|delete)/);
		expect(world.requests()).toEqual([]);

		expect(shown(await stack.up([], run))).toContain("7 unchanged");
		expect(world.requests()).toEqual([]);
	});
});
