/**
 * The arrows of the house. Each rule of .dependency-cruiser.mjs is seen to refuse one import that breaks it, in a copy of
 * the sources, and the sources as they are break none.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Violation {
	readonly from: string;
	readonly to: string;
	readonly rule: { readonly name: string };
}

function cruise(directory: string): readonly Violation[] {
	const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
	const { stdout, stderr } = spawnSync(
		process.execPath,
		[program, "--config", ".dependency-cruiser.mjs", "--output-type", "json", "src"],
		{ cwd: directory, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
	);
	if (!stdout.startsWith("{")) throw new Error(stderr);
	return (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
}

/** One import for every rule that it breaks: the file that is added, and what it holds. */
const breaches: Readonly<Record<string, readonly [file: string, content: string]>> = {
	"no-cycles": ["src/sync/circle-a.ts", 'import "./circle-b.ts";'],
	"policy-keeps-to-itself": ["src/policy/breach-a.ts", 'import "../plan/value.ts";'],
	"plan-keeps-to-itself": ["src/plan/breach-a.ts", 'import "../wire/operations.ts";'],
	"document-keeps-to-itself": ["src/document/breach-a.ts", 'import "../render/style.ts";'],
	"say-keeps-to-itself": ["src/say/breach-a.ts", 'import "../render/style.ts";'],
	"render-keeps-to-itself": ["src/render/breach-a.ts", 'import "../document/read/parse.ts";'],
	"wire-keeps-to-itself": ["src/wire/breach-a.ts", 'import "../plan/value.ts";'],
	"sync-keeps-to-itself": ["src/sync/breach-a.ts", 'import "../cli/output/output.ts";'],
	"passkey-keeps-to-itself": ["src/passkey/breach-a.ts", 'import "../sync/journal/journal.ts";'],
	"emulator-keeps-to-itself": ["src/emulator/breach-a.ts", 'import "../wire/stamp.ts";'],
	"cli-keeps-to-itself": ["src/cli/breach-a.ts", 'import "../emulator/store.ts";'],
	"action-keeps-to-itself": ["src/action/breach-a.ts", 'import "../sync/journal/journal.ts";'],
	"pulumi-keeps-to-itself": ["src/pulumi/breach-a.ts", 'import "../cli/output/output.ts";'],
	"shared-files-import-no-room": ["src/common/breach-a.ts", 'import "../plan/value.ts";'],
	"deciding-is-pure": ["src/plan/breach-b.ts", 'import "node:fs";'],
	"only-door-to-ajv": ["src/plan/breach-c.ts", 'import "ajv";'],
	"validators-are-compiled-once": ["src/wire/breach-c.ts", 'import "../schema/compiler.ts";'],
	"only-door-to-fast-deep-equal": ["src/sync/breach-b.ts", 'import "fast-deep-equal";'],
	"only-door-to-yaml": ["src/cli/breach-b.ts", 'import "yaml";'],
	"only-door-to-csv-parse": ["src/cli/breach-d.ts", 'import "csv-parse/sync";'],
	"only-door-to-commander": ["src/cli/breach-c.ts", 'import "commander";'],
	"only-door-to-@pulumi/pulumi": ["src/pulumi/breach-b.ts", 'import "@pulumi/pulumi";'],
	"only-door-to-@grpc/grpc-js": ["src/pulumi/dynamic/breach-a.ts", 'import "@grpc/grpc-js";'],
	"only-door-to-google-protobuf": ["src/pulumi/dynamic/breach-b.ts", 'import "google-protobuf";'],
	"pulumi-core-knows-no-adapter": ["src/pulumi/breach-c.ts", 'import "./plugin/values.ts";'],
	"pulumi-adapters-are-apart": ["src/pulumi/plugin/breach-a.ts", 'import "../dynamic/configuration.ts";'],
	"plugin-imports-no-sdk": ["src/pulumi/plugin/breach-b.ts", 'import "@pulumi/pulumi";'],
	"tests-are-not-imported": ["src/sync/breach-d.ts", 'import "../../test/stray.ts";'],
	"declared-only": ["src/pulumi/plugin/breach-c.ts", 'import "fast-check";'],
	resolvable: ["src/cli/breach-e.ts", 'import "./nowhere.ts";'],
};

describe("the import rules", () => {
	let copy: string;
	let violations: readonly Violation[];

	beforeAll(() => {
		copy = mkdtempSync(join(tmpdir(), "orgsync-architecture-"));
		for (const name of ["src", "package.json", "tsconfig.json", ".dependency-cruiser.mjs"]) {
			cpSync(join(root, name), join(copy, name), { recursive: true });
		}
		symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
		mkdirSync(join(copy, "test"));
		writeFileSync(join(copy, "test/stray.ts"), "export {};\n");
		for (const [file, content] of Object.values(breaches)) {
			mkdirSync(dirname(join(copy, file)), { recursive: true });
			writeFileSync(join(copy, file), `${content}\n`, { flag: "wx" });
		}
		writeFileSync(join(copy, "src/sync/circle-b.ts"), 'import "./circle-a.ts";\n');
		violations = cruise(copy);
	}, 60_000);

	afterAll(() => rmSync(copy, { recursive: true, force: true }));

	it("are kept by all sources", () => {
		const added = ["src/sync/circle-b.ts", ...Object.values(breaches).map(([file]) => file)];
		const others = violations.filter(({ from }) => !added.includes(from));
		expect(others.map(({ from, to, rule }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
	});

	it("are each tested here", () => {
		const rules = [...readFileSync(join(root, ".dependency-cruiser.mjs"), "utf8").matchAll(/name: "([a-z-]+)"/g)].map(
			([, name]) => name,
		);
		const made = Object.keys(breaches).filter(
			(name) => name.endsWith("-keeps-to-itself") || name.startsWith("only-door"),
		);
		expect([...rules, ...made].sort()).toEqual(Object.keys(breaches).sort());
	});

	it.each(Object.entries(breaches))("refuse an import that breaks %s", (name, [file]) => {
		expect(violations.filter(({ rule }) => rule.name === name).map(({ from }) => from)).toContain(file);
	});
});
