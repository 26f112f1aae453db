/** What decides who can do what: read once an organization, unknown with its reason where the service does not show it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AuthenticationError, ServiceError, TransportError } from "../../../src/common/errors.ts";
import type { DesiredOrganization, DesiredRule } from "../../../src/plan/organization.ts";
import type { Reads } from "../../../src/plan/plan.ts";
import { findOutdated } from "../../../src/plan/stale.ts";
import type { AccessState } from "../../../src/policy/access.ts";
import { phraseText } from "../../../src/render/print/text.ts";
import { describeImpact } from "../../../src/render/sections/impact-words.ts";
import { describeApprovals } from "../../../src/say/approvals.ts";
import { guardText } from "../../../src/say/guards.ts";
import { type Comparison, compareLive } from "../../../src/sync/converge.ts";
import { readAccessOnly } from "../../../src/sync/read/read-access.ts";
import type { Client, Reader } from "../../../src/wire/client.ts";
import { saying } from "../../in-words.ts";
import { at, desiredOf, id, nothingAbsent, organizationId, wantTag } from "../../plan/support-organizations.ts";
import {
	acme,
	adminId,
	alice,
	approverId,
	approverStamper,
	Bench,
	bob,
	carol,
	oncall,
	policies,
	providers,
	signers,
	strangerStamper,
	wantSigners,
} from "../support.ts";

const rootQuorum = { threshold: 2, userIds: [approverId, adminId] };
const seed = acme({ rootQuorum });

let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([seed]);
});
beforeEach(() => bench.reset(seed));
afterAll(() => bench.close());

const accessReads = ["get_organization_configs", "list_policies", "list_users", "whoami"];

/** How often each query was asked, by its name. */
function asked(): Readonly<Record<string, number>> {
	const names = bench.requests("query").map(({ operation }) => operation ?? "");
	return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}

function compare(
	desired: DesiredOrganization,
	{ reads = "auto" as Reads, client = bench.client(), submitterId = undefined as string | undefined } = {},
): Promise<Comparison> {
	const { reader, journal, now } = bench.context({}, client);
	return compareLive(desired, reader, journal.lastApplied(organizationId), {
		...{ reads, now, journal },
		publicKey: () => client.publicKey(),
		...(submitterId === undefined ? {} : { submitterId }),
	});
}

const everything = desiredOf({
	userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [bob] } }), wantTag("oncall")],
	absent: {
		...nothingAbsent,
		policyIds: [policies[0]],
		oauthProviders: [{ userId: bob, providerIds: [providers[2]] }],
	},
});

