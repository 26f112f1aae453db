/**
 * The engine and the harness, without orgsync: a resource that does nothing but write down what it is asked goes through
 * everything that the tests of orgsync/pulumi build on. And Pulumi's own dynamic resources still speak the way ours do.
 */
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureEngine, findEngine, type Places } from "./engine.ts";
import { expectSuccess, type Stack, startStack } from "./harness.ts";

/** The way of orgsync's own resources: a constant text that takes the implementation from what is installed. */
const handler = 'exports.handler=()=>require("module").createRequire(process.cwd()+"/")("./provider.cjs").thing';

const program = `"use strict";
const pulumi = require("@pulumi/pulumi");
class Thing extends pulumi.CustomResource {
	constructor(name, args, options) {
		super("pulumi-nodejs:dynamic/probe:Thing", name, { seen: undefined, ...args, __provider: ${JSON.stringify(handler)} }, options);
	}
}
const config = new pulumi.Config();
const thing = new Thing("thing", { color: config.require("color"), fails: config.getBoolean("fails") });
exports.color = thing.color;
exports.hidden = pulumi.secret({ token: "hidden-token" });
exports.seen = thing.seen;
`;

/** The live object is live.json, and each call is a line of asked.jsonl. */
const provider = `"use strict";
const fs = require("node:fs");
const asked = (what) => fs.appendFileSync("asked.jsonl", JSON.stringify({ ...what, process: process.pid }) + "\\n");
const save = ({ color }) => fs.writeFileSync("live.json", JSON.stringify({ color }));
let configured;
exports.thing = {
	async configure({ config }) {
		configured = { color: config.get("color"), token: config.get("token") };
		asked({ method: "configure", ...configured });
	},
	async check(olds, news) {
		const failures = news.color === "plaid" ? [{ property: "color", reason: "plaid is not a color" }] : [];
		return { inputs: news, failures };
	},
	async diff(id, olds, news) {
		asked({ method: "diff", id });
		return { changes: olds.color !== news.color || olds.waits === true };
	},
	async create(inputs) {
		asked({ method: "create" });
		if (inputs.fails) {
			throw Object.assign(new Error("it waits for approval"), {
				id: "thing-1",
				properties: { ...inputs, waits: true },
				reasons: ["activity 7 waits for approval", "approve it and run again"],
			});
		}
		save(inputs);
		return { id: "thing-1", outs: { ...inputs, seen: "created" } };
	},
	async update(id, olds, news) {
		asked({ method: "update", id, waited: olds.waits });
		save(news);
		return { outs: { ...news, seen: "updated" } };
	},
	async read(id, props) {
		asked({ method: "read", id });
		if (!fs.existsSync("live.json")) return {};
		const { color } = JSON.parse(fs.readFileSync("live.json", "utf8"));
		return { id, props: { ...props, color }, inputs: { color } };
	},
	async delete(id) {
		asked({ method: "delete", id });
		fs.rmSync("live.json");
	},
};
`;

interface Asked {
	readonly method: string;
	readonly process: number;
	readonly waited?: boolean;
	readonly token?: string;
}

/** What the provider was asked since the last time. */
function takeAsked({ folder }: Stack): readonly Asked[] {
	const file = join(folder, "asked.jsonl");
	if (!existsSync(file)) return [];
	const lines = readFileSync(file, "utf8").trim().split("\n");
	rmSync(file);
	return lines.map((line) => JSON.parse(line) as Asked);
}

const methods = (stack: Stack): readonly string[] => takeAsked(stack).map(({ method }) => method);

