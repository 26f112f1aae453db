/** What the answer to a write of policies or tags means, by what is live before it and after. */
import { describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/common/errors.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import type { Step } from "../../../src/plan/step.ts";
import { notAttempted, type SubmitResult } from "../../../src/sync/submit/outcomes.ts";
import {
	checkCreatedIds,
	explainResult,
	makePolicyReader,
	refuseStaleUpdate,
} from "../../../src/sync/submit/written-objects.ts";
import type { Reader } from "../../../src/wire/client.ts";
import { organizationId } from "../../plan/support-organizations.ts";

interface Live {
	readonly policies?: Readonly<Record<string, string | object>>;
	readonly tags?: Readonly<Record<string, string>>;
	/** What each query fails with. */
	readonly error?: Error;
}

/** A service with these objects by id, a policy as its name or its parts; `asked` counts the queries. */
function serviceWith({ policies = {}, tags = {}, error }: Live) {
	const asked: string[] = [];
	const value = {
		policies: Object.entries(policies).map(([policyId, parts]) => ({
			...{ policyId, effect: "EFFECT_ALLOW", consensus: "c", condition: "", notes: "" },
			...(typeof parts === "string" ? { policyName: parts } : parts),
		})),
		userTags: Object.entries(tags).map(([tagId, tagName]) => ({ tagId, tagName })),
	};
	const query: Reader["query"] = async ({ name }, fields) => {
		asked.push(name);
		expect(fields).toEqual({ organizationId });
		if (error !== undefined) throw error;
		return { value, serverTimeMs: undefined };
	};
	return { reader: { query }, asked };
}

const stepOf = (operation: string, parameters: object, address = "policy:pay", id = "p") =>
	({ operation, parameters, covers: [{ address, id }] }) as unknown as Step;
const creation = stepOf("create_policies", { policies: [{ policyName: "pay" }, { policyName: "vote" }] });
const update = stepOf("update_policy", { policyId: "p", policyName: "pay" });
const tagCreation = stepOf("create_user_tag", { userTagName: "signers", userIds: [] }, "userTag:signers");

const resultOf = (outcome: SubmitResult["outcome"], parts: Partial<SubmitResult> = {}): SubmitResult => ({
	...{ ...notAttempted("why"), outcome, activityId: "x" },
	...parts,
});
const made = (result: object, type = "ACTIVITY_TYPE_CREATE_POLICIES"): Partial<SubmitResult> => ({
	...{ isEarlier: true, activity: { type, result } as unknown as SubmitResult["activity"] },
});
const planOf = (...changes: readonly object[]) => ({ organizationId, changes }) as unknown as Plan;

async function messageOf(step: Step, result: SubmitResult, live: Live, plan = planOf()) {
	const explained = await explainResult(step, result, plan, serviceWith(live));
	return explained === result ? "as it was" : `${explained.outcome}: ${explained.message}`;
}

describe("a write that the service refused", () => {
	const failed = resultOf("failed", { refusedStatus: 400 });
	const taken = "was planned before another object took its name: o has the name";
	const again = "Plan again: it is compared then";

	it.each<[why: string, step: Step, live: Live, message: string]>([
		[
			"a new policy",
			creation,
			{ policies: { o: "vote", x: "other" } },
			`failed: why; policy:pay ${taken} vote. ${again}`,
		],
		["an update", update, { policies: { o: "pay", p: "old" } }, `failed: why; policy:pay ${taken} pay. ${again}`],
		["an update, its own name", update, { policies: { p: "pay" } }, "as it was"],
		["a tag", tagCreation, { tags: { O: "signers" } }, `failed: why; userTag:signers ${taken} signers. ${again}`],
		["a tag, other names", tagCreation, { tags: { o: "others" }, policies: { o: "signers" } }, "as it was"],
		["a removal", stepOf("delete_policies", { policyIds: ["p"] }), { policies: { o: "pay" } }, "as it was"],
		["what cannot be read", creation, { error: new ServiceError("broken", 500, undefined) }, "as it was"],
		["what is denied", creation, { error: new ServiceError("no", 403, 7) }, "as it was"],
	])("names the object that has the name: %s", async (_why, step, live, message) => {
		expect(await messageOf(step, failed, live)).toBe(message);
	});

	it("names the id of the object where the plan updates it", async () => {
		const plan = planOf({ address: "policy:other", action: "create" }, { address: "policy:pay", action: "update" });
		const live = { policies: { o: "pay" } };
		expect(await messageOf(update, failed, live, plan)).toContain("why; policy:pay (p) was planned");
		for (const change of [
			{ address: "policy:pay", action: "create" },
			{ address: "policy:x", action: "update" },
		])
			expect(await messageOf(update, failed, live, planOf(change))).toContain("why; policy:pay was planned");
	});

	it.each<[outcome: SubmitResult["outcome"], refusedStatus: number | null, isExplained: boolean]>([
		["failed", null, true],
		["unknown", 400, true],
		["unknown", 409, false],
		["denied", 403, false],
		["denied", 400, false],
		["completed", null, false],
	])("is explained where it is %s by status %s: %s", async (outcome, refusedStatus, isExplained) => {
		const message = await messageOf(creation, resultOf(outcome, { refusedStatus }), { policies: { o: "pay" } });
		expect(message !== "as it was").toBe(isExplained);
	});

	it.each<[step: Step, status: number, message: string]>([
		[creation, 404, "failed: the service does not have the operation create_policies (404): why"],
		[creation, 501, "failed: the service does not have the operation create_policies (501): why"],
		[update, 404, "failed: the service does not have the object, or the operation update_policy (404): why"],
		[stepOf("delete_policies", { policyIds: [] }), 404, "as it was"],
	])("may need an operation that the service lacks: %j, %i", async (step, refusedStatus, message) => {
		expect(await messageOf(step, resultOf("failed", { refusedStatus }), {})).toBe(message);
	});
});

describe("a creation that an earlier activity made", () => {
	const ids = made({ policyIds: ["A", "b"] });
	const about = "failed: activity x created vote (b) before";

	it.each<[what: string, step: Step, parts: Partial<SubmitResult>, live: Live, message: string]>([
		["with their names", creation, ids, { policies: { a: "pay", b: "vote" } }, "as it was"],
		[
			"deleted",
			creation,
			ids,
			{ policies: { a: "pay" } },
			`${about}, and it was deleted since: the next run creates another`,
		],
		[
			...(["renamed", creation, ids, { policies: { a: "pay", b: "new" } }] as const),
			`${about}, and it was renamed to new since: the next run creates another`,
		],
		["another number of ids", creation, made({ policyIds: ["a"] }), {}, "as it was"],
		["denied", creation, ids, { error: new ServiceError("no", 403, 7) }, "as it was"],
		[
			...(["unreadable", creation, ids, { error: new ServiceError("broken", 500, undefined) }] as const),
			"failed: activity x created pay, vote (a, b) before, which could not be read: broken",
		],
		[
			...(["a tag, deleted", tagCreation, made({ userTagId: "T" }, "ACTIVITY_TYPE_CREATE_USER_TAG"), {}] as const),
			"failed: activity x created signers (t) before, and it was deleted since: the next run creates another",
		],
		[
			"a tag, there",
			tagCreation,
			made({ userTagId: "T" }, "ACTIVITY_TYPE_CREATE_USER_TAG"),
			{ tags: { t: "signers" } },
			"as it was",
		],
		["not an earlier one", creation, { ...ids, isEarlier: false }, {}, "as it was"],
	])("is done only where its objects are there: %s", async (_what, step, parts, live, message) => {
		expect(await messageOf(step, resultOf("completed", parts), live)).toBe(message);
	});

	it("is not looked for after a removal, and no name is after one that failed", async () => {
		const { reader, asked } = serviceWith({});
		const removal = stepOf("delete_policies", { policyIds: ["p"] });
		for (const result of [resultOf("completed", { isEarlier: true }), resultOf("failed", { isEarlier: true })])
			expect(await explainResult(removal, result, planOf(), { reader })).toBe(result);
		expect(asked).toEqual([]);
		expect(await messageOf(creation, resultOf("failed", ids), { policies: { a: "pay" } })).toContain(
			"a has the name pay",
		);
	});

	it("throws what is no answer of the service", async () => {
		const defect = new TypeError("a defect");
		await expect(messageOf(creation, resultOf("completed", ids), { error: defect })).rejects.toBe(defect);
	});
});

describe("a creation of policies", () => {
	it("is in doubt where the answer has another number of ids", () => {
		const of = (policyIds: readonly string[], outcome: SubmitResult["outcome"] = "completed", step = creation) => {
			const result = resultOf(outcome, made({ policyIds }));
			const checked = checkCreatedIds(step, result);
			return checked === result ? "as it was" : `${checked.outcome}: ${checked.message}`;
		};
		const doubt = "ids for 2 policies, so which of them exist is in doubt: run apply again, it reads them";
		expect(of(["a"])).toBe(`unknown: the service answered with 1 ${doubt}`);
		expect(of([])).toBe(`unknown: the service answered with 0 ${doubt}`);
		expect([of(["a", "b"]), of(["a"], "failed"), of(["a"], "completed", update)]).toEqual(Array(3).fill("as it was"));
		const without = resultOf("completed");
		expect(checkCreatedIds(creation, without)).toBe(without);
	});
});

describe("an update of a policy", () => {
	const before = { name: "pay", effect: "EFFECT_ALLOW", consensus: "c", condition: "", notes: "", time: "" };
	const other = { kind: "policy", action: "update", id: "q", before: { ...before, name: "other" } };
	const after = { ...before, name: "payout" };
	const plan = planOf({ kind: "userTag", id: "p" }, other, {
		kind: "policy",
		action: "update",
		id: "p",
		before,
		after,
	});
	const stem = "orgsync-temporary-p";

	async function refusal(live: Live, more: { readonly planDigest?: string } = {}, of = plan, step = update) {
		const { reader } = serviceWith(live);
		const readPolicies = makePolicyReader(organizationId, reader);
		const result = await refuseStaleUpdate(step, of, { readPolicies, ...more });
		return result && [`${result.outcome}: ${result.message}`, ...(result.isStale ? ["stale"] : [])].join(", ");
	}
	const changed = (fields: string) =>
		`failed: the policy pay (p) was changed after orgsync read it (${fields}), and was not updated: plan again`;

	it.each<[what: string, live: Live, refused: string | null]>([
		["as the plan saw it", { policies: { p: "pay" } }, null],
		["with a temporary name", { policies: { p: stem } }, null],
		["with the name that the plan gives it first", { policies: { p: "payout" } }, null],
		["with another name", { policies: { p: "new" } }, changed("name")],
		[
			"with another effect and notes",
			{ policies: { p: { policyName: "pay", effect: "EFFECT_DENY", notes: "n" } } },
			changed("effect, notes"),
		],
		[
			"with other expressions",
			{ policies: { p: { policyName: "pay", consensus: "", condition: "x", time: "t" } } },
			changed("consensus, condition, time"),
		],
		["gone", { policies: { q: "pay" } }, "failed: the policy pay (p) was deleted after orgsync read it: plan again"],
		[
			"unreadable",
			{ error: new ServiceError("broken", 500, undefined) },
			"failed: the policy pay (p) could not be read before the update: broken",
		],
	])("is refused unless the policy is as the plan saw it: %s", async (_what, live, refused) => {
		expect(await refusal(live)).toBe(refused);
	});

	it("is refused where policies are denied, or the plan did not see the policy", async () => {
		const denied = await refusal({ error: new ServiceError("no", 403, 7) });
		expect(denied).toMatch(/^failed: the policy pay \(p\) could not be read before the update: (?!no$)./);
		expect(await refusal({ policies: { p: "pay" } }, {}, planOf())).toBe(changed("name").replace("pay (p)", "p (p)"));
	});

	it("is submitted where another run has made the same change, and where one text of it differs is not", async () => {
		const texts = { effect: "EFFECT_DENY", consensus: "d", condition: "x", notes: "n", time: "t" };
		const same = { policyName: "pay", ...texts };
		const parameters = Object.entries(texts).map(([field, text]) => {
			const name = field === "time" ? field : `policy${field[0]?.toUpperCase()}${field.slice(1)}`;
			return [name, text];
		});
		const step = stepOf("update_policy", { policyId: "p", policyName: "pay", ...Object.fromEntries(parameters) });
		const withLive = (live: object) => refusal({ policies: { p: { ...same, ...live } } }, {}, plan, step);
		expect(await withLive({})).toBeNull();
		for (const field of ["policyName", ...Object.keys(texts)])
			expect(await withLive({ [field]: "else" }), field).toMatch(/^failed: .* was changed after orgsync read it/);
		const untimed = stepOf("update_policy", { ...step.parameters, time: undefined });
		expect(await refusal({ policies: { p: same } }, {}, plan, untimed)).toBeNull();
	});

	it("makes a saved plan stale where the policy is another or gone, and no other", async () => {
		const saved = { planDigest: "d" };
		expect(await refusal({ policies: { p: "new" } }, saved)).toBe(`${changed("name")}, stale`);
		expect(await refusal({}, saved)).toMatch(/, stale$/);
		expect(await refusal({ error: new ServiceError("broken", 500, undefined) }, saved)).not.toMatch(/stale$/);
	});

	it("alone is checked, and throws what is no answer of the service", async () => {
		expect(await refusal({}, {}, plan, creation)).toBeNull();
		await expect(refusal({ error: new TypeError("a defect") })).rejects.toThrow("a defect");
	});

	it("shares a reading that is under way, and no earlier one", async () => {
		const { reader, asked } = serviceWith({ policies: { p: "pay" } });
		const read = makePolicyReader(organizationId, reader);
		expect(await Promise.all([read(), read()])).toMatchObject([{ known: true }, { known: true }]);
		expect(asked).toEqual(["list_policies"]);
		await read();
		expect(asked).toHaveLength(2);
	});
});
