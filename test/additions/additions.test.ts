/**
 * What it takes to add something: a copy of the sources gets a section of the report of a plan and a guard, in few files, and a
 * read-only kind, in the files that CONTRIBUTING.md names. The command line and the emulator of the copy handle them in every format.
 */
import { type ChildProcess, fork } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { checkSchema } from "../check-schema.ts";
import { makeKey } from "../keys.ts";
import { type Answer, keepSecret, makeFolder, runProgram, type Started, startProgram } from "../run.ts";
import { addTo, filesOf } from "./addition.ts";
import { kind } from "./kind.ts";
import type { Call } from "./runner.ts";
import { guard, program, section } from "./section.ts";

const root = resolve(import.meta.dirname, "../..");
const copy = makeFolder();
const orgsync = [process.execPath, join(copy, "src/cli/start.ts")];

const key = makeKey();
keepSecret(key.privateKey);
const organizationId = "00000001-7a3f-4c9e-9d40-000000000001";
const userId = "a0000001-7a3f-4c9e-9d40-000000000001";
const vaultId = "60000001-7a3f-4c9e-9d40-000000000001";
const address = `vault:${vaultId}`;

/** The files of the list under "Adding a kind"; for a folder, the new file in it. */
function namedFiles(): readonly string[] {
	const guide = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
	const section = guide.split("\n## Adding a kind\n")[1]?.split("\n## ")[0] ?? "";
	const newFileIn = (folder: string) =>
		Object.keys(kind.created).find((file) => `${dirname(file)}/` === folder) ?? folder;
	return [...section.matchAll(/^- `([^`]+)`/gm)].map(([, name = ""]) => (name.endsWith("/") ? newFileIn(name) : name));
}

let emulator: Started;
let runner: ChildProcess;
let url: string;

beforeAll(async () => {
	for (const name of ["src", "schemas", "package.json", "tsconfig.json", "test/plan/support-organizations.ts"]) {
		cpSync(join(root, name), join(copy, name), { recursive: true });
	}
	symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
	addTo(copy, kind);
	const users = [{ userId, userName: "alice", apiKeys: [{ publicKey: key.publicKey }] }];
	const vaults = [{ vaultId, vaultName: "main", sealed: false }];
	writeFileSync(join(copy, "seed.json"), JSON.stringify({ organizations: [{ organizationId, users, vaults }] }));
	emulator = startProgram([...orgsync, "emulator", "--seed", "seed.json"], { cwd: copy });
	const stopped = emulator.ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
	stopped.catch(() => undefined);
	await Promise.race([vi.waitUntil(() => emulator.stdout().includes("\n"), { timeout: 20_000 }), stopped]);
	url = JSON.parse(emulator.stdout()).url;
	const file = join(import.meta.dirname, "runner.ts");
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
		expect(namedFiles().toSorted()).toEqual(filesOf(kind));
	});

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

describe("the copy of the sources, with a section and a guard too", () => {
	beforeAll(() => {
		for (const addition of [section, guard]) addTo(copy, addition);
	});

	it("passes the type check", async () => {
		const tsc = join(root, "node_modules/typescript-native/bin/tsc");
		const { code, stdout } = await runProgram([process.execPath, tsc, "-p", copy, "--noEmit"]);
		expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
	}, 240_000);

	it("shows both in all four formats", async () => {
		writeFileSync(join(copy, "show.ts"), program);
		const { code, stdout, stderr } = await runProgram([process.execPath, join(copy, "show.ts")], { cwd: copy });
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		const { text, markdown, html, annotations } = JSON.parse(stdout);
		expect(text).toContain("\nLeft without a member:\n  userTag:signers\n");
		expect(markdown).toContain("\n**Left without a member**\n\n- `userTag:signers`\n");
		expect(html).toContain('<h2 id="emptied">Left without a member <span class="number">1</span></h2>');
		expect(annotations).toContain("::warning title=orgsync%3A tag without a member::userTag:signers\n");
		const allow = "--allow tagChanges=1";
		expect(text).toContain(`1 user tag changes (allowed: none); to override: ${allow}\n`);
		expect(markdown).toContain(`- \`1 user tag changes\` (allowed: none); to override: \`${allow}\`\n`);
		expect(html).toContain(`<code>${allow}</code>`);
		expect(annotations).toContain(`1 user tag changes (allowed: none); to override: ${allow}\n`);
	});
});

describe("what is added in few files", () => {
	it("is a section of the report of a plan, in 5, those of its fact included", () => {
		expect(filesOf(section).length).toBeLessThanOrEqual(5);
		const folders = ["src/plan", "src/render", "src/render/sections", "src/say"];
		expect([...new Set(filesOf(section).map((file) => dirname(file)))]).toEqual(folders);
	});

	it("is a guard, in 4", () => {
		expect(filesOf(guard).length).toBeLessThanOrEqual(4);
	});
});
