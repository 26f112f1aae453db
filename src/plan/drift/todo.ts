/** What a person can do about drift: what apply does, what to do by hand, and how to accept live state. */
import { quoteForShell } from "../../common/escape.ts";
import { nameOf } from "../activities/pending.ts";
import { labelOf } from "../address.ts";
import type { Change } from "../change.ts";
import { kindOf } from "../kinds/index.ts";
import type { KindName } from "../kinds/names.ts";
import { addressOfObject } from "../objects.ts";
import type { DesiredOrganization } from "../organization.ts";
import type { Plan } from "../plan.ts";
import type { JudgedRule } from "../rules/judge.ts";
import { isCovered } from "../step.ts";
import { isHeldByRejection } from "../step-groups.ts";
import { type CommandContext, commandText, explainText, inOrganization } from "../suggested-command.ts";
import { showUser } from "../user-labels.ts";
import { accessExpired, type Difference } from "./difference.ts";

/** What the sentences are made of besides the plan. */
export interface TodoContext {
	/** The desired state: a list can describe it. */
	readonly desired?: DesiredOrganization;
	/** The flags of the call, which the commands repeat; none when left out. */
	readonly commands?: CommandContext;
}

/** The sentence for this difference. It names commands as they can be typed; names in it are as they are, not escaped. */
export function describeTodo(difference: Difference, plan: Plan, context: TodoContext = {}): string {
	const commands = inOrganization(context.commands ?? {}, plan.organizationId);
	const apply = commandText({ command: "apply" }, commands);
	const { kind, problem, rule, change } = difference;
	if (problem !== null) return describeProblem(difference);
	if (difference.earlierActivity !== null) {
		const name = nameOf(difference.earlierActivity);
		const explain = explainText(name, plan.organizationId, commands);
		const more = explain === null ? "" : `: \`${explain}\` shows what it is waiting for`;
		return `wait for activity ${quoteForShell(name)}, which makes the same change${more}`;
	}
	if (rule !== null || kind === "rule") return describeRepair(rule, plan, apply);
	const takeOver = describeTakeOver(difference.address, { ...context, commands });
	const held = whyHeld(difference, plan, { takeOver, commands });
	if (held !== null) return held;
	const blocked = plan.problems.length > 0 ? ", once the other problems of this organization are solved" : "";
	if (difference.what === accessExpired) {
		const keep = hasWindow(difference.address, context) ? "; to keep the access, change `until` in the document" : "";
		return `\`${apply}\` ends the access${nameOwners(change, plan)}${blocked}${keep}`;
	}
	return kindOf(kind).describeRemedy(takeOver, `\`${apply}\` ${describeCure(kind, change, plan)}${blocked}`);
}

/** Returns what apply changes about the object, and to what. */
function describeCure(kind: KindName, change: Change | null, plan: Plan): string {
	if (change === null) return "brings it in sync";
	if (change.kind !== "userTag") return `removes the ${kindOf(kind).words[0]}`;
	const { before, after, addUserIds, removeUserIds } = change;
	const parts = [
		...(before.name === after.name ? [] : [`renames \`${before.name}\` to \`${after.name}\``]),
		...(addUserIds.length === 0 ? [] : [`adds ${listUsers(addUserIds, plan)}`]),
		...(removeUserIds.length === 0 ? [] : [`removes ${listUsers(removeUserIds, plan)}`]),
	];
	return joinWords(parts);
}

function nameOwners(change: Change | null, plan: Plan): string {
	return change?.kind === "userTag" ? ` of ${listUsers(change.removeUserIds, plan)}` : "";
}

/** More users than this are counted: the difference beside the sentence has them all. */
const maxUsers = 3;

function listUsers(userIds: readonly string[], plan: Plan): string {
	if (userIds.length > maxUsers) return `${userIds.length} members`;
	return joinWords(userIds.map((userId) => showUser(userId, plan)));
}

