/**
 * A whole document as one component: its children are the resources that the document speaks of. The plan for the whole is
 * made and judged before the first child is registered, as on the command line; each child then submits its own part.
 */
import { resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { explainFileError } from "../errors.ts";
import { leadsOutside, readRegularFile } from "../files.ts";
import { isCredential } from "../plan/document/variables.ts";
import { parseDocuments, withoutWords } from "../plan/document.ts";
import { escapeSequence, replaceHidden } from "../plan/invisible.ts";
import type { DesiredOrganization } from "../plan/organization.ts";
import type { Plan } from "../plan/plan.ts";
import { plainStyle, renderPlan } from "../plan/render/text.ts";
import { programSession } from "./configuration.ts";
import { explain } from "./failure.ts";
import { withoutUndefined, writeMembers } from "./inputs.ts";
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

/** What the component says of the plan, for a stack's outputs. */
export interface OrganizationSummary {
	readonly organizationId: string;
	/** Addresses of what differed before this run. */
	readonly changes: string[];
	/** Activities that this run needs; some may wait already. */
	readonly activities: number;
	/** Addresses of what differs and can only be read. */
	readonly differences: string[];
	/** Addresses of user tags that the document does not speak of. */
	readonly unmanaged: string[];
}

/**
 * The organization of a document. Problems of the document and of the live organization, and guards that refuse, fail it
 * before anything is registered; what can only be read and differs is a warning.
 */
export class Organization extends pulumi.ComponentResource<Plan | undefined> {
	declare readonly organizationId: pulumi.Output<string>;
	/** What this run found; null when it could not look, and then the program has failed. */
	declare readonly summary: pulumi.Output<OrganizationSummary | null>;

	constructor(name: string, args: OrganizationArgs, options: pulumi.ComponentResourceOptions = {}) {
		// What is wrong with the document is thrown here, before the component itself is registered.
		const desired = readDocument(args);
		const { organizationId } = desired;
		// What is listed goes into the state: the document is not, because its parts are there as resources.
		const given = Object.defineProperty({ organizationId }, "desired", { value: desired, enumerable: false });
		super("orgsync:index:Organization", name, given, options);
		const prepared = pulumi.output(this.getData()) as unknown as pulumi.Output<Plan | undefined>;
		this.organizationId = pulumi.output(organizationId);
		this.summary = prepared.apply((plan) => (plan === undefined ? null : summarize(plan)));
	}

	/** @internal Reads, judges, and only then registers the children. */
	protected override async initialize(
		{ desired }: pulumi.Inputs & { readonly desired: DesiredOrganization },
		_options: pulumi.ComponentResourceOptions,
		name: string,
	): Promise<Plan | undefined> {
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
			this.#show(plan);
			this.#register(name, desired, plan);
			this.registerOutputs({ organizationId: desired.organizationId, summary: summarize(plan) });
			return plan;
		} catch (error) {
			const message = pulumi.RunError.isInstance(error) ? error.message : explain(error);
			// Nobody handles this on purpose: it fails the program, which otherwise would end well without the children, and the
			// engine would delete them. Rejecting here as well would be told a second time, as handled too late.
			void Promise.reject(withoutStack(new pulumi.RunError(`${name}: ${message}`)));
			return undefined;
		}
	}

	/** A preview shows the whole plan, as the command line would; an up only what nobody can submit. */
	#show(plan: Plan): void {
		if (pulumi.runtime.isDryRun() && (plan.steps.length > 0 || plan.waiting.length > 0)) {
			pulumi.log.info(renderPlan(plan, plainStyle), this).catch(() => undefined);
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
		for (const { name: tagName, id, previously, members } of desired.userTags) {
			const args = {
				...part,
				name: tagName,
				tagId: id,
				previously: previously.length === 0 ? undefined : [...previously],
				members: writeMembers(members) as MembersArgs | undefined,
				limits: { memberRemovals: countRemovals(plan, `userTag:${tagName}`) },
			};
			// A tag that is called otherwise from now on is the same resource.
			const aliases = previously.map((earlier) => ({ name: `${name}-${earlier}` }));
			new UserTag(`${name}-${tagName}`, withoutUndefined(args), { ...options, aliases });
		}
		const { policyIds, oauthProviders, tvcAppIds } = desired.absent;
		if (policyIds.length > 0) {
			const limits = { policies: countRemovals(plan, "policy:") };
			new PolicyRemoval(`${name}-policies`, { ...part, policyIds: [...policyIds], limits }, options);
		}
		for (const { userId, providerIds } of oauthProviders) {
			const user = userOf.get(userId) ?? userId;
			const limits = { oauthProviders: countRemovals(plan, `oauthProvider:${user}/`) };
			const args = { ...part, userId, providerIds: [...providerIds], limits };
			new OauthProviderRemoval(`${name}-oauth-providers-${user}`, args, options);
		}
		for (const appId of tvcAppIds) {
			new TvcAppRemoval(`${name}-tvc-app-${appId}`, { ...part, appId }, options);
		}
	}
}

/** Of an error that nobody handles Pulumi prints the stack; the message says all there is to say. */
function withoutStack(error: Error): Error {
	error.stack = error.message;
	return error;
}

/** How much the plan takes away at an address: members of a tag, or objects whose address begins so. */
function countRemovals(plan: Plan | undefined, address: string): number {
	return (plan?.changes ?? []).reduce((sum, change) => {
		if (change.kind === "userTag") return sum + (change.address === address ? change.removeUserIds.length : 0);
		return sum + (change.action === "remove" && change.address.startsWith(address) ? 1 : 0);
	}, 0);
}

function readDocument({ document, organizationId, env = [] }: OrganizationArgs): DesiredOrganization {
	refuseCredentials(env);
	const source =
		typeof document === "string"
			? { file: document, content: readFile(document) }
			: { file: "document", content: replaceHidden(JSON.stringify(document, null, 2), escapeSequence) };
	const { organizations, problems } = parseDocuments([source], process.env, {
		env,
		allowedBy: (name) => `the Organization's \`env: ["${name}"]\``,
	});
	if (problems.length > 0) {
		const isForeign = typeof document === "string" && leadsOutside(fullPath(document));
		throw new pulumi.RunError(listProblems(isForeign ? withoutWords(problems) : problems));
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

/** Larger files are no documents (product.md section 1). */
const documentLimitBytes = 8 * 1024 * 1024;

function listProblems(problems: Plan["problems"]): string {
	return problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join("\n");
}

function summarize(plan: Plan): OrganizationSummary {
	const addressesOf = (reports: boolean) =>
		plan.changes.filter(({ action }) => (action === "report") === reports).map(({ address }) => address);
	return {
		organizationId: plan.organizationId,
		changes: addressesOf(false),
		activities: plan.steps.length,
		differences: addressesOf(true),
		unmanaged: plan.unmanaged.map(({ address }) => address),
	};
}
