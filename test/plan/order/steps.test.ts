/** Steps: one activity for all that belongs together, in an order in which names are free when they are taken. */
import { describe, expect, it } from "vitest";
import { diff } from "../../../src/plan/diff.ts";
import { coveredAddresses, type Step } from "../../../src/plan/step.ts";
import { makeSteps } from "../../../src/plan/steps.ts";
import { stepText } from "../../../src/say/steps.ts";
import { desiredOf, id, known, liveOf, liveTag, parametersOf, wantTag } from "../support-organizations.ts";

const [alice, bob] = [id("user", 1), id("user", 2)];

/** Live tags by number, and for some of them the name that they shall have. */
function renames(live: readonly string[], wanted: Readonly<Record<string, string>>): readonly Step[] {
	const tags = live.map((name, index) => liveTag(index + 1, name));
	const userTags = tags.flatMap((tag) => {
		const name = wanted[tag.name];
		return name === undefined ? [] : [wantTag(name, { id: tag.id })];
	});
	const { changes, problems } = diff(desiredOf({ userTags }), liveOf({ userTags: known(tags) }));
	expect(problems).toEqual([]);
	return makeSteps(changes, tags);
}

/** `step-1: a -> b after step-2`, by the names that live tags have at first. */
function told(live: readonly string[], steps: readonly Step[]): readonly string[] {
	return steps.map(({ id: step, dependsOn, ...request }) => {
		const parameters = parametersOf(request);
		const name = live[Number(String(parameters.userTagId).slice(1, 8)) - 1];
		const after = dependsOn.length === 0 ? "" : ` after ${dependsOn.join(" and ")}`;
		return `${step}: ${name} -> ${parameters.newUserTagName}${after}`;
	});
}

const temporary = (number: number): string => `orgsync-temporary-${id("tag", number).slice(0, 8)}`;

describe("renames", () => {
	it.each<[string, readonly string[], Readonly<Record<string, string>>, readonly string[]]>([
		["one alone", ["a"], { a: "b" }, ["step-1: a -> b"]],
		[
			"two that have nothing to do with each other",
			["a", "b"],
			{ a: "x", b: "y" },
			["step-1: a -> x", "step-2: b -> y"],
		],
		[
			"a chain runs from its free end",
			["a", "b", "c"],
			{ a: "b", b: "c", c: "d" },
			["step-1: c -> d", "step-2: b -> c after step-1", "step-3: a -> b after step-2"],
		],
		[
			"a cycle of two has one step aside",
			["a", "b"],
			{ a: "b", b: "a" },
			[`step-1: b -> ${temporary(2)}`, "step-2: a -> b after step-1", "step-3: b -> a after step-1 and step-2"],
		],
		[
			"a cycle of three has one step aside",
			["a", "b", "c"],
			{ a: "b", b: "c", c: "a" },
			[
				`step-1: c -> ${temporary(3)}`,
				"step-2: b -> c after step-1",
				"step-3: a -> b after step-2",
				"step-4: c -> a after step-1 and step-3",
			],
		],
		[
			"two cycles step aside on their own",
			["a", "b", "c", "d"],
			{ a: "b", b: "a", c: "d", d: "c" },
			[
				`step-1: b -> ${temporary(2)}`,
				`step-2: d -> ${temporary(4)}`,
				"step-3: a -> b after step-1",
				"step-4: c -> d after step-2",
				"step-5: b -> a after step-1 and step-3",
				"step-6: d -> c after step-2 and step-4",
			],
		],
		[
			"a chain beside a cycle does not wait for it",
			["a", "b", "c", "d"],
			{ a: "b", b: "a", c: "d", d: "e" },
			[
				`step-1: b -> ${temporary(2)}`,
				"step-2: a -> b after step-1",
				"step-3: d -> e",
				"step-4: c -> d after step-3",
				"step-5: b -> a after step-1 and step-2",
			],
		],
	])("%s", (_what, live, wanted, steps) => {
		expect(told(live, renames(live, wanted))).toEqual(steps);
	});

	it("use no temporary name that a tag has or shall have", () => {
		const live = ["a", "b", temporary(2)];
		const [aside] = renames(live, { a: "b", b: "a", [temporary(2)]: `${temporary(2)}-2` }).map(parametersOf);
		expect(aside?.newUserTagName).toBe(`${temporary(2)}-3`);
	});

	it("give two tags whose ids begin alike two temporary names", () => {
		const tags = [1, 2, 3, 4].map((number) => ({
			...liveTag(number, `tag ${number}`),
			id: id("tag", 7).slice(0, -1) + number,
		}));
		const userTags = [2, 1, 4, 3].map((number, index) => wantTag(`tag ${number}`, { id: tags[index]?.id ?? "" }));
		const { changes } = diff(desiredOf({ userTags }), liveOf({ userTags: known(tags) }));
		const names = makeSteps(changes, tags).map((step) => parametersOf(step).newUserTagName);
		expect(names.slice(0, 2)).toEqual([temporary(7), `${temporary(7)}-2`]);
	});

	it("carry the members of the tag in its last step, and none while it steps aside", () => {
		const tags = [liveTag(1, "a", { members: known([bob]) }), liveTag(2, "b", { members: known([bob]) })];
		const members = { mode: "exactly", exactly: [alice] } as const;
		const userTags = [wantTag("b", { id: id("tag", 1), members }), wantTag("a", { id: id("tag", 2), members })];
		const { changes } = diff(desiredOf({ userTags }), liveOf({ userTags: known(tags) }));
		expect(makeSteps(changes, tags).map(({ parameters }) => parameters)).toEqual([
			{ userTagId: id("tag", 2), newUserTagName: temporary(2), addUserIds: [], removeUserIds: [] },
			{ userTagId: id("tag", 1), newUserTagName: "b", addUserIds: [alice], removeUserIds: [bob] },
			{ userTagId: id("tag", 2), newUserTagName: "a", addUserIds: [alice], removeUserIds: [bob] },
		]);
	});
});

