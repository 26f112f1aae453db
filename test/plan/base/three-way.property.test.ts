/**
 * The three-way plan against a definition written apart: a document wants facts, live holds facts, and the three
 * comparisons are plain differences of these sets. Nothing of src/plan is asked for them.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { DocumentChange } from "../../../src/plan/base/document-changes.ts";
import { makeThreeWay } from "../../../src/plan/base/three-way.ts";
import type { DesiredMembers, DesiredOrganization, LiveOrganization } from "../../../src/plan/organization.ts";
import { casesToTry } from "../../case-count.ts";
import { desiredOf, id, known, liveOf, liveTag, sectionsOf, unknown, wantTag } from "../support-organizations.ts";

const settings = casesToTry(1_000);

const users = [0, 1, 2].map((number) => id("user", number));
const tagIds = [0, 1, 2].map((number) => id("tag", number));
const names = ["ann", "ben", "cat", "dan", "eve"];

type Members = { readonly exactly: number } | { readonly atLeast: number; readonly never: number } | null;

interface Wanted {
	readonly name: string;
	readonly foundBy: "id" | "name" | "previously";
	readonly members: Members;
}

/** By tag, what a document wants of it; by object, whether it must not exist. */
interface Document {
	readonly tags: readonly (Wanted | null)[];
	readonly absent: readonly boolean[];
	readonly deployment: string | null;
}

interface Live {
	readonly names: readonly string[];
	readonly members: readonly number[];
	readonly there: readonly boolean[];
	readonly deployment: string;
}

/** A policy, a provider and an app, by the address that they have in both documents. */
const objects = [`policy:${id("policy", 1)}`, `oauthProvider:owner/${id("provider", 1)}`, `tvcApp:${id("app", 1)}`];
const proof = `bootProof:${id("app", 9)}`;

const bits = fc.nat(7);
const members: fc.Arbitrary<Members> = fc.oneof(
	fc.constant(null),
	bits.map((exactly) => ({ exactly })),
	fc.tuple(bits, bits).map(([atLeast, other]) => ({ atLeast, never: other & ~atLeast })),
);
const three = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 3, maxLength: 3 });
const fiveNames = fc.shuffledSubarray(names, { minLength: 3, maxLength: 3 });

/** A document for live tags of these names; it may want any names, found in any way that means the tag it is about. */
function documents(live: readonly string[]): fc.Arbitrary<Document> {
	return fc
		.record({
			names: fc.oneof(fc.constant([...live]), fiveNames),
			found: three(fc.constantFrom("id", "name", "previously") as fc.Arbitrary<Wanted["foundBy"]>),
			members: three(members),
			managed: three(fc.boolean()),
			absent: three(fc.boolean()),
			deployment: fc.constantFrom(null, "one", "two", "three"),
		})
		.map((random) => ({
			absent: random.absent,
			deployment: random.deployment,
			tags: live.map((held, index): Wanted | null => {
				const name = random.names[index] ?? "";
				if (random.managed[index] !== true) return null;
				const free = !live.includes(name);
				const foundBy = name === held ? random.found[index] : free ? "previously" : "id";
				return {
					name,
					foundBy: random.found[index] === "id" ? "id" : (foundBy ?? "id"),
					members: random.members[index] ?? null,
				};
			}),
		}));
}

const worlds = fiveNames
	.chain((held) =>
		fc.record({
			live: fc.record({
				names: fc.constant(held),
				members: three(bits),
				there: three(fc.boolean()),
				deployment: fc.constantFrom("one", "two"),
			}),
			base: documents(held),
			head: documents(held),
			// The base as often as not is what live is, or what the head is: else everything differs from everything.
			kept: fc.boolean(),
			readable: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
		}),
	)
	.map(({ base, head, kept, ...rest }) => ({
		...rest,
		head,
		base: kept ? { ...base, tags: head.tags, absent: head.absent } : base,
	}));

const usersOf = (set: number): string[] => users.filter((_, number) => (set & (1 << number)) !== 0);

function membersOf(wanted: Members): { members?: DesiredMembers } {
	if (wanted === null) return {};
	if ("exactly" in wanted) return { members: { mode: "exactly", exactly: usersOf(wanted.exactly) } };
	return { members: { mode: "atLeast", atLeast: usersOf(wanted.atLeast), never: usersOf(wanted.never) } };
}

function desiredOfDocument({ tags, absent, deployment }: Document, { names: held }: Live): DesiredOrganization {
	const listed = (index: number, value: string): string[] => (absent[index] === true ? [value] : []);
	return desiredOf({
		users: { owner: id("user", 9) },
		userTags: tags
			.flatMap((wanted, index) => {
				if (wanted === null) return [];
				const way = {
					id: { id: tagIds[index] ?? "" },
					name: {},
					previously: { previously: [held[index] ?? ""] },
				}[wanted.foundBy];
				return [wantTag(wanted.name, { ...way, ...membersOf(wanted.members) })];
			})
			.sort((left, right) => (left.name < right.name ? -1 : 1)),
		absent: {
			policyIds: listed(0, id("policy", 1)),
			oauthProviders: absent[1] === true ? [{ userId: id("user", 9), providerIds: [id("provider", 1)] }] : [],
			tvcAppIds: listed(2, id("app", 1)),
		},
		expect: {
			...sectionsOf(desiredOf()).expect,
			bootProofs:
				deployment === null
					? []
					: [{ appId: id("app", 9), fields: { deploymentLabel: deployment }, at: wantTag("x").at }],
		},
	});
}

