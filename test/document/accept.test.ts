import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Acceptance, type AcceptInput, acceptLive, addressMistake } from "../../src/document/edit/accept.ts";
import { differingAddresses } from "../../src/document/edit/accept-selection.ts";
import { parseDocuments } from "../../src/document/read/parse.ts";
import type { PendingActivity } from "../../src/plan/activities/pending.ts";
import { narrow, type Selection } from "../../src/plan/only.ts";
import type { LiveOrganization } from "../../src/plan/organization.ts";
import { makePlan } from "../../src/plan/plan.ts";
import {
	context,
	id,
	known,
	liveOf,
	liveTag,
	organizationId,
	unknown,
	withLive,
} from "../plan/support-organizations.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];

/** The live state that each golden document is compared with. */
const live = liveOf({
	userTags: known([
		liveTag(1, "signers", { members: known([alice, carol]) }),
		liveTag(2, "oncall", { members: known([bob]) }),
		liveTag(3, "auditors"),
		liveTag(4, "empty", { members: known([alice]) }),
		liveTag(5, "it's ${HOME}: #1\u202e", { members: known([]) }),
	]),
	policies: known([1, 2].map((number) => ({ id: id("policy", number), name: "" }))),
	oauthProviders: known([
		{ userId: bob, id: id("provider", 1), name: "" },
		{ userId: alice, id: id("provider", 2), name: "" },
	]),
	tvcApps: known([{ id: id("app", 1), name: "" }]),
	sessionProfiles: {
		[id("other", 1)]: known({ sessionProfileName: "default", scope: "it's", expirationSeconds: "1800", notes: null }),
		[id("other", 2)]: known(null),
		[id("other", 3)]: known({ sessionProfileName: "third" }),
	},
	mfaPolicies: {
		[alice]: known([
			{
				mfaPolicyName: "passkey-first",
				order: 1,
				condition: 'activity.type == "A: #b"',
				requiredAuthenticationMethods: [
					{ any: [{ type: "AUTHENTICATION_TYPE_PASSKEY" }] },
					{
						any: [
							{ type: "AUTHENTICATION_TYPE_SESSION", id: "${X}" },
							{ type: "AUTHENTICATION_TYPE_API_KEY", id: "" },
						],
					},
				],
			},
			{ mfaPolicyId: id("other", 4), mfaPolicyName: "second", requiredAuthenticationMethods: [] },
		]),
	},
	bootProofs: { [id("app", 1)]: known({ deploymentLabel: "prod-42", owner: "acme" }), [id("app", 2)]: known(null) },
	supportedAssets: {
		"eip155:1": known([
			{ symbol: "ETH", decimals: 18, stable: false, earnProviders: ["EARN_PROVIDER_ALPHA", "EARN_PROVIDER_AAVE"] },
		]),
		"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": known([]),
	},
});

interface Options {
	readonly against?: LiveOrganization;
	readonly environment?: Readonly<Record<string, string>>;
	readonly only?: readonly Selection[];
	readonly waiting?: readonly PendingActivity[];
}

function compare(texts: Readonly<Record<string, string>>, options: Options): AcceptInput[] {
	const sources = Object.entries(texts).map(([file, content]) => ({ file, content }));
	const { organizations, problems } = parseDocuments(sources, options.environment ?? {});
	expect(problems).toEqual([]);
	return organizations.map((whole) => {
		const desired = options.only === undefined ? whole : narrow(whole, options.only);
		const against = options.against ?? live;
		return { desired, live: against, plan: makePlan(desired, against, { ...context, waiting: options.waiting ?? [] }) };
	});
}

function accept(
	texts: Readonly<Record<string, string>>,
	patterns: readonly string[],
	options: Options = {},
): Acceptance {
	const sources = Object.entries(texts).map(([file, content]) => ({ file, content }));
	return acceptLive(sources, compare(texts, options), patterns, { environment: options.environment ?? {} });
}

