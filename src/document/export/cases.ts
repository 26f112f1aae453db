/** Begins a file of access cases with what is true today: for each power who is alone, and who never has a part. */
import { showText } from "../../common/escape.ts";
import type { Survey } from "../../plan/access-cases/survey.ts";
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
	const head = "# Who can do what today. Keep what must stay true, and say why in its name.";
	const cases = facts.powers.flatMap(([power, found]) => caseLines(power, found, facts));
	return `${[head, `organizationId: ${facts.organizationId}`, "tests:", ...cases].join("\n")}\n`;
}

function caseLines(power: PowerName, found: CaseFacts["powers"][number][1], facts: CaseFacts): readonly string[] {
	if ("unknown" in found) return [`  # ${power}: unknown, because ${showText(reasonText(found.unknown, facts))}`];
	const { alone, tagIds, isExact, never } = found;
	const mode = isExact ? "exactly" : "atLeast";
	const lines = [
		...(isExact || alone.length > 0 ? [`    alone: { ${mode}: ${writeUsers(alone, facts, tagIds)} }`] : []),
		...(never.length === 0 ? [] : [`    never: ${writeUsers(never, facts)}`]),
	];
	return lines.length === 0 ? [] : [`  - name: ${power} as it is today`, `    power: ${power}`, ...lines];
}

/** Returns the users by the tags among these that have several members, all of them listed, and the others by themselves. */
function writeUsers(
	userIds: readonly string[],
	{ access: { users }, userNames, tagNames }: CaseFacts,
	tagIds: readonly string[] = Object.keys(tagNames),
): string {
	const all = users.known ? users.value : [];
	const membersOf = (tagId: string): readonly string[] =>
		all.flatMap(({ id, tagIds: own }) => (own.known && own.value.includes(tagId) ? id : []));
	const chosen = tagIds.filter((tagId) => {
		const members = membersOf(tagId);
		return members.length > 1 && members.every((id) => userIds.includes(id));
	});
	const named = new Set(chosen.flatMap(membersOf));
	const others = userIds.filter((id) => !named.has(id));
	const tags = chosen.map((id) => uniqueName(id, tagNames)).sort(compareText);
	const names = others.map((id) => uniqueName(id, userNames)).sort(compareText);
	return writeFlow([...tags.map((tag) => `1 of ${tag}`), ...names], (text) => writeKey(text));
}

function uniqueName(id: string, names: Readonly<Record<string, string>>): string {
	const name = names[id];
	return name === undefined || Object.values(names).filter((one) => one === name).length > 1 ? id : name;
}
