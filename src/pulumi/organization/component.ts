/** The component `Organization`: its document, the plan that it checks, and the parts, which an adapter registers. */

import { dirname, join, resolve } from "node:path";
import { explainFileError } from "../../common/errors.ts";
import { leadsOutside, readFileWithin, readRegularFile } from "../../common/files.ts";
import { type ListFile, listLimits, parseDocuments, withoutFileText } from "../../document/read/parse.ts";
import { isCredential } from "../../document/read/variables.ts";
import type { Guard } from "../../plan/guards/guards.ts";
import { allowsOf, isFor, type Override } from "../../plan/guards/overrides.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { brokenRules } from "../../plan/rules/judge.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import { rowText, sectionsText, verdictText } from "../../render/print/text.ts";
import { renderPlan } from "../../render/result-text.ts";
import { overridesSection } from "../../render/sections/overrides.ts";
import { summarizePlan } from "../../render/sections/verdict.ts";
import { expiriesSection } from "../../render/sections/windows.ts";
import { plainStyle } from "../../render/style.ts";
import type { Comparison } from "../../sync/converge.ts";
import { ResourceFailure } from "../resources/failure.ts";
import { projectFolder } from "../session/project.ts";
import type { Session } from "../session/session.ts";
import { pulumiVoice } from "../settings/voice.ts";
import { nothingStored } from "../state/stored-state.ts";
import { listPaths, objectToDocument } from "./document-object.ts";

export interface OrganizationArgs {
	/**
	 * The document: the path of a YAML file, relative to the folder of `Pulumi.yaml`, or an object of the same form.
	 * Changing it updates the parts that differ; a part that it drops is destroyed, which submits nothing.
	 */
	readonly document: string | Readonly<Record<string, unknown>>;
	/**
	 * The organization of the document, a UUID. Required if the document has several. Changing it replaces the parts; in
	 * the organization before, that submits nothing.
	 */
	readonly organizationId?: string;
	/**
	 * Environment variables that the document may use as `${NAME}`, besides `ORGSYNC_VAR_*` and
	 * `ORGSYNC_ORGANIZATION_ID`. Credentials are not allowed. Changing it updates the parts whose values differ.
	 */
	readonly env?: readonly string[];
}

/** The plan of the document, whatever it says; `resource` is a name for the reads. Throws what Session.compare throws. */
export function compareDocument(resource: string, desired: DesiredOrganization, session: Session): Promise<Comparison> {
	session.oldNames.addDocument(desired);
	return session.compare({ resource, desired, stored: nothingStored });
}

/** Compares the whole document. Throws ResourceFailure for problems, GuardError for a guard, and what Session.compare throws. */
export async function compareOrganization(
	name: string,
	desired: DesiredOrganization,
	session: Session,
): Promise<Comparison> {
	const comparison = await compareDocument(`${name} (component)`, { ...desired, separately: true }, session);
	const { plan } = comparison;
	if (plan.problems.length > 0) throw new ResourceFailure(listProblems(plan.problems));
	session.assertGuardsAllowed(plan);
	return comparison;
}

/** A text that the engine shows beside a component. */
export interface Notice {
	readonly severity: "info" | "warning";
	readonly text: string;
}

/** The plan in a preview; in an up only what a person has to know. Of a secret document, only the summary. */
export function describePlan(plan: Plan, session: Session, isPreview: boolean, isSecret = false): Notice | undefined {
	const notice = describeWhole(plan, session, isPreview);
	return notice === undefined || !isSecret
		? notice
		: { ...notice, text: `${verdictText(summarizePlan(plan))} The document is secret.` };
}

function describeWhole(plan: Plan, session: Session, isPreview: boolean): Notice | undefined {
	const hasNews = plan.steps.length > 0 || plan.waiting.length > 0 || expiriesSection(plan).rows.length > 0;
	if (isPreview && hasNews) {
		const allows = allowsOf(plan.guards, session.settings.allow);
		return { severity: "info", text: renderForPulumi(plan, allows, summarizeParts) };
	}
	const differences = plan.changes.filter(({ action }) => action === "report");
	const differ = "read-only objects differ from the document; change them by hand";
	const missing = (plan.warnings ?? []).length;
	const warnings = [
		...(missing === 0 ? [] : ["the document names objects that do not exist"]),
		...(differences.length === 0 ? [] : [differ]),
		...(brokenRules(plan).length === 0 ? [] : ["the live organization breaks rules of the document"]),
	];
	if (warnings.length === 0) return describeExpired(plan);
	const {
		impact: _impact,
		impactVerdict: _verdict,
		impactTimed: _timed,
		impactAtOtherTimes: _later,
		assumptions: _assumed,
		...rest
	} = plan;
	const shown = renderPlan({ ...rest, changes: differences, steps: [] }, plainStyle);
	return { severity: "warning", text: `${warnings.join(", and ")}:\n${shown}` };
}

