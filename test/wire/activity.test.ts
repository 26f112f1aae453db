/** How an answer's activity is read: what may be missing, and what makes it ours. */
import { describe, expect, it } from "vitest";
import { endOfPrecision, readActivity, readTime } from "../../src/wire/activity.ts";
import { approvals, submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { goodActivity, type Reply } from "./independent-server.ts";
import { body, client, organizationId, server, startMs, submit } from "./watched-client.ts";

describe("an activity", () => {
	const withActivity = (change: Record<string, unknown>): Reply => ({
		body: { activity: { ...goodActivity(body.bytes), ...change } },
	});
	async function activityOf(change: Record<string, unknown>): Promise<unknown> {
		server.script(withActivity(change));
		const answer = await submit();
		return answer.kind === "activity" ? answer.activity : answer;
	}

	it("may lack, or have null for, everything but its five names", async () => {
		const optional = ["intent", "result", "votes", "canApprove", "canReject", "createdAt", "updatedAt", "failure"];
		const expected = { intent: null, result: null, votes: [], failure: null, createdAtMs: undefined };
		const nulls = await activityOf(Object.fromEntries(optional.map((name) => [name, null])));
		const absent = await activityOf(Object.fromEntries(optional.map((name) => [name, undefined])));
		expect(nulls).toMatchObject(expected);
		expect(absent).toEqual(nulls);
		expect(nulls).not.toHaveProperty("canApprove");
	});

	it("has its inner result under the operation's key, another key, or beside a repeated activity", async () => {
		const result = { policyIds: ["p"] };
		const repeated = { activity: { id: "x" }, deletePoliciesResult: result };
		for (const shape of [repeated, { deletePoliciesResult: result }, { deletePoliciesResultV2: result }]) {
			expect(await activityOf({ result: shape })).toMatchObject({ result });
		}
		expect(await activityOf({ result: { activity: { id: "x" } } })).toMatchObject({ result: null });
	});

	it("has its votes without what would make a stamp, and its failure", async () => {
		const vote = { id: "v", userId: "u", selection: "VOTE_SELECTION_APPROVED", message: "{}", signature: "30" };
		const failed = await activityOf({ votes: [vote, null], failure: { code: 3, message: "why", details: [] } });
		expect(failed).toMatchObject({
			votes: [{ userId: "u", selection: "VOTE_SELECTION_APPROVED", createdAtMs: undefined }],
			failure: { code: 3, message: "why" },
		});
		expect(JSON.stringify(failed)).not.toContain("signature");
	});

	it("of another organization is in doubt although it has our fingerprint, and the message names the difference", async () => {
		expect(await activityOf({ organizationId: "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a12" })).toMatchObject({
			kind: "unknown",
			because: expect.stringContaining("the organization 0a5d6d8e") as string,
		});
	});

	it("cannot be sent with the capability to submit, nor a submit with the capability to vote", async () => {
		const vote = encodeSubmit(approvals.reject_activity, organizationId, { fingerprint: "sha256:a" }, startMs);
		await expect(client.submitter.submit(vote)).rejects.toThrow("reject_activity cannot be sent with this capability");
		const submit = encodeSubmit(submits.delete_policies, organizationId, { policyIds: [] }, startMs);
		await expect(client.voter.vote(submit)).rejects.toThrow("delete_policies cannot be sent with this capability");
	});

	it("comes with the service's clock, or without one", async () => {
		server.script({ ...withActivity({}), headers: { date: "Thu, 01 Jan 2026 00:00:09 GMT" } });
		expect(await submit()).toMatchObject({ serverTimeMs: startMs + 9000 });
		server.script({ ...withActivity({}), headers: { date: "now" } });
		expect(await submit()).toMatchObject({ serverTimeMs: undefined });
	});
});

describe("what a returned activity says", () => {
	const read = (parts: object) => readActivity(submits.delete_policies, { id: "i", ...parts });

	it.each([
		[{ seconds: "1767225600", nanos: "999999999" }, 1767225600999],
		["2026-01-01T00:00:00.500Z", 1767225600500],
		["2026-01-01T00:00:00.123456789Z", 1767225600123],
		["2026-01-01T01:00:00+01:00", 1767225600000],
		["2026-01-01T00:00:00", 1767225600000],
		["1767225600", 1767225600000],
		["1767225600250", 1767225600250],
		["yesterday", undefined],
		[{}, undefined],
		[{ seconds: "9999999999999999" }, undefined],
		[{ seconds: 1e308 }, undefined],
		["100000000000", 100000000000],
		["99999999999", 99999999999000],
		[99999999999.9, 99999999999900],
		["1767225600.25", 1767225600250],
		["1767225600.", undefined],
		["-1", undefined],
		["12345678901234567", undefined],
		[Number.NaN, undefined],
		["2026-01-01T01:00:00+0100", 1767225600000],
		["2026-01-01T00:00z", 1767225600000],
		["2026-13-01T00:00:00Z", undefined],
		["2026-01-01", undefined],
		["at 2026-01-01T00:00:00Z", undefined],
		[{ seconds: "1" }, 1000],
		[{ seconds: 1, nanos: 1_500_000 }, 1001],
		[{ nanos: "1" }, undefined],
		[true, undefined],
	])("of a time as %j is %s milliseconds since 1970", (value, ms) => {
		expect(readTime(value)).toBe(ms);
	});

	it.each([
		[0, 999],
		[5000, 5999],
		[5001, 5001],
	])("of a time without a fraction may be anywhere in its second: %i, %i", (ms, end) => {
		expect(endOfPrecision(ms)).toBe(end);
	});

	it("of a failure is a code and a text, as far as they are such", () => {
		expect(read({ failure: { code: "INTERNAL", message: "why" } }).failure).toEqual({
			code: "INTERNAL",
			message: "why",
		});
		expect(read({ failure: { code: {}, message: 7 } }).failure).toEqual({});
		expect(read({ failure: "why" }).failure).toBeNull();
	});

	it("of a vote is nothing in another form", () => {
		const unknown = {
			id: undefined,
			userId: undefined,
			userName: undefined,
			selection: undefined,
			createdAtMs: undefined,
		};
		expect(
			read({ votes: [{ id: 1, userId: {}, user: { userName: 7 }, selection: null }, { user: "Ann" }] }).votes,
		).toEqual([unknown, unknown]);
		expect(read({ votes: [{ user: { userName: "Ann" }, createdAt: "1" }] }).votes).toEqual([
			{ ...unknown, userName: "Ann", createdAtMs: 1000 },
		]);
		expect(read({ votes: { id: "v" } }).votes).toEqual([]);
	});

	it("of an intent is the object under the operation's key, or under the only other one", () => {
		const inner = { policyIds: ["p"] };
		expect(read({ intent: { deletePoliciesIntent: inner, other: {} } }).intent).toEqual(inner);
		expect(read({ intent: { deletePoliciesIntent: null, other: inner, more: "text" } }).intent).toEqual(inner);
		expect(read({ intent: { one: inner, two: inner } }).intent).toBeNull();
		expect(read({ intent: {} }).intent).toBeNull();
		expect(read({ intent: "odd" }).intent).toBeNull();
	});

	it("of the caller's rights is left out in another form", () => {
		expect(read({ canApprove: true, canReject: false })).toMatchObject({ canApprove: true, canReject: false });
		expect(read({ canApprove: "true", canReject: 0 })).not.toHaveProperty("canApprove");
		expect(read({ canApprove: "true", canReject: 0 })).not.toHaveProperty("canReject");
	});
});
