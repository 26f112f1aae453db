/** Forecasts what becomes of an activity when it is submitted (docs/powers.md#approvals). */

import type { AccessState } from "../access.ts";
import { bound, type Conjunction, orTooComplex } from "../sets/formula.ts";
import { resolve, type UserSets } from "../sets/resolve.ts";
import { type Bits, bit, hasBit, membersOf, subsetsOf } from "../sets/sets.ts";
import { findSmallestSets, hasAll, isMember, maxWrittenSets, withoutUser } from "../sets/user-sets.ts";
import { idsOf } from "../sets/votes.ts";
import { Work } from "../sets/work.ts";
import { type Threshold, thresholdsOf } from "./ability.ts";
import { factsOfType } from "./activity.ts";
import { policyIdsOf } from "./conditional.ts";
import {
	allowedBy,
	certain,
	findParts,
	type GroupParts,
	type Part,
	type PartReading,
	partsOfOwner,
	withRootQuorum,
} from "./judge.ts";
import type { Later } from "./moments.ts";
import { type PreparedAccess, prepareAccess } from "./prepare.ts";
import { type ApprovalVerdict, notRead, type Reason } from "./reason.ts";

export type { ApprovalVerdict } from "./reason.ts";

/** What becomes of one activity. */
export interface Approval {
	readonly verdict: ApprovalVerdict;
	/** The smallest sets of further approvers that complete a `pending` activity of the submitter, at most 1,000. */
	readonly approverSets: readonly (readonly string[])[];
	/** The same, written short: each alternative is a list of thresholds that all must hold. */
	readonly thresholds: readonly (readonly Threshold[])[];
	/** The policies that decide; sorted. */
	readonly policyIds: readonly string[];
	/** Why it is denied or unknown; null for the other verdicts. */
	readonly because: Reason | null;
	/** What becomes of one that is denied once time windows open or close; left out where none changes it. */
	readonly later?: Later<"runs" | "pending">;
}

/** An activity as policies see it. */
export interface SubmittedActivity {
	/** For example `ACTIVITY_TYPE_UPDATE_USER_TAG`. */
	readonly type: string;
	/** The user whose own credentials it changes; null for every other activity. */
	readonly ownerId: string | null;
}

export interface SubmittingUser {
	readonly userId: string;
	/** Of the key that stamps the request, in lower-case hex; null where it is not known. */
	readonly publicKey: string | null;
}

/** What becomes of it in one reading of what is unknown; `further`: the sets of further approvers. */
type Judged =
	| { readonly verdict: "pending"; readonly further: UserSets }
	| { readonly verdict: Exclude<ApprovalVerdict, "pending"> };

/** What is allowed, in one reading. */
interface ReadUserSets {
	/** Sets of approvers, with the submitter or without. */
	readonly allowed: UserSets;
	/** Sets of further approvers; found when it is asked for. */
	readonly further: () => UserSets;
}

/** Max things that are not known, each of which doubles the readings. */
const maxUnknowns = 6;

/** Returns what becomes of the activity when this user submits it. `atMs`: milliseconds since 1970. */
export function forecastApproval(
	access: AccessState,
	activity: SubmittedActivity,
	submitter: SubmittingUser,
	atMs: number,
): Approval {
	return orTooComplex(
		() => new Forecaster(prepareAccess(access, atMs), activity, submitter).run(),
		({ limit }) => unknownApproval({ kind: "too-complex", task: "judge", limit }),
	);
}

export const unknownApproval = (because: Reason, policyIds: readonly string[] = []): Approval => ({
	verdict: "unknown",
	approverSets: [],
	thresholds: [],
	policyIds,
	because,
});

class Forecaster {
	readonly #prepared: PreparedAccess;
	readonly #submitter: SubmittingUser;
	readonly #user: number;
	readonly #found: GroupParts;
	readonly #parts: readonly Part[];

	constructor(prepared: PreparedAccess, activity: SubmittedActivity, submitter: SubmittingUser) {
		this.#prepared = prepared;
		this.#submitter = submitter;
		this.#user = prepared.users.userIds.indexOf(submitter.userId);
		this.#found = findParts(prepared, factsOfType(activity.type));
		// An activity that another user submits is none on own credentials.
		const ownerId = activity.ownerId === submitter.userId ? submitter.userId : "";
		this.#parts = partsOfOwner(prepared, this.#found, ownerId).parts;
	}

