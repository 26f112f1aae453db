/** Whether a condition holds for activities of which something is known: yes, no, only for some, not known, or it errs. */

import { describe, expect, it } from "vitest";
import { printExpression } from "../../../src/policy/language/printer.ts";
import { type ActivityFacts, factsOfGroup, factsOfType } from "../../../src/policy/powers/activity.ts";
import { judgeCondition, outcomeFor } from "../in-words.ts";
import { parseText } from "../worlds.ts";

/** `yes`, `no`, `open: what is left`, `absent: why` or `unknown: why`. */
function holds(condition: string, facts: ActivityFacts): string {
	const outcome = outcomeFor({ id: "p", name: "", effect: "EFFECT_ALLOW", consensus: "", condition, time: "" }, facts);
	const because =
		"because" in outcome ? [outcome.because] : "condition" in outcome ? [printExpression(outcome.condition)] : [];
	return [outcome.holds, ...because].join(": ");
}

const signing = factsOfGroup({ resource: "PRIVATE_KEY", action: "SIGN" });
const exporting = factsOfGroup({ resource: "PRIVATE_KEY", action: "EXPORT" });
const ofUsers = factsOfGroup({ resource: "USER", action: "CREATE" });
const ofWallets = factsOfGroup({ resource: "WALLET", action: "UPDATE" });
const unnamed = factsOfGroup({ kind: "EXECUTE_SWAP" });
const undocumented = "no documentation says which resource and action these activities have";
const updating = factsOfType("ACTIVITY_TYPE_UPDATE_WALLET");
const secrets = factsOfType("ACTIVITY_TYPE_EXPORT_SECRETS");
const deletion = factsOfType("ACTIVITY_TYPE_DELETE_POLICIES_V7");
const creation = factsOfType("ACTIVITY_TYPE_CREATE_WALLET_V7");

