/** What a plan says of other times, when other time windows of policies are open. */
import { describe, expect, it } from "vitest";
import type { Plan } from "../../../src/plan/plan.ts";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import { guardText } from "../../../src/say/guards.ts";
import { planWritten } from "../order/support-policies.ts";
import {
	alice,
	anyOf,
	approvers,
	carol,
	condition,
	type Members,
	onlyUser,
	planFor,
	policyOf,
	signers,
	treasury,
	twoOf,
	type Wish,
} from "../support-access.ts";
import { context, id } from "../support-organizations.ts";

/** The plan is made on the first of January 2026, a Thursday. */
const [past, ahead, far] = ["2025-06-01T00:00:00Z", "2026-06-01T00:00:00Z", "2028-06-01T00:00:00Z"];
/** A window that is closed now, and one that is open. */
const closed = `time.now >= Timestamp('${ahead}')`;
const open = `time.now < Timestamp('${ahead}')`;
/** A window that opens after that. */
const behind = "time.now >= Timestamp('2026-09-01T00:00:00Z')";

const change = ({ impact = [] }: Plan) => impact.map(({ change: what }) => what);
const later = ({ impactAtOtherTimes = [] }: Plan) => impactAtOtherTimes.map(({ change: what }) => what);
const signing = (number: number, consensus: string, parts: Partial<AccessPolicy> = {}): AccessPolicy =>
	policyOf(number, { consensus, condition: condition.sign, ...parts });
const denying = (number: number, consensus: string, parts: Partial<AccessPolicy> = {}): AccessPolicy =>
	signing(number, consensus, { effect: "EFFECT_DENY", ...parts });

describe("a window of a policy", () => {
	/** Returns the policies of the plan whose windows matter, where one policy with this window names the changed tag. */
	function timed(time: string): readonly string[] | undefined {
		const organization = { members: { signers: ["alice"] }, policies: [signing(1, anyOf(signers), { time })] } as const;
		return planFor(organization, { members: { signers: ["alice", "bob"] } }).impactTimed;
	}
	const one = [id("policy", 1)];

	it.each([
		["that is ahead", `time.now >= Timestamp('${ahead}')`],
		["that was begun and ends", `time.now >= Timestamp('${past}') && time.now < Timestamp('${ahead}')`],
		["of a schedule", "CronSpan('0 1 * * *', '2h', 'UTC')"],
		["of a schedule since a moment", `CronSpan('0 1 * * *', '2h', 'UTC') && time.now > Timestamp('${past}')`],
		["with spaces within its moment", `time.now >= Timestamp (  '${ahead}' )`],
	])("%s matters at another time: %j", (_what, time) => {
		expect(timed(time)).toEqual(one);
	});

	it.each([
		["that there is not", " "],
		["that is over", `time.now < Timestamp('${past}')`],
		["that was begun and does not end", `time.now >= Timestamp('${past}')`],
		["that is always open", `time.now >= Timestamp('${past}') || time.now >= Timestamp('${ahead}')`],
		["that begins years ahead", `time.now >= Timestamp('${far}')`],
		["that is over, with a space before the bracket", `time.now < Timestamp ('${past}')`],
		["that is over, with spaces within the brackets", `time.now < Timestamp( '${past}' )`],
		["that is over, with a line break", `time.now < Timestamp\n(\n'${past}')`],
	])("%s matters at no other time: %j", (_what, time) => {
		expect(timed(time)).toBe(undefined);
	});

	it("ahead counts for a year and a day", () => {
		const dayMs = 24 * 60 * 60 * 1000;
		const inDays = (days: number) => new Date(context.readAtMs + days * dayMs).toISOString();
		expect(timed(`time.now < Timestamp('${inDays(366)}')`)).toEqual(one);
		expect(timed(`time.now < Timestamp('${inDays(367)}')`)).toBe(undefined);
		expect(timed(`time.now < Timestamp('${inDays(0)}')`)).toBe(undefined);
	});
});