/** Returns the document `d.yaml` after accepting. Throws refusals. */
function acceptInto(text: string, patterns: readonly string[], options: Options = {}): string {
	const acceptance = accept({ "d.yaml": text }, patterns, options);
	if ("refusals" in acceptance) throw new Error(acceptance.refusals.join("\n"));
	return acceptance.contents.get("d.yaml") ?? text;
}

/** Returns the refusals. Fails the test if the text was accepted. */
function refusalsOf(text: string, patterns: readonly string[], options: Options = {}): readonly string[] {
	const acceptance = accept({ "d.yaml": text }, patterns, options);
	return "refusals" in acceptance ? acceptance.refusals : [`accepted:\n${acceptance.contents.get("d.yaml")}`];
}

const head = `organizationId: ${organizationId}\nusers: { alice: ${alice}, bob: ${bob}, carol: ${carol} }\n`;

describe("a member with a window", () => {
	/** Around the time of the plans. */
	const [past, future] = ["2025-12-31T00:00:00Z", "2026-02-01 Europe/Berlin"];
	const tag = (name: string, members: string): string =>
		`${head}userTags:\n  - name: ${name}\n    members: ${members}\n`;
	const membersOf = (text: string): string => /members: (.*)\n$/s.exec(text)?.[1] ?? "";

	test.each([
		["exactly", "the user is out", "oncall", `[bob, { user: alice, until: ${past} }]`, "[bob]"],
		["exactly", "the user still has the tag", "oncall", `[alice, { user: bob, until: ${past} }]`, "[]"],
		["atLeast", "the user is out", "oncall", `[bob, { user: alice, until: ${past}, reason: x }]`, "[bob]"],
	])("whose access expired leaves the document, in %s where %s", (mode, _, name, before, after) => {
		const text = acceptInto(tag(name, `{ ${mode}: ${before} }`), [`userTag:${name}`]);
		expect(membersOf(text)).toBe(`{ ${mode}: ${after} }`);
	});

	test("whose access expired and who still has the tag stays in atLeast: without the entry it would be permanent", () => {
		const text = tag("oncall", `{ atLeast: [{ user: bob, until: ${past} }] }`);
		expect(refusalsOf(text, ["userTag:oncall"])).toEqual([
			"cannot accept userTag:oncall: access that expired cannot be accepted, because that would make it permanent; to keep it, change its `until`",
		]);
		const entry = `{ user: bob, until: ${past} }`;
		const two = (other: string): string =>
			`${tag("oncall", `{ atLeast: [${entry}] }`)}  - { name: signers, members: { atLeast: [${other}] } }\n`;
		expect(acceptInto(two(`carol, ${entry}`), ["userTag:*"])).toBe(two("carol"));
		const both = tag("signers", `{ atLeast: [bob, { user: carol, until: ${past} }] }`);
		expect(membersOf(acceptInto(both, ["userTag:signers"]))).toBe(`{ atLeast: [{ user: carol, until: ${past} }] }`);
	});

	test("whose access expired is written without a window in no mode, beside others who are", () => {
		const text = tag(
			"signers",
			`\n      exactly:\n        - { user: carol, until: ${past} } # covers\n        - bob # stays`,
		);
		const after = acceptInto(text, ["userTag:*"]);
		expect(membersOf(after)).toBe("\n      exactly:\n        - alice");
		const [{ plan } = {}] = compare({ "d.yaml": after }, {});
		expect(plan?.changes).toMatchObject([{ addUserIds: [], removeUserIds: [carol] }]);
	});

	test("who has the tag before the window begins keeps its end, and loses its beginning", () => {
		const window = (user: string): string =>
			`{ user: ${user}, from: 2026-01-15T00:00:00Z, until: ${future}, reason: "a: b" }`;
		const ended = `{ user: bob, until: ${future}, reason: "a: b" }`;
		for (const mode of ["exactly", "atLeast"]) {
			const text = acceptInto(tag("oncall", `{ ${mode}: [${window("bob")}] }`), ["userTag:oncall"]);
			expect(membersOf(text)).toBe(`{ ${mode}: [${ended}] }`);
		}
		const endless = tag("oncall", "{ atLeast: [{ user: bob, from: 2026-01-15T00:00:00Z }] }");
		expect(membersOf(acceptInto(endless, ["userTag:oncall"]))).toBe("{ atLeast: [bob] }");
	});

	test("whose access is open, or begins later, is left alone where live agrees, and removed where live lacks the user", () => {
		const open = `{ user: bob, until: ${future} }`;
		const later = "{ user: alice, from: 2026-01-15T00:00:00Z }";
		const text = tag("oncall", `{ exactly: [${open}, ${later}, carol] }`);
		expect(membersOf(acceptInto(text, ["userTag:oncall"]))).toBe(`{ exactly: [${open}, ${later}] }`);
		const lacking = tag("oncall", `{ exactly: [bob, { user: carol, until: ${future} }] }`);
		expect(membersOf(acceptInto(lacking, ["userTag:oncall"]))).toBe("{ exactly: [bob] }");
		expect(refusalsOf(tag("oncall", `{ exactly: [${open}] }`), ["userTag:oncall"])).toEqual([
			"nothing to accept at userTag:oncall; no differences",
		]);
	});

	test("leaves the document by its own lines, and other tags with windows stay as they are", () => {
		const expired = (name: string, lines: string): string =>
			`  - name: ${name}\n    members:\n      atLeast:\n${lines}`;
		const other = expired("signers", `        - { user: carol, until: ${past} }\n`);
		const text = `${head}userTags:\n${expired("oncall", `        - bob\n        - user: alice\n          until: ${past}\n`)}${other}`;
		expect(acceptInto(text, ["userTag:oncall"])).toBe(
			`${head}userTags:\n${expired("oncall", "        - bob\n")}${other}`,
		);
	});

	test("whose access expired stays where members cannot be read: only the entry removes the user", () => {
		const blind = liveOf({ userTags: known([liveTag(2, "oncall", { members: unknown })]) });
		const text = tag("oncall", `{ exactly: [{ user: bob, until: ${past} }] }`);
		expect(refusalsOf(text, ["userTag:oncall"], { against: blind })[0]).toContain("live state is unknown");
	});
});

