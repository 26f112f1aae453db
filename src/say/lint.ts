/** What `lint` found, in words: what is wrong, what shows it, and what to do. */
import type { NotCompared, PlacedFinding } from "../plan/lint.ts";
import { printExample } from "../policy/powers/fields.ts";
import { count } from "./count.ts";
import { code, listSome, type Phrase, reason, time } from "./phrase.ts";

interface LintWords {
	readonly message: Phrase;
	/** What shows it; left out: the activity of the finding, and where there is none the message does. */
	readonly witness?: Phrase;
	readonly fix: Phrase;
}

/** Returns the words of a finding; `witness` is null where there is nothing to show. */
export function sayLintFinding(finding: PlacedFinding) {
	const { on, name, isLiveOnly, activity } = finding;
	const what: Phrase = [`${isLiveOnly ? "live " : ""}${on === "policy" ? "policy" : "user tag"} `, code(name)];
	const { message, fix, witness: shown } = words[finding.rule](finding);
	const witness: Phrase | null = shown ?? (activity === undefined ? null : [code(printExample(activity))]);
	return { message: [...what, " ", ...message], witness, fix };
}

const whyNotCompared: Readonly<Record<NotCompared["because"], string>> = {
	conditions: "their conditions distinguish too many kinds of activities",
	approvers: "a consensus distinguishes too many kinds of approvers, or depends on the order of tags",
};

/** Returns which policies rules say nothing of, and why. */
export function sayNotCompared({ because, policies }: NotCompared): Phrase {
	const were = count(policies.length, "policy was", "policies were");
	return [`${were} not compared with others: ${whyNotCompared[because]}: `, ...listSome(policies, code, 10)];
}

const idKinds: Readonly<Record<string, string>> = { user: "user", userTag: "user tag" };

const neverTrue: Readonly<Record<string, Phrase>> = {
	consensus: ["no users of any organization meet its ", code("consensus")],
	condition: ["its ", code("condition"), " holds for no activity"],
	time: ["its ", code("time"), " is never true"],
};

const words: Readonly<Record<PlacedFinding["rule"], (finding: PlacedFinding) => LintWords>> = {
	"always-errs": () => ({
		message: ["errs for every activity that its condition names, so it never applies"],
		fix: ["read only fields that the activity has; write two policies instead of ", code("||")],
	}),
	"deny-errs": () => ({
		message: ["errs for activities that its condition names: there it denies nothing"],
		fix: ["name only activities that have the fields, and deny the others in a policy of their own"],
	}),
	"everything-to-everyone": () => ({
		message: ["lets every user do everything alone"],
		witness: ["any user, and ", code("ACTIVITY_TYPE_DELETE_POLICIES")],
		fix: ["say who approves in ", code("consensus"), ", or what it is for in ", code("condition")],
	}),
	"alone-beside-two": ({ others = [] }) => ({
		message: ["lets one user do alone all that policy ", code(others[0] ?? ""), " asks two approvals for"],
		fix: ["ask for two approvals here too, or narrow the condition"],
	}),
	"not-understood": ({ clause = "", because = "" }) => ({
		message: ["has a ", code(clause), " that orgsync does not understand: ", reason(because)],
		fix: ["correct it: no other rule judges what is not understood"],
	}),
	"never-applies": ({ clause = "" }) => ({
		message: ["never applies: ", ...(neverTrue[clause] ?? [])],
		fix: ["correct the clause, or remove the policy"],
	}),
	"denies-nothing": () => ({
		message: ["denies nothing: no policy allows any of it to users whom it denies"],
		fix: ["remove it, or correct what it names"],
	}),
	"repeats-another": ({ others = [] }) => ({
		message: ["says the same as policy ", code(others[0] ?? "")],
		fix: ["remove one of the two"],
	}),
	"contained-in-another": ({ others = [] }) => ({
		message: ["adds nothing to policy ", code(others[0] ?? ""), ", which applies wherever this one does"],
		fix: ["remove it, or narrow the other one"],
	}),
	"window-over": ({ text = "" }) => ({
		message: ["is over since ", time(text), ", and never applies again"],
		fix: ["remove it, or give it a new ", code("time")],
	}),
	"name-for-id": ({ text = "", meant, because = "" }) => ({
		message: ["writes ", code(text), ` for the id of a ${idKinds[because]}: ids are UUIDs, so nothing matches it`],
		fix: ["write the id", ...(meant === undefined ? [] : [" ", code(meant)])],
	}),
	"unknown-id": ({ text = "", because = "" }) => ({
		message: ["names ", code(text), `, and no ${idKinds[because]} has this id`],
		fix: [`write the id of a ${idKinds[because]} that exists, or remove the part`],
	}),
	"versioned-type": ({ text = "", meant = "" }) => ({
		message: ["compares ", code("activity.type"), " with one version: it misses every other version of the activity"],
		witness: [code(text)],
		fix: ["compare ", code("activity.kind"), " with ", code(meant)],
	}),
	"unused-tag": () => ({
		message: ["is in no policy: it gives its members nothing"],
		fix: ["name it in a policy, remove it, or ignore the finding with the reason why it is there"],
	}),
	"unused-ignore": ({ text = "" }) => ({
		message: ["has no finding of ", code(text), " that this entry could ignore"],
		fix: ["remove the entry"],
	}),
};
