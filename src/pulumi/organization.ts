/** A whole document as one component: it plans and checks everything before the first child is registered. */
import { resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { parseDocuments, withoutFileText } from "../document/parse.ts";
import { isCredential } from "../document/variables.ts";
import { explainFileError } from "../errors.ts";
import { leadsOutside, readRegularFile } from "../files.ts";
import type { DesiredOrganization } from "../plan/organization.ts";
import { allowsOf, type Override } from "../plan/overrides.ts";
import type { Plan } from "../plan/plan.ts";
import { brokenRules } from "../plan/rules-judge.ts";
import { groupSteps } from "../plan/step-groups.ts";
import { renderOverrides } from "../render/overrides-text.ts";
import { plainStyle, renderPlan, summarizePlan } from "../render/text.ts";
import { programSession } from "./configuration.ts";
import { listPaths, objectToDocument } from "./document-object.ts";
import { explain, replaceFlags } from "./failure.ts";
import { withoutUndefined } from "./inputs.ts";
import { spelling } from "./plan-checks.ts";
import { isMocked, projectFolder } from "./process-context.ts";
import { knownSettings, type Provider } from "./provider-resource.ts";
import { typeToken } from "./resource-class.ts";
import { resources } from "./resources.ts";
import { nothingStored } from "./stored-state.ts";

export interface OrganizationArgs {
	/**
	 * The document: the path of a YAML file, relative to the folder of Pulumi.yaml, or an object of plain values
	 * (schemas/document.json).
	 */
	readonly document: string | Readonly<Record<string, unknown>>;
	/** The organization of the document, a UUID. Required if the document has several. */
	readonly organizationId?: string;
	/**
	 * Environment variables that the document may use as `${NAME}`, besides `ORGSYNC_VAR_*` and `ORGSYNC_ORGANIZATION_ID`.
	 * Credentials are not allowed.
	 */
	readonly env?: readonly string[];
}

/** The state after this run, for a stack's outputs: a run that changes something does not change the summary. */
export interface OrganizationSummary {
	readonly organizationId: string;
	/** Addresses of read-only objects that differ from the document. */
	readonly differences: string[];
	/** Addresses of unmanaged user tags. */
	readonly unmanaged: string[];
}

interface Findings {
	readonly summary: OrganizationSummary;
	readonly changes: string[];
	readonly activities: number;
}

/**
 * The organization of a document. It fails before any part is registered if the document has errors, the live organization
 * has problems, or a guard blocks the plan. Read-only objects that differ and broken rules are a warning.
 *
 * It reads the live organization in every preview and `up`, and updates a part that has drifted even without `--refresh`.
 * The plan that it shows is what its parts submit.
 */
export class Organization extends pulumi.ComponentResource<Findings | undefined> {
	declare readonly organizationId: pulumi.Output<string>;
	/** The state after this run; null if it was not compared: the program failed, or its Provider is not known yet. */
	declare readonly summary: pulumi.Output<OrganizationSummary | null>;
	/** Addresses of what differed before this run. It changes with every `up`, so do not export it. */
	declare readonly changes: pulumi.Output<string[] | null>;
	/** How many activities this run needs; some may be pending already. Like `changes`, it belongs to one run. */
	declare readonly activities: pulumi.Output<number | null>;

	constructor(name: string, args: OrganizationArgs, options: pulumi.ComponentResourceOptions = {}) {
		// Errors in the document are thrown here, before the component itself is registered.
		const desired = readDocument(args);
		const { organizationId } = desired;
		// Enumerable inputs go into the state. The document does not: its parts are there as resources.
		const given = Object.defineProperty({ organizationId }, "desired", { value: desired, enumerable: false });
		super("orgsync:index:Organization", name, given, options);
		const found = pulumi.output(this.getData()) as unknown as pulumi.Output<Findings | undefined>;
		this.organizationId = pulumi.output(organizationId);
		this.summary = found.apply((findings) => findings?.summary ?? null);
		this.changes = found.apply((findings) => findings?.changes ?? null);
		this.activities = found.apply((findings) => findings?.activities ?? null);
	}

	/** @internal Reads, checks, and then registers the parts. */
	protected override async initialize(
		{ desired }: pulumi.Inputs & { readonly desired: DesiredOrganization },
		_options: pulumi.ComponentResourceOptions,
		name: string,
	): Promise<Findings | undefined> {
		if (isMocked()) {
			// The parent's constructor calls this, before private members are there.
			await Promise.resolve();
			this.#register(name, desired, undefined);
			const { organizationId } = desired;
			return { summary: { organizationId, differences: [], unmanaged: [] }, changes: [], activities: 0 };
		}
		try {
			// Its own Provider or that of its parent, which its parts get as well.
			const found = this.getProvider(typeToken("UserTag"));
			const provider = found !== undefined && "settings" in found ? (found as Provider) : undefined;
			const given = provider === undefined ? undefined : await knownSettings(provider);
			if (provider !== undefined && given === undefined) {
				// Only in a preview: the up knows the Provider's arguments.
				await pulumi.log.info("not compared yet: the arguments of its Provider are unknown", this);
				this.#register(name, desired, undefined);
				return undefined;
			}
			const session = programSession(given);
			const resource = `${name} (component)`;
			const { plan } = await session.compare({ resource, desired, stored: nothingStored });
			if (plan.problems.length > 0) throw new pulumi.RunError(listProblems(plan.problems));
			session.assertGuardsAllowed(plan);
			this.#show(plan, allowsOf(plan.guards, session.settings.allow));
			this.#register(name, desired, plan);
			const findings = findingsOf(plan);
			this.registerOutputs({ organizationId: desired.organizationId, summary: findings.summary });
			return findings;
		} catch (error) {
			const message = pulumi.RunError.isInstance(error) ? error.message : explain(error);
			// An unhandled rejection fails the program. Otherwise it would succeed without the parts, and the engine would delete
			// them. Rejecting the returned promise as well would print the error twice.
			void Promise.reject(withoutStack(new pulumi.RunError(`${name}: ${message}`)));
			return undefined;
		}
	}

	/** Shows the plan in a preview, as the command line does; an up shows only read-only differences and broken rules. */
	#show(plan: Plan, allows: readonly Override[]): void {
		if (pulumi.runtime.isDryRun() && (plan.steps.length > 0 || plan.waiting.length > 0)) {
			pulumi.log.info(renderForPulumi(plan, allows), this).catch(() => undefined);
			return;
		}
		const differences = plan.changes.filter(({ action }) => action === "report");
		const differ = "read-only objects differ from the document; change them by hand";
		const warnings = [
			...(differences.length === 0 ? [] : [differ]),
			...(brokenRules(plan).length === 0 ? [] : ["the live organization breaks rules of the document"]),
		];
		if (warnings.length === 0) return;
		const { impact: _impact, impactVerdict: _verdict, impactTimed: _timed, impactAtOtherTimes: _later, ...rest } = plan;
		const shown = renderPlan({ ...rest, changes: differences, steps: [] }, plainStyle);
		pulumi.log.warn(`${warnings.join(", and ")}:\n${shown}`, this).catch(() => undefined);
	}

	/** Registers the parts. Each may remove as much as the whole plan does at its addresses, because the guards allowed that. */
	#register(name: string, desired: DesiredOrganization, plan: Plan | undefined): void {
		for (const { definition, Class } of resources) {
			for (const part of definition.partsOf(desired)) {
				const changes = (plan?.changes ?? []).filter(({ address }) => part.covers(address));
				const args = {
					organizationId: desired.organizationId,
					partOf: name,
					...isOutOfSync(changes),
					...part.args,
					...(part.limit === undefined ? {} : { limits: { [part.limit]: countRemovals(changes) } }),
				};
				// A renamed tag is the same resource.
				const aliases = part.earlierSuffixes?.map((suffix) => ({ name: `${name}-${suffix}` }));
				new Class(`${name}-${part.suffix}`, args as never, { parent: this, ...withoutUndefined({ aliases }) });
			}
		}
	}
}

