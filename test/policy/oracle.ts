/** Asks a model organization about every set of approvers: what src/policy/ must agree with. */
import {
	and,
	type Condition,
	judgeConsensus,
	type ModelOrganization,
	type ModelPolicy,
	type Tri,
	type Vote,
	writeCondition,
	writeConsensus,
} from "./model.ts";

export interface Pair {
	readonly resource: string;
	readonly action: string;
}

/** Sets of users by number: bit by bit, in the order of `userIds`. */
export type Sets = readonly boolean[];

/** The part of a policy in a group of activities. */
export interface OraclePart {
	readonly policy: ModelPolicy | null;
	readonly effect: "ALLOW" | "DENY";
	/** The condition that the group leaves open. */
	readonly open: string | null;
	/** Whether it is unknown if the policy is in force. */
	readonly unclear: string | null;
	readonly applies: (votes: readonly Vote[]) => Tri;
}

export type Reading = "off" | "sure" | "possible";

export const ownCredentials = "the credentials are the user's own";

/** Returns what a condition says of a pair: its open clauses, or that the policy takes no part. */
function judgeCondition(
	condition: Condition,
	{ resource, action }: Pair,
): { readonly open: string | null } | "no" | "unclear" {
	if ("slip" in condition) return "unclear";
	const open: string[] = [];
	let takesPart = true;
	const isSigning = resource === "PRIVATE_KEY" && action === "SIGN";
	for (const clause of condition) {
		if (clause.is === "resource") takesPart &&= clause.value === resource;
		else if (clause.is === "action") takesPart &&= clause.value === action;
		else if (clause.is === "notAction") takesPart &&= clause.value !== action;
		else if (clause.is === "actions") takesPart &&= clause.values.includes(action);
		else {
			const pairs: Record<string, boolean> = {
				SIGN_TRANSACTION: isSigning,
				DELETE_POLICIES: resource === "POLICY" && action === "DELETE",
				CREATE_THING: !isSigning,
			};
			takesPart &&= clause.is === "wallet" ? isSigning || resource === "WALLET" : pairs[clause.value] === true;
			open.push(writeCondition([clause]));
		}
	}
	if (!takesPart) return "no";
	return { open: open.length === 0 ? null : open.join(" && ") };
}

/** Names what covers credential activities, or may; null where no policy does. */
function coverOf(inForce: readonly ModelPolicy[]): string | null {
	const covering = inForce.flatMap(({ condition, time }) => {
		const found = ["CREATE", "UPDATE", "DELETE"].map((action) =>
			judgeCondition(condition, { resource: "CREDENTIAL", action }),
		);
		if (found.every((one) => one === "no")) return [];
		const isSure = time !== "slip" && found.some((one) => typeof one === "object" && one.open === null);
		return [isSure ? "" : `${writeCondition(condition)}|${time}`];
	});
	if (covering.length === 0) return null;
	return covering.includes("") ? "covered" : `perhaps covered by ${covering.sort().join()}`;
}

export class Oracle {
	readonly organization: ModelOrganization;
	readonly pair: Pair;
	readonly userIds: readonly string[];
	readonly parts: readonly OraclePart[];
	/** What covers credential activities, or may; null where no policy does. */
	readonly cover: string | null;
	readonly #choices: readonly (readonly (readonly Vote[])[])[];
	readonly #judged = new Map<OraclePart, readonly (readonly Tri[])[]>();

	/**
	 * `stamp`: the only key with which a user votes. `isOwnRight`: whether users may change their own credentials although a policy
	 * covers them; null leaves it open.
	 */
	constructor(
		organization: ModelOrganization,
		pair: Pair,
		userIds: readonly string[],
		stamp: { readonly userId: string; readonly key: string } | null = null,
		isOwnRight: boolean | null = null,
	) {
		this.organization = organization;
		this.pair = pair;
		this.userIds = userIds;
		this.cover = coverOf(organization.policies.filter(({ time }) => time !== "closed"));
		this.parts = this.#findParts(isOwnRight);
		this.#choices = Array.from({ length: 2 ** userIds.length }, (_, set) => this.#choicesOf(set, stamp));
	}

