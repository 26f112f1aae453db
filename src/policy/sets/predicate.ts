/** Finds the approvers or credentials for which a predicate is true, such as `user.tags.contains('…')`. */
import type { AccessCredential, AccessUser, Doubt, Known } from "../access.ts";
import { evaluate } from "../language/evaluate.ts";
import { mayMissItem, mentionsVotes, pathOf } from "../language/mentions.ts";
import { type Expression, isLogical } from "../language/syntax.ts";
import { isError, isUnknown, listOf, type Struct, structOf, unread, type Value } from "../language/values.ts";
import { type Bits, bit, membersOf, setOf } from "./sets.ts";
import type { Votes } from "./votes.ts";

type ItemKind = "approvers" | "credentials";

/** Votes by the outcome of a predicate. */
export interface ItemSets {
	/** For which it is true. */
	readonly sure: Bits;
	/** For which it is true or unknown. */
	readonly possible: Bits;
	/** For which it errs. */
	readonly errors: Bits;
	/** For which it may err. */
	readonly mayErr: Bits;
	/** The tag that the predicate asks for and nothing else; null where there is none. */
	readonly tagId: string | null;
	/** Why it is unknown for some; null where no reason was found. */
	readonly because: Doubt | null;
}

/** What predicates ask about: made once for an organization. */
export interface Predicates {
	readonly votes: Votes;
	/** Votes whose user's tags are known. */
	readonly known: Bits;
	readonly byTag: ReadonlyMap<string, Bits>;
	/** Votes with a credential, one that is not known among them: who approves has one. */
	readonly withCredential: Bits;
	/** The user and the credential of each vote; made when they are read. */
	readonly userValues: readonly Struct[];
	readonly credentialValues: readonly Struct[];
}

export function makePredicates(votes: Votes, users: ReadonlyMap<string, AccessUser>): Predicates {
	const byTag = new Map<string, Bits>();
	let [userValues, credentialValues]: [(readonly Struct[])?, (readonly Struct[])?] = [];
	let known = 0n;
	for (const [index, id] of votes.userIds.entries()) {
		const own = votes.votesOf[index] ?? 0n;
		const user = users.get(id);
		if (user === undefined || !user.tagIds.known) continue;
		known |= own;
		for (const tag of user.tagIds.value) byTag.set(tag, (byTag.get(tag) ?? 0n) | own);
	}
	const credentialed = votes.credentials.flatMap((one, vote) => (one.known && one.value === null ? [] : [vote]));
	return {
		votes,
		known,
		byTag,
		withCredential: votes.all & setOf(credentialed),
		get userValues() {
			userValues ??= votes.owners.map((owner) => {
				const id = votes.userIds[owner] ?? "";
				return userValue(id, users.get(id));
			});
			return userValues;
		},
		get credentialValues() {
			credentialValues ??= votes.credentials.map((one, vote) =>
				credentialValue(one, votes.userIds[votes.owners[vote] ?? 0] ?? ""),
			);
			return credentialValues;
		},
	};
}

const notShown = (name: string): Value => unread(`no read shows \`${name}\``);

function userValue(id: string, user: AccessUser | undefined): Struct {
	if (user === undefined) return structOf({ id }, unread("the users are unknown"));
	// Unverified, chosen: the email of a user without one is an empty text.
	const email = user.email.known ? (user.email.value ?? "") : unread(user.email.because);
	const tags = user.tagIds.known ? listOf(user.tagIds.value) : unread(user.tagIds.because);
	return structOf({ id, tags, email, alias: notShown("user.alias") });
}

function credentialValue(credential: Known<AccessCredential | null>, userId: string): Struct {
	if (!credential.known) return structOf({ user_id: userId }, unread(credential.because));
	const { id = null, type = null, credentialId = null, publicKey = null } = credential.value ?? {};
	const shown = (name: string, value: string | null): Value => value ?? notShown(`credential.${name}`);
	return structOf({
		id: shown("id", id),
		user_id: userId,
		type: shown("type", type),
		credential_id: shown("credential_id", credentialId),
		public_key: shown("public_key", publicKey),
	});
}

