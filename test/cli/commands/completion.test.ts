import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { havePrograms } from "../../needs.ts";
import { makeFolder, orgsync, readOutput, run } from "../../run.ts";
import { document, policies } from "../../world.ts";

const commands = [
	"init",
	"validate",
	"lint",
	"export",
	"plan",
	"show",
	"apply",
	"drift",
	"grant",
	"revoke",
	"status",
	"approve",
	"reject",
	"wait",
	"explain",
	"organizations",
	"powers",
	"can",
	"test",
	"credentials",
	"query",
	"import-key",
	"passkey",
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

/** A folder with a document, in which `orgsync` is the sources. */
function makeDocuments(): { readonly cwd: string; readonly path: string } {
	const cwd = makeFolder();
	const bin = join(cwd, "bin");
	mkdirSync(bin);
	const command = orgsync.map((word) => `'${word}'`).join(" ");
	writeFileSync(join(bin, "orgsync"), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
	const names = ["signers", "on call", "$(touch pwned)", "\\u202eevil"].map((name) => `{ name: "${name}" }`);
	const text = document(`userTags: [${names.join(", ")}]`, `absent: { policies: [${policies[0]}] }`);
	writeFileSync(join(cwd, "orgsync.yaml"), text);
	return { cwd, path: `${bin}:${process.env.PATH}` };
}

const atLine: Readonly<Record<string, string>> = {
	bash: `source /dev/stdin <<<"$SCRIPT" || exit 1
COMP_LINE=$LINE
COMP_POINT=\${#LINE}
$(complete -p orgsync | sed -n 's/.*-F \\([^ ]*\\) .*/\\1/p')
printf '%s\\n' "\${COMPREPLY[@]}"`,
	// The commands of its completion system work only in its line editor.
	zsh: `compdef() { }
compset() { }
_files() { print -l -- *(.) }
compadd() { while [[ $1 != -a ]]; do shift; done; print -l -- "\${(@P)2}" }
_describe() { print -l -- "\${(@)\${(@P)@[-1]}%%:*}" }
eval "$SCRIPT"
words=("\${(@s: :)LINE}")
CURRENT=$#words
_orgsync`,
	fish: 'echo $SCRIPT | source; complete -C "$LINE" | string replace -r "\t.*" ""; true',
};

/** What a shell offers at the end of the line, once the script is sourced. */
function complete(line: string, shell = "bash", { cwd, path } = makeDocuments()): readonly string[] {
	const { status, stdout, stderr } = spawnSync(shell, [...(quiet[shell] ?? []), "-c", atLine[shell] ?? ""], {
		encoding: "utf8",
		cwd,
		env: { PATH: path, HOME: cwd, SCRIPT: scripts[shell], LINE: line },
	});
	expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
	const offered = stdout.split("\n").filter((word) => word !== "");
	// With `--flag=value`, fish offers the whole word.
	return offered.map((word) => word.replace(/^--[a-z-]+=/, ""));
}

const quiet: Readonly<Record<string, readonly string[]>> = { bash: ["--norc"], zsh: ["-f"], fish: [] };

const shells = (["bash", "zsh", "fish"] as const).filter((shell) =>
	havePrograms("the test of completion in a shell", shell),
);

describe.each(shells)("the script for %s", (shell) => {
	const offersIn = (line: string, world: ReturnType<typeof makeDocuments>): readonly string[] => {
		// zsh itself leaves out what does not begin with the word.
		const word = line.split(" ").at(-1) ?? "";
		const prefix = word.replace(/^--[a-z-]+=/, "");
		const all = complete(line, shell, world);
		return shell === "zsh" ? all.filter((one) => one.startsWith(prefix)).sort() : [...all].sort();
	};

	test("completes commands, flags, and fixed values of flags and arguments", () => {
		const empty = makeDocuments();
		const offers = (line: string): readonly string[] => offersIn(line, empty);
		expect(offers("orgsync ")).toEqual([...commands, "help"].sort());
		expect(offers("orgsync help pl")).toEqual(["plan"]);
		expect(offers("orgsync pl")).toEqual(["plan"]);
		expect(offers("orgsync apply --a")).toEqual(["--abandon", "--allow"]);
		expect(offers("orgsync plan --verbose --detail")).toEqual(["--detailed-exitcode"]);
		expect(offers("orgsync export --reads ")).toEqual(["auto", "documented"]);
		expect(offers("orgsync plan --verbose --format g")).toEqual(["github"]);
		expect(offers("orgsync apply --allow=mem")).toEqual(["memberRemovals="]);
		expect(offers("orgsync completion ")).toEqual(["bash", "fish", "zsh"]);
		expect(offers("orgsync query list_u")).toEqual(["list_user_tags", "list_users"]);
		expect(offers("orgsync plan --timeout ")).toEqual([]);
	});

	test("completes kinds and addresses, users and tags of the document, and runs nothing that it names", () => {
		const world = makeDocuments();
		const offers = (line: string): readonly string[] => offersIn(line, world);
		const label = { bash: "on\\ call", zsh: "userTag:on call", fish: "userTag:on call" }[shell];
		expect(offers("orgsync plan --only userTag:on")).toEqual([label]);
		expect(offers("orgsync drift --accept policy:")).toEqual([
			shell === "bash" ? policies[0] : `policy:${policies[0]}`,
		]);
		const all = offers("orgsync plan --only ");
		expect(all).toEqual(expect.arrayContaining(["userTag", "supportedAsset", "userTag:signers"]));
		expect(all).toContain(shell === "bash" ? "userTag:\\$\\(touch\\ pwned\\)" : "userTag:$(touch pwned)");
		expect(all.join()).not.toContain("evil");
		expect(offers("orgsync powers --user=a")).toEqual(["alice"]);
		expect(offers("orgsync grant a")).toEqual(["alice"]);
		expect(offers("orgsync revoke bob sig")).toEqual(["signers"]);
		expect(offers("orgsync plan --only user -f nowhere.yaml --submitter ")).toEqual([]);
		expect(readdirSync(world.cwd)).not.toContain("pwned");
	});
});

describe.each(shells.filter((shell) => shell !== "bash"))("the script for %s", (shell) => {
	test("leaves the names of files to the shell", () => {
		const world = makeDocuments();
		expect(complete("orgsync plan -f org", shell, world)).toContain("orgsync.yaml");
		expect(complete("orgsync plan --file=org", shell, world)).toContain("orgsync.yaml");
		expect(complete("orgsync plan --reads org", shell, world)).not.toContain("orgsync.yaml");
	});
});

/** What `__complete` prints for these words, without descriptions. */
async function valuesFor(words: readonly string[], cwd?: string): Promise<readonly string[]> {
	const { code, stdout, stderr } = await run(["__complete", ...words], cwd === undefined ? {} : { cwd });
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

describe("orgsync __complete", () => {
	test.each(commands)("knows the flags that %s --help names", async (command) => {
		const { stdout } = await run([command, "--help"]);
		const flags = [...stdout.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, flag]) => `--${flag}`);
		expect(flags.length).toBeGreaterThan(3);
		const offered = await valuesFor([command, "--"]);
		expect(offered).toEqual(flags.filter((flag) => flag !== "--help"));
	});

	test("describes commands and flags as their help does", async () => {
		expect((await run(["__complete", ""])).stdout).toContain("validate\tcheck documents without calling the service\n");
		expect((await run(["__complete", "plan", "--d"])).stdout).toContain(
			"--local\tuse the local emulator; needs no account\n",
		);
	});

	test("offers the values of arguments in their place, flags and their values aside", async () => {
		const { cwd } = makeDocuments();
		expect(await valuesFor(["revoke", "-f", "orgsync.yaml", "bob", ""], cwd)).toContain("signers");
		expect(await valuesFor(["powers", "--why", "alice", ""], cwd)).toContain("sign");
		expect(await valuesFor(["query", "list_users", ""])).toEqual([]);
	});

	test("asks for the names of files where a flag or an argument takes one", async () => {
		for (const words of [
			["plan", "-f", ""],
			["plan", "--out=pl"],
			["show", ""],
		])
			expect(await valuesFor(words)).toEqual([":files"]);
	});

	test("prints nothing where there is nothing to offer", async () => {
		const { cwd } = makeDocuments();
		for (const words of [
			["nothing", ""],
			["--only", "plan", "--only"],
			["plan", "--timeout", ""],
			["plan", "--constructor="],
			["import-key", "--user", "-f", "-", "--user", ""],
			["powers", "-f", "missing.yaml", "--user", ""],
		])
			expect(await valuesFor(words, cwd)).toEqual([]);
		expect(await valuesFor(["powers", "--user", ""], makeFolder())).toEqual([]);
		expect(await valuesFor(["powers", "-f", "orgsync.yaml", "--tag", ""], cwd)).toEqual([
			"$(touch pwned)",
			"on call",
			"signers",
		]);
	});
});

describe("every script", () => {
	test("explains its use on the first line", () => {
		expect(scripts.bash?.split("\n")[0]).toBe("# bash: source <(orgsync completion bash)");
		expect(scripts.zsh?.split("\n")[0]).toBe("# zsh: source <(orgsync completion zsh)");
		expect(scripts.fish?.split("\n")[0]).toBe("# fish: orgsync completion fish | source");
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
