/** Reading: as few queries as the document needs, and what could not be read is said and never taken for empty. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AuthenticationError, ServiceError, TransportError } from "../../../src/common/errors.ts";
import { type DesiredOrganization, emptyLastApplied } from "../../../src/plan/organization.ts";
import type { Reads } from "../../../src/plan/plan.ts";
import { type LiveReading, readLive } from "../../../src/sync/read/read.ts";
import type { Reader } from "../../../src/wire/client.ts";
import { saying } from "../../in-words.ts";
import {
	at,
	desiredOf,
	id,
	nothingExpected,
	organizationId,
	type Sections,
	wantTag,
	withSections,
} from "../../plan/support-organizations.ts";
import { acme, alice, apps, Bench, bob, policies, providers, signers, strangerStamper } from "../support.ts";

const profile = id("other", 1);
const mfaPolicy = id("other", 2);
const otherMfaPolicy = id("other", 3);
const acmeWithProfile = acme({
	sessionProfiles: [{ sessionProfileId: profile, sessionProfileName: "default" }],
	supportedAssets: { "eip155:1": [{ symbol: "ETH" }] },
	tvcApps: [{ id: apps[0], name: "app", bootProof: { deploymentLabel: "prod" } }],
});

const seed = {
	...acmeWithProfile,
	users: (acmeWithProfile.users ?? []).map((user) =>
		user.userId === bob ? { ...user, mfaPolicies: [{ mfaPolicyId: mfaPolicy, mfaPolicyName: "any" }] } : user,
	),
};

let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([seed]);
});
beforeEach(() => bench.reset(seed));
afterAll(() => bench.close());

const members = { mode: "exactly", exactly: [alice] } as const;
const tagNames = desiredOf({ userTags: [wantTag("signers"), wantTag("oncall")] });
const tagMembers = desiredOf({ userTags: [wantTag("signers", { members }), wantTag("oncall")] });

function absent(parts: Partial<Sections["absent"]>): DesiredOrganization {
	return desiredOf({ absent: { policyIds: [], oauthProviders: [], tvcAppIds: [], ...parts } });
}

function expecting(parts: Partial<Sections["expect"]>): DesiredOrganization {
	return desiredOf({ expect: { ...nothingExpected, ...parts } });
}

function read(
	desired: DesiredOrganization,
	reads: Reads = "auto",
	reader?: Reader,
	steadyNow: () => number = () => 0,
): Promise<LiveReading> {
	return readLive(desired, reader ?? bench.client().reader, emptyLastApplied, reads, steadyNow);
}

function asked(): readonly (string | null)[] {
	return bench.emulator
		.requests()
		.map(({ operation }) => operation)
		.sort();
}

const everything: DesiredOrganization = withSections(tagMembers, {
	absent: {
		policyIds: [...policies],
		oauthProviders: [
			{ userId: alice, providerIds: [providers[0]] },
			{ userId: bob, providerIds: [providers[2]] },
		],
		tvcAppIds: [...apps],
	},
});

describe("the queries of a document", () => {
	const mfa = (userId: string, parts: { id?: string; name?: string }) => ({ userId, ...parts, fields: {}, at });
	it.each<[string, DesiredOrganization, Reads, readonly string[]]>([
		["that says nothing", desiredOf(), "auto", []],
		["that names tags", tagNames, "auto", ["list_user_tags"]],
		["that names tags, with documented reads", tagNames, "documented", ["list_user_tags"]],
		["that names members", tagMembers, "auto", ["list_user_tags", "list_users"]],
		["that names members, with documented reads", tagMembers, "documented", ["list_user_tags"]],
		["that wants policies absent", absent({ policyIds: [...policies] }), "auto", ["list_policies"]],
		["that wants policies absent, with documented reads", absent({ policyIds: [...policies] }), "documented", []],
		[
			"that wants OAuth providers absent",
			absent({ oauthProviders: [{ userId: alice, providerIds: [...providers] }] }),
			"auto",
			["list_users"],
		],
		["that wants apps absent", absent({ tvcAppIds: [...apps] }), "auto", ["list_tvc_apps"]],
		["that wants everything", everything, "auto", ["list_policies", "list_tvc_apps", "list_user_tags", "list_users"]],
		["that wants everything, with documented reads", everything, "documented", ["list_user_tags"]],
		[
			"that expects two session profiles",
			expecting({ sessionProfiles: [profile, otherMfaPolicy].map((one) => ({ id: one, fields: {}, at })) }),
			"documented",
			["get_session_profile", "get_session_profile"],
		],
		[
			"that expects MFA policies of two users by name",
			expecting({
				mfaPolicies: [mfa(alice, { name: "a" }), mfa(alice, { name: "b" }), mfa(bob, { name: "a" })],
			}),
			"documented",
			["get_mfa_policies", "get_mfa_policies"],
		],
		[
			"that expects one MFA policy by id",
			expecting({ mfaPolicies: [mfa(bob, { id: mfaPolicy })] }),
			"documented",
			["get_mfa_policy"],
		],
		[
			"that expects something that is not there, which the organization could be too",
			expecting({ mfaPolicies: [mfa(alice, { id: mfaPolicy })] }),
			"documented",
			["get_mfa_policy", "list_user_tags"],
		],
		[
			"that expects two MFA policies of a user by id",
			expecting({ mfaPolicies: [mfa(alice, { id: mfaPolicy }), mfa(alice, { id: otherMfaPolicy })] }),
			"documented",
			["get_mfa_policies"],
		],
		[
			"that expects two assets of one network and one of another",
			expecting({
				supportedAssets: ["eip155:1 ETH", "eip155:1 USDC", "eip155:10 ETH"].map((text) => {
					const [caip2 = "", symbol = ""] = text.split(" ");
					return { caip2, symbol, fields: {}, at };
				}),
			}),
			"documented",
			["list_supported_assets", "list_supported_assets"],
		],
		[
			"that expects something of one app twice",
			expecting({ bootProofs: [1, 2].map(() => ({ appId: apps[0], fields: {}, at })) }),
			"documented",
			["get_latest_boot_proof"],
		],
	])("%s are those that it needs and no more", async (_what, desired, reads, operations) => {
		const known = bench.client();
		await read(desired, reads, known.reader);
		expect(asked()).toEqual(operations);
		expect(known.stats()).toMatchObject({ queries: operations.length, submits: 0, retries: 0 });
	});
});

describe("what an extended read shows", () => {
	const faults = [
		[404, "the service does not answer"],
		[501, "the service does not answer"],
		[403, "the service denies"],
	] as const;

	it.each(faults)("is unknown after a %i, with the reason", async (status, because) => {
		bench.emulator.addFault({ operation: "*", fault: "5xx", status, count: 0x7fff });
		const reads = [
			["list_users", absent({ oauthProviders: [{ userId: alice, providerIds: [providers[0]] }] }), "oauthProvider"],
			["list_policies", absent({ policyIds: [policies[0]] }), "policy"],
			["list_tvc_apps", absent({ tvcAppIds: [apps[0]] }), "tvcApp"],
		] as const;
		for (const [operation, desired, part] of reads) {
			const { live } = await read(desired);
			expect(live.removables[part]).toEqual({
				known: false,
				because: saying(new RegExp(`${because} ${operation}`)),
			});
		}
	});

	it.each(faults)("leaves tags known and their members unknown after a %i", async (status, because) => {
		bench.emulator.addFault({ operation: "list_users", fault: "5xx", status });
		const { live } = await read(tagMembers);
		const tags = live.userTags.known ? live.userTags.value : [];
		expect(tags.map(({ name }) => name).sort()).toEqual(["auditors", "oncall", "signers"]);
		for (const tag of tags) expect(tag.members).toEqual({ known: false, because: saying(new RegExp(because)) });
	});

	it("is unknown if it was not read, with the reason", async () => {
		const documented = await read(everything, "documented");
		expect(documented.live.removables.policy).toEqual({
			known: false,
			because: { kind: "extended-reads-off" },
		});
		const needless = await read(tagNames);
		expect(needless.live.removables.tvcApp).toEqual({
			known: false,
			because: { kind: "not-needed" },
		});
		expect((await read(desiredOf())).live.userTags).toEqual({
			known: false,
			because: { kind: "no-user-tags-wanted" },
		});
	});

	it("is an error if something other than the service answers 404", async () => {
		for (const status of [403, 404, 501]) {
			bench.emulator.clearFaults();
			bench.emulator.addFault({ operation: "list_users", fault: "html", status, count: 0x7fff });
			await expect(read(tagMembers)).rejects.toThrow(ServiceError);
		}
	});

	it("is an error if the service fails", async () => {
		bench.emulator.addFault({ operation: "list_users", fault: "5xx", count: 0x7fff });
		await expect(read(tagMembers)).rejects.toThrow(ServiceError);
	});
});

describe("what only a documented query shows", () => {
	const expectations = expecting({
		sessionProfiles: [{ id: id("other", 9), fields: { name: "x" }, at }],
		mfaPolicies: [
			{ userId: alice, id: id("other", 9), fields: {}, at },
			{ userId: id("user", 99), name: "any", fields: {}, at },
		],
		bootProofs: [{ appId: apps[1], fields: {}, at }],
	});

	it("is known to be missing after a 404", async () => {
		const { live } = await read(expectations);
		expect(live.records.sessionProfile?.[id("other", 9)]).toEqual({ known: true, value: [] });
		expect(live.records.mfaPolicy?.[alice]).toEqual({ known: true, value: [] });
		expect(live.records.bootProof?.[apps[1]]).toEqual({ known: true, value: [] });
	});

	it.each([
		["an organization that is not there", (): Partial<DesiredOrganization> => ({ organizationId: id("org", 99) }), {}],
		["a gateway's page", () => ({}), { fault: "html", status: 404 }],
	] as const)("is not known to be missing after the 404 of %s", async (_what, parts, fault) => {
		if ("fault" in fault) bench.emulator.addFault({ operation: "*", ...fault, count: 0x7fff });
		await expect(read({ ...expectations, ...parts() })).rejects.toThrow(ServiceError);
	});

	it("is unknown after a 403 or a 501, with the reason", async () => {
		for (const [status, because] of [
			[403, "denies get_session_profile"],
			[501, "does not answer get_session_profile"],
		] as const) {
			bench.emulator.addFault({ operation: "get_session_profile", fault: "5xx", status });
			const { live } = await read(expectations);
			expect(live.records.sessionProfile?.[id("other", 9)]).toEqual({
				known: false,
				because: saying(new RegExp(because)),
			});
		}
	});

	it("is the record of the answer", async () => {
		const { live } = await read(
			expecting({
				sessionProfiles: [{ id: profile, fields: {}, at }],
				bootProofs: [{ appId: apps[0], fields: {}, at }],
				supportedAssets: [{ caip2: "eip155:1", symbol: "ETH", fields: {}, at }],
			}),
		);
		expect(live.records.sessionProfile?.[profile]).toMatchObject({
			known: true,
			value: [{ sessionProfileName: "default" }],
		});
		expect(live.records.bootProof?.[apps[0]]).toMatchObject({ known: true, value: [{ deploymentLabel: "prod" }] });
		expect(live.records.supportedAsset?.["eip155:1"]).toMatchObject({ known: true, value: [{ symbol: "ETH" }] });
	});
});

describe("reading", () => {
	it("throws a TransportError if no answer comes, also to an extended read", async () => {
		for (const operation of ["list_user_tags", "list_users"]) {
			bench.emulator.clearFaults();
			bench.emulator.addFault({ operation, fault: "drop-before", count: 0x7fff });
			await expect(read(tagMembers)).rejects.toThrow(TransportError);
		}
	});

	it("throws an AuthenticationError if the key is not accepted", async () => {
		const { reader } = bench.client({ stamper: strangerStamper });
		await expect(read(tagMembers, "auto", reader)).rejects.toThrow(AuthenticationError);
	});

	it("throws a ServiceError if the documented query for tags is refused", async () => {
		bench.emulator.addFault({ operation: "list_user_tags", fault: "5xx", status: 404 });
		await expect(read(tagNames)).rejects.toThrow(ServiceError);
	});

	it("waits for every query to end before it throws", async () => {
		let ended = 0;
		const reader: Reader = {
			async query(operation) {
				if (operation.name === "list_user_tags") throw new TransportError("broken", "maybe");
				await new Promise((resolve) => setTimeout(resolve, 20));
				ended += 1;
				return { value: { [operation.answerKey]: [] }, serverTimeMs: undefined };
			},
		};
		await expect(read(everything, "auto", reader)).rejects.toThrow("broken");
		expect(ended).toBe(3);
	});

	it("returns tags by id with their members, all ids in lower case", async () => {
		const { live } = await read(everything);
		expect(live.userTags).toMatchObject({
			known: true,
			value: [
				{ id: signers, name: "signers", type: "TAG_TYPE_USER", members: { known: true, value: [alice] } },
				{ name: "oncall", members: { known: true, value: [] } },
				{ name: "auditors", members: { known: true, value: [id("user", 3)] } },
			],
		});
		const upper = (value: unknown): unknown =>
			JSON.parse(JSON.stringify(value).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (found) => found.toUpperCase()));
		const { reader } = bench.client();
		const shouting: Reader = {
			async query(operation, fields) {
				const answer = await reader.query(operation, fields);
				return { ...answer, value: upper(answer.value) as typeof answer.value };
			},
		};
		expect((await read(everything, "auto", shouting)).live).toEqual(live);
		expect(live.removables.oauthProvider.known && live.removables.oauthProvider.value.map((one) => one.id)).toEqual([
			...providers,
		]);
		expect(live.removables.policy.known && live.removables.policy.value.map((one) => one.id)).toEqual([...policies]);
	});

	it.each([
		[{ seconds: "17", nanos: "5" }, "17.5"],
		[{ seconds: "17" }, "17."],
		["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"],
		[null, ""],
		[undefined, ""],
	])("reads the time %j of a tag as %j", async (updatedAt, text) => {
		const reader: Reader = {
			query: async () => ({
				value: { userTags: [{ tagId: signers, tagName: "signers", tagType: null, updatedAt }] },
				serverTimeMs: undefined,
			}),
		};
		const { live } = await read(tagNames, "documented", reader);
		expect(live.userTags).toMatchObject({ known: true, value: [{ updatedAt: text, type: "" }] });
	});

	it("returns the earliest time that the service named, or none", async () => {
		const times: Record<string, number | undefined> = {
			list_user_tags: 3000,
			list_users: 2000,
			list_policies: undefined,
		};
		const reader = (named: boolean): Reader => ({
			query: async ({ name, answerKey }) => ({
				value: { [answerKey]: [] },
				serverTimeMs: named ? times[name] : undefined,
			}),
		});
		expect((await read(everything, "auto", reader(true))).serverTimeMs).toBe(2000);
		expect((await read(everything, "auto", reader(false))).serverTimeMs).toBeUndefined();
	});

	it("returns a time before the service read: the Date less the time that the query took", async () => {
		let clockMs = 700;
		const reader: Reader = {
			async query({ name, answerKey }) {
				const isSlow = name === "list_user_tags";
				await (isSlow ? new Promise((resolve) => setTimeout(resolve, 5)) : undefined);
				clockMs = isSlow ? 3200 : 800;
				return { value: { [answerKey]: [] }, serverTimeMs: isSlow ? 3000 : 2000 };
			},
		};
		// The slow one began 2500 ms before its answer, and so may have been read at 500; the other at 1900.
		expect((await read(tagMembers, "auto", reader, () => clockMs)).serverTimeMs).toBe(500);
	});

	it("returns no time without a steady clock, and none after the Date if the clock is set back", async () => {
		let clockMs = 700;
		const reader: Reader = {
			async query({ answerKey }) {
				clockMs -= 500;
				return { value: { [answerKey]: [] }, serverTimeMs: 3000 };
			},
		};
		expect((await read(tagNames, "auto", reader, () => clockMs)).serverTimeMs).toBe(3000);
		expect((await readLive(tagNames, reader, emptyLastApplied, "auto")).serverTimeMs).toBeUndefined();
	});

	it("queries only the document's organization and submits nothing", async () => {
		await read(everything);
		expect(bench.emulator.requests().map((request) => request.organizationId)).toEqual(
			bench.emulator.requests().map(() => organizationId),
		);
		expect(bench.requests("submit")).toEqual([]);
	});
});
