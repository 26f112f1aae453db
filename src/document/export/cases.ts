/** Begins a file of access cases with what is true today: for each power who is alone, and who never has a part. */

import { showText } from "../../common/escape.ts";
import { type Survey, writeUsers } from "../../plan/access-cases/survey.ts";
import { compareText } from "../../plan/value.ts";
import type { PowerName } from "../../policy/powers/groups.ts";
import type { Reason } from "../../policy/powers/reason.ts";
import { reasonText } from "../../say/reason.ts";
import { writeFlow, writeKey } from "../write-yaml.ts";
import type { SeedFacts } from "./seed.ts";

/** Each name is the one that a case writes: of one user, one tag alone. */
interface CaseFacts extends SeedFacts {
	readonly policyNames: Readonly<Record<string, string>>;
	readonly powers: readonly (readonly [PowerName, Survey | { readonly unknown: Reason }])[];
}

/** Returns the text of the file; a power of which something is unknown has a comment in place of its case. */
export function writeCases(facts: CaseFacts): string {
	const lines = facts.powers.flatMap(([power, found]) => caseLines(power, found, facts));
	return `${["# Who can do what today. Keep what must stay true, and say why in its name.", `organizationId: ${facts.organizationId}`, "tests:", ...lines].join("\n")}\n`;
}

function caseLines(power: PowerName, found: CaseFacts["powers"][number][1], facts: CaseFacts): readonly string[] {
	if ("unknown" in found) return [`  # ${power}: unknown, because ${showText(reasonText(found.unknown, facts))}`];
	const { alone, tagIds, isExact, never } = found;
	const write = (userIds: readonly string[], tags: readonly string[] = Object.keys(facts.tagNames)): string =>
		writeFlow(namesOf(userIds, tags, facts), (text) => writeKey(text));
	const isStated = isExact || alone.length > 0;
	return [
		`  - name: ${power} as it is today`,
		`    power: ${power}`,
		...(isStated ? [`    alone: { ${isExact ? "exactly" : "atLeast"}: ${write(alone, tagIds)} }`] : []),
		...(never.length === 0 ? [] : [`    never: ${write(never)}`]),
	].filter((_, __, all) => all.length > 2);
}

function namesOf(
	userIds: readonly string[],
	tagIds: readonly string[],
	{ access, userNames, tagNames }: CaseFacts,
): readonly string[] {
	const written = writeUsers(userIds, access, tagIds);
	const names = (ids: readonly string[], all: Readonly<Record<string, string>>): readonly string[] =>
		ids.map((id) => uniqueName(id, all)).sort(compareText);
	return [...names(written.tagIds, tagNames).map((tag) => `1 of ${tag}`), ...names(written.userIds, userNames)];
}

function uniqueName(id: string, names: Readonly<Record<string, string>>): string {
	const name = names[id];
	return name === undefined || Object.values(names).filter((one) => one === name).length > 1 ? id : name;
}