describe("the reads of who can do what", () => {
	it.each<[string, DesiredOrganization]>([
		["gains a member", wantSigners(alice, bob)],
		["loses a member", wantSigners(bob)],
		["is renamed", desiredOf({ userTags: [wantTag("officers", { previously: ["signers"] })] })],
	])("are one each where a tag %s", async (_what, desired) => {
		await compare(desired);
		expect(asked()).toMatchObject(Object.fromEntries(accessReads.map((name) => [name, 1])));
	});

	it("are one each where tags, policies and providers change, which need the same answers", async () => {
		await compare(everything);
		const once = Object.fromEntries([...accessReads, "list_activities", "list_user_tags"].map((name) => [name, 1]));
		expect(asked()).toEqual(once);
	});

	it("are one each for both documents of a base comparison", async () => {
		const { reader, journal, now } = bench.context();
		const base = { desired: everything, name: "earlier" } as const;
		const lastApplied = journal.lastApplied(organizationId);
		await compareLive(wantSigners(bob), reader, lastApplied, { reads: "auto", now, journal, base: { ...base } });
		expect(asked()).toMatchObject(Object.fromEntries(accessReads.map((name) => [name, 1])));
	});

	it("are none where nothing is submitted", async () => {
		const { context } = await compare(wantSigners(alice));
		expect(context).not.toHaveProperty("access");
		expect(context).not.toHaveProperty("submitter");
		expect(asked()).toEqual({ list_user_tags: 1, list_users: 1 });
	});

	it("are none where the organization cannot converge", async () => {
		await compare(desiredOf({ userTags: [wantTag("missing")] }));
		expect(asked()).toEqual({ list_user_tags: 1 });
	});

	it("are none with documented reads", async () => {
		const { context } = await compare(everything, { reads: "documented" });
		expect(context).not.toHaveProperty("access");
		expect(asked()).toEqual({ list_user_tags: 1 });
	});

	it("need no whoami where another user will submit the plan", async () => {
		const { context } = await compare(wantSigners(alice, bob), { submitterId: bob });
		expect(context.submitter).toEqual({ known: true, value: { userId: bob, publicKey: null } });
		expect(asked()).not.toHaveProperty("whoami");
	});

	it("need one whoami where another user will submit what takes something from a user", async () => {
		const { context } = await compare(wantSigners(bob), { submitterId: bob });
		expect(context.caller).toEqual({ known: true, value: adminId });
		expect(context.submitter).toEqual({ known: true, value: { userId: bob, publicKey: null } });
		expect(asked()).toMatchObject({ whoami: 1 });
	});

	it("run at the same time as the reads of pending activities", async () => {
		const client = bench.client();
		let open = 0;
		let most = 0;
		const reader: Reader = {
			async query(operation, fields) {
				open += 1;
				most = Math.max(most, open);
				const answer = await client.reader.query(operation, fields);
				open -= 1;
				return answer;
			},
		};
		const { journal, now } = bench.context();
		const desired = desiredOf({ absent: { ...nothingAbsent, policyIds: [policies[0]] } });
		await compareLive(desired, reader, journal.lastApplied(organizationId), { reads: "auto", now, journal });
		// list_policies was answered before: list_activities, list_users, get_organization_configs and whoami.
		expect(most).toBe(4);
	});

	it("are no part of the verification after an apply", async () => {
		const { comparison } = await bench.run(wantSigners(alice, bob));
		expect(comparison.context.access?.users.known).toBe(true);
		expect(asked()).toEqual({
			...Object.fromEntries(accessReads.map((name) => [name, 1])),
			list_users: 2,
			list_user_tags: 2,
		});
	});
});

describe("which policies are in force", () => {
	const time = "time.now > Timestamp('2020-01-01T00:00:00Z')";
	const timed = (text = time) =>
		bench.emulator.changeState({ organizationId, policies: [{ policyId: policies[0], time: text }] });
	const policyIn = async () => {
		const { context, plan } = await compare(wantSigners(alice, bob));
		const all = context.access?.policies.known ? context.access.policies.value : unreachable();
		return { policy: all.find(({ id }) => id === policies[0]), warnings: plan.warnings };
	};

	it("is asked once where a policy has a time, and not where none has", async () => {
		await policyIn();
		expect(asked()).not.toHaveProperty("get_active_policies");
		await timed();
		expect((await policyIn()).policy).not.toHaveProperty("stated");
		expect(asked()).toMatchObject({ get_active_policies: 1 });
	});

	it("is not asked where extended reads are off", async () => {
		await timed();
		await compare(wantSigners(alice, bob), { reads: "documented" });
		expect(asked()).not.toHaveProperty("get_active_policies");
	});

	it.each([403, 404, 501])("is orgsync's own judgement where the service answers %d", async (status) => {
		await timed("time.now");
		bench.emulator.addFault({ operation: "get_active_policies", fault: "5xx", status, count: 9 });
		const { policy, warnings } = await policyIn();
		expect(policy).toMatchObject({ time: "time.now" });
		expect(policy).not.toHaveProperty("stated");
		expect(warnings).toBeUndefined();
	});

	it("is what the service says where orgsync does not understand the time, with a warning", async () => {
		await timed("time.now");
		const { policy, warnings } = await policyIn();
		expect(policy?.stated?.isActive).toBe(false);
		expect(warnings).toMatchObject([
			{
				code: "time-disagrees",
				message: expect.stringMatching(
					/^the service says that policy `.+` is not in force now, and by its `time` orgsync/,
				),
			},
		]);
	});
});

