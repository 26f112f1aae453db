/**
 * The groups of test files, by what they need: found in what each file imports, so that a new test is in the right one.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));

export type Group = "pure" | "in process" | "thorough" | "processes" | "browser" | "engine";

/** Folders whose tests call pure functions only. */
const pureFolders = ["document", "plan", "policy", "render"].map((room) => `test/${room}/`);

/** Files that search thousands of random cases, hostile names in every result, samples of proofs, and the largest inputs. */
const thorough = /\.property\.test\.ts$|\/scale\.test\.ts$|^test\/prove\/\w+\/|^test\/render\/hostile-\w+\.test\.ts$/;

/**
 * Others that take seconds: they compile with TypeScript, wait, try every order of steps, or play many runs. With those above, they
 * take as long as all quick files together.
 */
const slow: ReadonlySet<string> = new Set(
	[
		...["cli/commands/approve-history", "cli/commands/policies-once", "cli/commands/reviewed-plan"],
		...["cli/commands/approve", "cli/consensus"],
		...["cli/kinds", "cli/order", "cli/reversals", "document/saved/saved-forged", "document/saved/saved-meaning"],
		...["document/limits", "engine/finding", "plan/order/order-search", "wire/transport-failure"],
		...[
			"access-end",
			"denied-reads",
			"guards",
			"organization",
			"overrides",
			"own-providers",
			"pending-delete",
			"pending-preview",
		].map((name) => `pulumi/${name}`),
		...["removals", "replaced", "resource-options", "secrets", "waiting", "windows"].map((name) => `pulumi/${name}`),
		...["user-tag", "user-tag-found", "user-tag-unknown"].map((name) => `pulumi/user-tag/${name}`),
		...["created", "killed-steps", "organization-policies", "policy", "policy-options"].map(
			(name) => `pulumi/policy/${name}`,
		),
		...["pulumi/dynamic/invalid-settings", "pulumi/dynamic/timeouts", "pulumi/plugin/package-examples"],
		...["pulumi/plugin/plugin-protocol", "pulumi/session/shared-reads", "cli/commands/journal", "cli/overrides"],
		...["cli/commands/journal-backup", "cli/commands/schema", "cli/flags/formats", "emulator/smallest-sets"],
		...["policy/powers/example", "policy/powers/fields", "wire/answers", "wire/pressure"],
		...["cli/several-organizations", "pulumi/plugin/plugin-component", "pulumi/policy/many", "pulumi/upgrade"],
	].map((name) => `test/${name}.test.ts`),
);

/** Every test file by its group, each as a path from the root of the project. */
export function groupTests(): Readonly<Record<Group, readonly string[]>> {
	const groups: Record<Group, string[]> = {
		pure: [],
		"in process": [],
		thorough: [],
		processes: [],
		browser: [],
		engine: [],
	};
	for (const file of globSync("test/**/*.test.ts", { cwd: project })) {
		// Windows has other separators.
		const path = file.replaceAll("\\", "/");
		groups[groupOf(path)].push(path);
	}
	return groups;
}

function groupOf(file: string): Group {
	const imported = importsOf(file);
	// The tests of how an engine is found need none.
	if (imported.has("test/engine/engine.ts") && file !== "test/engine/finding.test.ts") return "engine";
	if (imported.has("test/browser/browser.ts")) return "browser";
	// The parsers of metrics are Python's.
	if (startsProcesses(file) || imported.has("test/metrics.ts") || file.startsWith("test/pipelines/"))
		return "processes";
	if (thorough.test(file) || slow.has(file)) return "thorough";
	return pureFolders.some((folder) => file.startsWith(folder)) ? "pure" : "in process";
}

/** Whether a test starts a program of its own. */
function startsProcesses(file: string): boolean {
	return /"node:child_process"|\b(runProcess|runProgram|startProgram|runOnTerminal)\b|\bworld\.start\(/.test(
		textOf(file),
	);
}

const texts = new Map<string, string>();

function textOf(file: string): string {
	const known = texts.get(file) ?? readFileSync(join(project, file), "utf8");
	texts.set(file, known);
	return known;
}

/** The files of test/ that a file imports, also through others; types leave no import. */
function importsOf(file: string, found = new Set<string>()): ReadonlySet<string> {
	for (const [, name = ""] of textOf(file).matchAll(/^(?:import|export) (?!type\b)[^;=]*?from "(\.[^"]+)";/gms)) {
		const path = relative(project, join(project, dirname(file), name)).replaceAll("\\", "/");
		if (!path.startsWith("test/") || !path.endsWith(".ts") || found.has(path)) continue;
		found.add(path);
		importsOf(path, found);
	}
	return found;
}