describe("a resource with a constant __provider", { timeout: 120_000 }, () => {
	let stack: Stack;

	beforeAll(async () => {
		stack = await startStack({
			files: { "index.js": program, "provider.cjs": provider },
			config: { color: "red", token: { secret: "hidden-token" } },
			recordCalls: true,
			orgsync: null,
		});
	}, 120_000);

	it("is shown by preview, which creates nothing", async () => {
		const shown = expectSuccess(await stack.preview(["--diff"]));
		expect(shown).toMatch(/\+ pulumi-nodejs:dynamic\/probe:Thing: \(create\)/);
		expect(shown).toMatch(/color +: "red"/);
		expect(methods(stack)).toEqual(["configure"]);
	});

	it("is created by up, in one process that got the configuration decrypted", async () => {
		expectSuccess(await stack.up());
		const asked = takeAsked(stack);
		expect(asked.map(({ method }) => method)).toEqual(["configure", "create"]);
		expect(new Set(asked.map(({ process }) => process)).size).toBe(1);
		expect(asked[0]?.token).toBe("hidden-token");
		expect(await stack.outputs()).toEqual({ color: "red", seen: "created", hidden: "[secret]" });
		expect((await stack.resource("thing")).inputs).toEqual({ __provider: handler, color: "red" });
	});

	it("is left alone by the next up, and preview --expect-no-changes exits 0", async () => {
		expect(expectSuccess(await stack.up())).toContain("2 unchanged");
		expect((await stack.preview(["--expect-no-changes"])).exitCode).toBe(0);
		expect(methods(stack)).toEqual(["configure", "diff", "configure", "diff"]);
	});

	it("shows drift after a refresh, and up repairs it", async () => {
		stack.write({ "live.json": '{"color":"blue"}' });
		expect((await stack.preview(["--refresh", "--expect-no-changes"])).exitCode).toBe(7);
		expectSuccess(await stack.refresh());
		expect((await stack.resource("thing")).outputs?.color).toBe("blue");
		expect((await stack.preview(["--expect-no-changes"])).exitCode).toBe(7);
		expectSuccess(await stack.up());
		expect(readFileSync(join(stack.folder, "live.json"), "utf8")).toBe('{"color":"red"}');
		expect(methods(stack)).toContain("update");
	});

	it("names the property of a failed check", async () => {
		await stack.configure({ color: "plaid" });
		const { exitCode, stdout } = await stack.preview();
		expect(exitCode).toBe(1);
		expect(stdout).toContain(
			"Thing resource 'thing': property color value {plaid} has a problem: plaid is not a color",
		);
		await stack.configure({ color: "red" });
	});

	it("is gone from the state when read answers {}", async () => {
		takeAsked(stack);
		rmSync(join(stack.folder, "live.json"));
		expectSuccess(await stack.refresh());
		await expect(stack.resource("thing")).rejects.toThrow("0 resources");
		expectSuccess(await stack.up());
		expect(methods(stack)).toEqual(["configure", "read", "configure", "create"]);
	});

	it("is deleted by destroy", async () => {
		expectSuccess(await stack.destroy());
		expect(methods(stack)).toEqual(["configure", "delete"]);
		expect((await stack.state()).deployment.resources ?? []).toEqual([]);
		expect(existsSync(join(stack.folder, "live.json"))).toBe(false);
	});

	it("stays in the state with its reasons when create fails with an id, and the next up calls update", async () => {
		await stack.configure({ fails: "true" });
		const failed = await stack.up();
		expect(failed.exitCode).toBe(1);
		for (const reason of ["activity 7 waits for approval", "approve it and run again"]) {
			expect(failed.stdout).toContain(reason);
		}
		const { id, outputs, initErrors } = await stack.resource("thing");
		expect({ id, waits: outputs?.waits }).toEqual({ id: "thing-1", waits: true });
		expect(initErrors).toEqual(["activity 7 waits for approval", "approve it and run again"]);
		takeAsked(stack);
		expectSuccess(await stack.up());
		const updated = takeAsked(stack).find(({ method }) => method === "update");
		expect(updated?.waited).toBe(true);
		const after = await stack.resource("thing");
		expect({ initErrors: after.initErrors, seen: after.outputs?.seen }).toEqual({
			initErrors: undefined,
			seen: "updated",
		});
	});

	it("has a state and outputs that the harness reads as `pulumi stack export` and `pulumi stack output` print them", async () => {
		const printed = expectSuccess(await stack.pulumi(["stack", "export"]));
		expect(await stack.state()).toEqual(JSON.parse(printed));
		const outputs = expectSuccess(await stack.pulumi(["stack", "output", "--json"]));
		expect(await stack.outputs()).toEqual(JSON.parse(outputs));
		expect(Object.keys(await stack.outputs())).toContain("hidden");
	});

	it("is recorded by the harness: every call, every file, and no secret in the backend", () => {
		const calls = stack.calls().map(({ method }) => method.slice(method.lastIndexOf("/") + 1));
		expect(calls).toEqual(expect.arrayContaining(["Configure", "Check", "Diff", "Create", "Update", "Read", "Delete"]));
		expect(stack.stateFiles().some(({ text }) => text.includes("pulumi-nodejs:dynamic/probe:Thing"))).toBe(true);
		expect(stack.stateFiles().filter(({ text }) => text.includes("hidden-token"))).toEqual([]);
		expect(stack.written().some(({ place }) => place === "standard output of pulumi preview --diff")).toBe(true);
	});

	it("leaves no process behind, and kill ends those that are there", async () => {
		expect(stack.processes()).toEqual([]);
		stack.write({
			"provider.cjs": `${provider}\nexports.thing.update = () => new Promise(() => setInterval(() => {}, 1000));`,
		});
		await stack.configure({ color: "green" });
		const { ended } = stack.start(["up", "--yes", "--skip-preview"]);
		await expect
			.poll(() => stack.processes().some(({ command }) => command.includes("dynamic-provider")), { timeout: 20_000 })
			.toBe(true);
		expect(stack.processes().length).toBeGreaterThan(2);
		stack.kill();
		expect((await ended).exitCode).toBeNull();
		await expect.poll(() => stack.processes()).toEqual([]);
	});
});