describe("what is not understood of a policy that a plan writes", () => {
	const odd = signing(1, onlyUser(carol), { name: "odd", condition: "wallet.frobnicate == 'x'" });
	const planOf = (live: AccessPolicy, written: Partial<AccessPolicy>) => {
		const wish = { policies: [{ ...live, ...written }], unchecked: true } as const;
		const { guards, impactVerdict } = planWritten({ members: {}, policies: [live] }, wish);
		return [impactVerdict, ...guards.filter(({ refuses }) => refuses).map(({ kind }) => kind)];
	};
	const blocked = ["lockout", "escalation"];

	it("blocks where its window is closed now, or the service says that it is", () => {
		const other = { condition: "wallet.frobnicate == 'y'" };
		expect(planOf({ ...odd, time: closed }, other)).toEqual(["equivalent", ...blocked]);
		const live = [{ ...odd, time: closed }];
		const { guards } = planWritten(
			{ members: {}, policies: live },
			{ policies: [{ ...odd, ...other, time: closed }], unchecked: true },
		);
		expect(guards.map(guardText)).toContainEqual(
			expect.stringMatching(/^at another time \(from 2\S+Z\), by time windows of policies: who could still /),
		);
		const stated = { ...odd, time: "Weekday('MON')", stated: { isActive: false, atMs: context.readAtMs } };
		expect(planOf(stated, other)).toEqual(["equivalent", ...blocked]);
		// Of another time the service said nothing.
		expect(planOf(stated, { time: "Weekday('TUE')" })).toEqual(["unknown", ...blocked]);
	});

	it("blocks where only an order of operators that no source says makes it the same", () => {
		const [sign, other] = [`(${condition.sign})`, condition.tags];
		const mixed = { ...odd, condition: `${other} || ${sign} && eth.tx.nonce == 1` };
		const clear = { condition: `${other} || (${sign} && eth.tx.nonce == 1)` };
		expect(planOf(mixed, clear)).toEqual(["unknown", ...blocked]);
		expect(planOf({ ...mixed, ...clear }, { condition: mixed.condition })).toEqual(["unknown", ...blocked]);
		expect(planOf(mixed, { name: "renamed" })).toEqual(["equivalent"]);
	});

	it("blocks nothing where its texts stay", () => {
		const stated = { ...odd, time: "Weekday('MON')", stated: { isActive: false, atMs: context.readAtMs } };
		expect(planOf(stated, { name: "renamed" })).toEqual(["equivalent"]);
		expect(planOf({ ...odd, time: closed }, { name: "renamed" })).toEqual(["equivalent"]);
	});
});

