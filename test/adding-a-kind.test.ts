/**
 * CONTRIBUTING.md says which files a new read-only kind touches. A copy of the sources gets one in those files alone; the
 * command line and the emulator of the copy then handle it in every format.
 */
import { type ChildProcess, fork } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { checkSchema } from "./check-schema.ts";
import { makeKey } from "./keys.ts";
import type { Call } from "./kind-runner.ts";
import { type Answer, keepSecret, makeFolder, runProgram, type Started, startProgram } from "./run.ts";

const root = resolve(import.meta.dirname, "..");
const copy = makeFolder();
const orgsync = [process.execPath, join(copy, "src/cli/start.ts")];

const key = makeKey();
keepSecret(key.privateKey);
const organizationId = "00000001-7a3f-4c9e-9d40-000000000001";
const userId = "a0000001-7a3f-4c9e-9d40-000000000001";
const vaultId = "60000001-7a3f-4c9e-9d40-000000000001";
const address = `vault:${vaultId}`;

/** Files of the copy that are new. */
const newFiles: Readonly<Record<string, string>> = {
	"src/plan/kinds/vault.ts": `import { readOnlyKind } from "./read-only.ts";

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
	remedy: "seal it by hand, or ",
});
`,
	"src/emulator/kinds/vault.ts": `import { type EntityKind, findEntity, idIn, listSection } from "./entity-kind.ts";

export interface Vault {
	readonly vaultId: string;
	readonly vaultName: string;
	readonly sealed: boolean;
}

export const vaults: EntityKind<Vault, Vault, readonly Vault[], "vaults"> = {
	section: "vaults",
	...listSection<Vault, Vault>("vaultId"),
	uniqueFields: { vaultId: "this vault id" },
	complete: (seed) => ({ ...seed, vaultId: seed.vaultId.toLowerCase() }),
	queries: {
		get_vault: ({ organization }, body) =>
			findEntity(organization.entities(vaults), idIn(body, "vaultId"), "vault"),
	},
};
`,
	"schemas/operations/get_vault.json": JSON.stringify({
		$schema: "https://json-schema.org/draft/2020-12/schema",
		$defs: {
			request: {
				type: "object",
				required: ["organizationId", "vaultId"],
				properties: { organizationId: { type: "string" }, vaultId: { type: "string" } },
			},
			response: { type: "object", required: ["vault"], properties: { vault: { type: "object" } } },
		},
	}),
};