function liveOfWorld(live: Live, readable: boolean): LiveOrganization {
	const listed = (index: number, found: string) => (live.there[index] === true ? [{ id: found, name: "n" }] : []);
	return liveOf({
		userTags: known(
			live.names.map((name, index) =>
				liveTag(index, name, { members: readable ? known(usersOf(live.members[index] ?? 0)) : unknown }),
			),
		),
		policies: known(listed(0, id("policy", 1))),
		oauthProviders: known(listed(1, id("provider", 1)).map((one) => ({ ...one, userId: id("user", 9) }))),
		tvcApps: known(listed(2, id("app", 1))),
		bootProofs: { [id("app", 9)]: known({ deploymentLabel: live.deployment }) },
	});
}

/** Facts that a document wants: `name|tag|…`, `in|tag|user`, `out|tag|user`, `gone|object`, `label|…`. */
function wants({ tags, absent, deployment }: Document): Set<string> {
	const facts = new Set<string>();
	for (const [index, wanted] of tags.entries()) {
		if (wanted === null) continue;
		facts.add(`name|${index}|${wanted.name}`);
		if (wanted.members === null) continue;
		const { exactly, atLeast, never } = { exactly: 0, atLeast: 0, never: 0, ...wanted.members };
		for (const [user, bit] of [1, 2, 4].entries()) {
			if (((exactly | atLeast) & bit) !== 0) facts.add(`in|${index}|${user}`);
			else if ("exactly" in wanted.members || (never & bit) !== 0) facts.add(`out|${index}|${user}`);
		}
	}
	for (const [index, gone] of absent.entries()) if (gone) facts.add(`gone|${index}`);
	if (deployment !== null) facts.add(`label|${deployment}`);
	return facts;
}

/** Facts that hold; of members that cannot be read neither `in` nor `out` is a fact. */
function holds(live: Live, readable: boolean): Set<string> {
	const facts = new Set<string>([`label|${live.deployment}`]);
	for (const [index, name] of live.names.entries()) facts.add(`name|${index}|${name}`);
	for (const [index, set] of readable ? live.members.entries() : []) {
		for (const [user, bit] of [1, 2, 4].entries()) facts.add(`${(set & bit) === 0 ? "out" : "in"}|${index}|${user}`);
	}
	for (const [index, there] of live.there.entries()) if (!there) facts.add(`gone|${index}`);
	return facts;
}

const minus = (left: ReadonlySet<string>, right: ReadonlySet<string>): string[] =>
	[...left].filter((fact) => !right.has(fact)).sort();

interface Told {
	readonly address: string;
	readonly tagId: string | null;
	readonly what: string;
	readonly userId: string | null;
	readonly before: unknown;
	readonly after: unknown;
}

/** Returns the facts of the document that the differences are about. */
function factsOf(differences: readonly Told[]): string[] {
	return differences
		.filter(({ what }) => what !== "problem")
		.map(({ address, tagId, what, userId, before, after }) => {
			const tag = tagIds.indexOf(tagId ?? "");
			const user = users.indexOf(userId ?? "");
			if (what === "rename") return `name|${tag}|${after}`;
			// Of drift, `before` is what the document says.
			if (what === "renamed") return `name|${tag}|${before}`;
			if (["add-member", "member-lost", "member"].includes(what)) return `in|${tag}|${user}`;
			if (["remove-member", "member-gained", "no-member", "never"].includes(what)) return `out|${tag}|${user}`;
			if (["remove", "is-there", "absent"].includes(what)) return `gone|${objects.indexOf(address)}`;
			expect([address, what]).toEqual([proof, "field"]);
			return `label|${before}`;
		})
		.sort();
}

/** The same of what a change of the document means: there `after` is what the head wants. */
function factsMeant(differences: readonly DocumentChange[]): string[] {
	return factsOf(differences.map((one) => ({ ...one, before: one.after })));
}