describe("A condition on activities", () => {
	it.each<[string, ActivityFacts, string]>([
		["activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'", signing, "yes"],
		["activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'", exporting, "no"],
		["activity.resource == 'WALLET' && activity.action == 'CREATE'", creation, "yes"],
		["activity.kind == 'CREATE_WALLET' && activity.type == 'ACTIVITY_TYPE_CREATE_WALLET_V7'", creation, "yes"],
		["activity.type == 'ACTIVITY_TYPE_CREATE_WALLET_V6'", creation, "no"],
		["activity.resource == 'USER'", unnamed, `unknown: ${undocumented}`],
		["activity.action == 'CREATE'", unnamed, `unknown: ${undocumented}`],
		["activity.kind == 'EXECUTE_SWAP' && activity.resource == 'USER'", unnamed, `unknown: ${undocumented}`],
		["activity.kind == 'EXECUTE_SWAP'", unnamed, "yes"],
		["activity.resource == 'USER'", factsOfGroup({ kind: "SOL_SEND_TRANSACTION" }), `unknown: ${undocumented}`],
		["activity.kind == 'CREATE_WALLET' && activity.resource == 'USER'", unnamed, "no"],
	])("holds by what is known of them: %s, %j", (condition, facts, expected) => {
		expect(holds(condition, facts)).toBe(expected);
	});

	it.each<[string, ActivityFacts, string]>([
		["activity.kind == 'DELETE_USERS' || activity.kind == 'CREATE_USERS'", signing, "no"],
		["activity.kind == 'DELETE_USERS' || activity.kind == 'CREATE_USERS'", ofUsers, "open"],
		["activity.kind != 'DELETE_USERS' && activity.kind != 'DELETE_WALLETS'", ofUsers, "yes"],
		["activity.kind == 'CREATE_WALLET_V2'", ofUsers, "no"],
		["activity.type == 'ACTIVITY_TYPE_CREATE_WALLET_V2'", ofUsers, "no"],
		["activity.kind in ['DELETE_USERS', 'CREATE_WALLET']", ofUsers, "no"],
		["activity.kind in ['DELETE_USERS', 'CREATE_USERS']", ofUsers, "open"],
		["!(activity.kind in ['DELETE_USERS', 'CREATE_WALLET'])", ofUsers, "yes"],
		["activity.kind in []", signing, "no"],
		["activity.kind in [activity.type]", signing, "no"],
		["activity.kind in [activity.type, 'DELETE_USERS']", signing, "no"],
		["activity.type in [activity.kind]", signing, "no"],
		["activity.kind == 'DELETE_PRIVATE_KEY'", factsOfGroup({ resource: "PRIVATE_KEY", action: "DELETE" }), "no"],
		["activity.kind == 'CREATE_RECOVERIES'", factsOfGroup({ resource: "RECOVERY", action: "CREATE" }), "no"],
	])("is one for those that can be of a kind or type it names: %s, %j", (condition, facts, expected) => {
		expect(holds(condition, facts)).toBe(expected === "open" ? `open: ${condition}` : expected);
	});

	it("is left with what does not hold for all of them, alternatives in brackets beside others", () => {
		const either = "eth.tx.to == 'x' || eth.tx.to == 'y'";
		const large = "eth.tx.value > 5";
		expect(holds(`activity.action == 'SIGN' && (${either})`, signing)).toBe(`open: ${either}`);
		expect(holds(`${large} && activity.action == 'SIGN' && (${either})`, signing)).toBe(
			`open: ${large} && (${either})`,
		);
		expect(holds(`!(${either}) && ${large}`, signing)).toBe(`open: !(${either}) && ${large}`);
	});

	it.each<[string, ActivityFacts, string]>([
		["wallet.id == 'w'", ofUsers, "absent: the activity has no `wallet`"],
		["wallet.id == 'w'", ofWallets, "open: wallet.id == 'w'"],
		["wallet_account.address == 'x'", ofWallets, "open: wallet_account.address == 'x'"],
		["private_key.id == 'k'", ofWallets, "absent: the activity has no `private_key`"],
		["private_key.id == 'k'", exporting, "open: private_key.id == 'k'"],
		["private_key.id == 'k'", unnamed, "open: private_key.id == 'k'"],
		["solana.tx.recent_blockhash == 'x'", exporting, "absent: the activity has no `solana`"],
		["solana.tx.recent_blockhash == 'x'", unnamed, "open: solana.tx.recent_blockhash == 'x'"],
		["wallet.id == 'w' && activity.resource == 'WALLET'", ofUsers, "no"],
		["private_key.id == 'k' && activity.action == 'SIGN'", ofUsers, "no"],
		["eth.tx.to == 'x' && tron.tx.data == 'x' && activity.action == 'SIGN'", ofUsers, "no"],
		["activity.params.wallet_id == 'w'", updating, "open: activity.params.wallet_id == 'w'"],
		["activity.params.wallet_id == 'w'", creation, "absent: there is no `activity.params.wallet_id`"],
		["secret.static_properties['kind'] == 'card'", secrets, "open: secret.static_properties['kind'] == 'card'"],
		["secret.static_properties['kind'] == 'card'", signing, "absent: the activity has no `secret`"],
		["activity.params.wallet_id == 'w'", deletion, "absent: there is no `activity.params.wallet_id`"],
	])("errs where the activity lacks what it names, unless it is false in any case: %s, %j", (condition, facts, expected) => {
		expect(holds(condition, facts)).toBe(expected);
	});

	it.each<[string, ActivityFacts, string]>([
		["approvers.count() > 1", signing, "a condition that names `approvers` is not documented"],
		["credentials.count() > 1", signing, "a condition that names `credentials` is not documented"],
		["activity.kind < 'B'", factsOfGroup({ kind: "CREATE_WALLET" }), "`<` does not compare a string with a string"],
		["activity.action == 5", signing, "`==` does not compare a string with a number"],
		["activity.action", signing, "the condition is neither true nor false"],
	])("is not known where its meaning is not: %s, %j", (condition, facts, because) => {
		expect(judgeCondition(parseText(condition), facts)).toEqual({ holds: "unknown", because });
	});
});