	run(): Approval {
		const { users, rootQuorum } = this.#prepared.access;
		if (this.#user < 0) {
			return unknownApproval(users.known ? { kind: "submitter-not-listed" } : notRead(users.because));
		}
		const [first, ...others] = this.#submitterVotes().map((unused) => this.#judge(unused));
		const unknown = (because: Reason): Approval => unknownApproval(because, policyIdsOf(this.#parts));
		if (first === undefined || others.some((one) => this.#agree(one, first).verdict !== first.verdict))
			return unknown({ kind: "stamping-credential-unknown" });
		if (first.verdict === "runs") return this.#runs();
		if (this.#found.missing !== null) return unknownApproval(notRead(this.#found.missing));
		if (!rootQuorum.known) return unknown(notRead(rootQuorum.because));
		if (!users.known && this.#parts.length > 0) return unknown(notRead(users.because));
		if (first.verdict === "unknown") return unknown(this.#whyUnknown());
		return first.verdict === "pending" ? this.#pending(first.further) : this.#denied();
	}

	/** For each credential that may stamp the request, the other votes of the submitter: none of those is used. */
	#submitterVotes(): readonly Bits[] {
		const { votes } = this.#prepared;
		const own = votes.votesOf[this.#user] ?? 0n;
		const { publicKey } = this.#submitter;
		const all = membersOf(own);
		const matching = all.filter((vote) => {
			const credential = votes.credentials[vote];
			return publicKey !== null && credential?.known === true && credential.value?.publicKey === publicKey;
		});
		return (matching.length > 0 ? matching : all).map((vote) => own & ~bit(vote));
	}

	/** Returns what all readings of the unknowns agree on. */
	#judge(unused: Bits, parts: readonly Part[] = this.#parts): Judged {
		const atoms = [...new Set(parts.flatMap(atomsOf))];
		if (atoms.length > maxUnknowns) return { verdict: "unknown" };
		const readings = subsetsOf(atoms).map((holds) => this.#judgeReading(unused, parts, holds));
		return readings.reduce((one, other) => this.#agree(one, other));
	}

	#agree(one: Judged, other: Judged): Judged {
		if (one.verdict !== "pending" || other.verdict !== "pending")
			return one.verdict === other.verdict ? one : { verdict: "unknown" };
		const isEqual = this.#isWithin(one.further, other.further) && this.#isWithin(other.further, one.further);
		return isEqual ? one : { verdict: "unknown" };
	}

	/** Returns whether the second user sets have all sets of the first. */
	#isWithin(userSets: UserSets, other: UserSets): boolean {
		return hasAll(userSets, other, this.#prepared.users, this.#prepared.budget);
	}

	#judgeReading(unused: Bits, parts: readonly Part[], holds: readonly string[]): Judged {
		const reading =
			(allow: PartReading, deny: PartReading) =>
			(part: Part): PartReading => {
				if (part.condition !== null && !holds.includes(`condition ${part.condition}`)) return "off";
				if (part.unknown === null) return "sure";
				if (part.unknown.isAllOrNone) return holds.includes(part.unknown.key) ? "possible" : "off";
				return part.effect === "allow" ? allow : deny;
			};
		const least = this.#readUserSets(unused, parts, reading("sure", "possible"));
		const isExact = parts.every(({ unknown }) => unknown === null || unknown.isAllOrNone);
		const surely = this.#verdictOf(least);
		if (isExact || surely.verdict === "runs") return surely;
		const most = this.#readUserSets(unused, parts, reading("possible", "sure"));
		const isSure = this.#isWithin(most.allowed, least.allowed) && this.#isWithin(most.further(), least.further());
		return isSure ? surely : { verdict: "unknown" };
	}

	#readUserSets(unused: Bits, parts: readonly Part[], readingOf: (part: Part) => PartReading): ReadUserSets {
		const hidden: readonly Part[] = unused === 0n ? [] : [hide(unused)];
		const all = [...parts, ...hidden];
		const read = (part: Part): PartReading => (hidden.includes(part) ? "sure" : readingOf(part));
		return {
			allowed: withRootQuorum(this.#prepared, allowedBy(this.#prepared, all, read)),
			further: () => this.#furtherOf(all, read, this.#prepared.rootQuorum ?? []),
		};
	}

	/** Returns the sets that complete the activity together with the submitter. Which sets others complete has no part in it. */
	#furtherOf(parts: readonly Part[], readingOf: (part: Part) => PartReading, rootQuorum: UserSets): UserSets {
		const { users } = this.#prepared;
		const withSubmitter = [...allowedBy(this.#prepared, parts, readingOf, this.#user), ...rootQuorum];
		const left = withSubmitter.map((alternative) => withoutUser(alternative, this.#user));
		return resolve(
			left.map((atLeast) => ({ atLeast, atMost: [] })),
			[],
			users,
			new Work(this.#prepared.budget),
		);
	}

	/** It is pending only where the submitter is in a smallest allowed set: one that no others complete among themselves. */
	#verdictOf({ allowed, further }: ReadUserSets): Judged {
		const own = bit(this.#user);
		if (isMember(allowed, own)) return { verdict: "runs" };
		if (!allowed.some((alternative) => alternative.some(({ set }) => hasBit(set, this.#user))))
			return { verdict: "denied" };
		const others = allowed.map((alternative) => alternative.map((one) => ({ ...one, set: one.set & ~own })));
		const sets = further();
		return this.#isWithin(sets, others) ? { verdict: "denied" } : { verdict: "pending", further: sets };
	}

	#runs(): Approval {
		const denies = this.#with("deny");
		const enough = this.#with("allow").filter((part) => this.#judgeAll([part, ...denies]).verdict === "runs");
		return { verdict: "runs", ...noSets, policyIds: policyIdsOf(enough), because: null };
	}

	#pending(further: UserSets): Approval {
		const { users } = this.#prepared;
		const { alone, together } = findSmallestSets(further, this.#prepared.budget);
		const approverSets = [...membersOf(alone).map(bit), ...together].slice(0, maxWrittenSets);
		// Those that surely allow it for one of the sets, and none denies.
		const deciding = this.#with("allow").filter((part) => {
			const completed = this.#furtherOf([part, ...this.#with("deny")], certain, []);
			return approverSets.some((set) => isMember(completed, set));
		});
		return {
			verdict: "pending",
			approverSets: approverSets.map((set) => idsOf(users, set)),
			thresholds: thresholdsOf(further, users),
			policyIds: policyIdsOf(deciding),
			because: null,
		};
	}

	#denied(): Approval {
		const [allows, denies] = [this.#with("allow"), this.#with("deny")];
		const common = { verdict: "denied", ...noSets } as const;
		if (denies.length > 0 && this.#judgeAll(allows).verdict !== "denied") {
			const single = denies.filter((deny) => this.#judgeAll([...allows, deny]).verdict === "denied");
			const policyIds = policyIdsOf(single.length > 0 ? single : denies);
			return { ...common, policyIds, because: { kind: "denied-by-policy" } };
		}
		const because = { kind: allows.length === 0 ? "no-policy" : "not-enough-approvals" } as const;
		return { ...common, policyIds: policyIdsOf(allows), because };
	}

	#with(effect: Part["effect"]): readonly Part[] {
		return this.#parts.filter((part) => part.effect === effect);
	}

	#judgeAll(parts: readonly Part[]): Judged {
		return this.#judge(this.#submitterVotes()[0] ?? 0n, parts);
	}

	#whyUnknown(): Reason {
		for (const { condition, unknown } of this.#parts) {
			if (unknown !== null) return unknown.because;
			if (condition !== null) return { kind: "open-condition", condition };
		}
		return { kind: "policies-unknown" };
	}
}

const noSets: Pick<Approval, "approverSets" | "thresholds"> = { approverSets: [], thresholds: [] };

function atomsOf({ condition, unknown }: Part): readonly string[] {
	const atoms = condition === null ? [] : [`condition ${condition}`];
	return unknown?.isAllOrNone ? [...atoms, unknown.key] : atoms;
}

/** Returns a part that keeps these votes from being used. */
const hide = (votes: Bits): Part => {
	const hidden: readonly Conjunction[] = [{ atLeast: [bound(1, votes)], atMost: [] }];
	return {
		policyId: null,
		effect: "deny",
		condition: null,
		anyOf: [],
		key: `hide ${votes}`,
		sure: hidden,
		possible: hidden,
		unknown: null,
	};
};
