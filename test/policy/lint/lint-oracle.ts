/**
 * Says which rules of `lint` find what in random policies, by asking the emulator's evaluator about every activity that their
 * conditions distinguish, and about every set of approvers of every organization. It shares nothing with src/policy/ but the table of
 * activities.
 */
import { compileExpression, type Vocabulary } from "../../../src/emulator/policies/compile.ts";
import type { Type, Value } from "../../../src/emulator/policies/types.ts";
import { activityTypes } from "../../../src/policy/activities/types.ts";
import {
	knownTag,
	knownUser,
	type LintWorld,
	type MadePolicy,
	tagName,
	unknownTag,
	unknownUser,
} from "./lint-worlds.ts";

type Names = Readonly<Record<string, Value>>;

interface Activity {
	readonly type: string;
	readonly resource: string;
	readonly names: Names;
	/** Which of the fields it has. */
	readonly shape: string;
}

interface Row {
	readonly type: string;
	readonly kind: string;
	readonly resource: string;
	readonly action: string;
}

/** The documented types, and one of which nothing is documented, that may move funds. */
const rows: readonly Row[] = [
	...activityTypes.flatMap(({ type, kind, resource, action, rootQuorumOnly }) =>
		rootQuorumOnly || resource === null || action === null ? [] : [{ type, kind, resource, action }],
	),
	{ type: "ACTIVITY_TYPE_UNDOCUMENTED", kind: "UNDOCUMENTED", resource: "?", action: "?" },
];

const activities: readonly Activity[] = rows.flatMap((row) => {
	const { type, resource } = row;
	const signs = (resource === "PRIVATE_KEY" && row.action === "SIGN") || resource === "?";
	const chains: readonly Names[] = signs ? [{}, ...[4n, 5n, 9n].map((value) => ({ eth: { tx: { value } } }))] : [{}];
	const wallets = ["w1", "w2", "another"].map((id) => ({ wallet: { id } }));
	const keys = ["k1", "another"].map((id) => ({ private_key: { id } }));
	const signers: readonly Names[] = [
		{},
		...(signs || resource === "WALLET" ? wallets : []),
		...(signs || resource === "PRIVATE_KEY" ? keys : []),
	];
	return chains.flatMap((chain) =>
		signers.map((signer) => {
			const names = { activity: { ...row }, ...chain, ...signer };
			return { type, resource, names, shape: Object.keys(names).join() };
		}),
	);
});

const text: Type = "string";
const fields: Readonly<Record<string, Type>> = {
	activity: { fields: { type: text, kind: text, resource: text, action: text } },
	eth: { fields: { tx: { fields: { value: "int" } } } },
	wallet: { fields: { id: text } },
	private_key: { fields: { id: text } },
};

const vocabularyOf = (shape: string): Vocabulary => ({
	names: Object.fromEntries(
		Object.entries(fields).map(([name, type]) => [name, shape.split(",").includes(name) ? type : "missing"]),
	),
	hasTimeFunctions: false,
});

const compiled = new Map<string, ((names: Names) => boolean) | null>();

function isTrue(expression: string, key: string, vocabulary: () => Vocabulary, names: Names): boolean {
	if (expression === "") return true;
	const place = `${key}\n${expression}`;
	let holds = compiled.get(place);
	if (holds === undefined) {
		try {
			holds = compileExpression(expression, vocabulary());
		} catch {
			holds = null;
		}
		if (compiled.size > 20_000) compiled.clear();
		compiled.set(place, holds);
	}
	try {
		return holds?.(names) ?? false;
	} catch {
		return false;
	}
}

const holdsFor = (condition: string, { shape, names }: Activity): boolean =>
	isTrue(condition, shape, () => vocabularyOf(shape), names);

const voters: Vocabulary = {
	names: { approvers: { list: { fields: { id: text, tags: { list: text } } } } },
	hasTimeFunctions: false,
};

type Approver = Value & { readonly id: string };

/** Every set of approvers that the policies of the world may distinguish: each user has any of the tags. */
function setsOf({ tags, userIds }: LintWorld): readonly (readonly Approver[])[] {
	const tagSets = Array.from({ length: 2 ** tags.length }, (_, set) => tags.filter((_tag, at) => (set >> at) & 1));
	const kindsOf = (id: string): readonly Approver[] => tagSets.map((own) => ({ id, tags: own }));
	let sets: readonly (readonly Approver[])[] = [[]];
	for (const id of userIds) sets = sets.flatMap((set) => [set, ...kindsOf(id).map((one) => [...set, one])]);
	const others = kindsOf("another");
	const choose = (count: number, from: number): readonly (readonly Approver[])[] => {
		if (count === 0) return [[]];
		return others.slice(from).flatMap((one, at) => choose(count - 1, from + at).map((more) => [one, ...more]));
	};
	const added = [0, 1, 2, 3, 4].flatMap((count) => choose(count, 0));
	return sets.flatMap((set) => added.map((more) => [...set, ...more])).filter(({ length }) => length > 0);
}

interface Judged extends MadePolicy {
	readonly isAllow: boolean;
	/** By activity. */
	readonly holds: readonly boolean[];
	readonly holdsSomewhere: boolean;
	/** By set of approvers. */
	readonly met: readonly boolean[];
}

/** Whether the condition holds for the activity, or may: of an undocumented type no one knows the resource and the action. */
function mayHold({ holds, naming }: Judged, at: number): boolean {
	const isOfPair = naming.length > 0 && naming.every((clause) => /activity\.(resource|action)/.test(clause));
	return holds[at] === true || (activities[at]?.resource === "?" && isOfPair);
}