	#findParts(isOwnRight: boolean | null): readonly OraclePart[] {
		const { policies } = this.organization;
		const inForce = policies.filter(({ time }) => time !== "closed");
		const parts = inForce.flatMap((policy): OraclePart[] => {
			const found = judgeCondition(policy.condition, this.pair);
			if (found === "no") return [];
			const isUnclear = found === "unclear" || policy.time === "slip";
			return [
				{
					policy,
					effect: policy.effect,
					open: found === "unclear" ? null : found.open,
					unclear: isUnclear ? `${writeCondition(policy.condition)}|${policy.time}` : null,
					applies: (votes) => and(isUnclear ? null : true, judgeConsensus(policy.consensus, votes)),
				},
			];
		});
		if (this.pair.resource !== "CREDENTIAL") return parts;
		const isRight = this.cover === null ? true : isOwnRight;
		const unclear = isRight === null ? this.cover : null;
		const own = { policy: null, effect: "ALLOW", open: ownCredentials, unclear } as const;
		return [...parts, { ...own, applies: () => isRight }];
	}

	/** All ways in which the users of a set can approve: each with one of the user's credentials. */
	#choicesOf(
		set: number,
		stamp: { readonly userId: string; readonly key: string } | null,
	): readonly (readonly Vote[])[] {
		let choices: Vote[][] = [[]];
		for (const [index, id] of this.userIds.entries()) {
			if (((set >> index) & 1) === 0) continue;
			const user = this.organization.users.find((one) => one.id === id);
			if (user === undefined) return [];
			const own: readonly Vote["credential"][] = user.credentials.length === 0 ? [null] : user.credentials;
			const usable = own.filter(
				(credential) => stamp?.userId !== id || credential === null || credential.key === stamp.key,
			);
			choices = choices.flatMap((votes) => usable.map((credential) => [...votes, { user, credential }]));
		}
		return choices;
	}

	/** Returns the sets that are allowed, with each part read in its way. `decide` settles what is unknown of a part. */
	setsOf(
		readingOf: (part: OraclePart) => Reading,
		hasRoot: boolean,
		decide: ((part: OraclePart, set: number, choice: number) => boolean) | null = null,
	): Sets {
		const read = this.parts
			.map((part) => ({ part, reading: readingOf(part) }))
			.filter(({ reading }) => reading !== "off");
		return this.#choices.map((choices, set) => {
			if (set === 0) return false;
			if (hasRoot && this.isRoot(set)) return true;
			return choices.some((_, choice) => {
				const applying = read.filter(({ part, reading }) => {
					const value = this.#judge(part, set, choice);
					if (value === null && decide !== null) return decide(part, set, choice);
					return value === true || (value === null && reading === "possible");
				});
				return (
					applying.some(({ part }) => part.effect === "ALLOW") && applying.every(({ part }) => part.effect === "ALLOW")
				);
			});
		});
	}

	/** Returns whether a deny surely applies, however the users of the set approve. */
	isDenied(set: number): boolean {
		const denies = this.parts.filter(({ effect, open }) => effect === "DENY" && open === null);
		const choices = this.#choices[set] ?? [];
		return choices.every((_, choice) => denies.some((part) => this.#judge(part, set, choice) === true));
	}

	isRoot(set: number): boolean {
		const { root } = this.organization;
		if (root === null || root.userIds.length === 0) return false;
		return membersOf(set, this.userIds).filter((id) => root.userIds.includes(id)).length >= root.threshold;
	}

	#judge(part: OraclePart, set: number, choice: number): Tri {
		let judged = this.#judged.get(part);
		if (judged === undefined) {
			judged = this.#choices.map((choices) => choices.map((votes) => part.applies(votes)));
			this.#judged.set(part, judged);
		}
		return judged[set]?.[choice] ?? null;
	}

	/** Whether nothing of the organization is unknown but what ends the right to change one's own credentials. */
	isKnown(): boolean {
		const { root, users, policies } = this.organization;
		if (root === null || /"is":"(alias|slip)"|"slip":/.test(JSON.stringify(policies))) return false;
		if (users.some(({ tags, credentials }) => tags === null || credentials.some(({ type }) => type === null)))
			return false;
		return this.parts.every(
			(part) =>
				part.policy === null ||
				(part.unclear === null &&
					this.#choices.every((choices) => choices.every((votes) => part.applies(votes) !== null))),
		);
	}

	/** A text that names how an unknown of a part is decided: the same for parts that mean the same. */
	nameOf(part: OraclePart): string {
		if (part.unclear !== null) return part.unclear;
		const text = part.policy === null ? "" : writeConsensus(part.policy.consensus);
		return `${text}${JSON.stringify(this.organization.users)}`;
	}
}

export const membersOf = (set: number, userIds: readonly string[]): string[] =>
	userIds.filter((_, index) => ((set >> index) & 1) === 1);

/** Returns the smallest of the sets. */
export function smallestOf(sets: Sets): number[] {
	const members = sets.flatMap((isIn, set) => (isIn ? [set] : []));
	return members.filter((set) => !members.some((other) => other !== set && (other & set) === other));
}

/** Returns the sets and all sets with more users: what can be done once the others approve too, or stay away. */
export function withMore(sets: Sets): Sets {
	const smallest = smallestOf(sets);
	return sets.map((_, set) => smallest.some((one) => (one & set) === one));
}

export function writeSets(sets: readonly number[], userIds: readonly string[]): string[] {
	return sets.map((set) => membersOf(set, userIds).join("+")).sort();
}

/** The wallets and kinds of activities of a pair, one beside those that conditions name among them. */
function* activitiesOf({ resource, action }: Pair): Generator<{ readonly wallet: string; readonly kind: string }> {
	const kinds = [
		...(resource === "PRIVATE_KEY" && action === "SIGN" ? ["SIGN_TRANSACTION"] : []),
		...(resource === "POLICY" && action === "DELETE" ? ["DELETE_POLICIES"] : []),
	];
	for (const wallet of ["w1", "w2", "another"]) for (const kind of [...kinds, "ANOTHER"]) yield { wallet, kind };
}

/** Returns which of these conditions hold together for some activity: a wallet has one id, and an activity is of one kind. */
export function assignmentsOf(open: readonly (string | null)[], pair: Pair): readonly ReadonlySet<string>[] {
	const texts = [...new Set(open.filter((text) => text !== null))];
	const found = new Map<string, ReadonlySet<string>>();
	for (const { wallet, kind } of activitiesOf(pair)) {
		for (const isOwn of texts.includes(ownCredentials) ? [false, true] : [false]) {
			const facts = [`wallet.id == '${wallet}'`, `activity.kind == '${kind}'`, ...(isOwn ? [ownCredentials] : [])];
			const holds = texts.filter((text) => text.split(" && ").every((clause) => facts.includes(clause)));
			found.set(holds.join(), new Set(holds));
		}
	}
	return [...found.values()];
}

/** Whether a condition of a report holds where these conditions of policies hold, and no others. */
export function holdsIn(condition: string | null, holds: ReadonlySet<string>): boolean {
	if (condition === null) return true;
	const clauses = [...holds].flatMap((text) => text.split(" && "));
	const failing = [...condition.matchAll(/!\(([^)]*)\)/g)].map(([, text = ""]) => text);
	const holding = condition
		.replaceAll(/!\([^)]*\)/g, "")
		.split(" && ")
		.filter((text) => text !== "");
	return holding.every((text) => clauses.includes(text)) && !failing.some((text) => holds.has(text));
}

/** Reads conditions as in the assignment. */
export const under =
	(holds: ReadonlySet<string>) =>
	({ open }: OraclePart): Reading =>
		open === null || holds.has(open) ? "sure" : "off";
