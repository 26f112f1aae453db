/** The states between steps that are worse than before and after: what each set of completed steps allows. */
import { describe, expect, it, vi } from "vitest";
import type { AccessCredential, AccessPolicy, AccessState, AccessUser } from "../../../src/policy/access.ts";
import { findUnsafeStates } from "../../../src/policy/powers/between.ts";
import { printGroup } from "../../../src/policy/powers/groups.ts";
import {
	accessOf,
	allow,
	atMs,
	deny,
	is,
	known,
	one,
	open,
	other,
	people,
	root,
	signing,
	two,
	when,
} from "./change-lines.ts";

type StepOf = (access: AccessState) => AccessState;

const policiesOf = ({ policies }: AccessState): readonly AccessPolicy[] => (policies.known ? policies.value : []);
const create =
	(...added: readonly AccessPolicy[]): StepOf =>
	(access) => ({ ...access, policies: known([...policiesOf(access), ...added]) });
const remove =
	(...removed: readonly AccessPolicy[]): StepOf =>
	(access) => ({
		...access,
		policies: known(policiesOf(access).filter(({ id }) => !removed.some((it) => it.id === id))),
	});
const update =
	(policy: AccessPolicy, parts: Partial<AccessPolicy>): StepOf =>
	(access) => ({
		...access,
		policies: known(policiesOf(access).map((it) => (it.id === policy.id ? { ...it, ...parts } : it))),
	});
const tagged = (user: AccessUser | undefined, ...tagIds: readonly string[]): AccessUser => ({
	...(user as AccessUser),
	tagIds: known(tagIds),
});
/** Gives the tag to these users, and to no others. */
const fill =
	(tag: string, ...userIds: readonly string[]): StepOf =>
	(access) => ({
		...access,
		users: known(
			(access.users.known ? access.users.value : []).map((user) => {
				const others = user.tagIds.known ? user.tagIds.value.filter((it) => it !== tag) : [];
				return tagged(user, ...others, ...(userIds.includes(user.id) ? [tag] : []));
			}),
		),
	});

/** `gains a+b after 0 before 1`, for signing. */
function statesOf(before: AccessState, ...steps: readonly StepOf[]): readonly string[] {
	const { unsafe, unchecked } = findUnsafeStates(before, steps, atMs);
	const lines = unsafe
		.filter(({ group }) => printGroup(group) === "PRIVATE_KEY/SIGN")
		.map(({ change, userIds, completed, open, condition }) => {
			const where = condition === null ? "" : ` if ${condition}`;
			return `${change} ${userIds.join("+")} after ${completed} before ${open}${where}`;
		});
	return [...lines, ...(unchecked.length === 0 ? [] : [`unchecked ${unchecked}`])];
}

describe("two steps", () => {
	const old = allow(is("a"));

	it("lose what a policy allows while it is removed and its replacement is not there", () => {
		expect(statesOf(accessOf([old]), create(allow(is("a"))), remove(old))).toEqual(["loses a after 1 before 0"]);
	});

	it("give what is denied after the plan while the deny is not there", () => {
		expect(statesOf(accessOf([]), create(allow(is("b"))), create(deny(is("b"))))).toEqual(["gains b after 0 before 1"]);
	});

	it("give a set of two what neither end gives", () => {
		const pair = allow(two);
		expect(statesOf(accessOf([pair, deny("true")]), remove(pair), create(allow(is("c"))))).toEqual([]);
		const barrier = deny("true");
		const found = statesOf(accessOf([pair, barrier]), remove(pair), remove(barrier));
		expect(found).toEqual(["gains a+b after 1 before 0"]);
	});

	it("are safe where each gives more, or each takes", () => {
		expect(statesOf(accessOf([]), create(allow(is("a"))), create(allow(is("b"))))).toEqual([]);
		expect(statesOf(accessOf([old]), remove(old), create(deny(is("a"))))).toEqual([]);
	});

	it("are safe where the root quorum can do it all the time", () => {
		const alone = accessOf([old], root(1, "a"));
		expect(statesOf(alone, create(allow(is("a"))), remove(old))).toEqual([]);
	});

	it("lose what a smallest set before can do, where others still can, and fewer users can after", () => {
		const [pair, third] = [allow(is("a", "b")), allow(is("c"))];
		expect(statesOf(accessOf([pair, third]), remove(pair), create(allow(is("a"))))).toEqual([
			"loses a+b after 0 before 1",
		]);
	});

	it("lose nothing that one of several users can do before, and another of them after", () => {
		const [kept, old] = [allow(is("a")), allow(is("b"))];
		expect(statesOf(accessOf([kept, old]), remove(old), create(allow(is("c"))))).toEqual([]);
	});

	it("lose what others can do beside a root quorum of another user", () => {
		const beside = accessOf([old], root(1, "d"));
		expect(statesOf(beside, create(allow(is("a"))), remove(old))).toEqual(["loses a after 1 before 0"]);
	});

	it("of which one is alone are not judged", () => {
		expect(statesOf(accessOf([old]), remove(old))).toEqual([]);
		expect(statesOf(accessOf([old]), remove(old), (access) => access)).toEqual([]);
	});

	it("have nothing to judge where the policies are unknown", () => {
		const unread: AccessState = { ...accessOf([old]), policies: { known: false, because: { kind: "not-asked" } } };
		expect(statesOf(unread, create(allow(is("a"))), remove(old))).toEqual([]);
		const hide: StepOf = (access) => ({ ...access, users: { known: false, because: { kind: "not-asked" } } });
		expect(statesOf(accessOf([old]), create(allow(is("a"))), remove(old), hide)).toEqual([]);
	});

	it("lose what a credential is allowed that one of them removes, before its user is allowed", () => {
		const old = allow("credentials.any(c, c.public_key == 'b')");
		const without: StepOf = (access) => ({
			...access,
			users: known(people.map((user) => (user.id === "b" ? { ...user, credentials: known([]) } : user))),
		});
		expect(statesOf(accessOf([old]), without, create(allow(is("b"))))).toEqual(["loses b after 0 before 1"]);
	});
});

