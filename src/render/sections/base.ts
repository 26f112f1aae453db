/** The comparison of a plan with a base: aliases that mean another user, what apply would revert, and the three parts. */
import { clipMiddle, showAddress, showName, showRename, showText } from "../../common/escape.ts";
import { parseAddress } from "../../plan/address.ts";
import type { PlannedDifference, ThreeWay } from "../../plan/base/three-way.ts";
import { kindOf } from "../../plan/kinds/index.ts";
import type { Plan } from "../../plan/plan.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import { identifyUser } from "../../plan/user-labels.ts";
import { reassignedAliases } from "../../plan/users.ts";
import { count } from "../../say/count.ts";
import { listFindings } from "../../say/findings.ts";
import { code, identifier, type Phrase, reason, title } from "../../say/phrase.ts";
import { namePerson } from "../../say/powers.ts";
import { listed, notesOf, type Row, type Section, type Sign, section } from "../../say/section.ts";
import { countWholes, documentChangeRows, driftedRows, leftPolicies } from "./base-changes.ts";
import { revertsDrift } from "./changes.ts";
import { describeUnread } from "./unknown.ts";
import { signsMean } from "./verdict.ts";

/** What a reader has to see first: aliases that now mean another user, which names alone would hide, and what apply would revert. */
export function revertSections(threeWay: ThreeWay | null): readonly Section[] {
	if (threeWay === null) return [];
	return [
		listed("left-policies", leftPolicies(threeWay), (address) => leftRow(address, threeWay)),
		listed("moved-aliases", reassignedAliases(threeWay), ({ alias, before, after }) => [
			title(showName(alias)),
			" is now ",
			identifier(identifyUser(after ?? "", threeWay)),
			", before ",
			identifier(identifyUser(before ?? "", threeWay)),
		]),
		listed(
			"reverts",
			threeWay.reverts,
			(one) => revertedRow(one, threeWay),
			threeWay.reverts.length === 0 ? {} : { lead: [signsMean] },
		),
	];
}

function leftRow(address: string, threeWay: ThreeWay): Row {
	const impact = threeWay.leftPolicies?.find((one) => one.address === address)?.impact;
	const gives =
		impact === undefined
			? "what it still gives is unknown"
			: impact.length === 0
				? "it gives nothing that others do not"
				: `by it, ${listFindings(impact, threeWay)}`;
	return {
		said: [identifier(showAddress(address)), ": ", reason(gives)],
		notes: notesOf("plain", ["to remove it, add it to ", code("absent.policies")]),
		about: [address],
	};
}

/** Returns a sentence for the verdict; empty where no alias now means another user. */
export function summarizeAliases(threeWay: ThreeWay | null): string {
	const found = threeWay === null ? 0 : reassignedAliases(threeWay).length;
	if (found === 0) return "";
	return found === 1 ? "1 alias now means another user." : `${found} aliases now mean other users.`;
}

/** Returns a sentence for the verdict; empty when apply would revert nothing. */
export function summarizeReverted(threeWay: ThreeWay | null, plan: Plan): string {
	const found = threeWay?.reverts.length ?? 0;
	// Apply does nothing in an organization that cannot converge.
	if (found === 0 || plan.problems.length > 0) return "";
	return `Apply would revert ${count(found, "change made outside that this change does", "changes made outside that this change does")} not mention.`;
}

/** What apply would do to revert it, each with its sign. */
const reversals: Readonly<Record<PlannedDifference["what"], Sign>> = {
	rename: "~",
	"add-member": "+",
	"remove-member": "-",
	create: "+",
	set: "~",
	remove: "-",
};

function revertedRow(reverted: PlannedDifference, names: ThreeWay): Row {
	const { address, what, basis } = reverted;
	return {
		sign: reversals[what],
		said: [identifier(showAddress(address)), "  ", ...describeReverted(reverted, names)],
		marks: basis === "last-applied" && what !== "remove" ? notesOf("plain", ["last applied, not live"]) : [],
		about: [address],
	};
}

