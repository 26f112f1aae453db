/** What happens when the organization changes while a person signs with a passkey: what was signed is not sent. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ComparedOrganization } from "../../../src/cli/commands/comparing.ts";
import { whyStepChanged, whyVoteChanged } from "../../../src/cli/commands/signing.ts";
import type { VoteReading } from "../../../src/cli/commands/vote/vote-readings.ts";
import { askOwnerOnce } from "../../../src/cli/passkey.ts";
import { GuardError, TransportError } from "../../../src/common/errors.ts";
import type { PasskeyPage } from "../../../src/passkey/page.ts";
import { createPasskeyStamper } from "../../../src/passkey/stamper.ts";
import { readRequest, type SignedRequest } from "../../../src/passkey/words.ts";
import type { DesiredOrganization } from "../../../src/plan/organization.ts";
import { html } from "../../../src/render/html/html.ts";
import { compareLive } from "../../../src/sync/converge.ts";
import { requestDigestOf } from "../../../src/sync/journal/journal.ts";
import type { Client, Reader } from "../../../src/wire/client.ts";
import { extendedReads, writes } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { desiredOf, organizationId, wantTag } from "../../plan/support-organizations.ts";
import { acme, alice, approverStamper, Bench, bob, carol, signers, wantSigners } from "../../sync/support.ts";

let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(() => bench.reset(acme()));
afterAll(() => bench.close());

const addBob = { userTagId: signers, addUserIds: [bob], removeUserIds: [] };

/** The first step of a plan as it is signed, journaled as before each submit, and its organization as apply has it. */
async function signStep(desired: DesiredOrganization) {
	const { reader, journal, now } = bench.context();
	const compareAgain = () =>
		compareLive(desired, reader, journal.lastApplied(organizationId), { reads: "auto", now, journal });
	const comparison = await compareAgain();
	const [step] = comparison.plan.steps;
	if (step === undefined) throw new Error("there is a step");
	const { operation, parameters } = step;
	const body = encodeSubmit(writes[operation], organizationId, parameters, bench.nowMs);
	await journal.recordSending(body, requestDigestOf(organizationId, operation, parameters), [], bench.nowMs);
	const one = { comparison, compareAgain } as unknown as ComparedOrganization;
	return () => whyStepChanged(readRequest(body.bytes) as SignedRequest, [one]);
}

const submitByOther = (parameters: Readonly<Record<string, unknown>>) =>
	bench
		.client({ stamper: approverStamper })
		.submitter.submit(encodeSubmit(writes.update_user_tag, organizationId, parameters, bench.nowMs - 1000));

const changed = "live state changed before you signed, so what you signed was not sent: run the command again";

describe("a step that a person has signed", () => {
	it("is sent where nothing changed, although the journal has its request as open", async () => {
		const why = await signStep(wantSigners(alice, bob));
		expect(await why()).toBeUndefined();
	});

	it("is not sent where another activity made the change, or is pending for it", async () => {
		const why = await signStep(wantSigners(alice, bob));
		await bench.emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		await submitByOther(addBob);
		expect(await why()).toBe(changed);
		await bench.emulator.setRules(organizationId, { approvals: {} });
		await submitByOther({ ...addBob, removeUserIds: [carol] });
		expect(await why()).toBe(changed);
	});

	it("is not sent where a guard blocks it by then, or where the organization cannot be read", async () => {
		const desired: DesiredOrganization = {
			...desiredOf({
				userTags: [wantTag("signers", { members: { mode: "atLeast", atLeast: [], never: [alice, bob] } })],
			}),
			limits: { memberRemovals: { count: 1 } },
		} as DesiredOrganization;
		const why = await signStep(desired);
		expect(await why()).toBeUndefined();
		await submitByOther(addBob);
		expect(await why()).toMatch(
			/^blocked by a guard since: .*, so what you signed was not sent: run the command again$/,
		);
		bench.emulator.addFault({ operation: "list_user_tags", fault: "drop-before", count: 20 });
		expect(await why()).toMatch(/^the organization could not be read again: .* was not sent: run the command again$/);
	});
});

describe("a vote that a person has signed", () => {
	const request = { organizationId, parameters: { fingerprint: "f" } } as unknown as SignedRequest;
	const reading = (decision: string, disagreements: readonly string[] = []) => {
		const activities = [{ activity: { fingerprint: "f" }, decision, disagreements }];
		return { votes: { organizationId, activities } } as unknown as VoteReading;
	};
	const why = (readAgain: () => Promise<VoteReading>) => whyVoteChanged(request, [reading("vote")], readAgain);

	it("is cast only where its activity, read again, would get it still and no guard blocks it", async () => {
		expect(await why(async () => reading("vote"))).toBeUndefined();
		for (const now of [reading("ended"), reading("voted"), reading("vote", ["it is no longer wanted"])]) {
			expect(await why(async () => now)).toMatch(/^the activity changed before you signed, .* was not sent/);
		}
		const guard = new GuardError("blocked by a guard, nothing was submitted: lockout");
		expect(await why(() => Promise.reject(guard))).toMatch(/^blocked by a guard.*run the command again$/);
	});
});

describe("the stamper of the page", () => {
	it("reads again after each signature of a submit, and gives no stamp where that finds a change", async () => {
		const stamp = { headerName: "X-Stamp", headerValue: "signed" };
		let asked = 0;
		const page = {
			ask: async () => {
				asked += 1;
				return stamp;
			},
		} as unknown as PasskeyPage;
		const answers: (string | undefined)[] = ["it changed", undefined];
		const stamper = createPasskeyStamper({
			page,
			describe: () => ({ heading: "words", html: html`` }),
			whyChanged: async () => answers.shift(),
			findPasskeys: async () => undefined,
		});
		const submit = '{"organizationId":"o","type":"t","parameters":{}}';
		await expect(stamper.stamp(submit)).rejects.toMatchObject({ code: "passkey", message: "it changed" });
		expect(await stamper.stamp(submit)).toBe(stamp);
		expect(await stamper.stamp(submit)).toBe(stamp);
		expect(await stamper.stamp('{"organizationId":"o"}')).toBe(stamp);
		expect({ asked, answers }).toEqual({ asked: 3, answers: [] });
	});
});

describe("the query that says whose passkey it is", () => {
	it("is signed once for each organization of a run, and its repeated answer is no clock", async () => {
		const asked: unknown[] = [];
		let isBroken = true;
		const query: Reader["query"] = async ({ name }, { organizationId: id }) => {
			asked.push(`${name} ${id}`);
			if (isBroken) throw new TransportError("no answer", "no");
			return { value: {}, serverTimeMs: 5 };
		};
		const plain = { reader: { query }, forOrganization: () => ({ reader: { query } }) } as unknown as Client;
		const client = askOwnerOnce(plain);
		const whoami = (reader: Reader, id: string) => reader.query(extendedReads.whoami, { organizationId: id });
		await expect(whoami(client.reader, "a")).rejects.toThrow("no answer");
		isBroken = false;
		expect(await whoami(client.reader, "a")).toEqual({ value: {}, serverTimeMs: 5 });
		expect(await whoami(client.forOrganization().reader, "a")).toEqual({ value: {}, serverTimeMs: undefined });
		await whoami(client.reader, "b");
		for (const _ of [1, 2]) await client.reader.query(extendedReads.list_users, { organizationId: "a" });
		expect(asked).toEqual(["whoami a", "whoami a", "whoami b", "list_users a", "list_users a"]);
	});
});