const shareActivity = (one: Judged, other: Judged): boolean =>
	one.holds.some((holds, at) => holds && mayHold(other, at));

const isIn = (some: readonly boolean[], all: readonly boolean[]): boolean => some.every((one, at) => !one || all[at]);
const meets = (some: readonly boolean[], all: readonly boolean[]): boolean => some.some((one, at) => one && all[at]);

/** Returns `CODE ID` of each finding, with the clause of one that never applies, and the other policy. */
export function expectedFindings(world: LintWorld): readonly string[] {
	const sets = setsOf(world);
	const judged = world.policies.map((made): Judged => {
		const { effect, condition, consensus } = made.policy;
		const holds = activities.map((activity) => holdsFor(condition, activity));
		const met = sets.map((approvers) => isTrue(consensus, "consensus", () => voters, { approvers }));
		return { ...made, isAllow: effect === "EFFECT_ALLOW", holds, holdsSomewhere: holds.includes(true), met };
	});
	return [
		...judged.flatMap((one) => ofPolicy(one, sets)),
		...judged.flatMap((one, index) => besideOthers(one, index, judged, sets)),
		...[knownTag].flatMap((id) =>
			world.policies.some(({ policy }) => policy.consensus.includes(id)) ? [] : [`unused-tag ${id}`],
		),
	];
}

function ofPolicy(one: Judged, sets: readonly (readonly Approver[])[]): readonly string[] {
	const { policy, naming, holds, holdsSomewhere, met, isAllow, time } = one;
	const { id, condition, consensus } = policy;
	const named = activities.filter((activity) => naming.every((clause) => holdsFor(clause, activity)));
	const errs = (activity: Activity): boolean => !holdsFor(`(${condition}) || !(${condition})`, activity);
	const isErring = !holdsSomewhere && condition !== "" && named.length > 0 && named.every(errs);
	const byType = Map.groupBy(named, ({ type }) => type);
	const hasErringType = [...byType.values()].some((of) => of.every(errs));
	const isFutile = !holdsSomewhere && !isErring;
	const clause = isFutile ? "condition" : met.includes(true) ? (time === "never" ? "time" : null) : "consensus";
	const isAnyone = sets.every(({ length }, at) => length > 1 || met[at]);
	return [
		...(isErring ? [`always-errs ${id}`] : []),
		...(!isAllow && holdsSomewhere && naming.length > 0 && hasErringType ? [`deny-errs ${id}`] : []),
		...(isAllow && holds.every(Boolean) && isAnyone ? [`everything-to-everyone ${id}`] : []),
		...(clause === null ? [] : [`never-applies ${id} ${clause}`]),
		...(time === "over" ? [`window-over ${id}`] : []),
		...(condition.includes("activity.type") ? [`versioned-type ${id}`] : []),
		...(consensus.includes(tagName) ? [`name-for-id ${id}`] : []),
		...([unknownUser, unknownTag].some((unknown) => consensus.includes(unknown)) ? [`unknown-id ${id}`] : []),
	];
}

function besideOthers(
	one: Judged,
	index: number,
	all: readonly Judged[],
	sets: readonly (readonly Approver[])[],
): readonly string[] {
	const { id } = one.policy;
	const isContained = (some: Judged, other: Judged): boolean =>
		some.isAllow === other.isAllow &&
		(other.policy.time === "" || other.policy.time === some.policy.time) &&
		isIn(some.holds, other.holds) &&
		isIn(some.met, other.met);
	const others = all.map((other, at) => ({ other, at })).filter(({ at }) => at !== index && one.holdsSomewhere);
	const within = others.find(({ other }) => isContained(one, other) && !isContained(other, one));
	const again = others.find(({ other, at }) => at < index && isContained(one, other) && isContained(other, one));
	const denied = activities.filter((_, at) => one.holds[at]);
	const isIdle =
		!one.isAllow &&
		denied.length > 0 &&
		denied.every(({ resource }) => resource !== "CREDENTIAL") &&
		all.every((other) => !other.isAllow || !shareActivity(one, other) || !meets(one.met, other.met));
	const guard = guardBeside(one, all, sets);
	return [
		...(within === undefined ? [] : [`contained-in-another ${id} ${within.other.policy.id}`]),
		...(again === undefined ? [] : [`repeats-another ${id} ${again.other.policy.id}`]),
		...(isIdle ? [`denies-nothing ${id}`] : []),
		...(guard === undefined ? [] : [`alone-beside-two ${id} ${guard.policy.id}`]),
	];
}

/** Returns a policy that needs two, for activities which all other policies protect so, and the one gives to a user alone. */
function guardBeside(one: Judged, all: readonly Judged[], sets: readonly (readonly Approver[])[]): Judged | undefined {
	if (!one.isAllow) return undefined;
	const singles = sets.flatMap(({ length }, at) => (length === 1 ? [at] : []));
	const isAlone = ({ met }: Judged): boolean => singles.some((at) => met[at]);
	const needsTwo = (other: Judged): boolean => other.met.includes(true) && !isAlone(other);
	const others = all.filter((other) => other !== one && other.isAllow);
	return others.find((other) => {
		if (!other.holdsSomewhere || !needsTwo(other) || !isIn(other.holds, one.holds)) return false;
		if (!others.every((them) => !shareActivity(other, them) || needsTwo(them))) return false;
		return activities.every((_, at) => {
			if (!other.holds[at]) return true;
			const denies = all.filter((them) => !them.isAllow && mayHold(them, at));
			return singles.some((single) => one.met[single] && denies.every(({ met }) => !met[single]));
		});
	});
}

/** What is known of the organization beside its policies. */
export const knownNames = { userNames: { [knownUser]: "alice" }, tagIds: [knownTag] };