describe("a golden document", () => {
	const names = ["members-flow", "members-lines", "renamed", "not-there", "absent", "expected"];
	const read = (name: string): string =>
		readFileSync(new URL(`../golden/accept/${name}.yaml`, import.meta.url), "utf8");
	const everything = (text: string): readonly string[] =>
		compare({ "d.yaml": text }, {}).flatMap(({ plan }) => differingAddresses(plan));

	test.each(names)("%s describes live state afterwards, and is otherwise unchanged", async (name) => {
		const before = read(`${name}.before`);
		const after = acceptInto(before, everything(before));
		await expect(after).toMatchFileSnapshot(`../golden/accept/${name}.after.yaml`);
		expect(everything(after)).toEqual([]);
	});

	test.each(names)("%s keeps other line endings, a byte order mark and a missing last line ending", (name) => {
		const before = read(`${name}.before`);
		const after = read(`${name}.after`);
		const variants: readonly ((text: string) => string)[] = [
			(text) => text.replaceAll("\n", "\r\n"),
			(text) => `\uFEFF${text}`,
			(text) => text.replace(/\n$/, ""),
			(text) => `\uFEFF${text.replaceAll("\n", "\r\n").replace(/\r\n$/, "")}`,
		];
		for (const variant of variants) expect(acceptInto(variant(before), everything(before))).toBe(variant(after));
	});

	test.each(names)("%s has the same result when its addresses are accepted one at a time", (name) => {
		let text = read(`${name}.before`);
		for (let left = everything(text); left.length > 0; left = everything(text))
			text = acceptInto(text, [left.at(-1) ?? ""]);
		expect(everything(text)).toEqual([]);
	});
});

