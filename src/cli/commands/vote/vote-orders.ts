/** What `approve` and `reject` are to vote on: the organizations, with the document or the saved plan that was reviewed. */

import { ConfigurationError } from "../../../common/errors.ts";
import { showText } from "../../../common/escape.ts";
import { uuid } from "../../../common/uuid.ts";
import { matchDocuments, statedFactsOf } from "../../../document/saved/saved-plan.ts";
import type { DesiredOrganization } from "../../../plan/organization.ts";
import type { Plan, SavedPlanFacts } from "../../../plan/plan.ts";
import type { VoteResult } from "../../../render/result/votes.ts";
import type { Flags } from "../../flags/given-flags.ts";
import type { Call } from "../../output/output.ts";
import { refuseLoneFlags } from "../apply/consent.ts";
import { readCheckedPlan } from "../apply/saved.ts";
import { findNamed, type NamingFlags, readNamed, readOrElse } from "../selection.ts";

export type VoteOrderFlags = NamingFlags & Flags<"plan" | "digest" | "maxAge">;

/** One organization to vote in. */
export interface OrganizationOrder {
	readonly organizationId: string;
	/** Undefined without a document. */
	readonly desired: DesiredOrganization | undefined;
	/** Null without a saved plan. */
	readonly plan: Plan | null;
	/** Ids and fingerprints in lower case; empty for all that is pending. */
	readonly names: ReadonlySet<string>;
}

/** Returns what to vote on. Calls no service. Throws ConfigurationError for names, documents or a plan that cannot be used. */
export async function findVoteOrders(
	command: VoteResult["command"],
	names: readonly string[],
	call: Call<VoteOrderFlags>,
): Promise<{ readonly organizations: readonly OrganizationOrder[]; readonly savedPlan?: SavedPlanFacts }> {
	const { flags, terminal } = call;
	const named = new Set(names.map(readName));
	if (flags.plan === undefined) {
		refuseLoneFlags(flags);
		const organizations = await findDocuments(call);
		const order = organizations.map((one) => ({ ...one, plan: null, names: named }));
		if (named.size === 0 && order.some(({ desired }) => desired === undefined)) {
			throw new ConfigurationError(`${command} has nothing to compare pending activities with`, {
				hint: "name a document with -f, a saved plan with --plan, or activities by id",
			});
		}
		return { organizations: order };
	}
	const saved = await readCheckedPlan(flags.plan, flags, terminal);
	const documents = await readNamed(call);
	const isAlone = documents.length === 0;
	const planned = isAlone
		? saved.plans.map((plan) => ({ plan, desired: undefined }))
		: matchDocuments(saved, documents);
	const chosen = planned.filter(({ plan }) => {
		return flags.organization === undefined || plan.organizationId === flags.organization.toLowerCase();
	});
	if (chosen.length === 0) {
		throw new ConfigurationError(`the saved plan has no plan of organization ${showText(flags.organization ?? "")}`);
	}
	return {
		organizations: chosen.map(({ plan, desired }) => {
			return { organizationId: plan.organizationId, desired, plan, names: named };
		}),
		savedPlan: statedFactsOf(saved),
	};
}

/** Returns the name of an activity in lower case. Throws ConfigurationError for what is neither an id nor a fingerprint. */
function readName(name: string): string {
	if (/^sha256:[0-9a-f]{64}$/i.test(name) || uuid.test(name)) return name.toLowerCase();
	throw new ConfigurationError(`\`${showText(name)}\` is not an activity`, {
		hint: "use an activity id or a fingerprint, as apply and status print them",
	});
}

/** Returns the organizations that are named, each with its document if there is one. */
async function findDocuments(call: Call<VoteOrderFlags>) {
	const found = await findNamed(call);
	const isWhole = found.every(({ desired }) => desired !== undefined);
	const documents = isWhole
		? []
		: await readOrElse<readonly DesiredOrganization[]>(
				call,
				() => readNamed(call),
				() => [],
			);
	return found.map(({ organizationId, desired }) => {
		const other = documents.find((one) => one.organizationId === organizationId);
		return { organizationId, desired: desired ?? other };
	});
}
