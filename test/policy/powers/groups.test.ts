/** Groups of activities: their types, names and how reports write several of them. */
import { describe, expect, it } from "vitest";
import {
	factsOfGroup,
	factsOfType,
	isForRootQuorum,
	isSensitive,
	rowsOf,
} from "../../../src/policy/powers/activity.ts";
import {
	actionsOf,
	activityActions,
	activityResources,
	namedPowers,
	nameOfGroup,
	printGroup,
	printGroups,
	sensitiveGroups,
	typesOf,
	wholeResources,
} from "../../../src/policy/powers/groups.ts";
import { groupsApart, listGroups } from "../../../src/policy/powers/listed-groups.ts";
import { allow, is } from "./change-lines.ts";

const pair = (resource: string, action: string) => ({ resource, action });
const typeNames = (group: Parameters<typeof typesOf>[0]) => typesOf(group).map(({ type }) => type.slice(14));

describe("A group", () => {
	it("has the types of its pair, its kind or itself", () => {
		expect(typeNames(pair("PRIVATE_KEY", "EXPORT"))).toEqual(["EXPORT_PRIVATE_KEY"]);
		expect(typeNames({ kind: "EXECUTE_SWAP" })).toEqual(["EXECUTE_SWAP", "EXECUTE_SWAP_V2", "EXECUTE_SWAP_V3"]);
		expect(typeNames({ type: "ACTIVITY_TYPE_EXECUTE_SWAP_V2" })).toEqual(["EXECUTE_SWAP_V2"]);
		expect(typeNames(pair("WALLET", "VERIFY"))).toEqual([]);
	});

	it("is under the first power that has it", () => {
		expect(nameOfGroup(pair("PRIVATE_KEY", "SIGN"))).toBe("sign");
		expect(nameOfGroup({ kind: "EXECUTE_SWAP" })).toBe("moveFunds");
		expect(nameOfGroup(pair("CREDENTIAL", "DELETE"))).toBe("credentials");
		expect(nameOfGroup({ kind: "NONE" })).toBeNull();
	});

	it("is written short where it is all of a resource of four actions or more", () => {
		expect(actionsOf("POLICY")).toEqual(["CREATE", "UPDATE", "DELETE"]);
		expect(actionsOf("NONE")).toEqual(activityActions);
		const all = activityActions.map((action) => pair("NONE", action));
		expect(printGroups([{ kind: "A" }, ...all, pair("POLICY", "CREATE")])).toEqual([
			"kind A",
			"NONE/*",
			"POLICY/CREATE",
		]);
		expect(printGroups(all.slice(1))).toEqual(activityActions.slice(1).map((action) => `NONE/${action}`));
		const policies = actionsOf("POLICY").map((action) => pair("POLICY", action));
		expect(printGroups(policies)).toEqual(["POLICY/CREATE", "POLICY/UPDATE", "POLICY/DELETE"]);
		const large = activityResources.filter((resource) => actionsOf(resource).length > 3);
		for (const resource of large) {
			const own = actionsOf(resource).map((action) => pair(resource, action));
			expect(wholeResources(own)).toEqual(new Set([resource]));
			expect(wholeResources(own.slice(1))).toEqual(new Set());
		}
		expect(large.length).toBeGreaterThan(0);
	});

	it("of each power begins with its documented pairs, in the order of reports", () => {
		const written = Object.entries(namedPowers).map(([name, groups]) => [
			name,
			groups.map(printGroup).slice(0, 4).join(),
		]);
		expect(Object.fromEntries(written)).toEqual({
			sign: "PRIVATE_KEY/SIGN",
			export: "WALLET/EXPORT,PRIVATE_KEY/EXPORT",
			policies: "POLICY/CREATE,POLICY/UPDATE,POLICY/DELETE",
			users: "USER/CREATE,USER/UPDATE,USER/DELETE",
			credentials: "CREDENTIAL/CREATE,CREDENTIAL/DELETE",
			wallets: "WALLET/CREATE",
			organizations: "ORGANIZATION/CREATE,ORGANIZATION/DELETE",
			imports: "PRIVATE_KEY/IMPORT",
			apps: "TVC_APP/DELETE",
			moveFunds: expect.stringMatching(/^PRIVATE_KEY\/SIGN,kind /),
			secrets: expect.stringMatching(/^kind /),
			logins: expect.stringMatching(/^AUTH\/CREATE,AUTH\/UPDATE,AUTH\/DELETE,OTP\/CREATE$/),
			ownCredentials: "CREDENTIAL/CREATE,CREDENTIAL/DELETE",
			recovery: expect.any(String),
			organizationSettings: expect.any(String),
			otherActivities: expect.any(String),
		});
	});

	it("is sensitive where one person must not get it, or nothing says what it is", () => {
		expect(sensitiveGroups.get("POLICY/DELETE")).toEqual(pair("POLICY", "DELETE"));
		expect(sensitiveGroups.has("WALLET/CREATE")).toBe(false);
		expect(isSensitive(factsOfGroup(pair("POLICY", "DELETE")))).toBe(true);
		expect(isSensitive(factsOfGroup(pair("WALLET", "CREATE")))).toBe(false);
		expect(isSensitive(factsOfGroup({ kind: "NEW" }))).toBe(true);
	});
});