/** The plan and the overrides that it uses, in Pulumi's terms; no guard blocks it. */
function renderForPulumi({ overrides = [], ...plan }: Plan, allows: readonly Override[]): string {
	const unguarded = { ...plan, guards: [] };
	const used = renderOverrides([...allows, ...overrides], plainStyle, plan.guards, spelling).join("\n");
	return `${replaceFlags(renderPlan(unguarded, plainStyle, summarizeParts(unguarded)))}${used}`;
}

/** The error without a stack, which Pulumi prints for an unhandled error. */
function withoutStack(error: Error): Error {
	error.stack = error.message;
	return error;
}

function countRemovals(changes: Plan["changes"]): number {
	return changes.reduce((sum, change) => {
		if (change.kind === "userTag") return sum + change.removeUserIds.length;
		return sum + (change.action === "remove" ? 1 : 0);
	}, 0);
}

/**
 * The input that makes a part update although its other inputs are unchanged: set if live state is known to differ. Where
 * live state is unknown, only the state of the part records whether its desired state was applied before.
 */
function isOutOfSync(changes: Plan["changes"]): { readonly outOfSync?: true } {
	return changes.some(({ basis }) => basis !== "unknown") ? { outOfSync: true } : {};
}

/** The summary of the plan, and how much of it depends on what the parts have applied before. */
function summarizeParts(plan: Plan): string {
	const unknown = new Set(plan.changes.filter(({ basis }) => basis === "unknown").map(({ address }) => address));
	const { sent } = groupSteps(plan.steps);
	const count = sent.filter(({ covers }) => covers.every(({ address }) => unknown.has(address))).length;
	if (count === 0) return summarizePlan(plan);
	return `${summarizePlan(plan)} Of these, ${count} cannot be compared with live state: a resource that applied its part before submits nothing.`;
}

