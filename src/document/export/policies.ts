/** Policies of an export: their expressions are templates, which name the tags and users that the document lists. */
import type { LivePolicy } from "../../plan/organization.ts";
import { checkTemplate, templateOf } from "../../policy/language/check-template.ts";
import type { Clause } from "../../policy/language/syntax.ts";
import { parseTemplate } from "../../policy/language/template.ts";
import { writeBlock, writeKey, writeText } from "../write-yaml.ts";

/** An entry under `policies`. */
export interface ExportedPolicy {
	readonly name: string;
	readonly effect: "allow" | "deny";
	/** Templates; empty where the policy has none. */
	readonly consensus: string;
	readonly condition: string;
	readonly time: string;
	/** Empty: left out, and unmanaged. */
	readonly notes: string;
	/** Whether a clause is not understood, or has more than one reading. */
	readonly unchecked: boolean;
}

export type TemplateNames = Parameters<typeof templateOf>[1];

/** The words of documents for effects, by those of the service. */
const effectWords: ReadonlyMap<string, ExportedPolicy["effect"]> = new Map([
	["EFFECT_ALLOW", "allow"],
	["EFFECT_DENY", "deny"],
]);

/** Returns the entry of a live policy, or why a document cannot have it. */
export function exportPolicy(policy: LivePolicy, names: TemplateNames): ExportedPolicy | string {
	const { name, notes } = policy;
	const effect = effectWords.get(policy.effect);
	if (effect === undefined) return "its effect is neither allow nor deny";
	const [consensus, condition, time] = [policy.consensus, policy.condition, policy.time].map((text) =>
		templateOf(text, names),
	) as [string, string, string];
	const unchecked = Object.entries({ consensus, condition, time }).some(
		([clause, text]) => checkTemplate(parseTemplate(text), clause as Clause).length > 0,
	);
	return { name, effect, consensus, condition, time, notes, unchecked };
}

/** Returns the lines of an entry. */
export function policyLines(policy: ExportedPolicy): readonly string[] {
	const entries = entriesOf(policy, writeTemplate);
	return entries.flatMap((entry, index) => `${index === 0 ? "  - " : "    "}${entry}`.split("\n"));
}

/** Returns the entry on one line. */
export function flowPolicy(policy: ExportedPolicy): string {
	return `{ ${entriesOf(policy, (template) => writeKey(template, "double")).join(", ")} }`;
}

function entriesOf(
	{ name, effect, consensus, condition, time, notes, unchecked }: ExportedPolicy,
	write: (template: string) => string,
): readonly string[] {
	return [
		`name: ${writeText(name)}`,
		`effect: ${effect}`,
		`consensus: ${write(consensus)}`,
		`condition: ${write(condition)}`,
		...(time === "" ? [] : [`time: ${write(time)}`]),
		...(notes === "" ? [] : [`notes: ${writeText(notes)}`]),
		...(unchecked ? ["unchecked: true"] : []),
	];
}

/** Returns a template as a `|-` block; on one line where a block cannot hold it, or it is empty. */
function writeTemplate(template: string): string {
	const indent = "      ";
	const block = writeBlock(template, indent);
	return block === undefined ? writeKey(template, "double") : `|-\n${indent}${block}`;
}