describe("The groups of a report", () => {
	const listed = (...conditions: readonly string[]) =>
		listGroups([{ policies: conditions.map((condition) => ({ policy: allow(is("a"), condition) })) }]).map(printGroup);
	const core = listed();

	it("are the core where no policy decides otherwise than of most", () => {
		expect(core).toEqual([
			...["PRIVATE_KEY/SIGN", "WALLET/EXPORT", "PRIVATE_KEY/EXPORT", "POLICY/CREATE", "POLICY/UPDATE"],
			...["POLICY/DELETE", "USER/CREATE", "USER/UPDATE", "USER/DELETE", "CREDENTIAL/CREATE", "CREDENTIAL/DELETE"],
			...["WALLET/CREATE", "ORGANIZATION/CREATE", "ORGANIZATION/DELETE", "PRIVATE_KEY/IMPORT", "TVC_APP/DELETE"],
		]);
		for (const condition of ["", "activity.action == 'SIGN'", "activity.resource == 'USER'"])
			expect(listed(condition)).toEqual(core);
	});

	it.each<[condition: string, more: readonly string[]]>([
		["activity.kind == 'NEW'", ["kind NEW"]],
		["activity.type == 'T' && activity.kind == 'NEW'", ["kind NEW", "type T"]],
		["activity.type == 'NEW' || activity.kind == 'NEW'", ["kind NEW"]],
		["activity.resource == 'NEW' && activity.action == 'CREATE'", ["NEW/CREATE"]],
		["activity.resource == 'POLICY' && activity.action == 'APPROVE'", ["POLICY/APPROVE"]],
		["activity.resource == 'NEW'", activityActions.map((action) => `NEW/${action}`).sort()],
		["activity.resource == 'OTP'", ["OTP/CREATE", "OTP/VERIFY"]],
	])("are also those that a policy names or singles out: %s", (condition, more) => {
		expect(listed(condition).slice(core.length)).toEqual(more);
		expect(listed(condition).slice(0, core.length)).toEqual(core);
	});

	it("are all of the table where no core group is like most others", () => {
		const most = listed("activity.resource != 'POLICY' && activity.resource != 'USER' && activity.action == 'CREATE'");
		expect(most).toContain("AUTH/CREATE");
		expect(most).not.toContain("AUTH/DELETE");
	});

	it("leave apart kinds and types from wider ones", () => {
		const groups = [pair("A", "B"), { kind: "K" }, { type: "T" }];
		expect(groups.map((group) => [...groupsApart(groups, group)])).toEqual([["kind K", "type T"], ["type T"], []]);
	});
});

describe("What is known of activities", () => {
	it("is what all versions of a kind have in common", () => {
		expect(factsOfGroup({ kind: "SIGN_TRANSACTION" })).toEqual({
			...{ resource: "PRIVATE_KEY", action: "SIGN", kind: "SIGN_TRANSACTION", type: null },
		});
		expect(factsOfGroup({ kind: "SOL_SEND_TRANSACTION" })).toMatchObject({ resource: null, action: null });
		expect(factsOfType("ACTIVITY_TYPE_SIGN_TRANSACTION_V9")).toEqual({
			...{
				resource: "PRIVATE_KEY",
				action: "SIGN",
				kind: "SIGN_TRANSACTION",
				type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V9",
			},
		});
		expect(factsOfType("ACTIVITY_TYPE_NEW")).toMatchObject({ resource: null, action: null, kind: "NEW" });
	});

	it("says whether only the root quorum can do it", () => {
		expect(isForRootQuorum(factsOfType("ACTIVITY_TYPE_UPDATE_ROOT_QUORUM"))).toBe(true);
		expect(isForRootQuorum(factsOfType("ACTIVITY_TYPE_CREATE_POLICY"))).toBe(false);
		expect(isForRootQuorum(factsOfGroup(pair("POLICY", "CREATE")))).toBe(false);
	});

	it("is listed by type, with newer versions of the same activities", () => {
		const types = (named: readonly string[], group: Parameters<typeof factsOfGroup>[0]) =>
			rowsOf(factsOfGroup(group), named).map(({ type }) => type);
		const swaps = ["ACTIVITY_TYPE_EXECUTE_SWAP", "ACTIVITY_TYPE_EXECUTE_SWAP_V2", "ACTIVITY_TYPE_EXECUTE_SWAP_V3"];
		const newer = "ACTIVITY_TYPE_EXECUTE_SWAP_V9";
		expect(types([], { kind: "EXECUTE_SWAP" })).toEqual(swaps);
		expect(types([newer, newer, swaps[0] ?? "", "ACTIVITY_TYPE_NEW"], { kind: "EXECUTE_SWAP" })).toEqual([
			...swaps,
			newer,
		]);
		expect(types([newer], { type: "ACTIVITY_TYPE_NEW" })).toEqual(["ACTIVITY_TYPE_NEW"]);
		expect(rowsOf(factsOfGroup({ kind: "NEW" }), [])).toEqual([
			{ resource: null, action: null, kind: "NEW", type: "ACTIVITY_TYPE_NEW" },
		]);
		expect(rowsOf(factsOfGroup(pair("WALLET", "VERIFY")), [])).toEqual([
			{ resource: "WALLET", action: "VERIFY", kind: null, type: null },
		]);
	});
});
