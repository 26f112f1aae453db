/**
 * The engine and the harness, without orgsync: a resource that does nothing but write down what it is asked. What else an engine
 * does is in ../pulumi/in-process/fidelity.test.ts. And Pulumi's own dynamic resources, in the same stack, speak the way ours do.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { prepareOrSkip } from "../needs.ts";
import { type Answer, expectSuccess } from "./answer.ts";
import { type Stack, startStack } from "./harness.ts";

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
const secret = pulumi.secret("captured-secret");
const create = async () => ({ id: "1", outs: {} });
const plain = { create };
const holding = { create: async () => ({ id: "1", outs: { length: secret.get().length } }) };
new pulumi.dynamic.Resource(plain, "plain", { color: "red" });
new pulumi.dynamic.Resource(plain, "named", {}, undefined, "probe", "Named");
new pulumi.dynamic.Resource(holding, "holding", {});
exports.operations = Object.keys(require("orgsync").operations).length;
exports.version = require("orgsync/package.json").version;
exports.edited = require("node:fs").existsSync("node_modules/orgsync/edited");
const thing = new Thing("thing", { color: config.require("color") });
if (config.getBoolean("late") !== undefined) new Thing("late", { color: "blue", fails: config.getBoolean("late") });
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
		return { inputs: news, failures: [] };
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

describe("a resource with a constant __provider", { timeout: 120_000 }, () => {
	let stack: Stack;
	let failed: Answer;

	prepareOrSkip(async () => {
		stack = await startStack({
			files: { "index.js": program, "provider.cjs": provider },
			config: { color: "red", late: "true", token: { secret: "hidden-token" } },
			recordCalls: true,
			orgsync: { version: "9.8.7", edit: (folder) => writeFileSync(join(folder, "edited"), "") },
		});
	}, 120_000);

	it("is created by up, in one process that got the configuration decrypted", async () => {
		failed = await stack.up(["--continue-on-error"]);
		const asked = takeAsked(stack);
		expect(asked.map(({ method }) => method)).toEqual(["configure", "create", "create"]);
		expect(new Set(asked.map(({ process }) => process)).size).toBe(1);
		expect(asked[0]?.token).toBe("hidden-token");
		expect((await stack.resource("thing")).outputs).toMatchObject({ color: "red", seen: "created" });
		expect((await stack.resource("thing")).inputs).toEqual({ __provider: handler, color: "red" });
	});

	it("has the type, the property and the secret of Pulumi's own dynamic resources", async () => {
		const [plain, named, holding] = await Promise.all(
			["plain", "named", "holding"].map((name) => stack.resource(name)),
		);
		expect(plain?.type).toBe("pulumi-nodejs:dynamic:Resource");
		expect(named?.type).toBe("pulumi-nodejs:dynamic/probe:Named");
		expect(plain?.inputs).toEqual({ __provider: expect.stringMatching(/^exports\.handler = /), color: "red" });
		// Whatever create answers, the state keeps the text: it is what refresh and destroy run.
		expect(plain?.outputs).toEqual({ __provider: plain?.inputs?.__provider });
		// The mark of a secret in the state, and its ciphertext.
		expect(holding?.inputs?.__provider).toEqual({
			"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
			ciphertext: expect.stringMatching(/^v1:/),
		});
		const leaks = stack.written().filter(({ text }) => text.includes("captured-secret"));
		expect(leaks.filter(({ place }) => !place.endsWith("index.js"))).toEqual([]);
	});

	it("stays in the state with its reasons when create fails with an id, and is updated by the next up", async () => {
		expect(failed.exitCode).toBe(1);
		for (const reason of ["activity 7 waits for approval", "approve it and run again"]) {
			expect(failed.stdout).toContain(reason);
		}
		const { id, outputs, initErrors } = await stack.resource("late");
		expect({ id, waits: outputs?.waits }).toEqual({ id: "thing-1", waits: true });
		expect(initErrors).toEqual(["activity 7 waits for approval", "approve it and run again"]);
		await stack.configure({ late: "false", color: "green" });
		expectSuccess(await stack.up());
		const updated = takeAsked(stack).filter(({ method }) => method === "update");
		expect(updated.map(({ waited }) => waited).toSorted()).toEqual([true, undefined]);
		for (const name of ["thing", "late"]) {
			const after = await stack.resource(name);
			expect([after.initErrors, after.outputs?.seen]).toEqual([undefined, "updated"]);
		}
	});

	it("finds the published package, with the version and the changes of the test", async () => {
		expect(await stack.outputs()).toMatchObject({ operations: 13, version: "9.8.7", edited: true });
	});

	it("has outputs that the harness reads without their secrets, and leaves no process behind", async () => {
		expect(await stack.outputs()).toMatchObject({ color: "green", seen: "updated", hidden: "[secret]" });
		expect(stack.processes()).toEqual([]);
	});

	it("is recorded by the harness: every call, every file, and no secret in the backend", () => {
		const calls = stack.calls().map(({ method }) => method.slice(method.lastIndexOf("/") + 1));
		expect(calls).toEqual(expect.arrayContaining(["Configure", "Check", "Diff", "Create", "Update"]));
		expect(stack.stateFiles().some(({ text }) => text.includes("pulumi-nodejs:dynamic/probe:Thing"))).toBe(true);
		expect(stack.stateFiles().filter(({ text }) => text.includes("hidden-token"))).toEqual([]);
		expect(stack.written().some(({ place }) => place.startsWith("standard output of pulumi up"))).toBe(true);
	});
});