describe("rules of a document", () => {
	const withRules = (rules: readonly DesiredRule[]): DesiredOrganization => ({ ...wantSigners(alice), rules });
	const power = { power: "sign", at } as const;

	it.each<[string, DesiredRule]>([
		["approvers", { rule: "minApprovers", ...power, min: 2 }],
		["members that take part", { rule: "onlyBy", ...power, tags: ["signers"] }],
	])("about %s need who can do what, also where nothing is submitted", async (_what, rule) => {
		const { context } = await compare(withRules([rule]));
		expect(context.access?.policies.known).toBe(true);
		expect(context).not.toHaveProperty("submitter");
		expect(asked()).toEqual({ list_user_tags: 1, list_users: 1, list_policies: 1, get_organization_configs: 1 });
	});

	it("about members alone need nothing more where nothing is submitted", async () => {
		await compare(withRules([{ rule: "members", tag: "signers", min: 1, at }]));
		expect(asked()).toEqual({ list_user_tags: 1, list_users: 1 });
	});

	it("are read with no extended read where those are off", async () => {
		await compare(withRules([{ rule: "minApprovers", ...power, min: 2 }]), { reads: "documented" });
		expect(asked()).toEqual({ list_user_tags: 1 });
	});

	it("do not add reads to the verification after an apply", async () => {
		const desired = desiredOf({ absent: { ...nothingAbsent, policyIds: [policies[0]] } });
		const rules: readonly DesiredRule[] = [{ rule: "members", tag: "signers", min: 1, at }];
		const { comparison, report } = await bench.run({ ...desired, rules });
		expect(report.inSync).toBe(true);
		expect(comparison.plan.steps.length).toBe(1);
		expect(asked()).toMatchObject({ list_user_tags: 1, list_users: 1, list_policies: 2 });
	});
});

describe("who can do what", () => {
	it("is users with tags and credentials, policies and the root quorum, sorted and in lower case", async () => {
		await bench.emulator.changeState({
			organizationId,
			policies: [{ policyId: policies[2], policyName: "deny", effect: "EFFECT_DENY", consensus: "true" }],
		});
		const { context } = await compare(wantSigners(alice, bob));
		const { users, policies: found, rootQuorum: root } = context.access ?? unreachable();
		expect(users.known && users.value.map((user) => user.id)).toEqual([alice, bob, carol, adminId, approverId].sort());
		expect(users.known && users.value.find((user) => user.id === alice)).toEqual({
			id: alice,
			tagIds: { known: true, value: [signers] },
			email: { known: false, because: { kind: "emails-not-shown" } },
			credentials: { known: true, value: [] },
		});
		expect(users.known && users.value.find((user) => user.id === approverId)?.credentials).toMatchObject({
			known: true,
			value: [{ type: "CREDENTIAL_TYPE_API_KEY_P256", publicKey: approverStamper.publicKey, credentialId: null }],
		});
		expect(found.known && found.value.map((policy) => policy.id)).toEqual([...policies].sort());
		expect(found.known && found.value.find((policy) => policy.id === policies[2])).toMatchObject({
			name: "deny",
			effect: "EFFECT_DENY",
			consensus: "true",
			time: "",
		});
		expect(root).toEqual({ known: true, value: { threshold: 2, userIds: [adminId, approverId].sort() } });
		expect(context.submitter).toMatchObject({ known: true, value: { userId: adminId } });
	});

	it("has the public key that stamps the requests", async () => {
		const { context } = await compare(wantSigners(alice, bob), { client: bench.client({ stamper: approverStamper }) });
		const { publicKey } = approverStamper;
		expect(context.submitter).toEqual({ known: true, value: { userId: approverId, publicKey } });
	});

	it("agrees with live members, since both are of one answer", async () => {
		const client = bench.client();
		let answers = 0;
		const reader: Reader = {
			async query(operation, fields) {
				const answer = await client.reader.query(operation, fields);
				if (operation.name !== "list_users") return answer;
				answers += 1;
				// Another client adds bob as soon as the users are read.
				await bench.emulator.changeState({ organizationId, userTags: [{ tagId: oncall, userIds: [bob] }] });
				return answer;
			},
		};
		const { journal, now } = bench.context();
		const desired = wantSigners(alice, bob);
		const { live, context } = await compareLive(desired, reader, journal.lastApplied(organizationId), {
			...{ reads: "auto" as const, now, journal },
		});
		const tag = live.userTags.known ? live.userTags.value.find((one) => one.id === oncall) : undefined;
		expect(tag?.members).toEqual({ known: true, value: [] });
		const users = context.access?.users;
		expect(users?.known && users.value.find((user) => user.id === bob)?.tagIds).toEqual({ known: true, value: [] });
		expect(answers).toBe(1);
	});
});

function unreachable(): never {
	throw new Error("nothing was read");
}