describe("steps under conditions", () => {
	it("are judged where both touch an activity, and the state says the condition", () => {
		const [first, second] = [allow(is("a"), when(one)), allow(is("a"), when(other))];
		const found = statesOf(
			accessOf([first, second]),
			update(first, { condition: when(other) }),
			update(second, { condition: when(one) }),
		);
		expect(found).toEqual([`loses a after 0 before 1 if ${one}`, `loses a after 1 before 0 if ${other}`]);
	});

	it("are safe where they touch different activities", () => {
		const [first, second] = [allow(is("a"), when(one)), deny(is("a"), when(other))];
		expect(statesOf(accessOf([first, second]), remove(first), remove(second))).toEqual([]);
	});

	it("are judged as if what is not understood were so, and were not", () => {
		const old = open();
		expect(statesOf(accessOf([old]), create({ ...old, id: "copy" }), remove(old))).toEqual([
			"loses a after 1 before 0",
		]);
		expect(statesOf(accessOf([]), create(allow(is("b"))), create({ ...old, effect: "EFFECT_DENY" }))).toEqual([
			"gains b after 0 before 1",
		]);
		const [unclear, same] = [allow(is("a"), when("eth.unknown == 1")), allow(is("a"), when("eth.unknown == 1"))];
		expect(statesOf(accessOf([unclear]), create(same), remove(unclear))).toHaveLength(1);
	});
});

describe("steps that move users of a tag", () => {
	const tags = (tag: string): string => `approvers.any(u, u.tags.contains('${tag}'))`;
	const inTag = (policies: readonly AccessPolicy[]): AccessState => ({
		...accessOf(policies),
		users: known(people.map((user) => (user.id === "a" ? tagged(user, "t1") : user))),
	});

	it("give a user both tags before one of them denies", () => {
		const policies = [allow(tags("t1")), deny(tags("t2"))];
		expect(statesOf(inTag(policies), fill("t1", "a", "b"), fill("t2", "b"))).toEqual(["gains b after 0 before 1"]);
	});

	it("give a user what a tag allows, where another policy counts each credential of a user", () => {
		const [key] = people[0]?.credentials.known ? people[0].credentials.value : [];
		const second = { ...(key as AccessCredential), publicKey: "second" };
		const users = people.map((user) =>
			user.id === "a" ? { ...user, credentials: known([key as AccessCredential, second]) } : user,
		);
		const policies = [allow("credentials.any(c, c.public_key == 'b')"), allow(tags("t1"))];
		expect(statesOf({ ...accessOf(policies), users: known(users) }, fill("t1", "c"), create(deny(is("c"))))).toEqual([
			"gains c after 0 before 1",
		]);
	});

	it("are safe where no policy names the tag that moves", () => {
		expect(statesOf(inTag([allow(tags("t1"))]), fill("t1", "b"), fill("t3", "a"))).toEqual([]);
	});

	it("lose who leaves one tag before the other one is allowed", () => {
		const old = allow(tags("t1"));
		const found = statesOf(inTag([old]), fill("t2", "a"), update(old, { consensus: tags("t2") }));
		expect(found).toEqual(["loses a after 1 before 0"]);
	});
});