function describeReverted({ address, what, userId, field, before, after }: PlannedDifference, names: ThreeWay): Phrase {
	if (what === "rename") {
		const [from, to] = showRename(before ?? "", after ?? "");
		return ["renames the tag back from ", title(from), " to ", title(to)];
	}
	if (what === "set") return ["changes ", code(field ?? "it"), " back"];
	const user: Phrase = userId === null ? [] : [namePerson(userId, names)];
	if (what === "add-member") return ["gives the tag back to ", ...user];
	if (what === "remove-member") return ["takes the tag back from ", ...user];
	const kind = parseAddress(address)?.kind;
	const noun = kind === undefined ? "object" : kindOf(kind).words[0];
	if (what === "create") return [`creates the ${noun} again`];
	const removes = `removes the ${noun} again`;
	return before === null || before === "" ? [removes] : [`${removes}: `, title(showName(clipMiddle(before)))];
}

/** More objects and differences than this are folded. */
const maxOpen = 30;

/** Returns the three parts; the changes of the plan follow the last. */
export function partSections(threeWay: ThreeWay | null, plan: Plan): readonly Section[] {
	if (threeWay === null) return [];
	const isNew = threeWay.base.documentDigest === null;
	const inSync =
		threeWay.unread.length > 0 ? "No known drift." : "Nothing: the organization was in sync with the base.";
	const changed = documentChangeRows(threeWay);
	const drifted = driftedRows(threeWay);
	const unread = describeUnread(threeWay).map((line): Row => ({ sign: "?", said: ["unknown: ", reason(line)] }));
	// What apply would revert comes before the parts, with the same legend.
	const legend = threeWay.reverts.length === 0 ? signsMean : "";
	const isUnexplained = legend !== "" && changed.length + drifted.length === 0;
	const empty = isNew ? "Nothing: neither document manages anything." : "Nothing: both documents are the same.";
	const emptyDrift = isNew ? "Nothing: the base does not have this organization." : inSync;
	return [
		part("document-changes", changed, changed.length === 0 ? empty : legend),
		{
			...part("drifted-before", drifted, drifted.length === 0 ? emptyDrift : changed.length === 0 ? legend : ""),
			rows: [...drifted, ...unread],
		},
		part("planned", [], describePlanned(threeWay, plan, isUnexplained ? ` ${legend}` : "")),
	];
}

function part(id: "document-changes" | "drifted-before" | "planned", rows: readonly Row[], lead: string): Section {
	const lines = rows.reduce((sum, row) => sum + 1 + (row.rows ?? []).length, 0);
	const above = lead === "" ? {} : { lead: [lead] };
	return section(id, rows, { ...above, number: rows.length, isFolded: lines > maxOpen });
}

/** Returns one sentence on what the plan holds, for a reader who finds the rest below. `legend` follows where there are changes. */
function describePlanned({ reverts }: ThreeWay, { problems, changes, steps }: Plan, legend: string): string {
	if (problems.length > 0) return "Nothing: the organization cannot converge.";
	if (changes.length === 0) return "Nothing: the organization is in sync, as far as it could be read.";
	const { sent } = groupSteps(steps);
	const differ = `${count(changes.length, "object differs", "objects differ")}, ${count(sent.length, "activity", "activities")} to submit.`;
	return `${differ}${reverts.length === 0 ? "" : ` Parts that revert drift are marked (${revertsDrift}).`}${legend}`;
}

/** The organizations that are only in the base: what stays in each. */
export function droppedSection(dropped: readonly ThreeWay[]): Section {
	return listed("dropped", dropped, (one) => [
		identifier(showText(one.organizationId)),
		": in ",
		identifier(showName(one.base.name)),
		` but in no document now; ${count(countWholes(one), "object stays", "objects stay")} as is, not compared`,
	]);
}
