import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { partsOf } from "../../src/document/export/export.ts";
import { exportProgram } from "../../src/document/export/export-program.ts";
import { programLanguages } from "../../src/document/export/program.ts";
import type { WholeOrganization } from "../../src/plan/organization.ts";
import { resources as definitions } from "../../src/pulumi/resources/resources.ts";
import { casesToTry } from "../case-count.ts";
import { anyCharacter } from "../characters.ts";
import { id, known, type LiveParts, liveOf, liveTag, unknown, withLive } from "../plan/support-organizations.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];

interface Resource {
	readonly type: string;
	readonly properties: Readonly<Record<string, unknown>>;
}

type Resources = ReadonlyMap<string, Resource>;

function wholeOf(names: readonly string[], parts: Partial<LiveParts>): WholeOrganization {
	const users = names.map((name, index) => ({ id: id("user", index + 1), name }));
	return { live: liveOf(parts), users: known(users), sessionProfilesKnown: known(null) };
}

/** The text of a YAML program's value. Fails the test for a reference, which no exported text contains. */
function readText(text: string): string {
	return text.replaceAll(/\$\$|\$\{/g, (found) =>
		found === "$$" ? "$" : expect.unreachable(`a reference in ${text}`),
	);
}

function readValue(value: unknown): unknown {
	if (typeof value === "string") return readText(value);
	if (Array.isArray(value)) return value.map(readValue);
	return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, readValue(item)]));
}

function readYaml(text: string): Resources {
	const { name, runtime, resources } = parse(text) as {
		readonly name: string;
		readonly runtime: string;
		readonly resources?: Readonly<Record<string, Resource>>;
	};
	expect(name).toMatch(/^[A-Za-z0-9_.-]{1,100}$/);
	expect(runtime).toBe("yaml");
	const entries = Object.entries(resources ?? {}).map(([key, { type, properties }]): [string, Resource] => [
		key,
		{ type: type.replace("orgsync:index:", ""), properties: readValue(properties) as Resource["properties"] },
	]);
	return new Map(entries);
}

/** Runs the module with classes that record what is created. It has no types. */
function readTypescript(text: string): Resources {
	const made = new Map<string, Resource>();
	const classOf = (type: string) =>
		class {
			constructor(name: string, properties: Resource["properties"]) {
				expect(made.has(name)).toBe(false);
				made.set(name, { type, properties });
			}
		};
	const code = text.replace('import * as orgsync from "@orgsync/pulumi";\n', "");
	expect(code).not.toBe(text);
	const classes = Object.fromEntries(definitions.map(({ name }) => [name, classOf(name)]));
	new Function("orgsync", `"use strict";\n${code}`)(classes);
	return made;
}

const readers = { "pulumi-yaml": readYaml, "pulumi-typescript": readTypescript };
const commentMarks = { "pulumi-yaml": "#", "pulumi-typescript": "//" };

/** What the resources of user tags have to be. */
function tagsIn(whole: WholeOrganization): readonly object[] {
	const { organizationId, userTags, users } = partsOf(whole);
	const ids = new Map(users);
	return userTags.map(({ name, id: tagId, members }) => ({
		organizationId,
		name,
		tagId,
		...(members === undefined ? {} : { members: { exactly: members.map((one) => ids.get(one) ?? one).sort() } }),
	}));
}

const acme = wholeOf(["alice", "bob */ // #\n- b", "Carol Q."], {
	userTags: known([
		liveTag(1, "signers", { members: known([alice, carol]) }),
		liveTag(2, "auditors"),
		liveTag(3, "team/ops", { members: known([bob]) }),
		liveTag(4, "team ops"),
		liveTag(5, '${HOME} $$ it\'s: "#1" \\', { members: unknown }),
		liveTag(6, " padded"),
	]),
	policies: known([
		{ id: id("policy", 2), name: "z" },
		{ id: id("policy", 1), name: "a\n#b\u001b[31m" },
	]),
	oauthProviders: known([{ userId: bob, id: id("provider", 1), name: "" }]),
	tvcApps: known([{ id: id("app", 1), name: "signer" }]),
	sessionProfiles: { [id("other", 1)]: known({ sessionProfileName: "default", scope: "sign" }) },
});