describe("a document that only removes policies", () => {
	const export_ = "activity.resource == 'WALLET' && activity.action == 'EXPORT'";
	const desired = desiredOf({ absent: { ...nothingAbsent, policyIds: [policies[0]] } });
	const denying = acme({
		rootQuorum,
		policies: [
			{ policyId: policies[0], policyName: "no export", effect: "EFFECT_DENY", condition: export_ },
			{
				...{ policyId: policies[1], policyName: "export", effect: "EFFECT_ALLOW", condition: export_ },
				consensus: `approvers.any(user, user.id == '${alice}')`,
			},
		],
	});
	beforeEach(() => bench.reset(denying));

	it("names live users in impact, guards and approvals, with no more requests", async () => {
		const { plan, live } = await compare(desired);
		expect(live.users.known).toBe(false);
		expect(plan.liveNames).toEqual({ [adminId]: "admin", [alice]: "alice", [approverId]: "approver" });
		const escalation = plan.guards.filter(({ kind }) => kind === "escalation");
		expect(escalation.map(guardText).join()).toMatch(/alice \(id \S+\) could export/);
		const text = [...describeImpact(plan), ...describeApprovals(plan)].map(({ sentence }) => phraseText(sentence));
		expect(text.join("\n")).toMatch(
			/alice \(id \S+\) can now export wallets[\s\S]*will be pending approval by .*approver \(id \S+\)/,
		);
		expect(asked()).toMatchObject(Object.fromEntries(accessReads.map((name) => [name, 1])));
	});

	it("is the same plan when it is made again, so a saved one stays fresh", async () => {
		const [saved, fresh] = [await compare(desired), await compare(desired)];
		const { plan, live } = fresh;
		expect(findOutdated({ saved: saved.plan, fresh: plan, live })).toEqual([]);
	});

	it("has ids alone where the service does not list users", async () => {
		bench.emulator.addFault({ operation: "list_users", fault: "5xx", status: 404, count: 9 });
		expect((await compare(desired)).plan).not.toHaveProperty("liveNames");
	});
});

describe("a service without one of the reads of who can do what", () => {
	const reasons = [
		[404, "the service does not answer"],
		[501, "the service does not answer"],
		[403, "the service denies"],
	] as const;
	const parts = {
		list_users: "users",
		list_policies: "policies",
		get_organization_configs: "rootQuorum",
	} as const satisfies Record<string, keyof AccessState>;

	it.each(
		Object.keys(parts).flatMap((name) => reasons.map(([status, because]) => ({ name, status, because }))),
	)("plans the same where $name is answered with $status, and knows why it is unknown", async (missing) => {
		const desired = desiredOf({ userTags: [wantTag("officers", { previously: ["signers"] })] });
		const { plan: whole } = await compare(desired);
		bench.emulator.addFault({ operation: missing.name, fault: "5xx", status: missing.status, count: 9 });
		const { plan, context } = await compare(desired);
		const steps = (all: typeof plan) => all.steps.map(({ operation, parameters }) => ({ operation, parameters }));
		expect(steps(plan)).toEqual(steps(whole));
		expect(plan.changes).toEqual(whole.changes);
		expect(plan.unread).toEqual(whole.unread);
		const access = context.access ?? unreachable();
		for (const [name, part] of Object.entries(parts)) {
			const expected =
				name === missing.name
					? { known: false, because: saying(new RegExp(`${missing.because} ${name}`)) }
					: { known: true };
			expect(access[part]).toMatchObject(expected);
		}
	});

	it("applies the same activities with the same exit code, one missing at a time and all at once", async () => {
		const outcomes: unknown[] = [];
		for (const missing of [[], ...accessReads.map((name) => [name]), accessReads]) {
			await bench.reset(seed);
			for (const operation of missing) {
				bench.emulator.addFault({ operation, fault: "5xx", status: 404, count: 0x7fff });
			}
			const { report } = await bench.run(
				desiredOf({ userTags: [wantTag("officers", { previously: ["signers"] }), wantTag("oncall")] }),
			);
			outcomes.push({ inSync: report.inSync, left: report.left, submits: report.stats.submits });
		}
		expect(outcomes).toEqual(Array(6).fill({ inSync: true, left: [], submits: 1 }));
	});

	it("does not know the submitter where whoami is missing", async () => {
		bench.emulator.addFault({ operation: "whoami", fault: "5xx", status: 501, count: 9 });
		const { context, plan } = await compare(wantSigners(alice, bob));
		expect(context.submitter).toEqual({
			known: false,
			because: { kind: "no-answer", query: "whoami", httpStatus: 501 },
		});
		expect(plan.unread).toEqual([]);
	});

	it("is an error where no answer comes, as with every other read", async () => {
		bench.emulator.addFault({ operation: "get_organization_configs", fault: "drop-before", count: 0x7fff });
		await expect(compare(wantSigners(alice, bob))).rejects.toThrow(TransportError);
		bench.emulator.clearFaults();
		bench.emulator.addFault({ operation: "get_organization_configs", fault: "5xx", status: 400, count: 9 });
		await expect(compare(wantSigners(alice, bob))).rejects.toThrow(ServiceError);
		await expect(
			compare(wantSigners(alice, bob), { client: bench.client({ stamper: strangerStamper }) }),
		).rejects.toThrow(AuthenticationError);
	});
});

