import { describe, expect, test } from "vitest";
import { type Answer, readOutput } from "../run.ts";
import {
	agreeing,
	alice,
	apps,
	bob,
	carol,
	document,
	makeWorld,
	mfaPolicy,
	profile,
	provider,
	providers,
	tags,
	type World,
} from "../world.ts";

interface Case {
	readonly kind: string;
	/** Sections of a document with this kind alone, which the organization meets. */
	readonly document: string;
	/** Makes the organization differ. */
	readonly disturb: (world: World) => Promise<void>;
	/** The address under which the difference is named, and what orgsync calls it. */
	readonly found: { readonly address: string; readonly action: string; readonly reason: string };
}

const anId = "b0000000-0000-4000-8000-000000000001";

/** What is absent is not in the organization, until the disturbance puts it there. */
const converging: readonly Case[] = [
	{
		kind: "user tag",
		document: agreeing.userTags,
		disturb: (world) =>
			world.submitAsBob("update_user_tag", {
				userTagId: tags.signers,
				newUserTagName: "signers",
				addUserIds: [bob],
				removeUserIds: [carol],
			}),
		found: { address: "userTag:signers", action: "update", reason: "members-differ" },
	},
	{
		kind: "user tag found by id",
		document: `userTags: [{ name: signers, id: ${tags.signers}, members: { exactly: [alice, carol] } }]`,
		disturb: (world) => world.change({ userTags: [{ tagId: tags.signers, tagName: "renamed", userIds: [carol] }] }),
		found: { address: "userTag:signers", action: "update", reason: "name-and-members-differ" },
	},
	{
		kind: "OAuth provider",
		document: `absent: { oauthProviders: { bob: [${anId}] } }`,
		disturb: (world) =>
			world.change({
				users: [
					{
						userId: bob,
						oauthProviders: [
							provider(providers.bob[0], "bob-one"),
							provider(providers.bob[1], "bob-two"),
							provider(anId, "back"),
						],
					},
				],
			}),
		found: { address: `oauthProvider:bob/${anId}`, action: "remove", reason: "is-there" },
	},
	{
		kind: "policy",
		document: `absent: { policies: [${anId}] }`,
		disturb: (world) => world.change({ policies: [{ policyId: anId, policyName: "back" }] }),
		found: { address: `policy:${anId}`, action: "remove", reason: "is-there" },
	},
	{
		kind: "TVC app",
		document: `absent: { tvcApps: [${anId}] }`,
		disturb: (world) => world.change({ tvcApps: [{ id: anId, name: "back" }] }),
		found: { address: `tvcApp:${anId}`, action: "remove", reason: "is-there" },
	},
];

const reported: readonly Case[] = [
	{
		kind: "session profile",
		document: agreeing.sessionProfiles,
		disturb: (world) =>
			world.change({
				sessionProfiles: [{ sessionProfileId: profile, sessionProfileName: "default", expirationSeconds: "60" }],
			}),
		found: { address: `sessionProfile:${profile}`, action: "report", reason: "differs" },
	},
	{
		kind: "MFA policy",
		document: agreeing.mfaPolicies,
		disturb: (world) =>
			world.change({
				users: [{ userId: alice, mfaPolicies: [{ mfaPolicyId: mfaPolicy, mfaPolicyName: "passkey-first", order: 2 }] }],
			}),
		found: { address: "mfaPolicy:alice/passkey-first", action: "report", reason: "differs" },
	},
	{
		kind: "boot proof",
		document: agreeing.bootProofs,
		disturb: (world) =>
			world.change({ tvcApps: [{ id: apps.signer, name: "signer", bootProof: { deploymentLabel: "prod-43" } }] }),
		found: { address: `bootProof:${apps.signer}`, action: "report", reason: "differs" },
	},
	{
		kind: "supported asset",
		document: agreeing.supportedAssets,
		disturb: (world) => world.change({ supportedAssets: { "eip155:1": [{ symbol: "USDC", decimals: 6 }] } }),
		found: { address: "supportedAsset:eip155:1/ETH", action: "report", reason: "not-there" },
	},
];

const drift = (world: World, ...more: string[]): Promise<Answer> => world.run(["drift", "--format", "json", ...more]);

// biome-ignore lint/suspicious/noExplicitAny: changes of every kind are looked into.
function changesOf(answer: Answer): readonly any[] {
	return readOutput(answer).plans[0].changes;
}

describe.each(converging)("with all reads, $kind", ({ document: sections, disturb, found }) => {
	test("shows drift, and apply repairs it with one activity", async () => {
		const world = await makeWorld(document(sections));
		const calm = await drift(world);
		expect(changesOf(calm)).toEqual([]);
		expect(calm.code).toBe(0);
		const before = world.organization();

		await disturb(world);
		world.clearRequests();
		const disturbed = await drift(world);
		expect(disturbed.code).toBe(2);
		expect(changesOf(disturbed)).toMatchObject([found]);
		const text = await world.run(["drift"]);
		expect(text.code).toBe(2);
		expect(text.stdout).toContain(found.address);

		const applied = await world.run(["apply", "--yes", "--format", "json"]);
		expect(applied.code).toBe(0);
		expect(readOutput(applied).reports).toMatchObject([{ inSync: true, left: [], steps: [{ outcome: "completed" }] }]);
		expect(world.submits().length).toBe(1);
		expect((await drift(world)).code).toBe(0);
		expect(withoutTimes(world.organization())).toEqual(withoutTimes(before));
	});
});

