/** A whole document as one component: it plans and checks everything before the first child is registered. */

import * as pulumi from "@pulumi/pulumi";
import { defined, nonEmpty } from "../../common/defined.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Comparison } from "../../sync/converge.ts";
import {
	compareOrganization,
	describePlan,
	type OrganizationArgs,
	readOrganization,
} from "../organization/component.ts";
import {
	type Findings,
	findingsOf,
	noFindings,
	type OrganizationSummary,
	type PlannedApproval,
} from "../organization/organization-fields.ts";
import { fillIds, partsToRegister } from "../organization/parts.ts";
import { explain, ResourceFailure } from "../resources/failure.ts";
import { classes, type UserTag } from "./classes.ts";
import { isMocked, programSession } from "./configuration.ts";
import { knownSettings, type Provider } from "./provider-resource.ts";
import { refuseTimeouts, typeToken } from "./resource-class.ts";

/**
 * A whole document as one component.
 *
 * It registers a `UserTag` for each tag, a `Policy` for each policy, one `PolicyRemoval` and one `UserTagRemoval`, an
 * `OauthProviderRemoval` for each user and a `TvcAppRemoval` for each app. It fails before it registers any part if the document has errors, the live organization
 * has problems, or a guard blocks the plan. Read-only objects that differ from the document, and broken rules, are a
 * warning. It repairs drift without `--refresh`.
 */
export class Organization extends pulumi.ComponentResource<Findings | undefined> {
	/** The organization, in lower case. */
	declare readonly organizationId: pulumi.Output<string>;
	/** The state after this run. Repeating the run does not change it. */
	declare readonly summary: pulumi.Output<OrganizationSummary | null>;
	/** Addresses of the objects that differed before this run. It belongs to one run, so do not export it. */
	declare readonly changes: pulumi.Output<string[] | null>;
	/** How many activities this run needs; some may be pending already. It belongs to one run, so do not export it. */
	declare readonly activities: pulumi.Output<number | null>;
	/**
	 * What the plan changes for who can do what, worst first, one sentence each. Each begins with its sign: `!` bad news,
	 * `+` someone gains, `-` someone loses, `?` not known. Not set if policies were not read. It belongs to one run, so
	 * do not export it.
	 */
	declare readonly impact: pulumi.Output<string[] | null>;
	/**
	 * What the policies, as they are now, require for each step. Steps that would be denied come first. Not set if
	 * policies were not read. It belongs to one run, so do not export it.
	 */
	declare readonly approvals: pulumi.Output<PlannedApproval[] | null>;

	constructor(name: string, args: OrganizationArgs, options: pulumi.ComponentResourceOptions = {}) {
		refuseTimeouts(name, options);
		// Errors in the document are thrown here, before the component itself is registered.
		const desired = readOrThrow(args);
		const { organizationId } = desired;
		// Enumerable inputs go into the state. The document does not: its parts are there as resources.
		const given = Object.defineProperty({ organizationId }, "desired", { value: desired, enumerable: false });
		super("orgsync:index:Organization", name, given, options);
		const found = pulumi.output(this.getData()) as unknown as pulumi.Output<Findings | undefined>;
		this.organizationId = pulumi.output(organizationId);
		this.summary = found.apply((findings) => findings?.summary ?? null);
		this.changes = found.apply((findings) => findings?.changes ?? null);
		this.activities = found.apply((findings) => findings?.activities ?? null);
		this.impact = found.apply((findings) => findings?.impact ?? null);
		this.approvals = found.apply((findings) => findings?.approvals ?? null);
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
			return noFindings(desired);
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
			const comparison = await compareOrganization(name, desired, session);
			const { plan } = comparison;
			this.#show(describePlan(plan, session, pulumi.runtime.isDryRun()));
			this.#register(name, desired, comparison);
			const findings = findingsOf(plan);
			this.registerOutputs({ organizationId: desired.organizationId, summary: findings.summary });
			return findings;
		} catch (error) {
			const message =
				error instanceof ResourceFailure || pulumi.RunError.isInstance(error) ? error.message : explain(error);
			// An unhandled rejection fails the program. Otherwise it would succeed without the parts, and the engine would delete
			// them. Rejecting the returned promise as well would print the error twice.
			void Promise.reject(withoutStack(new pulumi.RunError(`${name}: ${message}`)));
			return undefined;
		}
	}

	/** Shows the plan, or what only a person can change. */
	#show(notice: ReturnType<typeof describePlan>): void {
		if (notice === undefined) return;
		const log = notice.severity === "info" ? pulumi.log.info : pulumi.log.warn;
		log(notice.text, this).catch(() => undefined);
	}

	/** Registers the parts: one whose order matters after the one before it. */
	#register(name: string, desired: DesiredOrganization, comparison: Comparison | undefined): void {
		const made = new Map<string, unknown>();
		let previous: pulumi.Resource | undefined;
		for (const part of partsToRegister(name, desired, comparison)) {
			const Class = classes[part.definition.name];
			if (Class === undefined) throw new Error(`no class for ${part.definition.name}`);
			const aliases = part.earlierNames.map((earlier) => ({ name: earlier }));
			const dependsOn = part.rank === undefined || previous === undefined ? undefined : [previous];
			const retainOnDelete = part.isKept ? true : undefined;
			const options = defined({ aliases: nonEmpty(aliases), dependsOn, retainOnDelete });
			const resource = new Class(part.name, fillIds(part.args, made) as never, { parent: this, ...options });
			if (part.standIn !== undefined) made.set(part.standIn, (resource as UserTag).tagId);
			if (part.rank !== undefined) previous = resource;
		}
	}
}

/** The error without a stack, which Pulumi prints for an unhandled error. */
function withoutStack(error: Error): Error {
	error.stack = error.message;
	return error;
}

/** The desired state of the document. Throws RunError for what is wrong with it. */
function readOrThrow(args: OrganizationArgs): DesiredOrganization {
	try {
		return readOrganization(args);
	} catch (error) {
		throw error instanceof ResourceFailure ? new pulumi.RunError(error.message) : error;
	}
}
