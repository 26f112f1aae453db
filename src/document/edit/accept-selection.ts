/** Selects the addresses of `--accept`, but none that a pending activity changes: the document would be wrong after it. */

import { showAddress } from "../../common/escape.ts";
import { textOf } from "../../common/said.ts";
import { nameOf, type RelatedActivity, settleOrAbandon } from "../../plan/activities/pending.ts";
import { isRuleAddress, printAddress } from "../../plan/address.ts";
import { matchesGlob } from "../../plan/glob.ts";
import type { Plan } from "../../plan/plan.ts";
import { isCovered } from "../../plan/step.ts";
import { compareText } from "../../plan/value.ts";

/** An address that matches a pattern and is not accepted. */
export interface SkippedAddress {
	readonly address: string;
	readonly because: string;
}

export type Selection =
	| {
			/** The accepted addresses of each plan, in the order of the plans. */
			readonly accepted: readonly ReadonlySet<string>[];
			readonly skipped: readonly SkippedAddress[];
	  }
	| { readonly refusals: readonly string[] };

/** Returns the addresses at which an organization differs, sorted. */
export function differingAddresses({ changes, problems }: Pick<Plan, "changes" | "problems">): readonly string[] {
	return [...new Set([...changes.map(({ address }) => address), ...problems.map(({ path }) => path)])].sort(
		compareText,
	);
}

/** One plan, and what windows of the document mean for accepting it. */
export interface SelectableOrganization {
	readonly plan: Plan;
	/** Tags with entries in the document that are of no use any more: access that expired. */
	readonly stale: readonly string[];
	/** Tags where nothing differs but access that expired, and no entry can be removed. */
	readonly held: readonly string[];
}

/** The addresses of one plan that match one pattern. */
interface Match {
	readonly organization: SelectableOrganization;
	readonly index: number;
	readonly all: readonly string[];
	/** Those that can be accepted. */
	readonly free: readonly string[];
	/** Whether the pattern is one of the addresses. */
	readonly isExact: boolean;
}

/**
 * Returns the addresses that these addresses and patterns select. Refuses a pattern without a match, an address that a
 * pending activity would change or where only access that expired differs, and a pattern that matches only such addresses.
 * Otherwise such addresses are skipped.
 */
export function selectAddresses(
	organizations: readonly SelectableOrganization[],
	patterns: readonly string[],
): Selection {
	const matches = patterns.map((pattern) => organizations.map((one, index) => match(pattern, one, index)));
	const ofRules = patterns.filter((pattern) => isRuleAddress(pattern));
	if (ofRules.length > 0) {
		return {
			refusals: ofRules.map((pattern) => `cannot accept ${pattern}: a rule says what must hold; change \`rules\``),
		};
	}
	const unmatched = patterns.filter((_, index) => matches[index]?.every(({ all }) => all.length === 0));
	if (unmatched.length > 0) return { refusals: unmatched.map((pattern) => describeNoMatch(pattern, organizations)) };
	const refusals = new Set<string>();
	const skipped = new Map<string, SkippedAddress>();
	for (const ofPattern of matches) {
		const isBlocked = ofPattern.every(({ free }) => free.length === 0);
		for (const { organization, index, address, isExact } of ofPattern.flatMap(listRefused)) {
			const because = whyNot(address, organization) ?? "";
			if (isBlocked || isExact) refusals.add(`cannot accept ${showAddress(address)}: ${because}`);
			else skipped.set(`${index} ${address}`, { address, because });
		}
	}
	if (refusals.size > 0) return { refusals: [...refusals] };
	return {
		accepted: organizations.map((_, index) => new Set(matches.flatMap((ofPattern) => ofPattern[index]?.free ?? []))),
		skipped: [...skipped.values()],
	};
}

/** Returns the addresses of an organization that can be accepted, sorted. */
function selectable({ plan, stale }: SelectableOrganization): readonly string[] {
	return [...new Set([...differingAddresses(plan), ...stale])].sort(compareText);
}

function match(pattern: string, one: SelectableOrganization, index: number): Match {
	const addresses = selectable(one);
	const named = namesOf(one.plan);
	const isMatch = (address: string, by: (text: string) => boolean): boolean => {
		const name = named.get(address);
		return by(address) || (name !== undefined && by(name));
	};
	const exact = addresses.filter((address) => isMatch(address, (text) => text === pattern));
	const isExact = exact.length > 0;
	const all = isExact ? exact : addresses.filter((address) => isMatch(address, (text) => matchesGlob(pattern, text)));
	const free = all.filter((address) => whyNot(address, one) === undefined);
	return { organization: one, index, all, free, isExact };
}

/** Returns the addresses by name of policies whose addresses in the plan have their ids. */
function namesOf({ changes }: Plan): ReadonlyMap<string, string> {
	return new Map(
		changes.flatMap((change) => {
			const isNamed = change.kind === "policy" && change.action === "remove" && change.before !== null;
			return isNamed ? [[change.address, printAddress("policy", change.before.name)] as const] : [];
		}),
	);
}

/** Returns each matching address that cannot be accepted. */
function listRefused(found: Match): readonly (Match & { readonly address: string })[] {
	return found.all.filter((address) => !found.free.includes(address)).map((address) => ({ ...found, address }));
}

function whyNot(address: string, { plan, held }: SelectableOrganization): string | undefined {
	// A rejected activity changes nothing.
	const waiting = plan.waiting.find((one) => one.relation !== "rejected" && isCovered(address, one));
	if (waiting !== undefined) return describePending(waiting);
	return held.includes(address)
		? "access that expired cannot be accepted, because that would make it permanent; to keep it, change its `until`"
		: undefined;
}

function describePending(waiting: RelatedActivity): string {
	if (waiting.state === "in-doubt")
		return `a request for it has no answer: ${textOf(settleOrAbandon(nameOf(waiting)))}`;
	return `activity ${nameOf(waiting)} is pending and would change this: reject or abandon it first`;
}

/** Max differences that a refusal lists. */
const maxListed = 10;

function describeNoMatch(pattern: string, organizations: readonly SelectableOrganization[]): string {
	const all = [...new Set(organizations.flatMap(selectable))];
	const listed = all.slice(0, maxListed).join(", ");
	const more = all.length > maxListed ? `, and ${all.length - maxListed} more` : "";
	return `nothing to accept at ${pattern}; ${all.length === 0 ? "no differences" : `differences: ${listed}${more}`}`;
}
