/** Warnings about the old name of a renamed tag in a document or a policy, whichever of the two the engine checks first. */
import { showText } from "../../common/escape.ts";
import type { Change } from "../../plan/change.ts";
import { judgeOldNames } from "../../plan/guards/old-names.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { guardText } from "../../say/guards.ts";
import type { MetaInputs } from "../inputs/inputs.ts";

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
