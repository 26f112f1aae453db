/** Addresses, keys and other settings that are wrong: one clear error before anything is created or removed. */
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as orgsync from "../../../src/pulumi/dynamic/index.ts";
import { providerOf } from "../../../src/pulumi/dynamic/provider.ts";
import { type Answer, expectSuccess, shown } from "../../engine/answer.ts";
import { alice, bob, keys, makeWorld, organizationId } from "../../world.ts";
import { expectNoSecretIn, plainKeyRefusal } from "../checks.ts";
import { adapters, dynamicResources, plugin } from "../in-process/adapters.ts";
import type { Program, ProgramResource } from "../program.ts";

const tag = (name: string, ...userIds: readonly string[]): ProgramResource => ({
	type: "UserTag",
	properties: { name, members: { atLeast: userIds } },
});
const threeTags = (...userIds: readonly string[]): Program => ({
	resources: {
		signers: tag("signers", ...userIds),
		oncall: tag("oncall", ...userIds),
		auditors: tag("auditors", ...userIds),
	},
});

/** What was said about one resource or the stack in the summary at the end. */
const diagnostics = (answer: Answer): string => shown(answer).split("Diagnostics:")[1] ?? "";

const times = (text: string, part: string): number => text.split(part).length - 1;

describe.each(adapters)("an invalid configuration of $title", (adapter) => {
	it("is one clear error, creates nothing, and removes nothing from the state", async () => {
		const { world, stack } = await adapter.makeWorld(threeTags(alice));
		expectSuccess(await stack.up());
		const { resources } = (await stack.state()).deployment;
		const before = world.organization();
		world.clearRequests();
		adapter.write(stack, threeTags(alice, bob));
		const unused = "00000000-0000-4000-8000-00000000000f";
		type Case = readonly [env: Record<string, string | undefined>, says: string];
		const wrongKey: Case = [
			{ ORGSYNC_API_PRIVATE_KEY: keys.stranger.privateKey },
			`the service does not accept this key: the public key of X-Stamp is not registered in the organization; check that the public key ${keys.stranger.publicKey} is registered in the organization ${organizationId} and has not expired, and orgsync:url`,
		];
		const cases: readonly Case[] = [
			wrongKey,
			[
				{ ORGSYNC_API_PRIVATE_KEY: undefined },
				"the API key is missing; run `pulumi config set --secret orgsync:apiPrivateKey`, pass it to a Provider, or set ORGSYNC_API_PRIVATE_KEY, ORGSYNC_KEY_FILE or ORGSYNC_STAMP_COMMAND",
			],
			[
				{ ORGSYNC_URL: "http://127.0.0.1:9" },
				"no service answers at http://127.0.0.1:9 (connection refused); check orgsync:url, and that the service is running",
			],
			[
				{ NODE_TLS_REJECT_UNAUTHORIZED: "0" },
				"the environment weakens TLS: NODE_TLS_REJECT_UNAUTHORIZED=0; unset it; to trust a private certificate authority, name its file in NODE_EXTRA_CA_CERTS",
			],
			[
				{ ORGSYNC_ORGANIZATION_ID: unused },
				`the service answered 404: no organization found with id ${unused}; check the ids, the organization ${unused} and orgsync:url`,
			],
		];
		// What is wrong with address, network and organization is found by the same code for both adapters.
		for (const [env, says] of adapter === plugin ? cases.slice(0, 2) : cases) {
			const answer = await stack.up([], { env });
			expect(answer.exitCode).toBe(1);
			expect(times(diagnostics(answer), says)).toBe(1);
			expect(diagnostics(answer)).not.toMatch(/^\s+at /m);
		}
		const refreshed = await stack.refresh([], { env: wrongKey[0] });
		expect(refreshed.exitCode).toBe(1);
		// Each resource shows once why it could not be refreshed.
		expect(times(diagnostics(refreshed), wrongKey[1])).toBe(3);
		expect(diagnostics(refreshed)).not.toMatch(/^\s+at /m);
		expect((await stack.state()).deployment.resources?.map(({ urn, outputs }) => [urn, outputs])).toEqual(
			resources?.map(({ urn, outputs }) => [urn, outputs]),
		);
		expect(world.submits()).toEqual([]);
		expect(world.organization()).toEqual(before);
		expectNoSecretIn(stack);
	});
});