describe("acceptLive", () => {
	const tags = `${head}userTags:
  - { name: signers, members: { exactly: [alice] } }
  - { name: oncall, members: { exactly: [] } }
  - { name: gone }
`;

	test("accepts what an address or pattern names, and nothing else", () => {
		expect(acceptInto(tags, ["userTag:signers"])).toBe(tags.replace("[alice]", "[alice, carol]"));
		expect(acceptInto(tags, ["userTag:on*", "userTag:gon?"])).toBe(
			tags.replace("exactly: []", "exactly: [bob]").replace("  - { name: gone }\n", ""),
		);
	});

	test("takes a name with a star as an address before it takes it as a pattern", () => {
		const text = `${head}userTags: [{ name: "a*" }, { name: ab }]\n`;
		expect(acceptInto(text, ["userTag:a*"])).toBe(`${head}userTags: [{ name: ab }]\n`);
	});

	test("reports the line of each change in the new text, one place for each file", () => {
		const absent = (rest: string): string => `organizationId: ${organizationId}\n${rest}`;
		const acceptance = accept(
			{
				"a.yaml": `${tags}absent:\n  policies:\n    - ${id("policy", 1)}\n`,
				"b.yaml": absent(`absent: { policies: [${id("policy", 1)}, ${id("policy", 2)}] }\n`),
				"c.yaml": absent("limits: { policies: 2 }\n"),
			},
			["policy:*", "userTag:gone"],
		);
		expect(acceptance).toMatchObject({
			accepted: [
				{ address: `policy:${id("policy", 1)}`, file: "a.yaml", line: 8 },
				{ address: `policy:${id("policy", 1)}`, file: "b.yaml", line: 2 },
				{ address: `policy:${id("policy", 2)}`, file: "b.yaml", line: 2 },
				{ address: "userTag:gone", file: "a.yaml", line: 6 },
			],
		});
		expect("contents" in acceptance && [...acceptance.contents.keys()]).toEqual(["a.yaml", "b.yaml"]);
	});

	test("reports each organization of a file when both have the same address", () => {
		const text = `${head}userTags: [{ name: gone }]\n---\norganizationId: ${id("org", 2)}\nuserTags: [{ name: gone }]\n`;
		expect(accept({ "d.yaml": text }, ["userTag:gone"])).toMatchObject({
			accepted: [
				{ organizationId, address: "userTag:gone", file: "d.yaml", line: 3 },
				{ organizationId: id("org", 2), address: "userTag:gone", file: "d.yaml", line: 6 },
			],
		});
	});

	test("does not change the other organization of the same file", () => {
		const other = `organizationId: ${id("org", 2)}\nuserTags: [{ name: other }]\n`;
		const text = `${other}---\n${head}userTags: [{ name: gone }, { name: signers }]\n`;
		const [first, second] = compare({ "d.yaml": text }, {});
		const sources = [{ file: "d.yaml", content: text }];
		const agreeing = { ...live, userTags: known([liveTag(1, "other")]) };
		const plan = makePlan(second?.desired ?? first?.desired ?? never(), agreeing, context);
		const compared = [first ?? never(), { desired: second?.desired ?? never(), live: agreeing, plan }];
		const acceptance = acceptLive(sources, compared, ["userTag:gone"], { environment: {} });
		expect("contents" in acceptance && acceptance.contents.get("d.yaml")).toBe(text.replace("{ name: gone }, ", ""));
	});

	test("accepts two tags that swap names, if both are accepted", () => {
		const text = `${head}userTags:
  - { id: ${id("tag", 1)}, name: oncall }
  - { id: ${id("tag", 2)}, name: signers }
`;
		expect(acceptInto(text, ["userTag:*"])).toBe(
			text.replace("oncall", "x").replace("signers", "oncall").replace("x", "signers"),
		);
		expect(refusalsOf(text, ["userTag:oncall"])[1]).toContain("duplicate tag");
	});

	test("moves a member from `never` to `exactly`", () => {
		const text = `${head}userTags: [{ name: signers, members: { exactly: [alice], never: [carol, bob] } }]\n`;
		expect(acceptInto(text, ["userTag:signers"])).toContain("{ exactly: [alice, carol], never: [bob] }");
	});

	test("checks only the objects that --only selects", () => {
		const only: readonly Selection[] = [{ kind: "userTag", glob: "sign*" }];
		const options = { only, against: withLive(live, { policies: unknown }) };
		const text = `${tags}absent: { policies: [${id("policy", 1)}] }\n`;
		expect(acceptInto(text, ["userTag:signers"], options)).toBe(text.replace("[alice]", "[alice, carol]"));
		expect(refusalsOf(text, ["userTag:oncall"], options)).toEqual([
			"nothing to accept at userTag:oncall; differences: userTag:signers",
		]);
	});
});

