/** How the tests find a Pulumi engine or build one, with programs that only pretend. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { NotHere, orSkip } from "../left-out.ts";
import { onPosix } from "../needs.ts";
import { ensureEngine, findEngine } from "./engine.ts";
import { ensureGenerators } from "./generators.ts";
import { ensureGoProgram, goProgram } from "./go-program.ts";
import { ensurePython } from "./python.ts";
import type { Places } from "./store.ts";

const made = mkdtempSync(join(tmpdir(), "orgsync-find-engine-"));
afterAll(() => rmSync(made, { recursive: true, force: true }));

/** A machine that has what is in these folders, and nothing built yet. */
function places(path: string, home: string): Places & { readonly said: string[] } {
	const said: string[] = [];
	return { path, home, go: "", store: mkdtempSync(join(made, "store-")), say: (line) => said.push(line), said };
}

describe.runIf(onPosix)("finding the engine", () => {
	const needed = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs", "pulumi-language-yaml"];
	const all = [...needed, "pulumi-language-python", "pulumi-language-python-exec", "pulumi-language-go"];

	function pretend(folder: string, programs: readonly string[], answer = "v3.1.4"): string {
		mkdirSync(folder, { recursive: true });
		for (const name of programs) {
			writeFileSync(join(folder, name), `#!/bin/sh\necho ${answer}\n`);
			chmodSync(join(folder, name), 0o755);
		}
		return folder;
	}

	/** A Go that takes its time and leaves a program of the right name; its sources of Pulumi have the one script. */
	function pretendGo(name: string, end = ""): string {
		const folder = join(made, name);
		const sources = pretend(join(folder, "sources/python/cmd"), ["pulumi-language-python-exec"]);
		const script = `#!/bin/sh
case $1 in
version) echo "go version go1.26.8 linux/amd64"; exit;;
list) echo "${sources.replace("/python/cmd", "")}"; exit;;
esac
for word in "$@"; do case $word in -o=*) into=\${word#-o=};; esac; done
echo "\${word##*/}" >> "${folder}/log"
sleep 0.3
printf '#!/bin/sh\\necho v3.259.0\\n' > "$into\${word##*/}"
chmod +x "$into\${word##*/}"
echo "go: downloading a.example/module v1.0.0" >&2
${end}
`;
		writeFileSync(join(folder, "go"), script);
		chmodSync(join(folder, "go"), 0o755);
		return folder;
	}

	it("takes the one on PATH before the one of the home folder", () => {
		const path = pretend(join(made, "path"), all);
		const home = join(made, "home");
		const own = pretend(join(home, ".pulumi/bin"), all, "v3.1.5");
		const languages = ["python", "go"];
		expect(findEngine(places(path, home))).toEqual({ folder: path, version: "v3.1.4", languages });
		expect(findEngine(places("", home))).toEqual({ folder: own, version: "v3.1.5", languages });
	});

	it("takes an engine without the hosts of Python and Go, and leaves these languages out", () => {
		const without = pretend(join(made, "without"), needed);
		expect(findEngine(places(without, ""))?.languages).toEqual([]);
		const half = pretend(join(made, "half"), [...needed, "pulumi-language-python", "pulumi-language-go"]);
		expect(findEngine(places(half, ""))?.languages).toEqual(["go"]);
	});

	it("skips an engine that lacks a part or does not run, and prints that", () => {
		const lacking = pretend(join(made, "lacking"), ["pulumi", "pulumi-language-yaml"]);
		const broken = pretend(join(made, "broken"), all, "nothing");
		const asked = places(`${lacking}:${broken}`, join(made, "nobody"));
		expect(findEngine(asked)).toBeUndefined();
		expect(asked.said).toEqual([
			`${lacking}/pulumi is passed over: pulumi-language-nodejs and pulumi-resource-pulumi-nodejs should be beside it`,
			`${broken}/pulumi is passed over: \`pulumi version\` does not answer with a version`,
		]);
	});

	it("builds an engine if there is none, once for concurrent callers, and finds it again", async () => {
		const go = pretendGo("go");
		const asking = places(`${go}:/usr/bin:/bin`, join(made, "nobody"));
		mkdirSync(join(asking.store, "v3.1.4-0123456789ab"));
		mkdirSync(join(asking.store, "other-0123456789ab"));
		const [first, second] = await Promise.all([ensureEngine(asking), ensureEngine(asking)]);
		expect(second).toEqual(first);
		expect(readFileSync(join(go, "log"), "utf8").trimEnd().split("\n")).toEqual([
			"pulumi-language-nodejs",
			"pulumi-language-python",
			"pulumi-language-go",
			"pulumi",
			"pulumi-language-yaml",
		]);
		expect(findEngine(asking)).toEqual(first);
		expect(first).toMatchObject({ version: "v3.259.0", languages: ["python", "go"] });
		expect(asking.said.join("\n")).toContain("step 4 of 5: pulumi, 4 to 9 minutes on a fresh machine");
		expect(asking.said.join("\n")).toContain("another process is building");
		expect(readdirSync(asking.store).toSorted()).toEqual(["lock.sqlite", "other-0123456789ab", basename(first.folder)]);
	});

	it("keeps each program of a build that is interrupted, and builds only the others", async () => {
		const script = 'case $word in */pulumi) [ -e "$0.again" ] || { touch "$0.again"; exit 1; };; esac';
		const go = pretendGo("interrupted-go", script);
		const asking = places(`${go}:/usr/bin:/bin`, "");
		await expect(ensureEngine(asking)).rejects.toThrow(/failed \(exit code 1\)/);
		expect(findEngine(asking)).toBeUndefined();
		await ensureEngine(asking);
		const hosts = ["pulumi-language-nodejs", "pulumi-language-python", "pulumi-language-go"];
		const built = readFileSync(join(go, "log"), "utf8").trimEnd().split("\n");
		expect(built).toEqual([...hosts, "pulumi", "pulumi", "pulumi-language-yaml"]);
		expect(asking.said.join("\n")).toContain("step 1 of 5: pulumi-language-nodejs is there from the build that was");
		expect(readdirSync(asking.store).filter((name) => name.startsWith("unfinished"))).toEqual([]);
		expect(readdirSync(findEngine(asking)?.folder ?? "")).not.toContain("building");
	});

	it("leaves no incomplete engine if the build fails, and shows the output of Go", async () => {
		const asking = places(`${pretendGo("failing-go", "echo no space left >&2; exit 1")}:/usr/bin:/bin`, "");
		await expect(ensureEngine(asking)).rejects.toThrow(/failed \(exit code 1\).*\n.*\nno space left/);
		expect(findEngine(asking)).toBeUndefined();
	});

	it("names both ways to get an engine if there is no Go", async () => {
		const asking = places("", join(made, "nobody"));
		await expect(ensureEngine(asking)).rejects.toThrow(/installing Pulumi .*installing Go 1\.26/);
	});
});

