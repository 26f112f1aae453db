/** Keys under the real engine: one in plain text, and those of the functions and Providers of a program; none is in a state or a log. */
import { describe, expect, it } from "vitest";
import { type Answer, expectSuccess, shown } from "../../engine/answer.ts";
import { alice, apps, keys, mfaPolicy, organizationId, policies, profile, tags } from "../../world.ts";
import { plugin } from "../adapters.ts";
import { leakingLines, plainKeyRefusal } from "../checks.ts";
import { makePulumiWorld } from "../world.ts";

/** What was said about one resource or the stack in the summary at the end. */
const diagnostics = (answer: Answer): string => shown(answer).split("Diagnostics:")[1] ?? "";

const times = (text: string, part: string): number => text.split(part).length - 1;

describe("a configuration of the plugin with the private key as plain text", { timeout: 180_000 }, () => {
	it("is an error with a fix before any resource is registered, and the key is in no file but Pulumi's own", async () => {
		const { world, stack } = await plugin.makeWorld(
			{ resources: { signers: { type: "UserTag", properties: { name: "signers" } } } },
			{
				config: { "orgsync:apiPrivateKey": keys.stranger.privateKey },
			},
		);
		const answer = await stack.up();
		expect(answer.exitCode).toBe(1);
		expect(times(diagnostics(answer), plainKeyRefusal)).toBe(1);
		// The plugin refuses it after the engine has registered its settings, in which the key is encrypted.
		const registered = (await stack.state()).deployment.resources?.map(({ type }) => type);
		expect(registered).toEqual(["pulumi:pulumi:Stack", "pulumi:providers:orgsync"]);
		expect(world.requests()).toEqual([]);
		// Pulumi wrote it to the configured file and keeps the configuration of every update; it is in no other file.
		const leaks = stack.written().filter(({ text }) => text.includes(keys.stranger.privateKey));
		const places = leaks.map(({ place }) => place.replace(/^.*\/(?=[^/]+$)/, "").replace(/\d+/, "N"));
		expect(places.sort()).toEqual(["Pulumi.test.yaml", "test-N.history.json"]);
	});
});

const node = process.env.ORGSYNC_TEST_NODE;
const noSettings = { ORGSYNC_URL: undefined, ORGSYNC_API_PRIVATE_KEY: undefined, ORGSYNC_ORGANIZATION_ID: undefined };

/** The eight queries, plain and as outputs of what the first resource gives. */
const asked = `
const pulumi = require("@pulumi/pulumi");
const orgsync = require("orgsync/pulumi");
const config = new pulumi.Config("other");
const other = new orgsync.Provider("other", { url: config.require("url"), apiPrivateKey: config.require("key") });
const here = new orgsync.UserTag("here", { name: "auditors" });
new orgsync.UserTag("bare", { name: "oncall", members: { atLeast: ["${alice}"] } }, { provider: new orgsync.Provider("bare") });
const user = { userId: "${alice}" };
const activity = { activityId: config.require("activity") };
const queries = {
	SessionProfile: { sessionProfileId: "${profile}" },
	MfaPolicy: { ...user, mfaPolicyId: "${mfaPolicy}" },
	MfaPolicies: user,
	MfaStatus: activity,
	LatestBootProof: { appName: "${apps.signer}" },
	PolicyEvaluations: activity,
	UserTags: {},
	SupportedAssets: { caip2: "eip155:1" },
};
const call = (name, suffix, ...words) => (orgsync["get" + name + suffix] ?? orgsync["list" + name + suffix])(...words);
const each = (make) => Object.fromEntries(Object.entries(queries).map(make));
exports.plain = each(([name, args]) => [name, call(name, "", args)]);
exports.outputs = each(([name, args]) => [name, call(name, "Output", { ...args, organizationId: here.organizationId })]);
exports.there = [
	orgsync.listUserTags({}, { provider: other }),
	orgsync.listUserTagsOutput({}, { provider: other }),
].map((tags) => pulumi.output(tags).apply((all) => all.map(({ tagName }) => tagName)));
exports.missing = orgsync.getSessionProfile({ sessionProfileId: "${policies[0]}" }).catch(({ message }) => message);
`;

