/** Random organizations of the model, and small changes of them. */
import {
	type Clause,
	type Condition,
	type Consensus,
	type Listed,
	type ModelOrganization,
	type ModelPolicy,
	type ModelUser,
	orders,
	type Predicate,
	type Random,
} from "./model.ts";

const tags = ["t1", "t2", "t3"];
const types = ["CREDENTIAL_TYPE_API_KEY_P256", "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR"];
const names = ["u1", "u2", "u3", "u4", "u5", "u6"];

/** How wild an organization is: each shape that is hard appears in some organizations only. */
interface Style {
	readonly userIds: readonly string[];
	readonly hasCredentials: boolean;
	readonly hasUnknowns: boolean;
	readonly isMonotone: boolean;
	readonly hasConditions: boolean;
}

export function randomOrganization(random: Random): ModelOrganization {
	const style: Style = {
		userIds: names.slice(0, 1 + random.below(6)),
		hasCredentials: random.chance(0.3),
		hasUnknowns: random.chance(0.3),
		isMonotone: random.chance(0.5),
		hasConditions: random.chance(0.5),
	};
	const users = style.userIds.map((id) => randomUser(random, id, style));
	return {
		users,
		policies: Array.from({ length: random.below(6) }, (_, index) => randomPolicy(random, `p${index}`, style)),
		root: randomRoot(random, style),
	};
}

function randomRoot(random: Random, { userIds, hasUnknowns }: Style): ModelOrganization["root"] {
	if (hasUnknowns && random.chance(0.1)) return null;
	const members = random.some(userIds, 0.4);
	return { threshold: 1 + random.below(Math.max(1, members.length)), userIds: members };
}

function randomUser(random: Random, id: string, { hasCredentials, hasUnknowns }: Style): ModelUser {
	const count = hasCredentials ? random.below(3) : 1;
	const credentials = Array.from({ length: count }, (_, index) => ({
		type: hasUnknowns && random.chance(0.1) ? null : random.pick(types),
		key: `${id}${index}`,
	}));
	const isUnknown = hasUnknowns && random.chance(0.1);
	return {
		id,
		tags: isUnknown ? null : random.some(tags, 0.4),
		email: random.chance(0.5) ? `${id}@x` : "x@x",
		credentials,
	};
}

function randomPolicy(random: Random, id: string, style: Style): ModelPolicy {
	const isTimed = random.chance(0.15);
	const times = style.hasUnknowns ? (["open", "closed", "slip"] as const) : (["open", "closed"] as const);
	return {
		id,
		effect: random.chance(0.65) ? "ALLOW" : "DENY",
		consensus: randomConsensus(random, style, 2),
		condition: randomCondition(random, style),
		time: isTimed ? random.pick(times) : "absent",
	};
}

function randomCondition(random: Random, { hasUnknowns, hasConditions }: Style): Condition {
	if (hasUnknowns && random.chance(0.12)) return { slip: `activity.kind == ${random.below(2)}` };
	const clauses: Clause[] = [];
	const pair = random.pick([
		["PRIVATE_KEY", "SIGN"],
		["PRIVATE_KEY", "SIGN"],
		["WALLET", "EXPORT"],
		["POLICY", "DELETE"],
		["CREDENTIAL", "DELETE"],
	] as const);
	if (random.chance(0.6)) clauses.push({ is: "resource", value: pair[0] });
	if (random.chance(0.5)) clauses.push({ is: "action", value: pair[1] });
	if (random.chance(0.1)) clauses.push({ is: "notAction", value: "SIGN" });
	if (random.chance(0.1)) clauses.push({ is: "actions", values: ["DELETE", "EXPORT"] });
	if (hasConditions && random.chance(0.5)) clauses.push({ is: "wallet", value: random.pick(["w1", "w2"]) });
	if (hasConditions && random.chance(0.15)) {
		clauses.push({ is: "kind", value: random.pick(["SIGN_TRANSACTION", "DELETE_POLICIES", "CREATE_THING"]) });
	}
	return clauses;
}

function randomConsensus(random: Random, style: Style, depth: number): Consensus {
	if (style.hasUnknowns && random.chance(0.06)) {
		return { is: "slip", text: random.pick(["approvers.count == 1", "approvers.size() >= 2"]) };
	}
	if (random.chance(0.05)) return { is: "absent" };
	return randomPart(random, style, depth);
}

