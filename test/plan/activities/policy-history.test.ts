/** What activities say of the history of a policy. */
import { expect, it } from "vitest";
import { idsOfName, policyWrites, tagWrites } from "../../../src/plan/activities/named-writes.ts";
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

it("names every field that a document has, by its words", () => {
	const policy = { policyName: "pay", effect: "EFFECT_DENY", consensus: "c", condition: "x", time: "t", notes: "n" };
	const update = {
		...{ policyId: "p", policyName: "spend", policyEffect: "EFFECT_ALLOW", policyConsensus: "d" },
		...{ policyCondition: "y", time: "u", policyNotes: "m" },
	};
	expect(
		history(
			[activity("CREATE_POLICY", policy, { result: { policyId: "p" } }), activity("UPDATE_POLICY", update)],
			null,
			"p",
		),
	).toEqual([
		'create p {"name":"pay","effect":"deny","consensus":"c","condition":"x","time":"t","notes":"n"}',
		'update p {"name":"spend","effect":"allow","consensus":"d","condition":"y","time":"u","notes":"m"}',
	]);
});

it("takes activities of every version of their types, and no others", () => {
	const all = ["CREATE_POLICY_V12", "CREATE_POLICY_VX", "CREATE_POLICY_ALIAS", "MY_CREATE_POLICY"].map((type) =>
		activity(type, { policyName: "one", notes: type }, { result: { policyId: "p" } }),
	);
	const updates = ["UPDATE_POLICY_V12", "UPDATE_POLICY_VX", "UPDATE_POLICY_NAME"];
	const removals = ["DELETE_POLICY_V12", "DELETE_POLICIES", "DELETE_POLICY_VX", "DELETE_POLICIES_ALL"];
	const written = updates.map((type) => activity(type, { policyId: "p", policyNotes: type }));
	const removed = removals.map((type) => activity(type, { policyId: "p" }));
	expect(history([...all, ...written, ...removed], null, "p")).toEqual([
		'create p {"name":"one","notes":"CREATE_POLICY_V12"}',
		'create p {"notes":"MY_CREATE_POLICY"}',
		'update p {"notes":"UPDATE_POLICY_V12"}',
		...["remove p {}", "remove p {}"],
	]);
	const tags = (type: string, intent: object) =>
		idsOfName("t", tagWrites, [activity(type, intent, { result: { userTagId: "T" } })]);
	const own = { userTagName: "t", newUserTagName: "t", userTagId: "U" };
	const types = [
		"CREATE_USER_TAG_V12",
		"CREATE_USER_TAG_VX",
		"UPDATE_USER_TAG_V12",
		"UPDATE_USER_TAG_VX",
		"DELETE_USER_TAGS",
	];
	expect(types.map((type) => [...tags(type, own)])).toEqual([["t"], [], ["u"], [], []]);
});

it("does not find a policy by a name of one whose id is not known", () => {
	const policies = [{ policyName: "one" }, "no policy", { policyName: "two" }];
	const all = [activity("CREATE_POLICIES", { policies }, { result: { policyIds: ["a"] } })];
	expect(history(all, null, "a")).toEqual([]);
	expect([...idsOfName("one", policyWrites, all)]).toEqual([]);
	const complete = [activity("CREATE_POLICIES", { policies }, { result: { policyIds: ["a", "b"] } })];
	expect([...idsOfName("two", policyWrites, complete)]).toEqual(["b"]);
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
