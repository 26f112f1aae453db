/** What a person can do about drift: what apply does, what to do by hand, and how to accept live state. */

import { nameOf } from "../activities/pending.ts";
import { labelOf } from "../address.ts";
import type { Change } from "../change.ts";
import type { KindName } from "../kinds/names.ts";
import { addressOfObject } from "../objects.ts";
import { type DesiredOrganization, tagsOf } from "../organization.ts";
import type { Plan } from "../plan.ts";
import type { JudgedRule } from "../rules/judge.ts";
import { isCovered } from "../step.ts";
import { isHeldByRejection } from "../step-groups.ts";
import { type CommandContext, commandText, explainText, inOrganization } from "../suggested-command.ts";
import { userParts } from "../user-labels.ts";
import { accessExpired, type Difference } from "./difference.ts";

/** A user as people know the user: the name and what distinguishes it from others, both escaped. */
type UserParts = ReturnType<typeof userParts>;

/** What apply makes of a user tag. */
export interface TagCure {
	/** Null where the name stays. */
	readonly rename: readonly [from: string, to: string] | null;
	readonly added: readonly UserParts[];
	readonly removed: readonly UserParts[];
}

/** How the document gets the live value: by hand, by a command, or in the list that has the values of its organization. */
export type Keeping =
	| { readonly kind: "by-hand" }
	| { readonly kind: "accept"; readonly accept: string }
	| { readonly kind: "row"; readonly document: string; readonly file: string; readonly line: number };

/** What a person can do about a difference, before it is put into words: commands as typed, names not escaped. */
export type Todo =
	/** The problem of this code has to be solved; `name` is the label of the object. */
	| { readonly kind: "solve"; readonly problem: string; readonly name: string }
	/** An activity makes the change; null where no command explains it. */
	| { readonly kind: "wait"; readonly activity: string; readonly explain: string | null }
	| { readonly kind: "repair-rule"; readonly apply: string }
	/** Null: which rule it is is not known. */
	| { readonly kind: "change-rule"; readonly rule: JudgedRule["rule"] | null }
	/** The step was rejected before, or depends on a rejected one: then without its activity. */
	| {
			readonly kind: "retry";
			readonly activity: string | null;
			readonly retry: string;
			readonly keeping: Keeping;
	  }
	| { readonly kind: "in-doubt"; readonly status: string; readonly abandon: string }
	| { readonly kind: "conflict"; readonly activity: string; readonly apply: string }
	/** `removed` lose access that expired; `hasWindow`: the document says until when it lasts. */
	| {
			readonly kind: "end-access";
			readonly apply: string;
			readonly removed: readonly UserParts[];
			readonly isBlocked: boolean;
			readonly hasWindow: boolean;
	  }
	/** `isBlocked`: once other problems of the organization are solved. */
	| {
			readonly kind: "apply";
			readonly object: KindName;
			readonly action: Change["action"];
			readonly apply: string;
			/** Null where the object is no user tag that exists. */
			readonly tag: TagCure | null;
			readonly isBlocked: boolean;
			readonly keeping: Keeping;
	  };

/** What a todo is made of besides the plan. */
export interface TodoContext {
	/** The desired state: a list can describe it. */
	readonly desired?: DesiredOrganization;
	/** The flags of the call, which the commands repeat; none when left out. */
	readonly commands?: CommandContext;
}

export function findTodo(difference: Difference, plan: Plan, context: TodoContext = {}): Todo {
	const commands = inOrganization(context.commands ?? {}, plan.organizationId);
	const apply = commandText({ command: "apply" }, commands);
	const { address, kind, problem, rule, change, earlierActivity } = difference;
	if (problem !== null) return { kind: "solve", problem: problem.code, name: labelOf(address) };
	if (earlierActivity !== null) {
		const activity = nameOf(earlierActivity);
		return { kind: "wait", activity, explain: explainText(activity, plan.organizationId, commands) };
	}
	const isBlocked = plan.problems.length > 0;
	if (kind === "rule") {
		if (rule?.effect === "repairs" && !isBlocked) return { kind: "repair-rule", apply };
		return { kind: "change-rule", rule: rule?.rule ?? null };
	}
	const keeping = findKeeping(address, { ...context, commands });
	const held = whyHeld(address, plan, { keeping, commands });
	if (held !== null) return held;
	const action = change?.action ?? "report";
	const tag = change?.kind === "userTag" && action === "update" ? cureOf(change, plan) : null;
	if (difference.what === accessExpired) {
		const hasWindow = hasWindowOf(address, context);
		return { kind: "end-access", apply, removed: tag?.removed ?? [], isBlocked, hasWindow };
	}
	return { kind: "apply", object: kind, action, apply, tag, isBlocked, keeping };
}

function cureOf(change: Change & { readonly kind: "userTag" }, plan: Plan): TagCure {
	const { before, after, addUserIds, removeUserIds } = change;
	const named = (userIds: readonly string[]): readonly UserParts[] => userIds.map((id) => userParts(id, plan));
	return {
		rename: before.name === after.name ? null : [before.name, after.name],
		added: named(addUserIds),
		removed: named(removeUserIds),
	};
}

/** Whether the document has a window of this tag: `--accept` removes the entry of expired access. */
function hasWindowOf(address: string, { desired }: TodoContext): boolean {
	if (desired === undefined) return true;
	const tag = tagsOf(desired).find((one) => addressOfObject(one, desired) === address);
	return (tag?.members?.windows ?? []).length > 0;
}

/** Returns what to do where apply leaves the object alone, although it differs; null where it does not. */
function whyHeld(
	address: string,
	{ steps }: Plan,
	{ keeping, commands }: { readonly keeping: Keeping; readonly commands: CommandContext },
): Todo | null {
	const apply = (...words: readonly string[]): string => commandText({ command: "apply", arguments: words }, commands);
	const retry = apply("--retry-rejected");
	const earlier = steps.find((one) => one.earlierActivity !== null && isCovered(address, one))?.earlierActivity ?? null;
	if (earlier === null && isHeldByRejection(address, { steps }))
		return { kind: "retry", activity: null, retry, keeping };
	if (earlier === null || earlier.relation === "same") return null;
	const activity = nameOf(earlier);
	if (earlier.relation === "rejected") return { kind: "retry", activity, retry, keeping };
	if (earlier.state !== "in-doubt") return { kind: "conflict", activity, apply: apply() };
	return {
		kind: "in-doubt",
		status: commandText({ command: "status" }, commands),
		abandon: apply("--abandon", activity),
	};
}

/** What a list describes is not accepted: the document is that of all its organizations. */
function findKeeping(address: string, { desired, commands = {} }: TodoContext): Keeping {
	const row = desired?.row;
	if (desired !== undefined && row !== undefined && isOfTemplate(address, desired, row.document)) {
		return { kind: "row", document: row.document, file: row.file, line: row.line };
	}
	if (commands.file?.includes("-") === true) return { kind: "by-hand" };
	return { kind: "accept", accept: commandText({ command: "drift", arguments: ["--accept", address] }, commands) };
}

/** Whether the document with the list describes an object. An object without a place is that of the only document. */
function isOfTemplate(address: string, desired: DesiredOrganization, document: string): boolean {
	const object = desired.objects.find((one) => addressOfObject(one, desired) === address);
	if (object !== undefined && "at" in object) return object.at.file === document;
	return desired.files.every((file) => file === document || file === desired.row?.file);
}