describe.each(programLanguages)("the program of an organization in %s", (language) => {
	const read = readers[language];

	test("has a resource for each user tag, and objects that can be deleted in comments", async () => {
		const { text, leftOut } = exportProgram(acme, language);
		await expect(text).toMatchFileSnapshot(`../golden/export/acme.${language}.txt`);
		expect([...read(text).values()].map(({ properties }) => properties)).toEqual(tagsIn(acme));
		expect(leftOut.map(({ what }) => what)).toEqual(["userTag: padded"]);
	});

	test("deletes exactly the objects in comments after the marks of the comments are removed", () => {
		const { text } = exportProgram(acme, language);
		const lines = text.split("\n");
		const from = lines.findIndex((line) => line.includes("These exist and are unmanaged")) + 1;
		const to = lines.indexOf("", from);
		const mark = commentMarks[language].length;
		const opened = lines.map((line, at) => (at >= from && at < to ? line.slice(mark) : line)).join("\n");
		const removals = [...read(opened).values()].filter(({ type }) => type !== "UserTag");
		const { organizationId } = acme.live;
		expect(removals).toEqual([
			{ type: "PolicyRemoval", properties: { organizationId, policyIds: [id("policy", 1), id("policy", 2)] } },
			{ type: "OauthProviderRemoval", properties: { organizationId, userId: bob, providerIds: [id("provider", 1)] } },
			{ type: "TvcAppRemoval", properties: { organizationId, appId: id("app", 1) } },
		]);
		for (const { type, properties } of removals) {
			const { schema } = definitions.find(({ name }) => name === type) ?? expect.unreachable();
			expect(Object.keys(schema.fields)).toEqual(expect.arrayContaining(Object.keys(properties)));
			expect(Object.keys(properties)).toEqual(expect.arrayContaining([...schema.required]));
		}
	});

	test("says what could not be read, and manages no unknown members", () => {
		const whole: WholeOrganization = {
			live: liveOf({ userTags: known([liveTag(1, "signers", { members: unknown })]), policies: unknown }),
			users: unknown,
			sessionProfilesKnown: known(null),
		};
		const { text, unread } = exportProgram(whole, language);
		expect(read(text).get("signers")?.properties).not.toHaveProperty("members");
		expect(unread.map(({ what }) => what)).toContain("policies");
		for (const { what, because } of unread) expect(text).toContain(`   ${what}: ${because}\n`);
	});

	test("does not depend on the order in which the service lists objects, and is valid without any", () => {
		const tags = acme.live.userTags.known ? acme.live.userTags.value : [];
		const users = known(acme.users.known ? acme.users.value.toReversed() : []);
		const other = { ...acme, users, live: withLive(acme.live, { userTags: known(tags.toReversed()) }) };
		expect(exportProgram(other, language)).toEqual(exportProgram(acme, language));
		expect(read(exportProgram(wholeOf([], {}), language).text).size).toBe(0);
	});
});

test("a resource's name is made of its tag's name, valid in every language, and unique", () => {
	const named = (...names: readonly string[]) => {
		const userTags = known(names.map((name, index) => liveTag(index + 1, name)));
		const { text } = exportProgram(wholeOf([], { userTags }), "pulumi-yaml");
		const byTag = new Map([...readYaml(text)].map(([resource, { properties }]) => [properties.name, resource]));
		return names.map((name) => byTag.get(name));
	};
	expect(
		named("signers", "team/ops", "déjà vu", "9 lives", "__proto__", "pulumi", "on", "日本", "x".repeat(99)),
	).toEqual([
		"signers",
		"team-ops",
		"deja-vu",
		"tag-9-lives",
		"tag-__proto__",
		"tag-pulumi",
		"on",
		"tag",
		"x".repeat(60),
	]);
	const short = (number: number): string => id("tag", number).slice(0, 8);
	expect(named("a b", "a/b", "a.c")).toEqual([`a-b-${short(1)}`, `a-b-${short(2)}`, "a-c"]);
	expect(named("a b", "a/b", `a-b-${short(1)}`)).toEqual([`a-b-${id("tag", 1)}`, `a-b-${short(2)}`, `a-b-${short(1)}`]);
});

const awkward = fc.oneof(
	fc.string({ unit: anyCharacter, maxLength: 12 }),
	fc.stringMatching(/^[ -~]{0,12}$/),
	fc.constantFrom(
		"__proto__",
		"constructor",
		"${X}",
		"$${X}",
		"$$",
		"$$$",
		"$",
		"fn::secret",
		"*/",
		"`${X}`",
		"'",
		'"',
	),
	fc.constantFrom("true", "null", "~", "1e3", "on", "a: b", "a #b", "\\", "\\u0041", "a\nb", "\u2028", "\u202e", "é"),
);

test("every program reads back as the user tags of the organization, whatever tags and users are called", () => {
	let tags = 0;
	const property = fc.property(
		fc.uniqueArray(awkward, { minLength: 4, maxLength: 4 }),
		fc.array(awkward, { minLength: 3, maxLength: 3 }),
		(tagNames, userNames) => {
			const userTags = known(
				tagNames.map((name, index) => liveTag(index + 1, name, { members: known([alice, bob, carol].slice(index)) })),
			);
			const policies = known(userNames.map((name, index) => ({ id: id("policy", index), name })));
			const whole = wholeOf(userNames, { userTags, policies });
			const expected = tagsIn(whole);
			tags += expected.length;
			for (const language of programLanguages) {
				const { text, leftOut } = exportProgram(whole, language);
				const found = readers[language](text);
				expect([...found.values()].map(({ properties }) => properties)).toEqual(expected);
				expect(expected.length + leftOut.length).toBe(tagNames.length);
				for (const name of found.keys()) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_-]*$/);
				expect(text).not.toMatch(/[^\n\t -~\u00a1-\uffff]/);
			}
		},
	);
	fc.assert(property, casesToTry(40));
	expect(tags).toBeGreaterThan(100);
}, 60_000);
