import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { readOutput, run } from "../run.ts";

const hasBash = spawnSync("bash", ["--version"]).status === 0;

const commands = [
	"init",
	"validate",
	"export",
	"plan",
	"show",
	"apply",
	"drift",
	"status",
	"wait",
	"explain",
	"organizations",
	"powers",
	"query",
	"import-key",
	"emulator",
	"schema",
	"completion",
];

const scripts: Record<string, string> = {};

beforeAll(async () => {
	for (const shell of ["bash", "zsh", "fish"]) {
		const { code, stdout, stderr } = await run(["completion", shell]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		scripts[shell] = stdout;
	}
}, 30_000);

/** What bash offers for the last of these words, once the script is sourced. */
function complete(words: readonly string[]): readonly string[] {
	const bash = `source /dev/stdin <<<"$SCRIPT" || exit 1
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
$(complete -p orgsync | sed -n 's/.*-F \\([^ ]*\\) .*/\\1/p')
printf '%s\\n' "\${COMPREPLY[@]}"`;
	const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-c", bash, "bash", ...words], {
		encoding: "utf8",
		env: { PATH: process.env.PATH, SCRIPT: scripts.bash },
	});
	expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
	return stdout.split("\n").filter((word) => word !== "");
}

describe.runIf(hasBash)("the script for bash", () => {
	test.each(["bash", "zsh"])("parses in bash: %s", (shell) => {
		const { status, stderr } = spawnSync("bash", ["-n"], { input: scripts[shell], encoding: "utf8" });
		expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
	});

	test("completes every command", () => {
		expect(complete(["orgsync", ""])).toEqual(commands);
		expect(complete(["orgsync", "pl"])).toEqual(["plan"]);
		expect(complete(["orgsync", "in"])).toEqual(["init"]);
		expect(complete(["orgsync", "nothing"])).toEqual([]);
	});

	test("completes the flags of the command that was begun, and of no other", () => {
		expect(complete(["orgsync", "apply", "--a"])).toEqual(["--allow", "--abandon"]);
		expect(complete(["orgsync", "plan", "--a"])).toEqual(["--allow"]);
		expect(complete(["orgsync", "plan", "--verbose", "--detail"])).toEqual(["--detailed-exitcode"]);
		expect(complete(["orgsync", "nothing", "--"])).toEqual([]);
	});

	test("completes the values of a flag that has a fixed list of them", () => {
		expect(complete(["orgsync", "export", "--format", ""])).toEqual([
			"text",
			"json",
			"pulumi-yaml",
			"pulumi-typescript",
		]);
		expect(complete(["orgsync", "plan", "--verbose", "--format", "g"])).toEqual(["github"]);
		expect(complete(["orgsync", "export", "--reads", ""])).toEqual(["auto", "documented"]);
		expect(scripts.fish).toContain(
			"complete -c orgsync -n '__fish_seen_subcommand_from export' -l format -x -a 'text json pulumi-yaml pulumi-typescript'\n",
		);
	});
});

describe.runIf(hasBash)("the scripts for bash and fish", () => {
	test.each(commands)("know the flags that %s --help names", async (command) => {
		const { stdout } = await run([command, "--help"]);
		const flags = [...stdout.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, flag]) => flag);
		expect(flags.length).toBeGreaterThan(3);
		const offered = complete(["orgsync", command, "--"]);
		for (const flag of flags.filter((one) => one !== "help")) {
			expect(offered).toContain(`--${flag}`);
			expect(scripts.fish).toContain(`complete -c orgsync -n '__fish_seen_subcommand_from ${command}' -l ${flag}\n`);
		}
	});
});

describe("every script", () => {
	test("explains its use on the first line", () => {
		expect(scripts.bash?.split("\n")[0]).toBe("# bash: source <(orgsync completion bash)");
		expect(scripts.zsh?.split("\n")[0]).toBe("# zsh: source <(orgsync completion zsh)");
		expect(scripts.fish?.split("\n")[0]).toBe("# fish: orgsync completion fish | source");
	});

	test("describes every command within one pair of quotes for fish", () => {
		const lines = scripts.fish?.split("\n").filter((line) => line.includes("__fish_use_subcommand")) ?? [];
		expect(lines.map((line) => / -a (\S+) -d '(?:[^'\\]|\\['\\])+'$/.exec(line)?.[1])).toEqual(commands);
	});
});

describe("orgsync completion", () => {
	test.each(["bash", "zsh", "fish"])("%s puts the script into the one JSON object", async (shell) => {
		const answer = await run(["completion", shell, "--format", "json"]);
		expect(answer.code).toBe(0);
		expect(readOutput(answer)).toMatchObject({ command: "completion", error: null, script: scripts[shell] });
	});

	test("exits with 3 for an unknown shell and lists the known ones", async () => {
		expect(await run(["completion", "nonsense"])).toEqual({
			code: 3,
			stdout: "",
			stderr: "error: there is no completion for nonsense\nhint: there is for bash, zsh, fish\n",
		});
		const json = await run(["completion", "constructor", "--format", "json"]);
		expect(json.code).toBe(3);
		expect(readOutput(json).error).toMatchObject({ code: "configuration" });
		expect((await run(["completion"])).code).toBe(3);
	});
});
