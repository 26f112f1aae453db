/** What a submitter signed is what is shown, or the activity is not reviewable; and fingerprints, for many random activities. */
import { describe, expect, it } from "vitest";
import { isCounting, voteLifetimeMs } from "../../../src/plan/activities/activity-events.ts";
import { reviewActivity } from "../../../src/plan/activities/reviewed-activity.ts";
import { toReturnedActivity } from "../../../src/sync/submit/returned-activity.ts";
import { submits } from "../../../src/wire/operations.ts";
import { fingerprintOf } from "../../../src/wire/request-body.ts";
import { apiKeyScheme, createApiKeyStamper } from "../../../src/wire/stamp.ts";
import { id, organizationId } from "../support-organizations.ts";

const nowMs = Date.parse("2026-11-22T12:00:00Z");
const [alice, bob] = [id("user", 1), id("user", 2)];
const tagId = id("tag", 1);
const parameters = { userTagId: tagId, newUserTagName: "signers", addUserIds: [alice], removeUserIds: [bob] };
const stamper = createApiKeyStamper({ privateKey: "5e".repeat(32) });

/** A record as the service answers it, whose submitter signed this message. */
async function recordOf(message: string, more: object = {}) {
	const { stampHeaderValue } = await stamper.stamp(message);
	const { publicKey, signature } = JSON.parse(Buffer.from(stampHeaderValue, "base64url").toString("utf8"));
	const time = { seconds: String(nowMs / 1000 - 60), nanos: "0" };
	const vote = { userId: alice, selection: "VOTE_SELECTION_APPROVED", message, publicKey, signature };
	return {
		...{ id: id("other", 1), organizationId, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" },
		...{ type: submits.update_user_tag.type, intent: { updateUserTagIntent: parameters } },
		votes: [{ ...vote, scheme: apiKeyScheme, createdAt: time, user: { userName: "alice" } }],
		...{ fingerprint: fingerprintOf(message), createdAt: time, ...more },
	};
}

async function mistakesOf(message: string, more: object = {}): Promise<readonly string[]> {
	const returned = toReturnedActivity(await recordOf(message, more));
	return reviewActivity(returned, { organizationId, nowMs }).mistakes.map(({ code }) => code);
}

const request = (change: object = {}) =>
	JSON.stringify({
		type: submits.update_user_tag.type,
		timestampMs: String(nowMs),
		organizationId,
		parameters,
		...change,
	});

describe("an activity", () => {
	it("is reviewable if its submitter signed what the service shows", async () => {
		expect(await mistakesOf(request())).toEqual([]);
		expect(await mistakesOf(` ${request({ generateAppProofs: false }).replaceAll(":", " : ")}\n`)).toEqual([]);
		const record = await recordOf(request());
		expect(reviewActivity(toReturnedActivity(record), { organizationId, nowMs })).toMatchObject({
			...{ submittedBy: alice, parameters, voterNames: { [alice]: "alice" } },
			votes: [{ userId: alice, selection: "approved", at: "2026-11-22T11:59:00.000Z", counts: true }],
		});
	});

	it.each([
		["other-organization", request({ organizationId: id("org", 2) })],
		["other-type", request({ type: submits.delete_policies.type })],
		["other-parameters", request({ parameters: { ...parameters, addUserIds: [] } })],
		["other-parameters", request({ parameters: { ...parameters, newUserTagName: "Signers" } })],
		["not-json", request({ parameters: { ...parameters, user_tag_id: tagId } })],
		["not-json", request({ parameters: { ...parameters, userTagId: "signers" } })],
		["not-json", request({ parameters: [parameters] })],
		["not-json", request({ more: 1 })],
		["not-json", request({ timestampMs: "today" })],
		["not-json", request().replace("{", `{"organizationId":"${id("org", 2)}",`)],
		["not-json", request().replace('"addUserIds"', '"addUserI\\u0064s":[],"addUserIds"')],
		["not-json", request().replace("signers", "\ud800")],
		["not-json", "[]"],
		["not-json", "no JSON"],
		["not-json", `${"[".repeat(300)}${"]".repeat(300)}`],
	])("is refused as %s: %s", async (code, message) => {
		expect(await mistakesOf(message)).toEqual([code]);
	});

	it("is refused if the service leaves out what would show it", async () => {
		const [vote] = (await recordOf(request())).votes;
		expect(await mistakesOf(request(), { votes: [] })).toEqual(["no-request"]);
		expect(await mistakesOf(request(), { votes: null })).toEqual(["no-request"]);
		expect(await mistakesOf(request(), { votes: [{ ...vote, message: null }] })).toEqual(["no-request"]);
		expect(await mistakesOf(request(), { intent: null })).toEqual(["other-parameters"]);
		expect(await mistakesOf(request(), { votes: [{ ...vote, signature: "30" }] })).toEqual(["bad-signature"]);
		expect(await mistakesOf(request(), { votes: [{ ...vote, publicKey: "02ff" }] })).toEqual(["bad-signature"]);
		expect(await mistakesOf(request(), { votes: [{ ...vote, scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN" }] })).toEqual([]);
		expect(await mistakesOf(request(), { organizationId: id("org", 2) })).toEqual(["other-organization"]);
		expect(await mistakesOf(request(), { type: "ACTIVITY_TYPE_CREATE_USERS_V3" })).toEqual(["not-understood"]);
	});

	it("is reviewable without the lists that its submitter left out, which are empty then", async () => {
		const { addUserIds, removeUserIds: _removed, ...others } = parameters;
		const added = { ...others, addUserIds };
		expect(await mistakesOf(request({ parameters: added }), { intent: { updateUserTagIntent: added } })).toEqual([]);
		expect(await mistakesOf(request({ parameters: others }), { intent: { updateUserTagIntent: others } })).toEqual([]);
		const { userTagId: _tag, ...without } = parameters;
		expect(await mistakesOf(request({ parameters: without }))).toEqual(["not-json"]);
	});

	it("has of several votes at the same time the one whose message is its request", async () => {
		const record = await recordOf(request());
		const [vote] = record.votes;
		const together = { ...vote, userId: bob, message: "{}" };
		for (const votes of [
			[vote, together],
			[together, vote],
			[together, { ...together, userId: id("user", 3) }, vote],
		]) {
			const returned = toReturnedActivity({ ...record, votes: votes as object[] });
			expect(reviewActivity(returned, { organizationId, nowMs })).toMatchObject({ submittedBy: alice, mistakes: [] });
		}
		const others = toReturnedActivity({ ...record, votes: [together, { ...together, userId: alice }] });
		expect(reviewActivity(others, { organizationId, nowMs })).toMatchObject({
			...{ submittedBy: bob, mistakes: [{ code: "other-bytes" }] },
		});
		// The same request signed by a second user at the same time: the first one in the list submitted it.
		const twice = toReturnedActivity({ ...record, votes: [vote, { ...vote, userId: bob }] as object[] });
		expect(reviewActivity(twice, { organizationId, nowMs }).submittedBy).toBe(alice);
	});

	it("has the first vote as its request, whatever the order of the list", async () => {
		const record = await recordOf(request());
		const [vote] = record.votes;
		const later = { ...vote, userId: bob, message: "{}", createdAt: { seconds: String(nowMs / 1000), nanos: "0" } };
		const review = (votes: readonly object[]) =>
			reviewActivity(toReturnedActivity({ ...record, votes }), { organizationId, nowMs: nowMs + 86_400_000 - 1000 });
		for (const votes of [
			[vote, later],
			[later, vote],
		]) {
			const { mistakes, submittedBy, votes: shown } = review(votes as object[]);
			expect({ mistakes, submittedBy }).toMatchObject({ submittedBy: alice });
			expect(shown.map(({ counts }) => counts)).toEqual([false, true]);
		}
		const earlier = { ...later, createdAt: { seconds: "1", nanos: "0" } };
		expect(review([vote as object, earlier]).mistakes).toMatchObject([{ code: "other-bytes" }]);
	});
});

describe("a vote", () => {
	it("counts for a day, and one without a time counts", () => {
		const countsAt = (castAtMs: number | null) => isCounting({ castAtMs }, nowMs);
		expect([nowMs, nowMs - voteLifetimeMs + 1, nowMs - voteLifetimeMs, null].map(countsAt)).toEqual([
			...[true, true, false, true],
		]);
	});
});
