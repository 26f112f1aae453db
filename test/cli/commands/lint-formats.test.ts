/** What `orgsync lint` prints for pipelines: SARIF 2.1.0, and the annotations of GitHub. */
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import type { OrganizationLint } from "../../../src/plan/lint.ts";
import { summarizeLint } from "../../../src/render/sections/lint.ts";
import { readOutput } from "../../run.ts";
import { document, makeWorld } from "../../world.ts";

/**
 * The published schema of SARIF 2.1.0 (2.1.0-rtm.5), as the MIT-licensed npm package `@microsoft/jest-sarif` 1.0.0-beta.0 has it in
 * lib/schemas/. It is in draft 4, of which it uses nothing that later drafts read otherwise but the name of its id.
 */
const {
	$schema: _,
	id: __,
	...schema
} = JSON.parse(readFileSync(new URL("../../vectors/sarif-2.1.0.json", import.meta.url), "utf8")) as Readonly<
	Record<string, unknown>
>;

const ajv = new Ajv({ strict: false, unicodeRegExp: false });
addFormats.default(ajv);
const isSarif = ajv.compile(schema);

const policies = `policies:
  - name: "50% of, a: b"
    effect: deny
    consensus: ""
    condition: |-
      activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION'
  - name: payers sign
    effect: allow
    consensus: approvers.any(user, user.tags.contains('payers'))
    condition: activity.action == 'SIGN'
    unchecked: true
lint:
  ignore:
    - { rule: versioned-type, policy: "50% of, a: b", reason: the version matters }`;

async function sarifOf(text: string, file = "orgsync.yaml") {
	const world = await makeWorld();
	world.write(file, text);
	const { code, stdout } = await world.run(["lint", "-f", file, "--format", "sarif"]);
	const log = JSON.parse(stdout);
	expect(isSarif(log), JSON.stringify(isSarif.errors)).toBe(true);
	return { code, run: log.runs[0] };
}

describe("lint --format sarif", () => {
	test("has a place, a level and a fingerprint for each finding, and the reason of each that is ignored", async () => {
		const { code, run } = await sarifOf(document(policies), "a folder's.yaml");
		expect(code).toBe(2);
		const [error, ignored] = run.results;
		expect(error).toMatchObject({ ruleId: "name-for-id", level: "error" });
		expect(run.tool.driver.rules[error.ruleIndex].id).toBe("name-for-id");
		expect(error.locations[0].physicalLocation).toEqual({
			artifactLocation: { uri: "a%20folder's.yaml" },
			region: { startLine: 11, startColumn: 55 },
		});
		expect(ignored).toMatchObject({
			ruleId: "versioned-type",
			suppressions: [{ kind: "inSource", justification: "the version matters" }],
		});
		expect(ignored.message.text).toContain("50% of, a: b");
		for (const { locations, partialFingerprints } of run.results) {
			expect(locations).toHaveLength(1);
			expect(partialFingerprints["policyAndRule/v1"]).toMatch(/^[0-9a-f]{64}$/);
		}
	});

	test("keeps a fingerprint while the finding moves, and has another for another policy", async () => {
		const prints = async (text: string) => {
			const { run } = await sarifOf(text);
			return run.results.map((one: { partialFingerprints: object }) => Object.values(one.partialFingerprints)[0]);
		};
		const own = await prints(document(policies));
		expect(new Set(own).size).toBe(own.length);
		expect(await prints(document("name: Acme", policies))).toEqual(own);
		expect(await prints(document(policies.replace("payers sign", "others sign")))).not.toEqual(own);
	});

	test("says why there are no results of a document with a problem, at its place", async () => {
		const { code, run } = await sarifOf(document("polices: []"));
		expect(code).toBe(3);
		expect(run.results).toEqual([]);
		expect(run.invocations[0].executionSuccessful).toBe(false);
		const [, problem] = run.invocations[0].toolExecutionNotifications;
		expect(problem.locations[0].physicalLocation.region).toEqual({ startLine: 3, startColumn: 1 });
	});
});

describe("lint, of policies that it cannot compare,", () => {
	const fields = ["gas", "nonce", "value", "gas_price", "chain_id", "max_fee_per_gas", "max_priority_fee_per_gas"];
	const policyOf = (name: string, consensus: string, condition: string) =>
		`  - { name: ${name}, effect: allow, consensus: "${consensus}", condition: "${condition}" }`;
	const ordered = "approvers.any(u, u.tags[0] == '70000000-0000-4000-8000-000000000001')";
	const many = [...fields, "max_fee_per_blob_gas", "data[0..1]"].map((field) =>
		policyOf(
			field.replace("[0..1]", ""),
			"approvers.count() >= 1",
			`eth.tx.${field} ${/data/.test(field) ? "== '0'" : "> 1"}`,
		),
	);
	const text = document(["policies:", ...many, policyOf("first", ordered, "wallet.id == 'a'")].join("\n"));
	const why = [
		/^2 policies were not compared with others: their conditions distinguish too many kinds of activities: .?nonce.?, .?value/m,
		/^1 policy was not compared with others: a consensus .* or depends on the order of tags: .?first/m,
	];

	test.each(["text", "markdown", "github", "sarif", "json"])("says so in %s", async (format) => {
		const world = await makeWorld(text);
		const { code, stdout } = await world.run(["lint", "--format", format]);
		expect(code).toBe(0);
		if (format === "json") {
			expect(readOutput({ code, stdout, stderr: "" }).organizations[0].notCompared).toEqual([
				{ because: "conditions", policies: ["nonce", "value"] },
				{ because: "approvers", policies: ["first"] },
			]);
			return;
		}
		const shown = stdout.replaceAll(/^(?:\s+"text": "|::notice [^:]*::|- |\s+)/gm, "");
		for (const sentence of why) expect(shown).toMatch(sentence);
		if (format === "sarif") expect(isSarif(JSON.parse(stdout))).toBe(true);
	});

	test("says nothing of policies that it compares", async () => {
		const world = await makeWorld(document(["policies:", ...many.slice(0, 3)].join("\n")));
		expect((await world.run(["lint"])).stdout).not.toContain("compared");
	});
});

test("lint --format github annotates the line of each finding, and no name ends the command", async () => {
	const world = await makeWorld(document(policies.replace("  - { rule: versioned-type", "  - { rule: window-over")));
	const { stdout } = await world.run(["lint", "--format", "github"]);
	const lines = stdout.split("\n").filter((line) => line.startsWith("::"));
	expect(lines[0]).toMatch(/^::error title=orgsync%3A lint::1 error, 2 warnings/);
	expect(lines[1]).toMatch(
		/^::error file=orgsync\.yaml,line=11,col=55,title=orgsync%3A name-for-id::policy `payers sign` writes/,
	);
	expect(lines[2]).toMatch(/line=8,col=24,title=orgsync%3A versioned-type::policy `50%25 of, a: b` compares/);
	expect(lines[3]).toMatch(/title=orgsync%3A unused-ignore::/);
});

test.each([
	[["note"], "good"],
	[["note", "warning"], "attention"],
	[["warning", "error"], "bad"],
] as const)("findings with %j are summarized as %s, which --format github annotates", (severities, tone) => {
	const findings = severities.map((severity) => ({ severity }));
	const one = { findings, ignored: [], unread: [], isLive: true } as unknown as OrganizationLint;
	expect(summarizeLint([one]).tone).toBe(tone);
});