/** Whose access has ended, so that the run removes them: the diff of a part does not say why. */
function describeExpired({ expiries = [], ...plan }: Plan): Notice | undefined {
	const expired = expiries.filter(({ state }) => state === "expired");
	const lines = expiriesSection({ ...plan, changes: [], expiries: expired }).rows.map(rowText);
	return lines.length === 0 ? undefined : { severity: "info", text: ["Members to remove:", ...lines].join("\n    ") };
}

/** The plan, the guards that block it or warn, and the overrides that it uses, in Pulumi's terms. */
export function renderForPulumi(
	{ overrides = [], ...plan }: Plan,
	allows: readonly Override[],
	summarize?: (plan: Plan) => string,
): string {
	const isAllowed = (guard: Guard): boolean => allows.some((override) => isFor(override, guard));
	const guarded = { ...plan, guards: plan.guards.filter((guard) => !isAllowed(guard)) };
	const style = { ...plainStyle, voice: pulumiVoice };
	const used = sectionsText([overridesSection([...allows, ...overrides], plan.guards)], style).join("\n");
	return `${renderPlan(guarded, style, summarize?.(guarded))}${used}`;
}

/** The summary of the plan, and how much of it depends on what the parts have applied before. */
function summarizeParts(plan: Plan): string {
	const unknown = new Set(plan.changes.filter(({ basis }) => basis === "unknown").map(({ address }) => address));
	const { sent } = groupSteps(plan.steps);
	const count = sent.filter(({ covers }) => covers.every(({ address }) => unknown.has(address))).length;
	if (count === 0) return verdictText(summarizePlan(plan));
	return `${verdictText(summarizePlan(plan))} Of these, ${count} cannot be compared with live state: a resource that applied its part before submits nothing.`;
}

/** The desired state of the document. Throws ResourceFailure for what is wrong with it, each problem with its place. */
export function readOrganization({ document, organizationId, env = [] }: OrganizationArgs): DesiredOrganization {
	const credential = env.find(isCredential);
	if (credential !== undefined) {
		throw new ResourceFailure(
			`env: documents cannot use the credential ${credential}; use a separate variable, such as ORGSYNC_VAR_STAGE`,
		);
	}
	if (typeof document !== "string" && "organizations" in document) {
		throw new ResourceFailure(
			"document.organizations: a program has a loop for this; to use a list, name a document file that has it",
		);
	}
	const source =
		typeof document === "string"
			? { file: document, content: readFile(document) }
			: { file: "document", content: objectToDocument(document) };
	const { organizations, problems } = parseDocuments([source], process.env, {
		env,
		allowedBy: (name) => `the Organization's \`env: ["${name}"]\``,
		findList,
	});
	if (problems.length > 0) {
		if (typeof document !== "string") throw new ResourceFailure(listPaths(problems));
		throw new ResourceFailure(listProblems(leadsOutside(fullPath(document)) ? withoutFileText(problems) : problems));
	}
	const requested = organizationId?.toLowerCase();
	const found = organizations.filter((one) => requested === undefined || one.organizationId === requested);
	if (found.length === 1 && found[0] !== undefined) return found[0];
	const shown = organizations.slice(0, maxShownIds).map((one) => one.organizationId);
	const more = organizations.length - shown.length;
	const ids = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ");
	throw new ResourceFailure(
		requested === undefined
			? `${source.file} has ${organizations.length} organizations: set organizationId to one of ${ids}`
			: `${source.file} does not have the organization ${requested}; it has ${ids}`,
	);
}

/** Max organizations of a document that a message names. */
const maxShownIds = 20;

/** Finds the list of a document in the folder of the document. */
function findList(document: string, from: string): ListFile {
	const file = join(dirname(document), from);
	try {
		return { file, content: readFileWithin(dirname(fullPath(document)), fullPath(file), listLimits.bytes) };
	} catch (error) {
		return { mistake: `the list ${file} cannot be read: ${explainFileError(error)}` };
	}
}

function readFile(path: string): Uint8Array {
	try {
		// A file that is too large has one byte more than allowed, which the parser reports.
		return readRegularFile(fullPath(path), documentLimitBytes).bytes;
	} catch (error) {
		throw new ResourceFailure(`cannot read the document ${path}: ${explainFileError(error)}`);
	}
}

function fullPath(path: string): string {
	return resolve(projectFolder(), path);
}

const documentLimitBytes = 8 * 1024 * 1024;

function listProblems(problems: Plan["problems"]): string {
	return problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join("\n");
}
