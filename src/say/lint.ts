/** What `lint` found, in words: what is wrong, what shows it, and what to do. */
import type { PlacedFinding } from "../plan/lint.ts";
import { code, type Phrase } from "./phrase.ts";

interface LintWords {
	readonly message: Phrase;
	/** What shows it; null where the message does. */
	readonly witness: Phrase | null;
	readonly fix: Phrase;
}

/** Returns the words of a finding. */
export function sayLintFinding(finding: PlacedFinding): LintWords {
	const { on, name, isLiveOnly } = finding;
	const what: Phrase = [`${isLiveOnly ? "live " : ""}${on === "policy" ? "policy" : "user tag"} `, code(name)];
	const { message, ...more } = words[finding.rule](finding);
	return { message: [...what, " ", ...message], ...more };
}

const idKinds: Readonly<Record<string, string>> = { user: "user", userTag: "user tag" };

const words: Readonly<Record<PlacedFinding["rule"], (finding: PlacedFinding) => LintWords>> = {
	"name-for-id": ({ text = "", meant, because = "" }) => ({
		message: ["writes ", code(text), ` for the id of a ${idKinds[because]}: ids are UUIDs, so nothing matches it`],
		witness: null,
		fix: ["write the id", ...(meant === undefined ? [] : [" ", code(meant)])],
	}),
	"unknown-id": ({ text = "", because = "" }) => ({
		message: ["names ", code(text), `, and no ${idKinds[because]} has this id`],
		witness: null,
		fix: [`write the id of a ${idKinds[because]} that exists, or remove the part`],
	}),
	"versioned-type": ({ text = "", meant = "" }) => ({
		message: ["compares ", code("activity.type"), " with one version: it misses every other version of the activity"],
		witness: [code(text)],
		fix: ["compare ", code("activity.kind"), " with ", code(meant)],
	}),
	"unused-tag": () => ({
		message: ["is in no policy: it gives its members nothing"],
		witness: null,
		fix: ["name it in a policy, remove it, or ignore the finding with the reason why it is there"],
	}),
	"unused-ignore": ({ text = "" }) => ({
		message: ["has no finding of ", code(text), " that this entry could ignore"],
		witness: null,
		fix: ["remove the entry"],
	}),
};