describe("a key of the stack configuration that the service does not accept", () => {
	it("is one error for all functions of a program, which Pulumi shows once and without a stack", async () => {
		const world = await makeWorld();
		const settings = { url: world.url, organizationId, apiPrivateKey: keys.stranger.privateKey };
		const named = Object.entries(settings).map(([name, value]) => [`orgsync:${name}`, value]);
		pulumi.runtime.setAllConfig(Object.fromEntries(named), ["orgsync:apiPrivateKey"]);
		vi.stubEnv("PULUMI_CONFIG_SECRET_KEYS", JSON.stringify(["orgsync:apiPrivateKey"]));
		onTestFinished(() => {
			pulumi.runtime.setAllConfig({});
			vi.unstubAllEnvs();
		});
		const asked = [orgsync.listUserTags({}), orgsync.listUserTags({}), orgsync.getMfaPolicies({ userId: alice })];
		const failures = await Promise.all(asked.map((answer) => answer.catch((error: unknown) => error)));
		const [first] = failures;
		expect(pulumi.RunError.isInstance(first), String(first)).toBe(true);
		expect((first as Error).message).toContain("the service does not accept this key: ");
		expect((first as Error).stack).toBe("");
		expect(new Set(failures).size).toBe(1);
	});
});

describe("an invalid configuration of a provider", () => {
	it.each([
		["apiPrivateKey", "hidden-key", /^the API key that was given cannot be used: the API private key is malformed/],
		[
			"url",
			"ftp://service",
			/^the service's address is not an http or https URL; give an address like .* with orgsync:url$/,
		],
		["organizationId", "acme", /^orgsync:organizationId must be a UUID, got `acme`; it is set by the Provider's/],
		["reads", "some", /^orgsync:reads must be auto or documented/],
		["retryRejected", "yes", /^orgsync:retryRejected must be true or false/],
		["wait", "-1", /^orgsync:wait must be a /],
		["timeout", "soon", /^orgsync:timeout must be a /],
		["maxRequestsPerSecond", "0", /^orgsync:maxRequestsPerSecond must be a /],
		["allow", "everything", /^orgsync:allow must be KIND=N with the number that the guard found/],
	])("with an invalid %s names the setting, makes no request and shows no key", async (name, value, says) => {
		const settings: Record<string, string> = {
			url: "http://127.0.0.1:9",
			organizationId,
			apiPrivateKey: keys.alice.privateKey,
			[name]: value,
		};
		const provider = providerOf("UserTag");
		const get = (key: string) => settings[key.replace("orgsync:", "")];
		await provider.configure?.({ config: { get, require: get } } as never);
		const checked = await provider.check?.({}, { name: "signers", resource: "signers" });
		expect(checked?.failures).toMatchObject([{ property: "", reason: expect.stringMatching(says) }]);
		expect(JSON.stringify(checked)).not.toContain("hidden-key");
	});
});

describe("a configuration of the dynamic resources with the private key as plain text", () => {
	it("is an error with a fix before anything is registered, and the key is in no file", async () => {
		const { world, stack } = await dynamicResources.makeWorld(threeTags(alice), {
			config: { "orgsync:apiPrivateKey": keys.stranger.privateKey },
		});
		const answer = await stack.up();
		expect(answer.exitCode).toBe(1);
		expect(times(diagnostics(answer), plainKeyRefusal)).toBe(1);
		expect((await stack.state()).deployment.resources?.map(({ type }) => type)).toEqual(["pulumi:pulumi:Stack"]);
		expect(world.requests()).toEqual([]);
		const leaks = stack.written().filter(({ text }) => text.includes(keys.stranger.privateKey));
		expect(leaks.map(({ place }) => place)).toEqual([]);
	});
});