describe("an answer in another shape", () => {
	it("that the client refuses is unknown, where nothing else needs it", async () => {
		bench.emulator.addFault({ operation: "list_policies", fault: "html", status: 200, count: 9 });
		const { context } = await compare(wantSigners(alice, bob));
		expect(context.access?.policies).toEqual({
			known: false,
			because: saying(/^the service's answer cannot be used: list_policies: /),
		});
	});

	it("that the client refuses is an error, where a change needs it", async () => {
		bench.emulator.addFault({ operation: "list_policies", fault: "html", status: 200, count: 9 });
		await expect(compare(everything)).rejects.toThrow(ServiceError);
	});
});

describe("the times of a plan", () => {
	it("include when it was read who can do what", async () => {
		const client: Client = bench.client();
		const reader: Reader = {
			async query(operation, fields) {
				const { value } = await client.reader.query(operation, fields);
				const isOld = operation.name === "get_organization_configs";
				const askedAtMs = bench.nowMs - (isOld ? 40_000 : 0);
				return { value, serverTimeMs: askedAtMs, askedAtMs, askedAtPosition: isOld ? 3 : 9 };
			},
		};
		const { now } = bench.context();
		const lastApplied = { userTags: {}, removed: {} };
		const nothing = {
			openEntries: () => [],
			abandonedNames: () => new Set<string>(),
			rejectedEntries: () => [],
			completedTagEntries: () => [],
		};
		const journal = { ...nothing, lastApplied: () => lastApplied };
		const { plan, serverTimeMs, readPosition } = await compareLive(
			wantSigners(alice, bob),
			reader,
			{ userTags: {}, removed: {} },
			{ reads: "auto", now, steadyNow: () => 0, journal: { ...journal, position: () => 9 } },
		);
		expect(plan.readAt).toBe(new Date(bench.nowMs - 40_000).toISOString());
		expect(serverTimeMs).toBe(bench.nowMs - 40_000);
		expect(readPosition).toBe(3);
	});
});

describe("reading who can do what without a document", () => {
	it("takes four queries, and has the names of users and tags", async () => {
		const { reader, now } = bench.context();
		const { access, userNames, tagNames, readAtMs, serverTimeMs } = await readAccessOnly(organizationId, reader, now);
		expect(asked()).toEqual({ list_user_tags: 1, list_users: 1, list_policies: 1, get_organization_configs: 1 });
		expect(access.rootQuorum.known).toBe(true);
		expect(userNames).toMatchObject({ known: true, value: { [alice]: "alice" } });
		expect(tagNames).toMatchObject({ [signers]: "signers" });
		expect(readAtMs).toBe(bench.nowMs);
		expect(serverTimeMs).toBe(Math.floor(bench.nowMs / 1000) * 1000);
	});

	it("is unknown where the service has only the documented queries, and an error for an unknown organization", async () => {
		for (const operation of accessReads) {
			bench.emulator.addFault({ operation, fault: "5xx", status: 404, count: 9 });
		}
		const { reader, now } = bench.context();
		const { access, userNames } = await readAccessOnly(organizationId, reader, now);
		for (const part of [access.users, access.policies, access.rootQuorum, userNames]) expect(part.known).toBe(false);
		await expect(readAccessOnly(id("org", 99), reader, now)).rejects.toThrow(ServiceError);
	});
});