describe.each(reported)("with all reads, $kind", ({ document: sections, disturb, found }) => {
	test("shows drift, and apply submits nothing", async () => {
		const world = await makeWorld(document(sections));
		expect((await drift(world)).code).toBe(0);

		await disturb(world);
		const disturbed = await drift(world);
		expect(disturbed.code).toBe(2);
		expect(changesOf(disturbed)).toMatchObject([found]);
		const text = await world.run(["drift"]);
		expect(text.code).toBe(2);
		expect(text.stdout).toContain(found.address);

		const applied = await world.run(["apply", "--yes", "--format", "json"]);
		expect(applied.code).toBe(0);
		expect(readOutput(applied).plans[0].steps).toEqual([]);
		expect(world.submits()).toEqual([]);
		expect((await drift(world)).code).toBe(2);
	});
});

describe("a read-only kind", () => {
	test("is compared by the fields of the document, with the live and the expected value of each", async () => {
		const world = await makeWorld(document(agreeing.sessionProfiles));
		await world.change({
			sessionProfiles: [
				{ sessionProfileId: profile, sessionProfileName: "other", scope: "nobody asked", expirationSeconds: "60" },
			],
		});
		expect(changesOf(await drift(world))).toMatchObject([
			{ before: { name: "other", expirationSeconds: "60" }, after: { name: "default", expirationSeconds: "900" } },
		]);
		const { stdout } = await world.run(["drift"]);
		expect(stdout).toContain('name: live "other", document "default"');
		expect(stdout).toContain('expirationSeconds: live "60", document "900"');
		expect(stdout).not.toContain("nobody asked");
	});
});

/** `documented`: the eight queries alone, which show no members, policies, OAuth providers or apps. */
describe("with documented reads, against a service without others", () => {
	const documented = { reads: "documented" } as const;
	const alone = ["--reads", "documented"];

	test("a renamed tag is found and renamed back, and then nothing drifts", async () => {
		const world = await makeWorld(document(`userTags: [{ name: signers, id: ${tags.signers} }]`), documented);
		expect((await drift(world, ...alone)).code).toBe(0);
		await world.change({ userTags: [{ tagId: tags.signers, tagName: "renamed" }] });
		const found = await drift(world, ...alone);
		expect(found.code).toBe(2);
		expect(changesOf(found)).toMatchObject([{ address: "userTag:signers", reason: "name-differs", basis: "live" }]);
		expect((await world.run(["apply", "--yes", ...alone])).code).toBe(0);
		expect((await drift(world, ...alone)).code).toBe(0);
		expect(tagOf(world, tags.signers).tagName).toBe("signers");
	});

	test("a tag that another user changed since the last apply is found and applied again", async () => {
		const world = await makeWorld(
			document("userTags: [{ name: oncall, members: { exactly: [bob, carol] } }]"),
			documented,
		);
		expect((await world.run(["apply", "--yes", ...alone])).code).toBe(0);
		expect((await drift(world, ...alone)).code).toBe(0);
		// The same request follows below. The service's clock decides whether its first activity is older, and a response
		// gives that clock in whole seconds (docs/exactly-once.md).
		await new Promise((resolve) => setTimeout(resolve, 1100));
		await world.submitAsBob("update_user_tag", { userTagId: tags.oncall, addUserIds: [], removeUserIds: [carol] });
		const found = await drift(world, ...alone);
		expect(found.code).toBe(1);
		expect(changesOf(found)).toMatchObject([{ address: "userTag:oncall", lastApplied: { changedSince: true } }]);
		expect((await world.run(["drift", ...alone])).stdout).toContain("changed elsewhere since");
		expect((await world.run(["apply", "--yes", ...alone])).code).toBe(0);
		expect(tagOf(world, tags.oncall).userIds).toEqual([bob, carol]);
		expect((await drift(world, ...alone)).code).toBe(0);
	});

	test.each(reported)("$kind shows drift", async ({ document: sections, disturb, found }) => {
		const world = await makeWorld(document(sections), documented);
		expect((await drift(world, ...alone)).code).toBe(0);
		await disturb(world);
		const disturbed = await drift(world, ...alone);
		expect(disturbed.code).toBe(2);
		expect(changesOf(disturbed)).toMatchObject([found]);
	});
});

function tagOf(world: World, tagId: string): { tagName: string; userIds: readonly string[] } {
	return world.organization().userTags.find((tag: { tagId: string }) => tag.tagId === tagId);
}

/** Removes times and order, which differ after a change and its reversal. */
function withoutTimes(value: unknown): unknown {
	return JSON.parse(JSON.stringify(value), (key, item) => {
		if (key === "updatedAt" || key === "createdAt") return undefined;
		return key === "userIds" ? [...item].sort() : item;
	});
}