describe("the lockouts and escalations of another time", () => {
	const plan = (members: Members, policies: readonly AccessPolicy[], wish: Wish["members"]) =>
		planFor({ members, policies }, { ...(wish === undefined ? {} : { members: wish }) });

	it("have what happens where every window is open", () => {
		// The first allows signers, the second denies what alice takes part in.
		const policies = [signing(1, anyOf(signers), { time: closed }), denying(2, onlyUser(alice), { time: closed })];
		const found = plan({ signers: ["alice", "bob"] }, policies, { signers: ["alice"] });
		expect([change(found), later(found)]).toEqual([[], ["nobody"]]);
		expect(found.impactTimed).toEqual([id("policy", 1), id("policy", 2)]);
	});

	it("have what happens where only those are open that allow", () => {
		const policies = [
			signing(1, twoOf(signers)),
			signing(2, anyOf(approvers), { time: closed }),
			denying(3, anyOf(approvers), { time: behind }),
		];
		const found = plan({ signers: ["alice", "bob"] }, policies, { approvers: ["carol"] });
		expect([change(found), later(found)]).toEqual([[], ["alone"]]);
		expect(found.impactAtOtherTimes).toMatchObject([{ userIds: [carol], isEscalation: true }]);
	});

	it("have a lockout that complementary windows hide, with its first moment", () => {
		// Alice alone signs on Sundays, and others on all other days.
		const policies = [
			signing(1, anyOf(signers), { time: "CronSpan('0 0 * * 0', '24h', 'UTC')" }),
			signing(2, anyOf(approvers), { time: "CronSpan('0 0 * * 1-6', '24h', 'UTC')" }),
		];
		const found = plan({ signers: ["alice"], approvers: ["bob"] }, policies, { signers: [] });
		expect(change(found)).toEqual([]);
		expect(found.impactAtOtherTimes).toMatchObject([{ change: "nobody", at: "2026-01-04T00:00:00.000Z" }]);
	});

	it("have what happens where only those are open that deny", () => {
		const policies = [
			signing(1, anyOf(signers)),
			signing(2, anyOf(approvers), { time: behind }),
			denying(3, onlyUser(alice), { time: closed }),
		];
		const found = plan({ signers: ["alice", "bob"], approvers: ["carol"] }, policies, { signers: ["alice"] });
		expect([change(found), later(found)]).toEqual([["loses"], ["nobody"]]);
	});

	it("have what happens where none is open", () => {
		const policies = [
			signing(1, anyOf(signers)),
			signing(2, anyOf(approvers), { time: open }),
			denying(3, anyOf(signers), { time: open }),
		];
		const found = plan({ signers: ["alice"], approvers: ["bob"] }, policies, { signers: [] });
		expect([change(found), later(found)]).toEqual([[], ["nobody"]]);
	});

	it("have nothing that is so now too, and each once", () => {
		const policies = [signing(1, twoOf(signers)), policyOf(2, { condition: condition.export, time: closed })];
		const found = plan({ signers: ["alice", "bob"] }, policies, { signers: ["alice"] });
		expect([change(found), later(found)]).toEqual([["nobody"], []]);
	});

	it("have nothing that is neither, such as a user who loses or gains a part", () => {
		const policies = [
			signing(1, twoOf(signers), { time: closed }),
			policyOf(2, { consensus: twoOf(treasury), condition: condition.export, time: closed }),
		];
		const members: Members = { signers: ["alice", "bob", "carol"], treasury: ["alice", "bob"] };
		const wish: Wish["members"] = { signers: ["alice", "bob"], treasury: ["alice", "bob", "carol"] };
		const found = plan(members, policies, wish);
		expect([change(found), later(found)]).toEqual([[], []]);
		expect(found.impactTimed).toEqual([id("policy", 1), id("policy", 2)]);
		const always = plan(
			members,
			policies.map((one) => ({ ...one, time: "" })),
			wish,
		);
		expect(change(always).toSorted()).toEqual(["gains", "loses"]);
	});

	it("are not repeated where no one can do the same now, though other users lose it", () => {
		const policies = [signing(1, anyOf(signers)), signing(2, anyOf(approvers), { time: closed })];
		const found = plan({ signers: ["alice"], approvers: ["carol"] }, policies, { signers: [], approvers: [] });
		expect(found.impact).toMatchObject([{ change: "nobody", userIds: [alice] }]);
		expect(found).not.toHaveProperty("impactAtOtherTimes");
		expect(found.impactTimed).toEqual([id("policy", 2)]);
	});

	it("are all there, each power, user and condition apart", () => {
		const conditional = `${condition.export} && wallet.id == 'w'`;
		const policies = [
			signing(1, twoOf(signers), { time: closed }),
			policyOf(2, { consensus: twoOf(signers), condition: condition.export, time: closed }),
			policyOf(3, { consensus: anyOf(signers), condition: conditional, time: closed }),
		];
		const found = plan({ signers: ["alice", "bob"] }, policies, { signers: ["alice"] });
		expect(found.impactAtOtherTimes?.map(({ group, condition: where }) => [group, where])).toEqual([
			[{ resource: "PRIVATE_KEY", action: "SIGN" }, null],
			[{ resource: "WALLET", action: "EXPORT" }, "!(wallet.id == 'w')"],
		]);
		const both = [signing(1, twoOf(signers)), signing(2, anyOf(approvers), { time: closed })];
		const alone = plan({ signers: ["alice", "bob"] }, both, { approvers: ["carol"] });
		expect(alone.impactAtOtherTimes).toMatchObject([{ change: "alone", userIds: [carol] }]);
	});

	it("are not there where another window changes nothing of what the steps do", () => {
		const elsewhere = policyOf(2, { consensus: anyOf(treasury), condition: condition.export, time: closed });
		const found = plan({ signers: ["alice", "bob"] }, [signing(1, twoOf(signers)), elsewhere], { signers: ["alice"] });
		expect(change(found)).toEqual(["nobody"]);
		expect(found).not.toHaveProperty("impactTimed");
		expect(found).not.toHaveProperty("impactAtOtherTimes");
	});

	it("are not there where no window matters, or policies were not read", () => {
		const policies = [signing(1, twoOf(signers))];
		const found = plan({ signers: ["alice", "bob"] }, policies, { signers: ["alice"] });
		expect(found).not.toHaveProperty("impactTimed");
		expect(found).not.toHaveProperty("impactAtOtherTimes");
	});
});
