/** What activities say of the history of a policy. */
import { expect, it } from "vitest";
import { historyOf, type PolicyActivity } from "../../../src/plan/activities/policy-history.ts";

interface Parts {
	readonly result?: object;
	readonly at?: string | null;
	readonly status?: string;
}

const activity = (type: string, intent: object, { result = {}, at = null, status = "COMPLETED" }: Parts = {}) =>
	({
		...{ activityId: "x", userId: null, userName: null, at, status: `ACTIVITY_STATUS_${status}` },
		...{ type: `ACTIVITY_TYPE_${type}`, intent, result },
	}) as PolicyActivity;

/** `what ID {fields}`. */
const history = (all: readonly PolicyActivity[], name: string | null, ...ids: readonly string[]): readonly string[] =>
	historyOf(all, { name, ids }).map(({ what, policyId, fields }) => `${what} ${policyId} ${JSON.stringify(fields)}`);

const created = activity(
	"CREATE_POLICY_V3",
	{ policyName: "pay", effect: "EFFECT_ALLOW", consensus: "c1", condition: "", notes: "", time: 5 },
	{ result: { policyId: "P" } },
);

it("names what each activity sets to another value than completed ones before it", () => {
	const all = [
		created,
		activity("UPDATE_POLICY_V2", { policyId: "p", policyName: "pay", policyConsensus: "c2", policyNotes: "n" }),
		activity("UPDATE_POLICY", { policyId: "P", policyConsensus: "c3", policyCondition: "x" }, { status: "REJECTED" }),
		activity("UPDATE_POLICY", { policyId: "p", policyConsensus: "c3", policyEffect: "EFFECT_DENY" }),
		activity("UPDATE_POLICY", { policyId: "q", policyConsensus: "c3" }),
		activity("UPDATE_POLICY", { policyConsensus: "c3" }),
		activity("DELETE_POLICY", { policyId: "P" }),
	];
	expect(history(all, null, "p")).toEqual([
		'create p {"name":"pay","effect":"allow","consensus":"c1"}',
		'update p {"consensus":"c2","notes":"n"}',
		'update p {"consensus":"c3","condition":"x"}',
		'update p {"effect":"deny","consensus":"c3"}',
		"remove p {}",
	]);
});

it("has the oldest event first, and those without a time before all", () => {
	const update = (text: string, at: string | null) =>
		activity("UPDATE_POLICY", { policyId: "p", policyNotes: text }, { at });
	const all = [update("3", "2026-03"), update("1", "2026-01"), update("0", null)];
	expect(history(all, null, "p")).toEqual(["0", "1", "3"].map((notes) => `update p {"notes":"${notes}"}`));
});

it("finds a policy by a name that it had at a time, and one that is not created yet", () => {
	const all = [
		created,
		activity("UPDATE_POLICY", { policyId: "p", policyName: "spend" }),
		activity("CREATE_POLICY", { policyName: "spend", policyNotes: "n" }, { status: "CONSENSUS_NEEDED" }),
		activity("CREATE_USER_TAG", { policyName: "spend" }),
	];
	const events = ['create p {"name":"pay","effect":"allow","consensus":"c1"}', 'update p {"name":"spend"}'];
	expect(history(all, "pay")).toEqual(events);
	expect(history(all, "spend")).toEqual([...events, 'create null {"name":"spend","notes":"n"}']);
	expect(history(all, null, "p")).toEqual(events);
	expect(history(all, "other")).toEqual([]);
});

it("reads activities about several policies, each with the id at its place", () => {
	const policies = [{ policyName: "one" }, { policyName: "two", effect: "EFFECT_NEW" }];
	const all = [
		activity("CREATE_POLICIES", { policies }, { result: { policyIds: ["a", "b"] } }),
		activity("CREATE_POLICIES", { policies }, { result: { policyIds: ["c"] } }),
		activity("DELETE_POLICIES", { policyIds: ["x", "B", 5] }),
	];
	expect(history(all, null, "b")).toEqual(['create b {"name":"two","effect":"EFFECT_NEW"}', "remove b {}"]);
	expect(history(all, null, "c")).toEqual([]);
});
