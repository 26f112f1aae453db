/**
 * A whole document as one component: its children are the resources that the document speaks of. The plan for the whole is
 * made and judged before the first child is registered, as on the command line; each child then submits its own part.
 */

import { resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { parseDocuments, withoutWords } from "../document/parse.ts";
import { isCredential } from "../document/variables.ts";
import { explainFileError } from "../errors.ts";
import { leadsOutside, readRegularFile } from "../files.ts";
import type { DesiredOrganization } from "../plan/organization.ts";
import { type DesiredRemoval, removalsOf, tagsOf } from "../plan/organization.ts";
import { allowsOf, type Override } from "../plan/overrides.ts";
import type { Plan } from "../plan/plan.ts";
import { groupSteps } from "../plan/step-groups.ts";
import { plainStyle, renderPlan, summarizePlan } from "../render/text.ts";
import { programSession } from "./configuration.ts";
import { listPaths, writeObject } from "./document-object.ts";
import { explain, forPulumi } from "./failure.ts";
import { withoutUndefined, writeMembers } from "./inputs.ts";
import { isMocked } from "./mocks.ts";
import { listOverrides } from "./overrides.ts";
import { findProjectFolder } from "./project-folder.ts";
import { knownSettings, type Provider } from "./provider-resource.ts";
import { type MembersArgs, OauthProviderRemoval, PolicyRemoval, TvcAppRemoval, UserTag } from "./resources.ts";

export interface OrganizationArgs {
	/**
	 * The document: the path of a YAML file, from the folder of Pulumi.yaml, or the same as an object (schemas/document.json,
	 * values that are known when the program runs).
	 */
	readonly document: string | Readonly<Record<string, unknown>>;
	/** Which organization of the document, a UUID; needed only where it holds several. */
	readonly organizationId?: string;
	/**
	 * Environment variables that the document may use as `${NAME}`, beside `ORGSYNC_VAR_*` and `ORGSYNC_ORGANIZATION_ID`. A
	 * credential cannot be one of them.
	 */
	readonly env?: readonly string[];
}

/** What holds after this run, for a stack's outputs: nothing in it differs because this run has changed something. */
export interface OrganizationSummary {
	readonly organizationId: string;
	/** Addresses of what differs and can only be read. */
	readonly differences: string[];
	/** Addresses of user tags that the document does not speak of. */
	readonly unmanaged: string[];
}

/** What a run has found. */
interface Findings {
	readonly summary: OrganizationSummary;
	readonly changes: string[];
	readonly activities: number;
}

/**
 * The organization of a document. Problems of the document and of the live organization, and guards that refuse, fail it
 * before anything is registered; what can only be read and differs is a warning.
 *
 * It reads the live organization in every preview and `up`. A part that has drifted is updated, also without `--refresh`:
 * the plan that it shows is what its parts submit.
 */
export class Organization extends pulumi.ComponentResource<Findings | undefined> {
	declare readonly organizationId: pulumi.Output<string>;
	/** What holds after this run; null when it could not look: the program has failed, or a Provider is not known yet. */
	declare readonly summary: pulumi.Output<OrganizationSummary | null>;
	/** Addresses of what differed before this run. Another value after each `up`, so no output for a stack to export. */
	declare readonly changes: pulumi.Output<string[] | null>;
	/** How many activities this run needs; some may be pending already. As `changes`, it belongs to one run. */
	declare readonly activities: pulumi.Output<number | null>;

	constructor(name: string, args: OrganizationArgs, options: pulumi.ComponentResourceOptions = {}) {
		// What is wrong with the document is thrown here, before the component itself is registered.
		const desired = readDocument(args);
		const { organizationId } = desired;
		// What is listed goes into the state: the document is not, because its parts are there as resources.
		const given = Object.defineProperty({ organizationId }, "desired", { value: desired, enumerable: false });
		super("orgsync:index:Organization", name, given, options);
		const found = pulumi.output(this.getData()) as unknown as pulumi.Output<Findings | undefined>;
		this.organizationId = pulumi.output(organizationId);
		this.summary = found.apply((findings) => findings?.summary ?? null);
		this.changes = found.apply((findings) => findings?.changes ?? null);
		this.activities = found.apply((findings) => findings?.activities ?? null);
	}

	/** @internal Reads, judges, and only then registers the children. */
	protected override async initialize(
		{ desired }: pulumi.Inputs & { readonly desired: DesiredOrganization },
		_options: pulumi.ComponentResourceOptions,
		name: string,
	): Promise<Findings | undefined> {
		if (isMocked()) {
			// The parent's constructor calls this, before private members are there.
			await Promise.resolve();
			this.#register(name, desired, undefined);
			return noFindings(desired.organizationId);
		}
		try {
			// Its own, or one that it has from the component above: the same that its children get.
			const found = this.getProvider("pulumi-nodejs:dynamic/orgsync:UserTag");
			const provider = found !== undefined && "settings" in found ? (found as Provider) : undefined;
			const given = provider === undefined ? undefined : await knownSettings(provider);
			if (provider !== undefined && given === undefined) {
				// Only a preview gets here; the up knows, and judges.
				await pulumi.log.info("not looked at yet: its Provider's arguments are not known", this);
				this.#register(name, desired, undefined);
				return undefined;
			}
			const session = programSession(given);
			const resource = `${name} (component)`;
			const { plan } = await session.compare({ resource, desired, kept: { activities: [], applied: [] } });
			if (plan.problems.length > 0) throw new pulumi.RunError(listProblems(plan.problems));
			session.refuseGuarded(plan);
			this.#show(plan, allowsOf(plan.guards, session.settings.allow));
			this.#register(name, desired, plan);
			this.registerOutputs({ organizationId: desired.organizationId, summary: summarize(plan) });
			return findingsOf(plan);
		} catch (error) {
			const message = pulumi.RunError.isInstance(error) ? error.message : explain(error);
			// Nobody handles this on purpose: it fails the program, which otherwise would end well without the children, and the
			// engine would delete them. Rejecting here as well would be told a second time, as handled too late.
			void Promise.reject(withoutStack(new pulumi.RunError(`${name}: ${message}`)));
			return undefined;
		}
	}

	/** A preview shows the whole plan, as the command line would; an up only what nobody can submit. */
	#show(plan: Plan, allows: readonly Override[]): void {
		if (pulumi.runtime.isDryRun() && (plan.steps.length > 0 || plan.waiting.length > 0)) {
			pulumi.log.info(tellPlan(plan, allows), this).catch(() => undefined);
			return;
		}
		const differences = plan.changes.filter(({ action }) => action === "report");
		if (differences.length === 0) return;
		const shown = renderPlan({ ...plan, changes: differences, steps: [] }, plainStyle);
		pulumi.log
			.warn(`what can only be read differs, and has to be changed by hand:\n${shown}`, this)
			.catch(() => undefined);
	}

	/** The children. Each may take away as much as the whole plan does at its place: that is what was judged. */
	#register(name: string, desired: DesiredOrganization, plan: Plan | undefined): void {
		const { organizationId } = desired;
		const options = { parent: this };
		const part = { organizationId, partOf: name };
		const userOf = new Map(Object.entries(desired.users).map(([alias, id]) => [id, alias]));
		for (const { name: tagName, id, previously, members } of tagsOf(desired)) {
			const address = `userTag:${tagName}`;
			const args = {
				...part,
				...isOutOfSync(plan, address),
				name: tagName,
				tagId: id,
				previously: previously.length === 0 ? undefined : [...previously],
				members: writeMembers(members) as MembersArgs | undefined,
				limits: { memberRemovals: countRemovals(plan, address) },
			};
			// A tag that is called otherwise from now on is the same resource.
			const aliases = previously.map((earlier) => ({ name: `${name}-${earlier}` }));
			new UserTag(`${name}-${tagName}`, withoutUndefined(args), { ...options, aliases });
		}
		const policyIds = removalsOf(desired, "policy").map(({ id }) => id);
		if (policyIds.length > 0) {
			const limits = { policies: countRemovals(plan, "policy:") };
			const args = { ...part, ...isOutOfSync(plan, "policy:"), policyIds, limits };
			new PolicyRemoval(`${name}-policies`, args, options);
		}
		for (const [userId, providers] of Map.groupBy(removalsOf(desired, "oauthProvider"), ownerOf)) {
			const providerIds = providers.map(({ id }) => id);
			const user = userOf.get(userId) ?? userId;
			const address = `oauthProvider:${user}/`;
			const limits = { oauthProviders: countRemovals(plan, address) };
			const args = { ...part, ...isOutOfSync(plan, address), userId, providerIds, limits };
			new OauthProviderRemoval(`${name}-oauth-providers-${user}`, args, options);
		}
		for (const { id: appId } of removalsOf(desired, "tvcApp")) {
			const args = { ...part, ...isOutOfSync(plan, `tvcApp:${appId}`), appId };
			new TvcAppRemoval(`${name}-tvc-app-${appId}`, args, options);
		}
	}
}

