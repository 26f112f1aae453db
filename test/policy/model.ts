/**
 * A small model of organizations and their policies, written apart from src/policy/: it makes random ones, writes their policies
 * as texts, and says what each set of approvers may do by asking the model itself, never the text.
 */
import type { AccessPolicy, AccessState, AccessUser } from "../../src/policy/access.ts";

export type Tri = boolean | null;

const not = (value: Tri): Tri => (value === null ? null : !value);
export const and = (...values: readonly Tri[]): Tri => {
	if (values.includes(false)) return false;
	return values.includes(null) ? null : true;
};
const or = (...values: readonly Tri[]): Tri => not(and(...values.map(not)));

/** Random numbers that are the same for the same seed. */
export class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	below(limit: number): number {
		return Math.floor(this.next() * limit);
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}

	pick<T>(items: readonly T[]): T {
		return items[this.below(items.length)] as T;
	}

	some<T>(items: readonly T[], probability: number): T[] {
		return items.filter(() => this.chance(probability));
	}
}

export interface ModelUser {
	readonly id: string;
	/** Null: not known. */
	readonly tags: readonly string[] | null;
	readonly email: string | null;
	readonly credentials: readonly { readonly type: string | null; readonly key: string }[];
}

/** True, false, unknown for an item; "error" where the expression errs. */
type ItemValue = Tri | "error";

export type Predicate =
	| { readonly is: "tag" | "tagIn" | "firstTag"; readonly tag: string }
	| { readonly is: "id" | "otherThan"; readonly id: string }
	| { readonly is: "ids"; readonly ids: readonly string[] }
	| { readonly is: "email"; readonly email: string }
	| { readonly is: "alias" }
	| { readonly is: "type"; readonly type: string }
	| { readonly is: "owner"; readonly id: string }
	| { readonly is: "not"; readonly of: Predicate }
	| { readonly is: "and" | "or"; readonly left: Predicate; readonly right: Predicate };

export type Listed =
	| { readonly is: "approvers" }
	| { readonly is: "credentials" }
	| { readonly is: "filter"; readonly of: Listed; readonly where: Predicate };

export const orders = [">=", ">", "<=", "<", "==", "!="] as const;

export type Consensus =
	| { readonly is: "absent" }
	| { readonly is: "slip"; readonly text: string }
	| { readonly is: "constant"; readonly value: boolean }
	| { readonly is: "any" | "all"; readonly of: Listed; readonly where: Predicate }
	| {
			readonly is: "count";
			readonly of: Listed;
			readonly order: (typeof orders)[number];
			readonly number: number;
			readonly isMirrored: boolean;
	  }
	| { readonly is: "not"; readonly of: Consensus }
	| { readonly is: "and" | "or"; readonly left: Consensus; readonly right: Consensus };

export type Clause =
	| { readonly is: "resource" | "action" | "notAction" | "kind" | "wallet"; readonly value: string }
	| { readonly is: "actions"; readonly values: readonly string[] };

/** All clauses must hold; a slip is a text that is not understood. */
export type Condition = readonly Clause[] | { readonly slip: string };

export interface ModelPolicy {
	readonly id: string;
	readonly effect: "ALLOW" | "DENY";
	readonly consensus: Consensus;
	readonly condition: Condition;
	readonly time: "absent" | "open" | "closed" | "slip";
}

export interface ModelOrganization {
	readonly users: readonly ModelUser[];
	readonly policies: readonly ModelPolicy[];
	readonly root: { readonly threshold: number; readonly userIds: readonly string[] } | null;
}

/** The moment of all questions. */
export const atMs = Date.parse("2026-06-01T12:00:00Z");

const times = {
	absent: "",
	open: "time.now >= Timestamp('2026-05-01T00:00:00Z') && time.now < Timestamp('2026-07-01T00:00:00Z')",
	closed: "time.now < Timestamp('2026-05-01T00:00:00Z')",
	slip: "time.now >= 'May'",
} as const;