function randomPart(random: Random, style: Style, depth: number): Consensus {
	if (depth > 0 && random.chance(0.35)) {
		if (!style.isMonotone && random.chance(0.2)) return { is: "not", of: randomPart(random, style, depth - 1) };
		const [left, right] = [randomPart(random, style, depth - 1), randomPart(random, style, depth - 1)];
		return { is: random.chance(0.6) ? "and" : "or", left, right };
	}
	if (random.chance(0.03)) return { is: "constant", value: random.chance(0.5) };
	const of = randomList(random, style);
	if (random.chance(0.5)) {
		const is = !style.isMonotone && random.chance(0.3) ? "all" : "any";
		return { is, of, where: randomPredicate(random, style, rootOf(of), 1) };
	}
	const order = style.isMonotone ? random.pick([">=", ">"] as const) : random.pick(orders);
	return { is: "count", of, order, number: random.below(4), isMirrored: random.chance(0.2) };
}

function randomList(random: Random, style: Style): Listed {
	const of = style.hasCredentials && random.chance(0.4) ? "credentials" : "approvers";
	if (random.chance(0.25)) return { is: of };
	const filtered: Listed = { is: "filter", of: { is: of }, where: randomPredicate(random, style, of, 1) };
	if (random.chance(0.85)) return filtered;
	return { is: "filter", of: filtered, where: randomPredicate(random, style, of, 1) };
}

const rootOf = (list: Listed): "approvers" | "credentials" => (list.is === "filter" ? rootOf(list.of) : list.is);

function randomPredicate(random: Random, style: Style, of: "approvers" | "credentials", depth: number): Predicate {
	if (depth > 0 && random.chance(0.25)) {
		if (random.chance(0.3)) return { is: "not", of: randomPredicate(random, style, of, depth - 1) };
		const left = randomPredicate(random, style, of, depth - 1);
		const right = randomPredicate(random, style, of, depth - 1);
		return { is: random.chance(0.5) ? "and" : "or", left, right };
	}
	const id = random.pick(style.userIds);
	if (of === "credentials") {
		return random.chance(0.75) ? { is: "type", type: random.pick(types) } : { is: "owner", id };
	}
	if (style.hasUnknowns && random.chance(0.06)) return { is: "alias" };
	const roll = random.next();
	const tag = random.pick(tags);
	if (roll < 0.6) return { is: "tag", tag };
	if (roll < 0.65) return { is: "tagIn", tag };
	if (roll < 0.68) return { is: "firstTag", tag };
	if (roll < 0.85) return { is: "id", id };
	if (roll < 0.9) return { is: "otherThan", id };
	if (roll < 0.95) return { is: "ids", ids: [id, ...random.some(style.userIds, 0.3)] };
	return { is: "email", email: "x@x" };
}

/** Returns the organization after a few small changes, as a plan could make them and others. */
export function changeOrganization(random: Random, before: ModelOrganization): ModelOrganization {
	let after = before;
	for (let turn = random.below(3); turn >= 0; turn -= 1) after = changeOnce(random, after);
	return after;
}

function changeOnce(random: Random, before: ModelOrganization): ModelOrganization {
	const style: Style = {
		userIds: before.users.map(({ id }) => id),
		hasCredentials: before.users.some(({ credentials }) => credentials.length !== 1),
		hasUnknowns: before.users.some(({ tags: own }) => own === null),
		isMonotone: random.chance(0.7),
		hasConditions: random.chance(0.5),
	};
	const roll = random.next();
	if (roll < 0.5) {
		const changed = random.pick(before.users);
		const tag = random.pick(tags);
		const flip = (own: readonly string[]): string[] =>
			own.includes(tag) ? own.filter((one) => one !== tag) : [...own, tag].sort();
		return {
			...before,
			users: before.users.map((user) =>
				user === changed && user.tags !== null ? { ...user, tags: flip(user.tags) } : user,
			),
		};
	}
	if (roll < 0.75 && before.policies.length > 0) {
		const removed = random.pick(before.policies);
		return { ...before, policies: before.policies.filter((policy) => policy !== removed) };
	}
	if (roll < 0.85) {
		return { ...before, policies: [...before.policies, randomPolicy(random, `q${random.below(1_000)}`, style)] };
	}
	if (roll < 0.9 && before.users.length > 1) {
		const removed = random.pick(before.users);
		const userIds = before.root?.userIds.filter((id) => id !== removed.id) ?? [];
		return {
			...before,
			users: before.users.filter((user) => user !== removed),
			root: before.root === null ? null : { ...before.root, userIds },
		};
	}
	return { ...before, root: before.root === null ? null : randomRoot(random, { ...style, hasUnknowns: false }) };
}