/** The plan with the overrides that it uses, by the names that they have here; no guard blocks it. */
function tellPlan({ overrides = [], ...plan }: Plan, allows: readonly Override[]): string {
	const unguarded = { ...plan, guards: [] };
	const used = listOverrides([...allows, ...overrides], plan.guards);
	return `${forPulumi(renderPlan(unguarded, plainStyle, summarizeParts(unguarded)))}${used}`;
}

function ownerOf({ userId }: DesiredRemoval): string {
	return userId ?? "";
}

/** Of an error that nobody handles Pulumi prints the stack; the message says all there is to say. */
function withoutStack(error: Error): Error {
	error.stack = error.message;
	return error;
}

/** The changes at an address: those of a tag, or of objects whose address begins so. */
function changesAt(plan: Plan | undefined, address: string): Plan["changes"] {
	return (plan?.changes ?? []).filter((change) =>
		change.kind === "userTag" ? change.address === address : change.address.startsWith(address),
	);
}

/** How much the plan takes away at an address: members of a tag, or objects. */
function countRemovals(plan: Plan | undefined, address: string): number {
	return changesAt(plan, address).reduce((sum, change) => {
		if (change.kind === "userTag") return sum + change.removeUserIds.length;
		return sum + (change.action === "remove" ? 1 : 0);
	}, 0);
}