describe("Pulumi's own dynamic resources", { timeout: 120_000 }, () => {
	it("have the type, the property and the secret that orgsync's resources use", async () => {
		const stack = await startStack({
			files: {
				"index.js": `"use strict";
const pulumi = require("@pulumi/pulumi");
const secret = pulumi.secret("captured-secret");
const create = async () => ({ id: "1", outs: {} });
const plain = { create };
const holding = { create: async () => ({ id: "1", outs: { length: secret.get().length } }) };
new pulumi.dynamic.Resource(plain, "plain", { color: "red" });
new pulumi.dynamic.Resource(plain, "named", {}, undefined, "probe", "Thing");
new pulumi.dynamic.Resource(holding, "holding", {});
`,
			},
			orgsync: null,
		});
		expectSuccess(await stack.up());
		const [plain, named, holding] = await Promise.all(
			["plain", "named", "holding"].map((name) => stack.resource(name)),
		);
		expect(plain?.type).toBe("pulumi-nodejs:dynamic:Resource");
		expect(named?.type).toBe("pulumi-nodejs:dynamic/probe:Thing");
		expect(plain?.inputs).toEqual({ __provider: expect.stringMatching(/^exports\.handler = /), color: "red" });
		// Whatever create answers, the state keeps the text: it is what refresh and destroy run.
		expect(plain?.outputs).toEqual({ __provider: plain?.inputs?.__provider });
		// The mark of a secret in the state, and its ciphertext.
		expect(holding?.inputs?.__provider).toEqual({
			"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
			ciphertext: expect.stringMatching(/^v1:/),
		});
		expect(
			stack.written().filter(({ place, text }) => !place.endsWith("index.js") && text.includes("captured-secret")),
		).toEqual([]);
	});
});

describe("the package in a project of the harness", { timeout: 120_000 }, () => {
	it("is the published one, with the version and the changes of the test", async () => {
		const stack = await startStack({
			files: {
				"index.cjs": `"use strict";
const { operations } = require("orgsync");
exports.operations = Object.keys(operations).length;
exports.version = require("orgsync/package.json").version;
exports.edited = require("node:fs").existsSync("node_modules/orgsync/edited");
`,
			},
			orgsync: { version: "9.8.7", edit: (folder) => writeFileSync(join(folder, "edited"), "") },
		});
		expectSuccess(await stack.up());
		expect(await stack.outputs()).toEqual({ operations: 13, version: "9.8.7", edited: true });
		stack.install();
		expectSuccess(await stack.up());
		const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
		expect(await stack.outputs()).toEqual({ operations: 13, version, edited: false });
	});
});

describe("finding the engine", () => {
	const made = mkdtempSync(join(tmpdir(), "orgsync-find-engine-"));
	afterAll(() => rmSync(made, { recursive: true, force: true }));

	const all = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

	function pretend(folder: string, programs: readonly string[], answer = "v3.1.4"): string {
		mkdirSync(folder, { recursive: true });
		for (const name of programs) {
			writeFileSync(join(folder, name), `#!/bin/sh\necho ${answer}\n`);
			chmodSync(join(folder, name), 0o755);
		}
		return folder;
	}

	function places(path: string, home: string): Places & { readonly said: string[] } {
		const said: string[] = [];
		return { path, home, go: "", store: mkdtempSync(join(made, "store-")), say: (line) => said.push(line), said };
	}

	/** A Go that takes its time and leaves a program of the right name. */
	function pretendGo(name: string, end = ""): string {
		const folder = join(made, name);
		mkdirSync(folder);
		const script = `#!/bin/sh
[ "$1" = version ] && echo "go version go1.26.8 linux/amd64" && exit
echo built >> "${folder}/log"
sleep 0.3
for word in "$@"; do case $word in -o=*) into=\${word#-o=};; esac; done
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
		expect(findEngine(places(path, home))).toEqual({ folder: path, version: "v3.1.4" });
		expect(findEngine(places("", home))).toEqual({ folder: own, version: "v3.1.5" });
	});

	it("skips an engine that lacks a part or does not run, and prints that", () => {
		const lacking = pretend(join(made, "lacking"), ["pulumi"]);
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
		const [first, second] = await Promise.all([ensureEngine(asking), ensureEngine(asking)]);
		expect(second).toEqual(first);
		expect(readFileSync(join(go, "log"), "utf8")).toBe("built\nbuilt\n");
		expect(findEngine(asking)).toEqual(first);
		expect(first.version).toBe("v3.259.0");
		expect(asking.said.join("\n")).toContain("step 2 of 2: pulumi, 4 to 9 minutes on a fresh machine");
		expect(asking.said.join("\n")).toContain("another process is building it");
		expect(readdirSync(asking.store)).toHaveLength(2);
	});

	it("leaves no incomplete engine if the build fails, and shows the output of Go", async () => {
		const asking = places(`${pretendGo("failing-go", "echo no space left >&2; exit 1")}:/usr/bin:/bin`, "");
		await expect(ensureEngine(asking)).rejects.toThrow(/failed \(exit code 1\).*\n.*\nno space left/);
		expect(findEngine(asking)).toBeUndefined();
	});

	it("names both ways to get an engine if there is no Go", async () => {
		const asking = places("", join(made, "nobody"));
		await expect(ensureEngine(asking)).rejects.toThrow(/install Pulumi from its vendor[\s\S]*install Go 1\.26/);
	});
});
