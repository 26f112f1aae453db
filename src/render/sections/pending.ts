/** Activities that have not ended and touch what the plan touches: those that are pending, in doubt, or were rejected. */

import { quoteForShell, showName } from "../../common/escape.ts";
import type { OtherPending } from "../../plan/activities/other-pending.ts";
import { nameOf, type RelatedActivity, settleOrAbandon } from "../../plan/activities/pending.ts";
import type { Named } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { coveredAddresses } from "../../plan/step.ts";
import { explainText } from "../../plan/suggested-command.ts";
import type { UserNames } from "../../plan/users.ts";
import { sayPending, sayTaken } from "../../say/activities.ts";
import { listAddresses } from "../../say/addresses.ts";
import {
	command,
	flag,
	identifier,
	joinPhrases,
	listOf,
	nameSpan,
	type Phrase,
	reason,
	type Span,
} from "../../say/phrase.ts";
import { listPeople, namePerson } from "../../say/powers.ts";
import { listed, type Row, type Section, section } from "../../say/section.ts";

const groups = [
	["pending", "pending-activities"],
	["in-doubt", "in-doubt"],
	["rejected", "rejected-before"],
] as const;

/** The activities of a plan by what each needs of a person: a decision, a look, or `--retry-rejected`. */
export function pendingSections(plan: Plan): readonly Section[] {
	const related = groups.map(([state, id]) =>
		listed(
			id,
			plan.waiting.filter((activity) => activity.state === state),
			(activity) => rowOf(activity, plan),
		),
	);
	return [...related, otherPendingSection(plan)];
}

/** Whichever user submitted them, once they are approved, they change what the document states. */
function otherPendingSection(plan: Plan): Section {
	const rows = (plan.otherPending ?? []).map((activity): Row => {
		const explain = explainText(activity.activityId, plan.organizationId, {});
		return {
			said: sayPending(activity, plan),
			rows: [
				{ said: sayOther(activity, plan) },
				...takenRows(activity.kind === "policy" ? "policy" : "userTag", activity.taken),
				...(explain === null ? [] : [{ said: [command(explain), " shows who can still approve it"] }]),
			],
		};
	});
	return section("other-pending", rows);
}

function takenRows(kind: "policy" | "userTag", taken: readonly Named[] = []): readonly Row[] {
	return taken.length === 0 ? [] : [{ said: sayTaken(kind, taken) }];
}

const verbs = { create: "creates", update: "changes", remove: "removes" } as const;

/** No step is about it: what it leaves is drift, or not managed. */
function sayOther({ action, kind, objects }: OtherPending, plan: Plan): Phrase {
	if (kind === "credential") {
		const who = listPeople(objects, plan);
		return ["gives ", ...who, " a credential once it is approved: its holder can do all that ", ...who, " can do"];
	}
	const words = { policy: ["policy", "policies"], userTag: ["user tag", "user tags"] } as const;
	const noun = words[kind][objects.length === 1 ? 0 : 1];
	return [
		`${verbs[action]} the ${noun} `,
		...listOf(objects, (name) => nameSpan(showName(name))),
		" once it is approved",
	];
}

const words = { same: "joins", conflicting: "conflicts", rejected: "rejected" } as const;

function rowOf(activity: RelatedActivity, plan: Plan): Row {
	const { state, operation, relation } = activity;
	// Of one in doubt, what it would do comes first: the service cannot show it.
	const what: Phrase =
		state === "in-doubt" ? [identifier(operation), " (", ...sayParameters(activity, plan), "): "] : [];
	return {
		badge: { word: state === "in-doubt" ? "in doubt" : words[relation], look: "attention" },
		said: [...what, ...sayPending(activity, plan)],
		rows: [
			...sayEffect(activity).map((said) => ({ said })),
			...takenRows(operation.endsWith("_user_tag") ? "userTag" : "policy", activity.taken),
		],
		about: coveredAddresses([activity]),
	};
}

/** Returns what it means for this plan, and what to do about one in doubt. */
function sayEffect(activity: RelatedActivity): readonly Phrase[] {
	const { state, relation } = activity;
	const name = nameOf(activity);
	const what = listAddresses(coveredAddresses([activity]));
	if (relation === "rejected")
		return [["changes ", ...what, ": apply submits it again only with ", flag("retry-rejected")]];
	if (state === "in-doubt")
		return [["it can still change ", ...what, ": apply submits no other change of it"], [settleOrAbandon(name)].flat()];
	if (relation === "same") return [["makes the desired change of ", ...what, ": apply joins it and submits nothing"]];
	const override = flag("abandon", quoteForShell(name));
	return [["conflicts with the desired change of ", ...what, ": apply waits until it ends; to override: ", override]];
}

/** Returns the parameters that are not empty, users by name. */
function sayParameters({ parameters }: RelatedActivity, names: UserNames): Phrase {
	const lists = Object.entries(parameters)
		.map(([key, value]) => [key, Array.isArray(value) ? value : [value]] as const)
		.filter(([, values]) => values.length > 0)
		.map(
			([key, values]): Phrase => [reason(key), " ", ...listOf(values, (value) => sayValue(nameOfValue(value), names))],
		);
	return joinPhrases(lists, "; ");
}

/** Returns a policy that is to be created by its name, and any other value as it is. */
function nameOfValue(value: unknown): string {
	return String(value instanceof Object && "policyName" in value ? value.policyName : value);
}

/** Returns a value; as a user where it is the id of one. */
function sayValue(value: string, names: UserNames): Span {
	const id = value.toLowerCase();
	const isUser = Object.hasOwn(names.userNames, id) || Object.hasOwn(names.liveNames ?? {}, id);
	return isUser ? namePerson(id, names) : nameSpan(showName(value));
}