function readDocument({ document, organizationId, env = [] }: OrganizationArgs): DesiredOrganization {
	const credential = env.find(isCredential);
	if (credential !== undefined) {
		throw new pulumi.RunError(
			`env: documents cannot use the credential ${credential}; use a separate variable, such as ORGSYNC_VAR_STAGE`,
		);
	}
	const source =
		typeof document === "string"
			? { file: document, content: readFile(document) }
			: { file: "document", content: objectToDocument(document) };
	const { organizations, problems } = parseDocuments([source], process.env, {
		env,
		allowedBy: (name) => `the Organization's \`env: ["${name}"]\``,
	});
	if (problems.length > 0) {
		if (typeof document !== "string") throw new pulumi.RunError(listPaths(problems));
		throw new pulumi.RunError(listProblems(leadsOutside(fullPath(document)) ? withoutFileText(problems) : problems));
	}
	const requested = organizationId?.toLowerCase();
	const found = organizations.filter((one) => requested === undefined || one.organizationId === requested);
	if (found.length === 1 && found[0] !== undefined) return found[0];
	const ids = organizations.map((one) => one.organizationId).join(", ");
	throw new pulumi.RunError(
		requested === undefined
			? `${source.file} has ${organizations.length} organizations: set organizationId to one of ${ids}`
			: `${source.file} does not have the organization ${requested}; it has ${ids}`,
	);
}

function readFile(path: string): Uint8Array {
	try {
		// A file that is too large has one byte more than allowed, which the parser reports.
		return readRegularFile(fullPath(path), documentLimitBytes).bytes;
	} catch (error) {
		throw new pulumi.RunError(`cannot read the document ${path}: ${explainFileError(error)}`);
	}
}

function fullPath(path: string): string {
	return resolve(projectFolder(), path);
}

const documentLimitBytes = 8 * 1024 * 1024;

function listProblems(problems: Plan["problems"]): string {
	return problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join("\n");
}

function findingsOf({ organizationId, changes, unmanaged, steps }: Plan): Findings {
	const { sent, pending } = groupSteps(steps);
	const addressesOf = (some: readonly { readonly address: string }[]) => some.map(({ address }) => address);
	return {
		summary: {
			organizationId,
			differences: addressesOf(changes.filter(({ action }) => action === "report")),
			unmanaged: addressesOf(unmanaged),
		},
		changes: addressesOf(changes.filter(({ action }) => action !== "report")),
		activities: sent.length + pending.length,
	};
}
