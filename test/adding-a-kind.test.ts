/** CONTRIBUTING.md says which files a new read-only kind touches: in a copy of the sources, those files are enough. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const ownFile = "src/plan/kinds/vault.ts";
let copy: string;

/** The files of the list under "Adding a kind", but for the kind's own. */
function namedFiles(): readonly string[] {
	const guide = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
	const section = guide.split("\n## Adding a kind\n")[1]?.split("\n## ")[0] ?? "";
	return [...section.matchAll(/^- `([^`]+)`/gm)].map(([, file = ""]) => file);
}

/** What is written into each file, behind a text that it has. */
const additions: Readonly<Record<string, readonly (readonly [behind: string, added: string])[]>> = {
	"src/plan/kinds/names.ts": [['\tsessionProfile: "sessionProfiles",\n', '\tvault: "vaults",\n']],
	"src/plan/kinds/index.ts": [
		['import { userTag } from "./user-tag.ts";\n', 'import { vault } from "./vault.ts";\n'],
		["\tsessionProfile,\n", "\tvault,\n"],
	],
	"src/sync/read.ts": [
		[
			"const recordReads: { readonly [K in ReadOnlyKindName]: RecordRead } = {\n",
			"\tvault: (vaultId, query) => queryOne(query, queries.get_vault, { vaultId }),\n",
		],
	],
	"src/wire/operations.ts": [
		[
			"export const queries = defineQueries({\n",
			'\tget_vault: { fields: ["organizationId", "vaultId"], answerKey: "vault" },\n',
		],
	],
	"schemas/document.json": [],
};

const kind = `import { readOnlyKind } from "./read-only.ts";

export const vault = readOnlyKind({
	name: "vault",
	words: ["vault", "vaults"],
	groupedBy: null,
	identities: ["id"],
	isIdentityId: () => true,
	fields: ["name", "sealed"],
	matches: () => true,
	nameField: "vaultName",
	activities: null,
	exported: null,
	describeRemedy: (accept) => \`seal it by hand, or \${accept}\`,
});
`;

const organizationId = "00000001-7a3f-4c9e-9d40-000000000001";
const vaultId = "60000001-7a3f-4c9e-9d40-000000000001";

/** Plans a document with a vault by the code of the copy, and prints what every format makes of it. */
const script = `import { parseDocuments } from "./src/document/parse.ts";
import { emptyLastApplied } from "./src/plan/organization.ts";
import { makePlan } from "./src/plan/plan.ts";
import { reportDrift } from "./src/plan/drift.ts";
import { readLive } from "./src/sync/read.ts";
import { plainStyle, renderPlan } from "./src/render/text.ts";

const content = "organizationId: ${organizationId}\\nexpect:\\n  vaults:\\n    - { id: ${vaultId}, name: main, sealed: true }\\n";
const { organizations, problems } = parseDocuments([{ file: "a.yaml", content }], {});
const asked = [];
const query = async ({ name }, fields) => {
	asked.push([name, fields.vaultId]);
	return { value: { vault: { vaultName: "main", sealed: false } } };
};
const [desired] = organizations;
const { live } = await readLive(desired, { query }, emptyLastApplied, "documented");
const plan = makePlan(desired, live, { reads: "documented", readAtMs: 0 });
console.log(JSON.stringify({ problems, asked, plan, drift: reportDrift(plan), text: renderPlan(plan, plainStyle) }));
`;

beforeAll(() => {
	copy = mkdtempSync(join(tmpdir(), "orgsync-kind-"));
	for (const name of ["src", "schemas", "package.json"])
		cpSync(join(root, name), join(copy, name), { recursive: true });
	symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

it("a read-only kind touches only the files that CONTRIBUTING.md names, and plan and drift handle it", () => {
	expect([...namedFiles()].sort()).toEqual(Object.keys(additions).sort());
	writeFileSync(join(copy, ownFile), kind);
	for (const [file, texts] of Object.entries(additions)) {
		let text = readFileSync(join(copy, file), "utf8");
		for (const [behind, added] of texts) {
			expect(text, file).toContain(behind);
			text = text.replace(behind, behind + added);
		}
		writeFileSync(join(copy, file), text);
	}
	const schemaFile = join(copy, "schemas/document.json");
	const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
	const properties = { id: { type: "string" }, name: { type: "string" }, sealed: { type: "boolean" } };
	schema.properties.expect.properties.vaults = { type: "array", items: { type: "object", properties } };
	writeFileSync(schemaFile, JSON.stringify(schema));
	writeFileSync(join(copy, "run.ts"), script);
	const { problems, asked, plan, drift, text } = JSON.parse(
		execFileSync(process.execPath, ["--no-warnings", "run.ts"], { cwd: copy, encoding: "utf8" }),
	);
	const address = `vault:${vaultId}`;
	expect(problems).toEqual([]);
	expect(asked).toEqual([["get_vault", vaultId]]);
	expect(plan.changes).toMatchObject([
		{ address, kind: "vault", action: "report", reason: "differs", after: { sealed: true } },
	]);
	expect(drift).toMatchObject({
		verdict: "drifted",
		findings: [{ address, todo: expect.stringContaining("seal it by hand") }],
	});
	expect(text).toContain(address);
});