/** What the head says that the base does not, and the other way round, list by list, without a thought of live. */
function meantOf(base: Document, head: Document): string[] {
	const told: string[] = [];
	const list = (word: string, tag: number, before: number, after: number): void => {
		for (const [user, bit] of [1, 2, 4].entries()) {
			if ((before & bit) < (after & bit)) told.push(`${word}|${tag}|${user}`);
			if ((before & bit) > (after & bit)) told.push(`no-${word}|${tag}|${user}`);
		}
	};
	for (const [tag, is] of head.tags.entries()) {
		const was = base.tags[tag] ?? null;
		if (is === null && was !== null) told.push(`unmanaged|${tag}`);
		if (is === null) continue;
		if (was === null) told.push(`managed|${tag}`);
		else if (was.name !== is.name) told.push(`renamed|${tag}|${was.name}|${is.name}`);
		const mode = (members: Members | undefined): string => Object.keys(members ?? { none: 0 })[0] ?? "";
		if (mode(was?.members) !== mode(is.members)) told.push(`mode|${tag}`);
		const none = { exactly: 0, atLeast: 0, never: 0 };
		const [before, after] = [was?.members, is.members].map((one) => ({ ...none, ...one }));
		list("member", tag, (before?.exactly ?? 0) | (before?.atLeast ?? 0), (after?.exactly ?? 0) | (after?.atLeast ?? 0));
		list("never", tag, before?.never ?? 0, after?.never ?? 0);
	}
	for (const [index, gone] of head.absent.entries()) {
		if (gone !== base.absent[index]) told.push(`${gone ? "absent" : "not-absent"}|${index}`);
	}
	if (base.deployment !== head.deployment) {
		if (base.deployment === null) told.push("expected");
		told.push(head.deployment === null ? "not-expected" : `label|${base.deployment}|${head.deployment}`);
	}
	return told.sort();
}

function tell({ address, tagId, what, userId, before, after }: DocumentChange): string {
	const tag = tagIds.indexOf(tagId ?? "");
	if (what === "renamed") return `renamed|${tag}|${before}|${after}`;
	if (what === "members-mode") return `mode|${tag}`;
	if (userId !== null) return `${what}|${tag}|${users.indexOf(userId)}`;
	if (what === "managed" || what === "unmanaged") return `${what}|${tag}`;
	if (what === "absent" || what === "not-absent") return `${what}|${objects.indexOf(address)}`;
	return what === "field" ? `label|${before}|${after}` : what;
}

it("separates changes of the document, drift and what apply does, as three plain differences say", () => {
	const seen = {
		reverted: 0,
		accepted: 0,
		replaced: 0,
		remains: 0,
		alreadyInSync: 0,
		documentChanges: 0,
		nothing: 0,
		unreadable: 0,
	};
	fc.assert(
		fc.property(worlds, ({ live, base, head, readable }) => {
			const desired = desiredOfDocument(head, live);
			const before = { name: "main", desired: desiredOfDocument(base, live) };
			const found = makeThreeWay(before, desired, liveOfWorld(live, readable));
			const [wanted, formerly, holding] = [wants(head), wants(base), holds(live, readable)];
			// It is unknown whether members that cannot be read drifted.
			const isKnown = (fact: string): boolean => readable || !/^(in|out)/.test(fact);
			const drift = minus(formerly, holding).filter(isKnown);
			const planned = minus(wanted, holding);
			const isReport = (fact: string): boolean => fact.startsWith("label");
			/** What a fact is about: two facts about the same contradict each other. */
			const about = (fact: string): string =>
				fact.replace(/^(in|out)/, "member").replace(/^(name\|.).*|^(label).*/, "$1$2");
			const abouts = new Set(planned.map(about));

			expect(found.documentChanges.map(tell).sort()).toEqual(meantOf(base, head));
			expect(factsOf(found.drifted)).toEqual(drift);
			const both = drift.filter((fact) => planned.includes(fact));
			expect(factsOf(found.reverts)).toEqual(both.filter((fact) => !isReport(fact)));
			expect(factsOf(found.accepted)).toEqual(drift.filter((fact) => !abouts.has(about(fact))));
			const inFate = (fate: string) => factsOf(found.drifted.filter((one) => one.fate === fate));
			expect(inFate("reverted")).toEqual(factsOf(found.reverts));
			expect(inFate("remains")).toEqual(both.filter(isReport));
			const replaced = drift.filter((fact) => abouts.has(about(fact)) && !planned.includes(fact));
			expect(inFate("replaced")).toEqual(replaced);
			// What apply reverts is never among what the change means.
			const newly = minus(wanted, formerly);
			expect(newly.filter((fact) => factsOf(found.reverts).includes(fact))).toEqual([]);

			const demands = ["renamed", "member", "no-member", "never", "absent", "field"];
			// A user that is no longer wanted and also forbidden gives the same fact twice.
			const told = new Set(factsMeant(found.alreadyInSync));
			expect([...told]).toEqual([
				...new Set(
					factsMeant(found.documentChanges.filter(({ what }) => demands.includes(what))).filter(
						(fact) => wanted.has(fact) && holding.has(fact),
					),
				),
			]);

			for (const fate of ["reverted", "accepted", "replaced", "remains"] as const) seen[fate] += inFate(fate).length;
			seen.alreadyInSync += told.size;
			seen.documentChanges += found.documentChanges.length;
			if (found.documentChanges.length + found.drifted.length === 0) seen.nothing += 1;
			if (!readable) seen.unreadable += 1;
		}),
		settings,
	);
	for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
});