describe("steps", () => {
	it("come as renames, members, OAuth providers by user, policies at once, apps one by one, with their ids sorted", () => {
		const desired = desiredOf({
			users: { zoe: alice, adam: bob },
			userTags: [
				wantTag("officers", { previously: ["signers"] }),
				wantTag("auditors", { members: { mode: "exactly", exactly: [alice] } }),
			],
			absent: {
				policyIds: [id("policy", 2), id("policy", 1)],
				oauthProviders: [
					{ userId: alice, providerIds: [id("provider", 3)] },
					{ userId: bob, providerIds: [id("provider", 2), id("provider", 1)] },
				],
				tvcAppIds: [id("app", 2), id("app", 1)],
			},
		});
		const named = (one: string): { id: string; name: string } => ({ id: one, name: one });
		const tags = [liveTag(1, "signers"), liveTag(2, "auditors", { members: known([bob]) })];
		const live = liveOf({
			userTags: known(tags),
			policies: known([named(id("policy", 1)), named(id("policy", 2)), named(id("policy", 3))]),
			oauthProviders: known([
				{ userId: alice, ...named(id("provider", 3)) },
				{ userId: bob, ...named(id("provider", 1)) },
				{ userId: bob, ...named(id("provider", 2)) },
			]),
			tvcApps: known([named(id("app", 1)), named(id("app", 2))]),
		});
		const steps = makeSteps(diff(desired, live).changes, tags);
		expect(steps.map(({ operation, parameters }) => [operation, parameters])).toEqual([
			["update_user_tag", { userTagId: id("tag", 1), newUserTagName: "officers", addUserIds: [], removeUserIds: [] }],
			["update_user_tag", { userTagId: id("tag", 2), addUserIds: [alice], removeUserIds: [bob] }],
			["delete_oauth_providers", { userId: bob, providerIds: [id("provider", 1), id("provider", 2)] }],
			["delete_oauth_providers", { userId: alice, providerIds: [id("provider", 3)] }],
			["delete_policies", { policyIds: [id("policy", 1), id("policy", 2)] }],
			["delete_tvc_app_and_deployments", { appId: id("app", 1) }],
			["delete_tvc_app_and_deployments", { appId: id("app", 2) }],
		]);
		expect(steps.map((step) => step.id)).toEqual([1, 2, 3, 4, 5, 6, 7].map((number) => `step-${number}`));
		expect(steps.every(({ dependsOn }) => dependsOn.length === 0)).toBe(true);
		expect(steps.map(({ covers }) => covers.length)).toEqual([1, 1, 2, 1, 2, 1, 1]);
		expect([...coveredAddresses(steps)].sort()).toEqual(
			diff(desired, live)
				.changes.map(({ address }) => address)
				.sort(),
		);
		expect(steps.map(stepText)).toEqual([
			"rename `signers` to `officers`",
			"change who has `auditors`",
			"remove 2 OAuth providers of one user",
			"remove an OAuth provider",
			"remove 2 policies at once",
			"remove a TVC app and all its deployments",
			"remove a TVC app and all its deployments",
		]);
	});

	it("are none for what can only be reported", () => {
		const desired = desiredOf({
			expect: {
				sessionProfiles: [{ id: id("other", 1), fields: { name: "x" }, at: { file: "f", line: 1, column: 1 } }],
				mfaPolicies: [],
				bootProofs: [],
				supportedAssets: [],
			},
		});
		const { changes } = diff(desired, liveOf({ sessionProfiles: { [id("other", 1)]: known(null) } }));
		expect(changes.length).toBe(1);
		expect(makeSteps(changes, [])).toEqual([]);
	});
});