describe("a comment in a list in brackets", () => {
	const [first, second] = [id("policy", 1), id("policy", 3)];
	const absent = (...lines: readonly string[]): string => `${head}absent:\n  policies:\n${lines.join("\n")}\n`;

	test.each<[string, readonly string[], readonly string[]]>([
		[
			"between an item and its comma stays with the next item",
			[`    [ ${first}`, "      # about the second", `    , ${second}`, "    ]"],
			["    [", "      # about the second", `    ${second}`, "    ]"],
		],
		[
			"between the lines of both stays too",
			["    [", `      ${first} # evil`, "      # about the second", `      , ${second}`, "    ]"],
			["    [", "      # about the second", `      ${second}`, "    ]"],
		],
		[
			"stays where the comma has a line to itself",
			["    [", `      ${first}`, "      # about the second", "      ,", `      ${second}`, "    ]"],
			["    [", "      # about the second", `      ${second}`, "    ]"],
		],
		[
			"behind the comma stays with it",
			["    [", `      ${first}`, `      , # about the second`, `      ${second}`, "    ]"],
			["    [", "      # about the second", `      ${second}`, "    ]"],
		],
	])("%s", (_why, before, after) => {
		expect(acceptInto(absent(...before), [`policy:${first}`])).toBe(absent(...after));
	});

	const members = (...lines: readonly string[]): string =>
		`${head}userTags:\n  - name: signers\n    members:\n      exactly:\n${lines.join("\n")}\n`;

	test.each<[string, readonly string[], readonly string[]]>([
		[
			"stays with the user before it, the comma between them",
			["        [ alice, # boss", "        ]"],
			["        [ carol, alice, # boss", "        ]"],
		],
		[
			"stays with the user before it, no comma between them",
			["        [ alice # boss", "        ]"],
			["        [ carol, alice # boss", "        ]"],
		],
		[
			"stays with the user before it, the comma on the next line",
			["        [", "          alice # boss", "          , bob", "        ]"],
			["        [", "          alice # boss", "          , carol", "          ,", "        ]"],
		],
	])("%s, when another is added", (_why, before, after) => {
		expect(acceptInto(members(...before), ["userTag:signers"])).toBe(members(...after));
	});
});