/**
 * The input that makes a part update although its other inputs are unchanged: set if live state is known to differ. Where
 * live state is unknown, only the state of the part records whether its desired state was applied before.
 */
function isOutOfSync(plan: Plan | undefined, address: string): { readonly outOfSync?: true } {
	return changesAt(plan, address).some(({ basis }) => basis !== "unknown") ? { outOfSync: true } : {};
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
	refuseCredentials(env);
	const source =
		typeof document === "string"
			? { file: document, content: readFile(document) }
			: { file: "document", content: writeObject(document) };
	const { organizations, problems } = parseDocuments([source], process.env, {
		env,
		allowedBy: (name) => `the Organization's \`env: ["${name}"]\``,
	});
	if (problems.length > 0) {
		if (typeof document !== "string") throw new pulumi.RunError(listPaths(problems));
		throw new pulumi.RunError(listProblems(leadsOutside(fullPath(document)) ? withoutWords(problems) : problems));
	}
	const wanted = organizationId?.toLowerCase();
	const found = organizations.filter((one) => wanted === undefined || one.organizationId === wanted);
	if (found.length === 1 && found[0] !== undefined) return found[0];
	const ids = organizations.map((one) => one.organizationId).join(", ");
	throw new pulumi.RunError(
		wanted === undefined
			? `${source.file} speaks of ${organizations.length} organizations: say which by organizationId (${ids})`
			: `${source.file} does not speak of the organization ${wanted}, but of ${ids}`,
	);
}

function refuseCredentials(env: readonly string[]): void {
	const credential = env.find(isCredential);
	if (credential === undefined) return;
	throw new pulumi.RunError(
		`env: ${credential} is a credential, which documents cannot use; use a separate variable, such as ORGSYNC_VAR_STAGE`,
	);
}

function readFile(path: string): Uint8Array {
	try {
		// One byte more than allowed makes a large file a problem of the document.
		return readRegularFile(fullPath(path), documentLimitBytes).bytes;
	} catch (error) {
		throw new pulumi.RunError(`the document ${path} cannot be read: ${explainFileError(error)}`);
	}
}

function fullPath(path: string): string {
	return resolve(findProjectFolder(process.cwd()), path);
}

/** Larger files are no documents. */
const documentLimitBytes = 8 * 1024 * 1024;

function listProblems(problems: Plan["problems"]): string {
	return problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join("\n");
}

function listChanges({ changes }: Plan, reports: boolean): string[] {
	return changes.filter(({ action }) => (action === "report") === reports).map(({ address }) => address);
}

function summarize(plan: Plan): OrganizationSummary {
	return {
		organizationId: plan.organizationId,
		differences: listChanges(plan, true),
		unmanaged: plan.unmanaged.map(({ address }) => address),
	};
}

function findingsOf(plan: Plan): Findings {
	const { sent, pending } = groupSteps(plan.steps);
	return { summary: summarize(plan), changes: listChanges(plan, false), activities: sent.length + pending.length };
}

/** With mocks there is no live organization: all is as desired. */
function noFindings(organizationId: string): Findings {
	return { summary: { organizationId, differences: [], unmanaged: [] }, changes: [], activities: 0 };
}
