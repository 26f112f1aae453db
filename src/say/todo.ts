/** The words for what a person can do about drift. */
import { quoteForShell } from "../common/escape.ts";
import type { Keeping, TagCure, Todo } from "../plan/drift/todo.ts";
import { kindOf } from "../plan/kinds/index.ts";
import { command, identifier, joinPhrases, listOf, nameSpan, type Phrase, reason, type Span } from "./phrase.ts";

/** Returns what to do. Of a report that was read from a file it is a text, which names commands between back quotes. */
export function sayTodo(todo: Todo | string): Phrase {
	if (typeof todo === "string") return [reason(todo)];
	switch (todo.kind) {
		case "solve":
			return solutionOf(todo);
		case "wait": {
			const activity = quoteForShell(todo.activity);
			const more: Phrase = todo.explain === null ? [] : [": ", command(todo.explain), " shows what it is waiting for"];
			return ["wait for activity ", identifier(activity), ", which makes the same change", ...more];
		}
		case "repair-rule":
			return [command(todo.apply), " makes the rule hold"];
		case "change-rule": {
			const isOfPowers = todo.rule === "minApprovers" || todo.rule === "onlyBy";
			const where = isOfPowers
				? "policies, tags or the root quorum"
				: todo.rule === "credentials"
					? "the credentials"
					: "the tags";
			return [`apply does not make the rule hold: change ${where}, or `, code("rules"), " in the document"];
		}
		case "retry": {
			const { activity } = todo;
			const [which, submits]: readonly [Phrase, string] =
				activity === null
					? [["depends on a step that was rejected before: "], " submits both; "]
					: [["rejected before, as activity ", identifier(quoteForShell(activity)), ": "], " submits it again; "];
			return [...which, command(todo.retry), submits, ...sayKeeping(todo.keeping)];
		}
		case "in-doubt":
			return [
				"an earlier request is in doubt, so apply does not change the object: see ",
				command(todo.status),
				"; ",
				command(todo.abandon),
				" abandons the request",
			];
		case "conflict":
			return [
				"activity ",
				identifier(quoteForShell(todo.activity)),
				" is pending and conflicts with the document, so apply does not change the object: have it approved or rejected, then ",
				command(todo.apply),
			];
		case "end-access": {
			const of: Phrase = todo.removed.length === 0 ? [] : [" of ", ...listUsers(todo.removed)];
			const keep: Phrase = todo.hasWindow ? ["; to keep the access, change ", code("until"), " in the document"] : [];
			return [command(todo.apply), " ends the access", ...of, ...onceSolved(todo), ...keep];
		}
		case "apply":
			return remedyOf(todo);
	}
}

/** Returns the same as a text for a published report: commands between back quotes, names not escaped for a terminal. */
export function todoText(todo: Todo | string): string {
	const texts = sayTodo(todo).map((span) => {
		if (typeof span === "string") return span;
		if (span.kind === "command" || span.kind === "code") return `\`${span.text}\``;
		if (span.kind !== "name") return "text" in span ? span.text : "";
		return span.notes.length === 0 ? span.text : `${span.text} (${span.notes.join(", ")})`;
	});
	return texts.join("");
}

function solutionOf({ problem, name }: Todo & { readonly kind: "solve" }): Phrase {
	switch (problem) {
		case "tag-not-there":
			return [
				"create the tag ",
				code(name),
				" (",
				code("create: true"),
				" in its entry), or remove it from the document",
			];
		case "tag-name-taken":
			return ["another tag has the name ", code(name), ": rename that tag, by hand or in the document"];
		case "user-not-there":
			return ["correct the user's id in the document, or remove the user from ", code(name)];
		case "policy-not-there":
			return ["remove the ", code("id"), " of ", code(name), " from the document to create it, or remove its entry"];
		case "policy-name-taken":
			return ["another policy has the name ", code(name), ": rename that policy, by hand or in the document"];
		case "policy-absent":
		case "tag-absent":
			return ["remove ", code(name), " from ", code("absent"), ", or its entry"];
		case "duplicate-policy":
			return ["remove one of the two entries, or write the ", code("id"), " of each policy into the document"];
		default: {
			const kind = problem.startsWith("policy") ? "policy" : "tag";
			return ["write the ", code("id"), ` of the ${kind} into the document`];
		}
	}
}

function remedyOf({ object, action, apply, tag, keeping, ...todo }: Todo & { readonly kind: "apply" }): Phrase {
	const kind = kindOf(object);
	const keep = sayKeeping(keeping, action === "create");
	if (kind.action === "report") return [kind.remedy, ...keep];
	const cure = tag === null ? [`${cures[action]} the ${kind.words[0]}`] : cureOf(tag);
	const joint = action === "remove" && keeping.kind === "accept" ? `; to keep the ${kind.words[0]}, ` : "; ";
	return [command(apply), " ", ...cure, ...onceSolved(todo), joint, ...keep];
}

const cures = { create: "creates", update: "updates", remove: "removes", report: "" };

function cureOf({ rename, added, removed }: TagCure): Phrase {
	return joinPhrases(
		[
			...(rename === null ? [] : [["renames ", code(rename[0]), " to ", code(rename[1])]]),
			...(added.length === 0 ? [] : [["adds ", ...listUsers(added)]]),
			...(removed.length === 0 ? [] : [["removes ", ...listUsers(removed)]]),
		],
		", ",
		" and ",
	);
}

/** More users than this are counted: the difference beside the sentence has them all. */
const maxUsers = 3;

function listUsers(users: TagCure["added"]): Phrase {
	if (users.length > maxUsers) return [`${users.length} members`];
	return listOf(users, (user) => nameSpan(user.name, user.notes), ", ", " and ");
}

function onceSolved({ isBlocked }: { readonly isBlocked: boolean }): Phrase {
	return isBlocked ? [", once the other problems of this organization are solved"] : [];
}

/** `isGone`: what the document lists is not live, so that its entry goes. */
function sayKeeping(keeping: Keeping, isGone = false): Phrase {
	switch (keeping.kind) {
		case "by-hand":
			return ["write the live state into the document to keep it"];
		case "accept":
			return [
				command(keeping.accept),
				isGone ? " removes its entry from the document" : " writes the live state into the document",
			];
		case "row": {
			const at = `${keeping.file}:${keeping.line}`;
			return [
				"to keep the live state, change the values of this organization at ",
				identifier(at),
				", or ",
				identifier(keeping.document),
				" for all organizations",
			];
		}
	}
}

/** Returns a text that is never cut: a published report has all of a name. */
function code(text: string): Span {
	return { kind: "code", text };
}
