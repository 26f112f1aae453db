/** Requests that create, change and remove policies and user tags, in full: with their plan also what differs from live. */

import { showAddress, showName } from "../../common/escape.ts";
import { isRecord } from "../../common/json.ts";
import { idsIn } from "../../plan/activities/requests.ts";
import { createdPolicies } from "../../plan/activities/written-effect.ts";
import { printAddress } from "../../plan/address.ts";
import { isWritten } from "../../plan/change.ts";
import type { Plan } from "../../plan/plan.ts";
import type { UserNames } from "../../plan/users.ts";
import { withReferences } from "../../say/cases.ts";
import { identifier, nameSpan } from "../../say/phrase.ts";
import { namePerson, type PowerNames } from "../../say/powers.ts";
import type { Row } from "../../say/section.ts";
import { differenceOf } from "../../say/text-difference.ts";
import { policyRow } from "./policy-changes.ts";

type Parameters = Readonly<Record<string, unknown>>;

export function createdTagRow(parameters: Parameters, names: UserNames): Row {
	const address = printAddress("userTag", String(parameters.userTagName));
	const rows = idsIn(parameters.userIds).map(
		(userId): Row => ({ sign: "+", said: ["member ", namePerson(userId, names)] }),
	);
	return { sign: "+", said: [identifier(showAddress(address))], rows };
}

/** Returns the removed tags with the members that lose them. */
export function removedTagRows(parameters: Parameters, effect: Plan | null, names: UserNames): readonly Row[] {
	return idsIn(parameters.userTagIds).map((id): Row => {
		const change = effect?.changes.find((one) => one.kind === "userTag" && one.tagId === id);
		const members = change?.kind === "userTag" ? change.removeUserIds : [];
		const shown = showAddress(change?.address ?? printAddress("userTag", id));
		return {
			sign: "-",
			said: [identifier(shown), ...(shown.endsWith(id) ? [] : ["  ", identifier(id)])],
			rows: members.map((userId): Row => ({ sign: "-", said: ["member ", namePerson(userId, names)] })),
		};
	});
}

/** Returns the created policies with all that they say; null where one has what orgsync does not know. */
export function createdPolicyRows(
	{ policies }: Parameters,
	effect: Plan | null,
	of: PowerNames,
): readonly Row[] | null {
	const isKnown = (one: unknown): boolean =>
		isRecord(one) && Object.keys(one).every((name) => policyMembers.includes(name));
	if (!Array.isArray(policies) || !policies.every(isKnown)) return null;
	const names = policies.map(({ policyName }) => policyName);
	const planned = effect?.changes
		.filter(isWritten)
		.filter(({ before, after }) => before === null && names.includes(after.name));
	const isPlanned = planned !== undefined && planned.length === policies.length;
	if (isPlanned) return planned.map((one) => policyRow(one, []));
	return createdPolicies({ policies }).map(({ written: { consensus, condition }, ...one }) => {
		const written = { consensus: withReferences(consensus, of), condition: withReferences(condition, of) };
		return policyRow({ ...one, written }, []);
	});
}

const policyMembers = ["policyName", "effect", "consensus", "condition", "notes", "time"];

/** Returns what an update changes; without its plan, all that it writes. */
export function changedPolicyRow(parameters: Parameters, effect: Plan | null, names: PowerNames): Row {
	const id = String(parameters.policyId).toLowerCase();
	const change = effect?.changes.filter(isWritten).find((one) => one.id === id);
	if (change !== undefined) {
		const row = policyRow(change, []);
		const isSame = row.rows === undefined || row.rows.length === 0;
		return isSame ? { ...row, rows: [{ sign: "!", said: ["it changes nothing"] }] } : row;
	}
	const texts = Object.entries(parameters).filter(([name, value]) => name !== "policyId" && typeof value === "string");
	return {
		sign: "~",
		said: [identifier(showAddress(printAddress("policy", id)))],
		rows: texts.map(([name, text]) => ({
			said: [nameSpan(showName(name.replace(/^policy/, "").toLowerCase()))],
			difference: differenceOf(
				"",
				name === "policyConsensus" || name === "policyCondition" ? withReferences(String(text), names) : String(text),
			),
		})),
	};
}