function writePredicate(predicate: Predicate, item: string): string {
	switch (predicate.is) {
		case "tag":
			return `${item}.tags.contains('${predicate.tag}')`;
		case "tagIn":
			return `'${predicate.tag}' in ${item}.tags`;
		case "firstTag":
			return `${item}.tags[0] == '${predicate.tag}'`;
		case "id":
			return `${item}.id == '${predicate.id}'`;
		case "otherThan":
			return `'${predicate.id}' != ${item}.id`;
		case "ids":
			return `${item}.id in [${predicate.ids.map((id) => `'${id}'`).join(", ")}]`;
		case "email":
			return `${item}.email == '${predicate.email}'`;
		case "alias":
			return `${item}.alias == 'x'`;
		case "type":
			return `${item}.type == '${predicate.type}'`;
		case "owner":
			return `${item}.user_id == '${predicate.id}'`;
		case "not":
			return `!(${writePredicate(predicate.of, item)})`;
		default:
			return `(${writePredicate(predicate.left, item)} ${predicate.is === "and" ? "&&" : "||"} ${writePredicate(predicate.right, item)})`;
	}
}

function writeList(list: Listed): string {
	return list.is === "filter" ? `${writeList(list.of)}.filter(x, ${writePredicate(list.where, "x")})` : list.is;
}

const mirrors = { ">=": "<=", ">": "<", "<=": ">=", "<": ">", "==": "==", "!=": "!=" } as const;

export function writeConsensus(consensus: Consensus): string {
	switch (consensus.is) {
		case "absent":
			return "";
		case "slip":
			return consensus.text;
		case "constant":
			return String(consensus.value);
		case "any":
		case "all":
			return `${writeList(consensus.of)}.${consensus.is}(y, ${writePredicate(consensus.where, "y")})`;
		case "count": {
			const list = `${writeList(consensus.of)}.count()`;
			const { order, number } = consensus;
			return consensus.isMirrored ? `${number} ${mirrors[order]} ${list}` : `${list} ${order} ${number}`;
		}
		case "not":
			return `!(${writeConsensus(consensus.of)})`;
		default:
			return `(${writeConsensus(consensus.left)} ${consensus.is === "and" ? "&&" : "||"} ${writeConsensus(consensus.right)})`;
	}
}

function writeClause(clause: Clause): string {
	switch (clause.is) {
		case "actions":
			return `activity.action in [${clause.values.map((value) => `'${value}'`).join(", ")}]`;
		case "notAction":
			return `activity.action != '${clause.value}'`;
		case "wallet":
			return `wallet.id == '${clause.value}'`;
		default:
			return `activity.${clause.is} == '${clause.value}'`;
	}
}

export const writeCondition = (condition: Condition): string =>
	"slip" in condition ? condition.slip : condition.map(writeClause).join(" && ");

/** Returns the organization as orgsync reads it. */
export function writeAccess({ users, policies, root }: ModelOrganization): AccessState {
	const unread = { known: false, because: { kind: "stated", text: "it was not read" } } as const;
	const known = <T>(value: T | null) => (value === null ? unread : { known: true as const, value });
	return {
		users: {
			known: true,
			value: users.map(
				({ id, tags, email, credentials }): AccessUser => ({
					id,
					tagIds: known(tags),
					email: { known: true, value: email },
					credentials: {
						known: true,
						value: credentials.map(({ type, key }) => ({ id: null, type, credentialId: null, publicKey: key })),
					},
				}),
			),
		},
		policies: {
			known: true,
			value: policies.map(
				({ id, effect, consensus, condition, time }): AccessPolicy => ({
					id,
					name: id,
					effect: `EFFECT_${effect}`,
					consensus: writeConsensus(consensus),
					condition: writeCondition(condition),
					time: times[time],
				}),
			),
		},
		rootQuorum: known(root),
	};
}

/** One approval: a user, and the credential that stamped it. */
export interface Vote {
	readonly user: ModelUser;
	/** Null: the user has no credential. */
	readonly credential: ModelUser["credentials"][number] | null;
}