/** Returns `a`, `a and b`, or `a, b and c`. */
function joinWords(words: readonly string[]): string {
	return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Whether the document has a window of this tag: `--accept` removes the entry of expired access. */
function hasWindow(address: string, { desired }: TodoContext): boolean {
	const tag = desired?.objects.find((one) => one.kind === "userTag" && addressOfObject(one, desired) === address);
	return desired === undefined || (tag?.kind === "userTag" && (tag.members?.windows ?? []).length > 0);
}

/** No live value can be accepted for a rule: the document says what must hold. */
function describeRepair(rule: JudgedRule | null, { problems }: Plan, apply: string): string {
	if (rule?.effect === "repairs" && problems.length === 0) return `\`${apply}\` makes the rule hold`;
	const where =
		rule?.rule === "minApprovers" || rule?.rule === "onlyBy" ? "policies, tags or the root quorum" : "the tags";
	return `apply does not make the rule hold: change ${where}, or \`rules\` in the document`;
}

function describeProblem({ address, problem }: Difference): string {
	const name = `\`${labelOf(address)}\``;
	switch (problem?.code) {
		case "tag-not-there":
			return `make the tag ${name} by hand, or take it out of the document`;
		case "tag-name-taken":
			return `another tag has the name ${name}: give that one another name, by hand or in the document`;
		case "user-not-there":
			return `correct the user's id in the document, or take the user out of ${name}`;
		default:
			return "the document has to say which tag it means: write its `id`";
	}
}

/** Why apply leaves the object alone, although it differs; null when it does not. */
function whyHeld(
	difference: Difference,
	{ steps }: Plan,
	{ takeOver, commands }: { readonly takeOver: string; readonly commands: CommandContext },
): string | null {
	const apply = (...words: readonly string[]): string => commandText({ command: "apply", arguments: words }, commands);
	const { address } = difference;
	const step = steps.find((one) => one.earlierActivity !== null && isCovered(address, one));
	const earlierActivity = step?.earlierActivity ?? null;
	if (earlierActivity === null && isHeldByRejection(address, { steps })) {
		return `comes after a step that was rejected before: \`${apply("--retry-rejected")}\` submits both; ${takeOver}`;
	}
	if (earlierActivity === null || earlierActivity.relation === "same") return null;
	const name = quoteForShell(nameOf(earlierActivity));
	if (earlierActivity.relation === "rejected") {
		return `rejected before, as activity ${name}: \`${apply("--retry-rejected")}\` submits it again; ${takeOver}`;
	}
	if (earlierActivity.state === "in-doubt") {
		return `an earlier request for it is in doubt, so apply leaves it alone: see \`${commandText({ command: "status" }, commands)}\`; \`${apply("--abandon", nameOf(earlierActivity))}\` abandons it`;
	}
	return `activity ${name} is pending and would change it differently, so apply leaves it alone: have it approved or rejected, then \`${apply()}\``;
}

/** How the document gets the live value. What a list describes is not accepted: the document is that of all its organizations. */
function describeTakeOver(address: string, { desired, commands = {} }: TodoContext): string {
	const row = desired?.row;
	if (desired !== undefined && row !== undefined && isOfTemplate(address, desired, row.document)) {
		return `to keep it, change the values of this organization at ${row.file}:${row.line}, or ${row.document} for all`;
	}
	if (commands.file?.includes("-") === true) return "write the live state into the document to keep it";
	return `\`${commandText({ command: "drift", arguments: ["--accept", address] }, commands)}\` writes the live state into the document`;
}

/** Whether the document with the list describes an object. An object without a place is that of the only document. */
function isOfTemplate(address: string, desired: DesiredOrganization, document: string): boolean {
	const object = desired.objects.find((one) => addressOfObject(one, desired) === address);
	if (object !== undefined && "at" in object) return object.at.file === document;
	return desired.files.every((file) => file === document || file === desired.row?.file);
}