describe("an object that a pending activity would change", () => {
	const activity = (policyIds: readonly string[], parts: Partial<PendingActivity> = {}): PendingActivity => ({
		...{
			activityId: id("other", 9),
			fingerprint: "sha256:9",
			state: "pending",
			status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
		},
		...{
			operation: "delete_policies",
			parameters: { policyIds },
			createdAt: null,
			approvedBy: null,
			saidBy: "service",
		},
		...parts,
	});
	const [first, second] = [id("policy", 1), id("policy", 2)];
	const text = `${head}userTags: [{ name: signers, members: { exactly: [bob] } }]\nabsent: { policies: [${first}, ${second}] }\n`;
	const refusal = (policy: string): string =>
		`cannot accept policy:${policy}: activity ${id("other", 9)} is pending and would change this: reject or abandon it first`;

	test.each<[string, readonly string[], readonly string[], readonly string[]]>([
		["by name", ["policy:*"], [first, second], [first, second]],
		["where it is named, whatever else is", [`policy:${first}`, "userTag:*"], [first], [first]],
		["where a pattern fits it alone", [`policy:${first.slice(0, -1)}?`], [first], [first]],
		["where another pattern takes in more", ["policy:*", `policy:${first}`], [first], [first]],
		["where another pattern fits something", ["policy:*", "userTag:*"], [first, second], [first, second]],
	])("is refused %s", (_why, patterns, waits, refused) => {
		expect(refusalsOf(text, patterns, { waiting: [activity(waits)] })).toEqual(refused.map(refusal));
	});

	test("is refused for an activity that changes the same tag differently", () => {
		const parameters = { userTagId: id("tag", 1), addUserIds: [], removeUserIds: [carol] };
		const waiting = [activity([], { operation: "update_user_tag", parameters })];
		expect(refusalsOf(text, ["userTag:signers"], { waiting })[0]).toContain(`activity ${id("other", 9)} is pending`);
	});

	test("is refused while a request for it is in doubt", () => {
		const waiting = [activity([first, id("policy", 3)], { activityId: null, state: "in-doubt" })];
		expect(refusalsOf(text, [`policy:${first}`], { waiting })[0]).toContain("a request for it has no answer");
	});

	test("is skipped, with a reason, if the pattern matches others", () => {
		const acceptance = accept({ "d.yaml": text }, ["policy:*"], { waiting: [activity([second])] });
		expect(acceptance).toMatchObject({ skipped: [{ address: `policy:${second}` }], accepted: [{ line: 4 }] });
		expect("contents" in acceptance && acceptance.contents.get("d.yaml")).toBe(text.replace(`${first}, `, ""));
	});
});

function never(): never {
	throw new Error("there is no such organization");
}