describe("many steps", () => {
	const numbers = Array.from({ length: 13 }, (_, number) => number);

	it("are joined to the fewest that make the state worse", () => {
		const old = allow(is("a"));
		const more = [create(allow(is("c"), signing)), create(allow(is("d"), signing))];
		expect(statesOf(accessOf([old]), create(allow(is("a"))), remove(old), ...more)).toEqual([
			"loses a after 1 before 0",
		]);
	});

	const tags = "approvers.any(u, u.tags.contains('t1'))";
	const [allows, denies] = [allow, deny].map((make) => numbers.map(() => make(is("a")))) as [
		AccessPolicy[],
		AccessPolicy[],
	];
	const at = (all: readonly AccessPolicy[], number: number): AccessPolicy => all[number] as AccessPolicy;

	it.each<[what: string, isOneWay: boolean, before: readonly AccessPolicy[], step: (number: number) => StepOf]>([
		["allow more", true, [], () => create(allow(is("a")))],
		["allow less", true, allows, (number) => remove(at(allows, number))],
		["deny more", true, [allow("true")], () => create(deny(is("a")))],
		["deny less", true, denies, (number) => remove(at(denies, number))],
		[
			"allow more and deny less",
			true,
			denies,
			(number) => (number < 6 ? create(allow(is("a"))) : remove(at(denies, number))),
		],
		["allow more and deny more", false, [], (number) => create(number < 6 ? allow(is("a")) : deny(is("a")))],
		[
			"allow more and less",
			false,
			allows,
			(number) => (number < 6 ? create(allow(is("a"))) : remove(at(allows, number))),
		],
		["write another effect", false, [], () => create({ ...allow(is("a")), effect: "EFFECT_NEW" })],
		["give a tag that is allowed", true, [allow(tags)], () => fill("t1", "a")],
		["give a tag that is denied", true, [deny(tags)], () => fill("t1", "a")],
		["give a tag of which users are not allowed", false, [allow(`!${tags}`)], () => fill("t1", "a")],
		["give a tag that is allowed and denied", false, [allow(tags), deny(tags)], () => fill("t1", "a")],
	])("of more than 12 leave no state unchecked where all of them allow more, or all less: those that %s: %s", (_, isOneWay, before, step) => {
		const { unchecked } = findUnsafeStates(accessOf(before), numbers.map(step), atMs);
		expect(unchecked).toEqual(isOneWay ? [] : numbers);
	});

	it("of more than 12 that give a tag to a user and take it from another are not all judged", () => {
		const users = known(people.map((user) => (user.id === "b" ? tagged(user, "t1") : user)));
		const moves = numbers.map(() => fill("t1", "a"));
		expect(findUnsafeStates({ ...accessOf([allow(tags)]), users }, moves, atMs).unchecked).toEqual(numbers);
		const takes = numbers.map(() => fill("t1"));
		expect(findUnsafeStates({ ...accessOf([allow(tags)]), users }, takes, atMs).unchecked).toEqual([]);
	});

	it("of more than 12 are unsafe where one of them has completed, and where one has not", () => {
		const writes = numbers.map((number) => create(number === 0 ? deny(is("b")) : allow(is(number === 1 ? "b" : "c"))));
		expect(statesOf(accessOf([]), ...writes)).toEqual([
			...[`gains b after ${numbers.slice(1)} before 0`, `gains b after 1 before 0,${numbers.slice(2)}`],
			`unchecked ${numbers}`,
		]);
	});

	it("cost no more than their number times that of the policies", () => {
		// Each state is compared with what both ends allow: not with each pair of what one of them allows and the other.
		const written = vi.spyOn(BigInt.prototype, "toString");
		const keysOf = (count: number): number => {
			const ids = Array.from({ length: count }, (_, number) => `u${number}`);
			const users = known(ids.map((id) => ({ ...(people[0] as AccessUser), id })));
			const olds = ids.map((id) => allow(is(id)));
			const steps = olds.map((old, at) => update(old, { consensus: is(ids[(at + 1) % count] as string) }));
			written.mockClear();
			findUnsafeStates({ ...accessOf(olds), users }, steps, atMs);
			return written.mock.calls.length;
		};
		const [few, many] = [keysOf(14), keysOf(28)];
		written.mockRestore();
		expect(many / few).toBeLessThan(5);
	});

	it("of more than 12 are judged where one has completed, or all but one, and the rest is said to be unchecked", () => {
		const olds = numbers.map(() => allow(is("a")));
		const swap = numbers.map((number) => update(olds[number] as AccessPolicy, { consensus: is("b") }));
		const found = findUnsafeStates(accessOf(olds), swap, atMs);
		expect(found.unchecked).toEqual(numbers);
		expect(found.firstUnchecked).toMatchObject({ completed: [0, 1], open: numbers.slice(2) });
		const denies = numbers.map((number) => create(allow(is("a"), when(`eth.tx.nonce == ${number}`))));
		expect(findUnsafeStates(accessOf([]), denies, atMs).unchecked).toEqual([]);
	});
});