function judgeItem(predicate: Predicate, { user, credential }: Vote): ItemValue {
	switch (predicate.is) {
		case "tag":
		case "tagIn":
			return user.tags === null ? null : user.tags.includes(predicate.tag);
		case "firstTag":
			if (user.tags === null) return null;
			return user.tags.length === 0 ? "error" : user.tags[0] === predicate.tag;
		case "id":
			return user.id === predicate.id;
		case "otherThan":
			return user.id !== predicate.id;
		case "ids":
			return predicate.ids.includes(user.id);
		case "email":
			return user.email === predicate.email;
		case "alias":
			return null;
		case "type":
			return (credential?.type ?? null) === null ? null : credential?.type === predicate.type;
		case "owner":
			return user.id === predicate.id;
		case "not": {
			const value = judgeItem(predicate.of, { user, credential });
			return value === "error" ? value : not(value);
		}
		default: {
			const left = judgeItem(predicate.left, { user, credential });
			const right = judgeItem(predicate.right, { user, credential });
			if (left === "error" || right === "error") return "error";
			return predicate.is === "and" ? and(left, right) : or(left, right);
		}
	}
}

/** Items that are or may be in a list, and whether an item made it err. */
interface Items {
	readonly items: readonly { readonly vote: Vote; readonly isThere: Tri }[];
	readonly errs: Tri;
}

function judgeList(list: Listed, votes: readonly Vote[]): Items {
	if (list.is !== "filter") {
		const own = list.is === "approvers" ? votes : votes.filter(({ credential }) => credential !== null);
		return { items: own.map((vote) => ({ vote, isThere: true })), errs: false };
	}
	const { items, errs } = judgeList(list.of, votes);
	const judged = items.map(({ vote, isThere }) => ({ vote, isThere, value: judgeItem(list.where, vote) }));
	return {
		items: judged.map(({ vote, isThere, value }) => ({
			vote,
			isThere: value === "error" ? false : and(isThere, value),
		})),
		errs: or(errs, ...judged.map(({ isThere, value }) => (value === "error" ? isThere : false))),
	};
}

interface Judged {
	readonly value: Tri;
	readonly errs: Tri;
}

/** Returns whether the consensus is true for these approvals: unknown where the model leaves it open. */
export function judgeConsensus(consensus: Consensus, votes: readonly Vote[]): Tri {
	const { value, errs } = judge(consensus, votes);
	return and(value, not(errs));
}

function judge(consensus: Consensus, votes: readonly Vote[]): Judged {
	switch (consensus.is) {
		case "absent":
			return { value: true, errs: false };
		case "slip":
			return { value: null, errs: false };
		case "constant":
			return { value: consensus.value, errs: false };
		case "any":
		case "all": {
			const { items, errs } = judgeList(consensus.of, votes);
			const judged = items.map(({ vote, isThere }) => ({ isThere, value: judgeItem(consensus.where, vote) }));
			const mayErr = or(errs, ...judged.map(({ isThere, value }) => (value === "error" ? isThere : false)));
			const values = judged.map(({ isThere, value }) => {
				const fits = value === "error" ? false : value;
				return consensus.is === "any" ? and(isThere, fits) : or(not(isThere), fits);
			});
			return { value: consensus.is === "any" ? or(false, ...values) : and(true, ...values), errs: mayErr };
		}
		case "count": {
			const { items, errs } = judgeList(consensus.of, votes);
			const least = items.filter(({ isThere }) => isThere === true).length;
			const most = items.filter(({ isThere }) => isThere !== false).length;
			const outcomes = new Set<boolean>();
			for (let count = least; count <= most; count += 1)
				outcomes.add(compare(count, consensus.order, consensus.number));
			return { value: outcomes.size === 2 ? null : outcomes.has(true), errs };
		}
		case "not": {
			const { value, errs } = judge(consensus.of, votes);
			return { value: not(value), errs };
		}
		default: {
			const [left, right] = [judge(consensus.left, votes), judge(consensus.right, votes)];
			const value = consensus.is === "and" ? and(left.value, right.value) : or(left.value, right.value);
			return { value, errs: or(left.errs, right.errs) };
		}
	}
}

function compare(count: number, order: (typeof orders)[number], number: number): boolean {
	if (order === ">=") return count >= number;
	if (order === ">") return count > number;
	if (order === "<=") return count <= number;
	if (order === "<") return count < number;
	return order === "==" ? count === number : count !== number;
}
