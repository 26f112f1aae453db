/** The history of a policy: what created, changed and removed it, the oldest first. */
import { showAddress, showName, showValue } from "../../common/escape.ts";
import type { PolicyEvent } from "../../plan/activities/policy-history.ts";
import { parseAddress } from "../../plan/address.ts";
import { namesForSaid } from "../../plan/user-labels.ts";
import { sayStatus } from "../../say/activities.ts";
import { withReferences } from "../../say/cases.ts";
import { identifier, type Phrase, reason, time } from "../../say/phrase.ts";
import { namePerson } from "../../say/powers.ts";
import { type Row, type Section, section } from "../../say/section.ts";
import type { ExplainPolicyResult } from "../result/policy-history.ts";

export function policyHistorySection(result: ExplainPolicyResult): Section {
	const { address, history, isComplete } = result;
	const none: readonly Row[] =
		history.length > 0 ? [] : [{ said: ["no listed activity names it; a removal names only the id of a policy"] }];
	const cut: readonly Row[] = isComplete ? [] : [{ said: ["older activities could not be listed"] }];
	return section("policy-history", [...cut, ...none, ...history.map((event) => eventRow(event, result))], {
		lead: ["Policy ", identifier(showAddress(address).slice("policy:".length)), sayLive(result)],
	});
}

function sayLive({ address, livePolicyIds }: ExplainPolicyResult): string {
	if (livePolicyIds === null) return ": whether it exists is unknown";
	if (livePolicyIds.length === 0) return ": it does not exist";
	const label = parseAddress(address)?.label ?? "";
	const ids = livePolicyIds.filter((id) => id !== label.toLowerCase());
	return ids.length === 0 ? "" : ` (${ids.map(showName).join(", ")})`;
}

const verbs = { create: "created", update: "changed", remove: "removed" } as const;
const nouns = { create: "creation", update: "change", remove: "removal" } as const;

function eventRow(event: PolicyEvent, result: ExplainPolicyResult): Row {
	const { what, status, activityId, userId, userName, at, fields } = event;
	const when: Phrase = at === null ? [] : [time(at), "  "];
	const names = { userNames: result.userNames };
	const said = userName === null || userId === null ? {} : { [userId]: userName };
	const who: Phrase = userId === null ? ["an unnamed user"] : [namePerson(userId, namesForSaid(userId, names, said))];
	const isDone = status === "ACTIVITY_STATUS_COMPLETED";
	const done: Phrase = isDone
		? [`${verbs[what]} by `, ...who]
		: [`${nouns[what]} submitted by `, ...who, " ", ...sayStatus(status)];
	return {
		said: [...when, ...done, ", activity ", identifier(showName(activityId))],
		rows: Object.entries(fields).map(([field, value]) => {
			const shown = field === "consensus" || field === "condition" ? withReferences(value, result) : value;
			return { said: [`${field}: `, reason(showValue(shown))] };
		}),
	};
}