/** What is written into each other file, behind a text that it has. */
const additions: Readonly<Record<string, readonly (readonly [behind: string, added: string])[]>> = {
	"src/plan/kinds/names.ts": [['\tsessionProfile: "sessionProfiles",\n', '\tvault: "vaults",\n']],
	"src/plan/kinds/index.ts": [
		[
			'import { tagCreation, tagRemoval, tagUpdate, userTag } from "./user-tag.ts";\n',
			'import { vault } from "./vault.ts";\n',
		],
		["\tsessionProfile,\n", "\tvault,\n"],
	],
	"src/sync/read/read.ts": [
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
	"src/emulator/kinds/table.ts": [
		['import { userTags } from "./user-tag.ts";\n', 'import { vaults } from "./vault.ts";\n'],
		["const table = [", "vaults, "],
	],
};

/** What each schema gets, by the path of the object that it is added to. */
const schemaAdditions: Readonly<Record<string, readonly [path: readonly string[], added: object]>> = {
	"schemas/document.json": [
		["properties", "expect", "properties"],
		{
			vaults: listOf({ id: { $ref: "#/$defs/id" }, name: { type: "string" }, sealed: { type: "boolean" } }),
		},
	],
	"schemas/seed.json": [
		["$defs", "organization", "properties"],
		{
			vaults: listOf({ vaultId: { type: "string" }, vaultName: { type: "string" }, sealed: { type: "boolean" } }),
		},
	],
};

function listOf(properties: object): object {
	return { type: "array", items: { type: "object", additionalProperties: false, properties } };
}

/** The files of the list under "Adding a kind"; for a folder, the new file in it. */
function namedFiles(): readonly string[] {
	const guide = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
	const section = guide.split("\n## Adding a kind\n")[1]?.split("\n## ")[0] ?? "";
	const newFileIn = (folder: string) => Object.keys(newFiles).find((file) => `${dirname(file)}/` === folder) ?? folder;
	return [...section.matchAll(/^- `([^`]+)`/gm)].map(([, name = ""]) => (name.endsWith("/") ? newFileIn(name) : name));
}

/** Writes one file of the copy as a person who adds the kind does. */
function addTo(file: string): void {
	const path = join(copy, file);
	const created = newFiles[file];
	if (created !== undefined) {
		writeFileSync(path, created);
		return;
	}
	let text = readFileSync(path, "utf8");
	const schemaAddition = schemaAdditions[file];
	if (schemaAddition !== undefined) {
		const schema = JSON.parse(text);
		const [keys, added] = schemaAddition;
		Object.assign(
			keys.reduce((part, name) => part[name], schema),
			added,
		);
		text = JSON.stringify(schema);
	}
	for (const [behind, added] of additions[file] ?? []) {
		expect(text, file).toContain(behind);
		text = text.replace(behind, behind + added);
	}
	writeFileSync(path, text);
}

let emulator: Started;
let runner: ChildProcess;
let url: string;

beforeAll(async () => {
	for (const name of ["src", "schemas", "package.json", "tsconfig.json"]) {
		cpSync(join(root, name), join(copy, name), { recursive: true });
	}
	symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
	for (const file of namedFiles()) addTo(file);
	const users = [{ userId, userName: "alice", apiKeys: [{ publicKey: key.publicKey }] }];
	const vaults = [{ vaultId, vaultName: "main", sealed: false }];
	writeFileSync(join(copy, "seed.json"), JSON.stringify({ organizations: [{ organizationId, users, vaults }] }));
	emulator = startProgram([...orgsync, "emulator", "--seed", "seed.json"], { cwd: copy });
	const stopped = emulator.ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
	stopped.catch(() => undefined);
	await Promise.race([vi.waitUntil(() => emulator.stdout().includes("\n"), { timeout: 20_000 }), stopped]);
	url = JSON.parse(emulator.stdout()).url;
	const file = join(import.meta.dirname, "kind-runner.ts");
	runner = fork(file, [join(copy, "src/cli/run.ts")], { execArgv: [] });
	runner.on("message", ({ number, ...answer }: Answer & { readonly number: number }) => awaited[number]?.(answer));
}, 30_000);

afterAll(async () => {
	runner.kill();
	emulator.child.kill();
	await emulator.ended;
});

/** What takes the answer of each call, in their order. */
const awaited: ((answer: Answer) => void)[] = [];

/** Runs the command line of the copy on a document that expects the vault, which is not sealed, to be sealed or not. */
function runCopy(words: readonly string[], isSealed: boolean): Promise<Answer> {
	const directory = makeFolder();
	const vault = `{ id: ${vaultId}, name: main, sealed: ${isSealed} }`;
	writeFileSync(join(directory, "orgsync.yaml"), `organizationId: ${organizationId}\nexpect:\n  vaults: [${vault}]\n`);
	const environment = { ORGSYNC_URL: url, ORGSYNC_API_PRIVATE_KEY: key.privateKey, HOME: directory };
	const call: Call = { number: awaited.length, words, directory, environment };
	return new Promise((resolve) => {
		awaited.push(resolve);
		runner.send(call);
	});
}

/** What a format shows of the difference, and where there is none. */
interface Shown {
	readonly format: string;
	readonly difference: string;
	readonly inSync: string;
}

const lineOfDifference = `! ${address}  differs; report-only\n    sealed: live false, document true\n`;
const pageOfDifference =
	'<dt>sealed</dt><dd><span class="kind">live</span> <code>false</code></dd><dd><span class="kind">document</span> <code>true</code></dd>';

const formats: readonly Shown[] = [
	{ format: "text", difference: lineOfDifference, inSync: "No changes. The organization is in sync." },
	{ format: "markdown", difference: lineOfDifference, inSync: "### No changes. The organization is in sync." },
	{ format: "html", difference: pageOfDifference, inSync: "<span>No changes</span>" },
	{
		format: "github",
		difference: `::! ${address}  differs; report-only; sealed: live false, document true`,
		inSync: "::No changes. The organization is in sync.",
	},
	{ format: "json", difference: '"after": {\n            "sealed": true', inSync: '"changes": []' },
];

describe("a read-only kind that is added in the files that CONTRIBUTING.md names", () => {
	it("touches each of them and no other file", () => {
		const files = [...Object.keys(newFiles), ...Object.keys(additions), ...Object.keys(schemaAdditions)];
		expect(namedFiles().toSorted()).toEqual(files.sort());
	});

	it("passes the type check", async () => {
		const tsc = join(root, "node_modules/typescript/bin/tsc");
		const { code, stdout } = await runProgram([process.execPath, tsc, "-p", copy, "--noEmit"]);
		expect(stdout).toBe("");
		expect(code).toBe(0);
	}, 240_000);

	describe.each(formats)("in the format $format", ({ format, difference, inSync }) => {
		it("has its difference in plans, and none when it is in sync", async () => {
			const words = ["plan", "--detailed-exitcode", "--format", format];
			const [differing, equal] = await Promise.all([runCopy(words, true), runCopy(words, false)]);
			expect(differing).toMatchObject({ code: 2, stderr: "" });
			expect(differing.stdout).toContain(address);
			expect(differing.stdout).toContain(difference);
			expect(equal).toMatchObject({ code: 0, stderr: "" });
			expect(equal.stdout).toContain(inSync);
			expect(equal.stdout).not.toContain(address);
		});

		it("has its difference and its remedy in reports of drift, and none when it is in sync", async () => {
			const words = ["drift", "--format", format];
			const [differing, equal] = await Promise.all([runCopy(words, true), runCopy(words, false)]);
			expect(differing).toMatchObject({ code: 2, stderr: "" });
			expect(differing.stdout).toContain(address);
			// In text, what drifted is below a heading.
			const shown = format === "text" ? differing.stdout.replaceAll(/^ {2}/gm, "") : differing.stdout;
			expect(shown).toContain(difference);
			expect(shown).toContain("seal it by hand");
			expect(equal).toMatchObject({ code: 0, stderr: "" });
			expect(equal.stdout).not.toContain(address);
		});
	});

	it("fits the schema of the result, also in a report that drift compares with", async () => {
		const { stdout } = await runCopy(["drift", "--format", "json"], true);
		const since = join(makeFolder(), "drift.json");
		writeFileSync(since, stdout);
		expect(checkSchema("output.json", JSON.parse(stdout))).toEqual([]);
		const { code, stdout: again } = await runCopy(["drift", "--format", "json", "--since", since], true);
		expect(code).toBe(2);
		expect(JSON.parse(again).drift[0].findings).toMatchObject([{ address, kind: "vault", state: "still-there" }]);
	});

	it("is selected by its name, read by query, and accepted into the document", async () => {
		const [only, query, accepted] = await Promise.all([
			runCopy(["plan", "--only", "vault", "--detailed-exitcode"], true),
			runCopy(["query", "get_vault", "--organization", organizationId, `vaultId=${vaultId}`], true),
			runCopy(["drift", "--accept", address], true),
		]);
		expect(only).toMatchObject({ code: 2, stdout: expect.stringContaining(lineOfDifference) });
		expect(query.code).toBe(0);
		expect(JSON.parse(query.stdout)).toEqual({ vault: { vaultId, vaultName: "main", sealed: false } });
		expect(accepted).toEqual({
			code: 0,
			stdout: expect.stringContaining("No drift. The organization is in sync."),
			stderr: `accepted ${address}: orgsync.yaml:3\n`,
		});
	});

	it("is not exported unless it has fields for export", async () => {
		const { code, stdout, stderr } = await runCopy(["export", "--organization", organizationId], true);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toContain(organizationId);
		expect(stdout).not.toMatch(/vault/i);
	});
});
