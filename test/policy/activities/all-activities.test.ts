/** The impact covers every activity of the table, however a policy writes which it is about. */
import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState, AccessUser, Known } from "../../../src/policy/access.ts";
import { printGroup } from "../../../src/policy/powers/groups.ts";
import { compareAccess } from "../../../src/policy/powers/impact.ts";
import { findPowers } from "../../../src/policy/powers/powers.ts";

const known = <T>(value: T): Known<T> => ({ known: true, value });
const policy = (id: string, condition: string, effect = "ALLOW", consensus = ""): AccessPolicy => {
	return { id, name: "", effect: `EFFECT_${effect}`, consensus, condition, time: "" };
};
const tagged = "approvers.any(u, u.tags.contains('x'))";

/** Returns `change group if condition` for the users who lose the tag and those who get it. */
function moved(condition: string, { from, to, deny }: { from: string; to: string | null; deny?: string }) {
	const accessOf = (member: string | null): AccessState => ({
		users: known(
			["bob", "carol"].map(
				(id): AccessUser => ({
					id,
					tagIds: known(id === member ? ["x"] : []),
					email: known(null),
					credentials: known([]),
				}),
			),
		),
		policies: known([
			policy("p", condition, "ALLOW", tagged),
			...(deny === undefined ? [] : [policy("d", deny, "DENY")]),
		]),
		rootQuorum: known({ threshold: 1, userIds: [] }),
	});
	const { verdict, findings } = compareAccess(accessOf(from), accessOf(to), 0);
	return {
		verdict,
		found: findings.map(({ change, group, condition: under }) =>
			[change, printGroup(group), ...(under === null ? [] : [`if ${under}`])].join(" "),
		),
	};
}

describe("the impact on activities that a policy does not name", () => {
	it("is a lockout where the policy excludes one action", () => {
		const condition = "activity.resource == 'WEBHOOK_ENDPOINT' && activity.action != 'DELETE'";
		expect(moved(condition, { from: "carol", to: null })).toEqual({
			verdict: "less-permissive",
			found: ["nobody WEBHOOK_ENDPOINT/CREATE", "nobody WEBHOOK_ENDPOINT/UPDATE"],
		});
	});

	it("leaves out what another policy denies", () => {
		const condition = "activity.resource == 'WALLET' && activity.action != 'CREATE'";
		const deny = "activity.resource == 'WALLET' && activity.action == 'EXPORT'";
		const groups = ["WALLET/DELETE", "WALLET/IMPORT", "WALLET/UPDATE"];
		expect(moved(condition, { from: "carol", to: "bob", deny })).toEqual({
			verdict: "both",
			found: [...groups.map((group) => `alone ${group}`), ...groups.map((group) => `loses ${group}`)],
		});
	});

	it.each([
		["activity.resource != 'PRIVATE_KEY' && activity.action == 'IMPORT'", ["WALLET/IMPORT"]],
		["['INVITATION'].contains(activity.resource)", ["INVITATION/CREATE", "INVITATION/DELETE"]],
		["activity.resource[0..8] == 'PAYMENT_'", ["PAYMENT_METHOD/DELETE", "PAYMENT_METHOD/UPDATE"]],
		["['EXECUTE_SWAP'].contains(activity.kind)", ["kind EXECUTE_SWAP"]],
		["(activity.kind == 'EXECUTE_SWAP') == true", ["kind EXECUTE_SWAP"]],
		["(activity.kind == 'EXECUTE_SWAP') != false", ["kind EXECUTE_SWAP"]],
	])("has the activities of %s", (condition, groups) => {
		expect(moved(condition, { from: "carol", to: null }).found).toEqual(groups.map((group) => `nobody ${group}`));
	});

	it("is under the condition on a parameter, for the kinds that have it", () => {
		const condition = "activity.params.sponsor == true";
		const kinds = ["EARN_CLAIM_REWARDS", "EARN_DEPOSIT", "EARN_WITHDRAW", "EXECUTE_SWAP"];
		expect(moved(condition, { from: "carol", to: null }).found).toEqual(
			kinds.map((kind) => `nobody kind ${kind} if ${condition}`),
		);
	});

	it("is on signing alone where the policy is about the resource and action of signing, which other kinds may not have", () => {
		const condition =
			"activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN' && activity.params.sign_with == wallet_account.address";
		expect(moved(condition, { from: "carol", to: null })).toEqual({ verdict: "equivalent", found: [] });
		const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN' && eth.tx.to == 'y'";
		expect(moved(signing, { from: "carol", to: null }).found).toEqual(["nobody PRIVATE_KEY/SIGN if eth.tx.to == 'y'"]);
	});

	it.each([
		["ACTIVITY_TYPE_SIGN_TRANSACTION_V9", "PRIVATE_KEY/SIGN"],
		["ACTIVITY_TYPE_UPDATE_WALLET_V9", "WALLET/UPDATE"],
		["ACTIVITY_TYPE_EXECUTE_SWAP_V9", "kind EXECUTE_SWAP"],
	])("is about a version that the table lacks, %s, as about its kind", (type, printed) => {
		const access: AccessState = {
			users: known([{ id: "carol", tagIds: known(["x"]), email: known(null), credentials: known([]) }]),
			policies: known([policy("p", `activity.type == '${type}'`, "ALLOW", tagged)]),
			rootQuorum: known({ threshold: 1, userIds: [] }),
		};
		const groups = printed.startsWith("kind") ? [{ kind: printed.slice(5) }] : [];
		const power = findPowers(access, 0, groups).find(({ group }) => printGroup(group) === printed);
		expect(power?.conditional).toMatchObject([{ condition: `activity.type == '${type}'`, alone: ["carol"] }]);
	});
});