describe("a machine without a language", () => {
	afterEach(() => vi.unstubAllEnvs());

	it.each([
		[
			"the generators of the SDKs",
			/because .* no Go, install it by installing Go 1\.26.*`npm run engine`/,
			ensureGenerators,
		],
		[
			"a program in Go",
			/because .* no Go, install it by installing Go 1\.26.*`npm run engine`/,
			(at: Places) => ensureGoProgram(goProgram, at),
		],
		["a program in Python", /because there is no Python 3\.10 .*`npm run engine`/, ensurePython],
	])("lacks %s, and the message names the command that makes it", async (_what, message, ensure) => {
		const missing = ensure(places("", ""));
		await expect(missing).rejects.toThrow(message);
		await expect(missing).rejects.toBeInstanceOf(NotHere);
	});

	it("skips a test that needs it with the reason, and fails it with CI set", async (context) => {
		const skipped: unknown[] = [];
		const test = Object.assign(Object.create(context), { skip: (reason: unknown) => skipped.push(reason) });
		const reason = { what: "some tests", missing: "there is no Go", install: "installing Go" };
		const text = "left out: some tests, because there is no Go, install it by installing Go";
		const lacking = () => Promise.reject(new NotHere(reason));
		vi.stubEnv("CI", undefined);
		vi.stubEnv("ORGSYNC_TESTS_LEFT_OUT", undefined);
		await expect(orSkip(test, lacking)).rejects.toThrow(text);
		expect(skipped).toEqual([text]);
		vi.stubEnv("CI", "true");
		await expect(orSkip(test, lacking)).rejects.toThrow(text);
		expect(skipped).toHaveLength(1);
	});

	it("fails a test for any other error", async (context) => {
		vi.stubEnv("CI", undefined);
		await expect(orSkip(context, () => Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
	});
});