/**
 * A program that Pulumi compiles to CommonJS. The other ways to write one are run by docs-node.test.ts (TypeScript as it is) and
 * in-process/fidelity.test.ts (an ES module). `ORGSYNC_TEST_NODE` names the folder of another Node to run it on.
 */
const compiled = {
	"Pulumi.yaml": "name: probe\nruntime: nodejs\n",
	"package.json": '{"name":"probe","main":"index.ts"}',
	"tsconfig.json": JSON.stringify({
		compilerOptions: { strict: true, target: "es2022", module: "nodenext", skipLibCheck: true },
		files: ["index.ts"],
	}),
	"index.ts": `import * as pulumi from "@pulumi/pulumi";
import { listUserTags, UserTag } from "orgsync/pulumi";
const tag = new UserTag("signers", { name: "signers", members: { atLeast: ["${alice}"] } });
export const tagId: pulumi.Output<string> = tag.tagId;
export const count: Promise<number> = listUserTags().then((all) => all.length);
declare const require: (file: string) => unknown;
export const asked = require("./asked.cjs");
`,
	"asked.cjs": asked,
};

describe("functions and a bare Provider of a Node program", { timeout: 180_000 }, () => {
	it("use the service of their Provider or of the stack, return live objects, and put no key into the state or a log of orgsync", async () => {
		const other = await makePulumiWorld("", { orgsync: null });
		await other.world.change({ userTags: [{ tagId: tags.auditors, tagName: "inspectors" }] });
		const { world, stack } = await makePulumiWorld("", {
			files: compiled,
			env: noSettings,
			...(node === undefined ? {} : { node }),
		});
		await world.submitAsBob("delete_policies", { policyIds: [policies[1]] });
		const [{ id: activityId }] = world.activities();
		world.clearRequests();
		await stack.configure({
			"orgsync:url": world.url,
			"orgsync:organizationId": organizationId,
			"orgsync:apiPrivateKey": { secret: keys.alice.privateKey },
			"other:url": other.world.url,
			"other:key": { secret: keys.bob.privateKey },
			"other:activity": activityId,
		});
		const up = await stack.up(["--logtostderr", "-v=9"]);
		// Standard output has what Pulumi shows, standard error its log.
		expect(expectSuccess(up)).not.toMatch(/warning/i);
		expect(world.submits()).toEqual(["update_user_tag"]);

		const { tagId, count, asked: answers } = await stack.outputs();
		expect({ tagId, count }).toEqual({ tagId: tags.signers, count: 3 });
		const { plain, outputs, there, missing } = answers;
		expect(plain).toMatchObject({
			SessionProfile: { sessionProfileId: profile, sessionProfileName: "default" },
			MfaPolicy: { mfaPolicyId: mfaPolicy, mfaPolicyName: "passkey-first" },
			MfaPolicies: [{ mfaPolicyId: mfaPolicy }],
			MfaStatus: expect.any(Array),
			LatestBootProof: { deploymentLabel: "prod-42", enclaveApp: "signer" },
			PolicyEvaluations: [{ activityId, organizationId }],
			UserTags: expect.arrayContaining([expect.objectContaining({ tagId: tags.signers, tagName: "signers" })]),
			SupportedAssets: [{ symbol: "ETH", decimals: 18 }],
		});
		const names = (all: readonly { tagName: string }[]) => all.map(({ tagName }) => tagName);
		expect({ ...outputs, UserTags: names(outputs.UserTags) }).toEqual({ ...plain, UserTags: names(plain.UserTags) });
		expect(there).toEqual([
			["signers", "oncall", "inspectors"],
			["signers", "oncall", "inspectors"],
		]);
		expect(missing).toBe(
			`get_session_profile: the service answered 404: no session profile found with id ${policies[0]}; check the ids, the organization ${organizationId} and orgsync:url`,
		);

		expect(leakingLines(stack)).toEqual([]);
	});
});
