/** `orgsync lint`: what is probably wrong in policies, as a user has it. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { lintRules } from "../../../src/policy/lint/lint.ts";
import { readOutput } from "../../run.ts";
import { alice, document, makeWorld, organizationId, policies, tags } from "../../world.ts";

const page = readFileSync(new URL("../../../docs/lint.md", import.meta.url), "utf8");

interface Finding {
	readonly rule: string;
	readonly name: string;
}

/** Returns the rules of the findings, without those in tags of the world that no test here is about. */
const codesIn = (organizations: readonly { readonly findings: readonly Finding[] }[]) =>
	organizations.flatMap(({ findings }) =>
		findings.filter(({ name }) => !Object.keys(tags).includes(name)).map(({ rule }) => rule),
	);

/** Lints the sections of a document; the live organization has no policies, and the tag `payers` where they name it. */
async function lintSections(sections: string, ...flags: readonly string[]) {
	const tagList = sections.includes("userTags.payers") ? ["userTags: [{ name: payers }]"] : [];
	const payers = { tagId: "70000000-0000-4000-8000-000000000009", tagName: "payers", userIds: [alice] };
	const world = await makeWorld(document(...tagList, sections));
	await world.change({
		remove: { policies: [...policies] },
		...(/payers[}\n]/.test(sections) ? { userTags: [payers] } : {}),
	});
	return readOutput(await world.run(["lint", "--live", "--format", "json", ...flags])).organizations;
}

describe("The page of lint", () => {
	const sections = page.split(/^### /m).slice(1);

	test("has each rule, with its severity", () => {
		expect(sections.map((text) => text.split("\n", 1)[0])).toEqual(lintRules.map(({ code }) => code));
		for (const { code, severity } of lintRules) expect(page).toContain(`| [\`${code}\`](#${code}) | ${severity} |`);
	});

	test("has the rules of both schemas", () => {
		const schemaOf = (name: string) =>
			JSON.parse(readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), "utf8"));
		const codes: readonly string[] = lintRules.map(({ code }) => code);
		const { ignore } = schemaOf("document.json").properties.lint.properties;
		expect(ignore.items.properties.rule.enum).toEqual(codes);
		expect(schemaOf("lint.json").$defs.rule.enum).toEqual([...codes, "unused-ignore"]);
	});

	test.each(
		sections.map((text) => [text.split("\n", 1)[0] ?? "", text] as const),
	)("has an example of %s, and the same mended", async (code, text) => {
		const [bad = "", mended = ""] = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = ""]) => yaml);
		expect(codesIn(await lintSections(bad))).toContain(code);
		expect(codesIn(await lintSections(mended))).toEqual([]);
	});
});

describe("orgsync lint", () => {
	const deny = `policies:
  - name: no old payloads
    effect: deny
    consensus: ""
    condition: |-
      activity.resource == 'PRIVATE_KEY'
      && activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'`;
	const named = `policies:
  - name: payers sign
    effect: allow
    consensus: approvers.any(user, user.tags.contains('payers'))
    condition: activity.action == 'SIGN'
    unchecked: true`;

	test("shows a finding at its place in a block, and calls no service", async () => {
		const world = await makeWorld(document(deny));
		const { code, stdout } = await world.run(["lint"]);
		expect(code).toBe(0);
		expect(stdout).toContain("orgsync.yaml:9:27: policy `no old payloads` compares `activity.type` with one version");
		expect(world.requests()).toEqual([]);
	});

	test("fails for an error, and for nothing less", async () => {
		const world = await makeWorld(document(named));
		expect((await world.run(["lint"])).code).toBe(2);
		expect((await world.run(["lint", "--format", "json"])).code).toBe(2);
	});

	test("shows what is only live at the id of the organization, with the id of the tag that is named", async () => {
		const world = await makeWorld(document());
		const policy = {
			policyId: "90000000-0000-4000-8000-000000000001",
			policyName: "signers sign",
			effect: "EFFECT_ALLOW",
			consensus: "approvers.any(user, user.tags.contains('signers'))",
			condition: "activity.action == 'SIGN'",
		};
		await world.change({ policies: [policy] });
		const { code, stdout } = await world.run(["lint", "--live"]);
		expect(code).toBe(2);
		expect(stdout).toContain("orgsync.yaml:1:17: live policy `signers sign` writes `signers` for the id of a user tag");
		expect(stdout).toContain(`fix: write the id \`${tags.signers}\``);
	});

	test("ignores a finding with a reason, and finds an entry that ignores nothing", async () => {
		const ignore = (rule: string): string => `lint:
  ignore:
    - { rule: ${rule}, policy: no old payloads, reason: the kind is new }`;
		const [used] = await lintSections(`${deny}\n${ignore("versioned-type")}`);
		expect(used.ignored.map((one: { rule: string; reason: string }) => [one.rule, one.reason])).toEqual([
			["versioned-type", "the kind is new"],
		]);
		const found = codesIn(await lintSections(`${deny}\n${ignore("name-for-id")}`));
		expect(found).toEqual(["denies-nothing", "versioned-type", "unused-ignore"]);
	});

	test("refuses an entry without a reason, or about no object, at its place", async () => {
		const world = await makeWorld(
			document(
				"lint: { ignore: [{ rule: unused-tag, userTag: payers }, { rule: unused-tag, reason: mine }, { rule: unused-tag, userTag: x, reason: ' ' }] }",
			),
		);
		const { code, stderr } = await world.run(["lint"]);
		expect(code).toBe(3);
		expect(stderr).toContain("orgsync.yaml:3:18: missing key `reason`");
		expect(stderr).toContain("write `policy` or `userTag` with its name");
		expect(stderr).toContain("`reason` is empty; write why the finding is meant");
	});

	test("names what could not be read, and fails for it", async () => {
		const world = await makeWorld(document(deny), { reads: "documented" });
		const { code, stdout } = await world.run(["lint", "--live"]);
		expect(code).toBe(1);
		expect(stdout).toContain("policies unknown: ");
		expect(stdout).toContain("versioned-type");
		expect(stdout).toContain(organizationId);
		const other = "00000000-0000-4000-8000-000000000002";
		world.write("orgsync.yaml", `${document(deny)}\n---\norganizationId: ${other}\nuserTags: []\n`);
		const because = `list_user_tags: the service answered 404: no organization found with id ${other}`;
		const absent = await world.run(["lint", "--live"]);
		expect(absent.stdout.split("\n")).toContain(`  users and policies unknown: ${because}`);
		const { runs } = JSON.parse((await world.run(["lint", "--live", "--format", "sarif"])).stdout);
		expect(
			runs[0].invocations[0].toolExecutionNotifications.map(
				({ message }: { message: { text: string } }) => message.text,
			),
		).toContain(`users and policies unknown: ${because}`);
	});
});