describe("acceptLive changes nothing and names the address", () => {
	const members = (list: string): string => `${head}userTags:\n  - { name: signers, members: { exactly: ${list} } }\n`;

	test.each<[why: string, text: string, pattern: string, because: string, options?: Options]>([
		[
			"if nothing differs",
			members("[alice, carol]"),
			"userTag:signers",
			"nothing to accept at userTag:signers; no differences",
		],
		[
			"if something else differs",
			members("[bob]"),
			"policy:*",
			"nothing to accept at policy:*; differences: userTag:signers",
		],
		[
			"if a member comes from an environment variable",
			members('["${ORGSYNC_VAR_WHO}", alice, carol]'),
			"userTag:signers",
			"cannot accept userTag:signers: userTags[0].members.exactly[0] comes from an environment variable",
			{ environment: { ORGSYNC_VAR_WHO: "bob" } },
		],
		[
			"if a member is written through an alias",
			`${head}userTags: [{ name: signers, members: { exactly: [*who, carol] } }]\n`.replace("alice: ", "alice: &who "),
			"userTag:signers",
			"cannot accept userTag:signers: userTags[0].members.exactly[0] is inside the YAML alias `*who`",
			{ against: { ...live, userTags: known([liveTag(1, "signers", { members: known([carol]) })]) } },
		],
		[
			"if a list has an anchor",
			`${head}userTags: [{ name: signers, members: { exactly: &all [bob] } }, { name: oncall, members: { atLeast: *all } }]\n`,
			"userTag:signers",
			"has the YAML anchor `&all`, which aliases may use",
		],
		[
			"if a list is written through an alias",
			`${head}userTags: [{ name: oncall, members: { exactly: &all [bob] } }, { name: signers, members: { exactly: *all } }]\n`,
			"userTag:signers",
			"is inside the YAML alias `*all`",
		],
		["if a list has a tag", members("!!seq [bob]"), "userTag:signers", "has the YAML tag `tag:yaml.org,2002:seq`"],
		[
			"if live is not known",
			members("[bob]"),
			"userTag:signers",
			"live state is unknown",
			{ against: { ...live, userTags: known([liveTag(1, "signers", { members: unknown })]) } },
		],
		[
			"if live is known from memory alone",
			members("[bob]"),
			"userTag:signers",
			"only the last-applied state is known",
			{
				against: {
					...live,
					userTags: known([liveTag(1, "signers", { members: unknown })]),
					lastApplied: {
						...live.lastApplied,
						userTags: {
							[id("tag", 1)]: {
								name: "signers",
								present: [alice],
								gone: [],
								updatedAt: "1.0",
								appliedAt: "2026-01-01T00:00:00Z",
							},
						},
					},
				},
			},
		],
		[
			"if a policy is not known to be there",
			`${head}absent: { policies: [${id("policy", 1)}] }\n`,
			"policy:*",
			"live state is unknown",
			{ against: withLive(live, { policies: unknown }) },
		],
		[
			"if two live tags could be meant",
			`${head}userTags: [{ name: signatories, previously: [signers, oncall] }]\n`,
			"userTag:signatories",
			"could be either: add its `id`",
		],
		[
			"if another entry means the same live tag",
			`${head}userTags: [{ name: a, id: ${id("tag", 1)} }, { name: b, previously: [signers] }]\n`,
			"userTag:b",
			"keep one",
		],
		[
			"if the tag is protected by the name that it would lose",
			`${head}userTags: [{ name: root, id: ${id("tag", 1)} }]\nprotect: { userTags: [root] }\n`,
			"userTag:root",
			"the tag is protected by this name",
		],
		[
			"if the name comes from the environment",
			`${head}userTags: [{ name: "\${ORGSYNC_VAR_TAG}", id: ${id("tag", 1)} }]\n`,
			"userTag:root",
			"userTags[0].name comes from an environment variable",
			{ environment: { ORGSYNC_VAR_TAG: "root" } },
		],
		[
			"if live has something that a document cannot say",
			`${head}expect: { sessionProfiles: [{ id: ${id("other", 1)}, expirationSeconds: "900" }] }\n`,
			`sessionProfile:${id("other", 1)}`,
			"d.yaml:3: `expirationSeconds` must be a number of seconds",
			{ against: withLive(live, { sessionProfiles: { [id("other", 1)]: known({ expirationSeconds: "soon" }) } }) },
		],
		[
			"if an item shares its line with the dash of another list",
			`${head}expect:\n  mfaPolicies:\n    ? alice\n    : - name: x\n        order: 1\n`,
			"mfaPolicy:alice/x",
			"cannot be edited in place",
		],
	])("%s", (_why, text, pattern, because, options) => {
		expect(refusalsOf(text, [pattern], options).join("\n")).toContain(because);
	});

	test("if the result would still differ from live state", () => {
		const text = members("[alice]");
		const moved = { ...live, userTags: known([liveTag(1, "signers", { members: known([bob]) })]) };
		const compared = compare({ "d.yaml": text }, {}).map((one) => ({ ...one, live: moved }));
		expect(acceptLive([{ file: "d.yaml", content: text }], compared, ["userTag:signers"], { environment: {} })).toEqual(
			{
				refusals: ["accepting it would leave or cause a difference at userTag:signers"],
			},
		);
	});

	test("if one of several addresses cannot be accepted", () => {
		const text = `${head}userTags: [{ name: gone }, { name: "\${ORGSYNC_VAR_TAG}" }]\nabsent: { policies: [${id("policy", 1)}] }\n`;
		expect(refusalsOf(text, ["userTag:*", "policy:*"], { environment: { ORGSYNC_VAR_TAG: "root" } })).toEqual([
			"cannot accept userTag:root: userTags[1].name comes from an environment variable",
		]);
	});
});

test("an address is a kind and a name", () => {
	expect(addressMistake("userTag:sign*")).toBeUndefined();
	for (const wrong of ["userTag", "userTag:", "userTags:signers", "signers", "userTag/signers", ""]) {
		expect(addressMistake(wrong), wrong).toContain("write KIND:NAME");
	}
});