/** Votes for which a part of a predicate is true, is false, and errs; unknown for the others. */
interface Outcomes {
	readonly yes: Bits;
	readonly no: Bits;
	readonly errors: Bits;
	readonly mayErr: Bits;
	readonly because: Doubt | null;
}

export function findItems(predicates: Predicates, kind: ItemKind, item: string, predicate: Expression): ItemSets {
	const question = { predicates, kind, item };
	const { yes, no, errors, mayErr, because } = judge(question, predicate);
	const { all } = predicates.votes;
	const tagId = tagOf(question, predicate);
	return { sure: yes & all, possible: all & ~no & ~errors, errors: errors & all, mayErr: mayErr & all, tagId, because };
}

interface Question {
	readonly predicates: Predicates;
	readonly kind: ItemKind;
	readonly item: string;
}

function judge(question: Question, expression: Expression): Outcomes {
	if (expression.node === "not") {
		const of = judge(question, expression.of);
		return { ...of, yes: of.no, no: of.yes };
	}
	if (!isLogical(expression)) return judgeTag(question, expression) ?? judgeEach(question, expression);
	const [left, right] = [judge(question, expression.left), judge(question, expression.right)];
	const errors = left.errors | right.errors;
	const isAnd = expression.operator === "&&";
	const yes = isAnd ? left.yes & right.yes : left.yes | right.yes;
	const no = isAnd ? left.no | right.no : left.no & right.no;
	const mayErr = left.mayErr | right.mayErr;
	return { yes: yes & ~errors, no: no & ~errors, errors, mayErr, because: left.because ?? right.because };
}

/** The tag of `item.tags.contains('…')`, of approvers; null for another expression. */
function tagOf({ kind, item }: Question, expression: Expression): string | null {
	if (kind !== "approvers" || expression.node !== "call" || expression.method !== "contains") return null;
	const [argument] = expression.arguments;
	return pathOf(expression.of) === `${item}.tags` && argument?.node === "literal" ? String(argument.value) : null;
}

function judgeTag(question: Question, expression: Expression): Outcomes | null {
	const tag = tagOf(question, expression);
	if (tag === null) return null;
	const { byTag, known } = question.predicates;
	const yes = byTag.get(tag) ?? 0n;
	return { yes, no: known & ~yes, errors: 0n, mayErr: 0n, because: null };
}

/** Evaluates the expression for each item. */
function judgeEach({ predicates, kind, item }: Question, expression: Expression): Outcomes {
	let [yes, no, errors] = [0n, 0n, 0n];
	let because: Doubt | null = null;
	const values = kind === "approvers" ? predicates.userValues : predicates.credentialValues;
	const isJoined = mentionsVotes(expression);
	for (const [vote, value] of values.entries()) {
		const scope = (isJoined ? scopeOf(predicates, vote) : new Map<string, Value>()).set(item, value);
		const outcome = evaluate(expression, scope);
		if (outcome === true) yes |= bit(vote);
		else if (outcome === false) no |= bit(vote);
		else if (isError(outcome) && outcome.error !== "wrong-type") errors |= bit(vote);
		else if (isUnknown(outcome)) because ??= outcome.because;
	}
	const unknown = setOf(values.keys()) & ~yes & ~no & ~errors;
	return { yes, no, errors, mayErr: mayMissItem(expression) ? unknown : 0n, because };
}

/** Returns the names around a predicate: this vote's user and credential are there, every other one may be. */
function scopeOf(predicates: Predicates, vote: number): Map<string, Value> {
	const { votes, userValues, credentialValues } = predicates;
	const owners = votes.votesOf.flatMap((own) => membersOf(own).slice(0, 1));
	const owner = votes.owners[vote] ?? 0;
	const approvers = owners.map((one) => userValues[one] ?? structOf({}));
	return new Map<string, Value>([
		["approvers", doubtfulList(approvers, owner)],
		["credentials", doubtfulList(credentialValues, vote)],
	]);
}

function doubtfulList(items: readonly Value[], sure: number): Value {
	const doubt = unread("it depends on who else approves");
	return { items, doubts: new Map(items.flatMap((_, index) => (index === sure ? [] : [[index, doubt] as const]))) };
}
