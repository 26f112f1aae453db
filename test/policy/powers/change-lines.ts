/** How tests of changes write who can do what, and what changes. */
import type { AccessPolicy, AccessState, AccessUser, Known } from "../../../src/policy/access.ts";
import { printGroup } from "../../../src/policy/powers/groups.ts";
import { compareAccess } from "../in-words.ts";

export const known = <T>(value: T): Known<T> => ({ known: true, value });
export const unread = (because: string): Known<never> => ({ known: false, because: { kind: "stated", text: because } });
export const atMs = Date.parse("2026-06-01T12:00:00Z");

export function user(id: string): AccessUser {
	const credential = { id: null, type: "API", credentialId: null, publicKey: id };
	return { id, tagIds: known([]), email: known(null), credentials: known([credential]) };
}

let count = 0;
export function policy(effect: "ALLOW" | "DENY", consensus: string, condition: string): AccessPolicy {
	count += 1;
	return { id: `p${count}`, name: "", effect: `EFFECT_${effect}`, consensus, condition, time: "" };
}
export const is = (...ids: readonly string[]): string =>
	ids.map((id) => `approvers.any(u, u.id == '${id}')`).join(" && ");
export const two = "approvers.count() >= 2";
export const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
export const when = (condition: string): string => `${signing} && ${condition}`;
export const allow = (consensus: string, condition = signing) => policy("ALLOW", consensus, condition);
export const deny = (consensus: string, condition = signing) => policy("DENY", consensus, condition);

export const people = [user("a"), user("b"), user("c"), user("d")];
export const accessOf = (policies: readonly AccessPolicy[], parts: Partial<AccessState> = {}): AccessState => ({
	users: known(people),
	policies: known(policies),
	rootQuorum: known({ threshold: 1, userIds: [] }),
	...parts,
});

/** `change users`, `escalation`, its conditions, `shown by` the witness, and the reason; for signing, or the group. */
export function changes(before: AccessState, after: AccessState, group = "PRIVATE_KEY/SIGN"): readonly string[] {
	const { findings } = compareAccess(before, after, atMs);
	return findings
		.filter((finding) => printGroup(finding.group) === group)
		.map(({ change, userIds, condition, unless, isEscalation, witness, because }) =>
			[
				...[change, userIds.join("+")].filter((text) => text !== ""),
				...(isEscalation ? ["escalation"] : []),
				...(condition === null ? [] : [`if ${condition}`]),
				...unless.map((text) => `unless ${text}`),
				...(witness.join() === userIds.join() ? [] : [`shown by ${witness.join("+")}`]),
				...(because === null ? [] : [`because ${because}`]),
			].join(" "),
		);
}
export const between = (
	before: readonly AccessPolicy[],
	after: readonly AccessPolicy[],
	group?: string,
): readonly string[] => changes(accessOf(before), accessOf(after), group);

export const one = "eth.tx.to == 'x'";
export const other = "eth.tx.to == 'y'";
export const root = (threshold: number, ...userIds: readonly string[]) => ({
	rootQuorum: known({ threshold, userIds }),
});
export const noRoot = { rootQuorum: unread("the root quorum is not shown") };
/** A policy of which the consensus is not understood; equal for equal texts. */
export const open = (text = "1"): AccessPolicy => allow(`approvers.any(u, ${text}`);
