/** Rejects plans that a guard blocks or that cannot converge. Shows once each override, and each old name in a document or a policy. */
import { LiveProblemError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import type { Change } from "../../plan/change.ts";
import { type Guard, refusingGuards } from "../../plan/guards/guards.ts";
import { judgeOldNames } from "../../plan/guards/old-names.ts";
import type { Override } from "../../plan/guards/overrides.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { phraseText } from "../../render/print/text.ts";
import { sayOverride } from "../../render/sections/overrides.ts";
import { guardText, refuseBlocked } from "../../say/guards.ts";
import { inVoice } from "../../say/phrase.ts";
import type { MetaInputs } from "../inputs/inputs.ts";
import type { Settings } from "../settings/settings.ts";
import { pulumiVoice } from "../settings/voice.ts";
import { NameTakenError } from "./name-queue.ts";

export class OverrideLog {
	readonly #print: (line: string) => void;
	readonly #shown = new Set<string>();

	constructor(print: (line: string) => void) {
		this.#print = print;
	}

	show(resource: string, overrides: readonly Override[], guards: readonly Guard[] = []): void {
		for (const override of overrides) {
			const key = JSON.stringify([resource, override]);
			if (this.#shown.has(key)) continue;
			this.#shown.add(key);
			const said = phraseText(inVoice(sayOverride(override, guards), pulumiVoice));
			this.#print(showText(`${resource}: override used: ${said}`));
		}
	}
}

/** Throws GuardError if a guard blocks the plan and is not overridden. */
export function assertGuardsAllowed(
	{ guards }: Pick<Plan, "guards">,
	allow: Settings["allow"],
	isDelete = false,
): void {
	refuseBlocked(guards, allow, (blocking) => overrideCommand(blocking, allow, isDelete));
}

/** Whether a guard blocks the plan, or it cannot converge. Names that are taken are waited for elsewhere. */
export function isRefused({ guards, problems }: Plan, allow: Settings["allow"]): boolean {
	return refusingGuards(guards, allow).length > 0 || problems.some((one) => !isNameTaken(one));
}

/** Whether the only problem is a name that another object has: its resource may free it in the same run. */
export function isNameTaken({ code }: Pick<Plan["problems"][number], "code">): boolean {
	return code === "tag-name-taken" || code === "policy-name-taken";
}

/**
 * Returns the guards that a part of a component can judge. The component has judged who can do what after all parts, and one part
 * may take away what another gives; it has also counted all tags whose changes were made and undone.
 */
const ofWhole: ReadonlySet<string> = new Set<Guard["kind"]>([
	...(["lockout", "escalation", "reversals", "unsafeMoments", "stranded", "ownPowers", "danglingTags"] as const),
]);

export function guardsOfPart(guards: readonly Guard[]): readonly Guard[] {
	return guards.filter(({ kind }) => !ofWhole.has(kind));
}

/**
 * The command that also allows what these guards found. It replaces the whole value, so it repeats earlier overrides. A destroy has the
 * configuration of the last `up`, and the environment of its own.
 */
function overrideCommand(guards: readonly Guard[], allow: Settings["allow"], isDelete: boolean): string {
	const earlier = [...allow].flatMap(([kind, values]) => [...values].map((found) => `${kind}=${found}`));
	const found = guards.map((guard) => `${guard.kind}=${guard.found}`);
	const value = [...new Set([...earlier, ...found])].join(" ");
	return isDelete
		? `run the command again with \`ORGSYNC_ALLOW="${value}"\``
		: `\`pulumi config set orgsync:allow "${value}"\``;
}

const nameHint =
	"if the program does, its resource has to be updated first or at the same time: use dependsOn, or do not use --parallel 1";

/** Throws NameTakenError if taken names are the only problems, and LiveProblemError for any other problem. */
export function assertCanConverge({ problems }: Plan): void {
	if (problems.length === 0) return;
	const message = problems.map((problem) => problem.message).join("; ");
	throw problems.every(isNameTaken) ? new NameTakenError(message, { hint: nameHint }) : new LiveProblemError(message);
}

/** Users whom plans missed. Another resource of the program may have made a user after a shared answer. */
export class MissingUsers {
	readonly #known = new Set<string>();

	/** Whether the plan, made of answers from before that time, misses a user whom no earlier one missed. */
	isNew({ organizationId, problems, readAt }: Plan, startedAtMs: number): boolean {
		if (Date.parse(readAt) >= startedAtMs) return false;
		const before = this.#known.size;
		for (const { code, message } of problems)
			if (code === "user-not-there") this.#known.add(`${organizationId} ${message}`);
		return this.#known.size > before;
	}
}

interface Rename {
	readonly organizationId: string;
	readonly resource: string;
	readonly changes: readonly Change[];
}

/** The documents and the renames of one session. */
export class OldNameLog {
	readonly #print: (line: string) => void;
	readonly #documents: DesiredOrganization[] = [];
	readonly #renames: Rename[] = [];
	readonly #shown = new Set<string>();

	constructor(print: (line: string) => void) {
		this.#print = print;
	}

	/** Notes the document of a component or of `getPlan`, whose own plan warns of its own renames. */
	addDocument(desired: DesiredOrganization): void {
		this.#documents.push(desired);
		for (const rename of this.#renames) this.#compare(rename, desired);
	}

	/** Notes the plan of a resource that no document has. */
	addPlan({ resource, partOf }: Pick<MetaInputs, "resource" | "partOf">, plan: Plan): void {
		const { organizationId, changes, guards } = plan;
		if (partOf !== undefined || !changes.some(({ kind }) => kind === "userTag")) return;
		const rename = { organizationId, resource, changes };
		this.#renames.push(rename);
		for (const guard of guards) if (guard.kind === "oldNames") this.#show(resource, guardText(guard));
		for (const document of this.#documents) this.#compare(rename, document);
	}

	#compare({ organizationId, resource, changes }: Rename, document: DesiredOrganization): void {
		if (document.organizationId !== organizationId) return;
		for (const guard of judgeOldNames(document, changes, undefined)) this.#show(resource, guardText(guard));
	}

	#show(resource: string, message: string): void {
		const line = showText(`warning: ${resource}: ${message}`);
		if (!this.#shown.has(line)) this.#print(line);
		this.#shown.add(line);
	}
}
