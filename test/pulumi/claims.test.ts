/**
 * Claims of resources on objects: within a process, and as files that the processes of one engine share.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openClaims, openClaimsFolder } from "../../src/pulumi/claims.ts";
import { makeFolder } from "../run.ts";

const module = new URL("../../src/pulumi/claims.ts", import.meta.url).href;
const organization = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";
const url = "https://one.test";
const engine = "127.0.0.1:4711";
const first = { resource: "first", resourceUrn: "urn:first" };
const second = { resource: "second", resourceUrn: "urn:second" };

const before = process.env.TMPDIR;
let folder: string;

beforeEach(() => {
	folder = makeFolder();
	process.env.TMPDIR = folder;
});
afterEach(() => {
	if (before === undefined) delete process.env.TMPDIR;
	else process.env.TMPDIR = before;
});

const open = (address = engine) => openClaims(openClaimsFolder(address, "/project"), url);

/** Another process of the engine that claims an object as `first`, and lives until it is ended. */
async function claimElsewhere() {
	const code = `import { openClaims, openClaimsFolder } from ${JSON.stringify(module)};
const shared = openClaimsFolder(${JSON.stringify(engine)}, "/project");
process.on("SIGTERM", () => { shared.close(); process.exit(); });
openClaims(shared, ${JSON.stringify(url)}).claim(${JSON.stringify(organization)}, "userTag/1", ${JSON.stringify(first)});
console.log("claimed");
setInterval(() => undefined, 1000);`;
	const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	onTestFinished(() => void child.kill("SIGKILL"));
	await once(child.stdout, "data");
	return child;
}

describe("a claim", () => {
	it("is seen by the other processes of the engine until its process ends, however it ends", async () => {
		const child = await claimElsewhere();
		expect(open().find(organization, "userTag/1")).toMatchObject(first);
		expect(open().claim(organization, "userTag/1", second)).toMatchObject(first);
		expect(open().claim(organization, "userTag/2", second)).toBeUndefined();
		expect(open("127.0.0.1:4712").claim(organization, "userTag/1", second)).toBeUndefined();
		const otherService = openClaims(openClaimsFolder(engine, "/project"), "https://two.test");
		expect(otherService.find(organization, "userTag/1")).toBeUndefined();

		child.kill("SIGKILL");
		await once(child, "exit");
		expect(open().find(organization, "userTag/1")).toBeUndefined();
		expect(open().claim(organization, "userTag/1", second)).toBeUndefined();
		expect(open().find(organization, "userTag/1")).toMatchObject(second);
	});

	it("of the same resource passes to the later process, and does not end with the earlier one", async () => {
		const child = await claimElsewhere();
		const shared = openClaimsFolder(engine, "/project");
		expect(openClaims(shared, "https://ONE.test/").claim(organization, "userTag/1", first)).toBeUndefined();
		child.kill("SIGTERM");
		await once(child, "exit");
		expect(open().claim(organization, "userTag/1", second)).toMatchObject(first);
		shared.close();
		expect(readdirSync(folder)).toEqual([]);
	});

	it("holds within its process if the folder cannot be used, and is not written where others can read it", () => {
		expect(open().claim(organization, "userTag/1", first)).toBeUndefined();
		const [name = ""] = readdirSync(folder);
		const made = join(folder, name);
		expect(statSync(made).mode & 0o777).toBe(0o700);
		expect(readdirSync(made).map((file) => statSync(join(made, file)).mode & 0o777)).toEqual([0o600]);

		chmodSync(made, 0o777);
		const alone = open();
		expect(alone.claim(organization, "userTag/1", second)).toBeUndefined();
		expect(alone.claim(organization, "userTag/1", first)).toMatchObject(second);
		expect(readdirSync(made).length).toBe(1);

		process.env.TMPDIR = makeFolder();
		const elsewhere = makeFolder();
		symlinkSync(elsewhere, join(process.env.TMPDIR, name));
		expect(open().claim(organization, "userTag/1", second)).toBeUndefined();
		expect(readdirSync(elsewhere)).toEqual([]);
	});

	it("of a killed process is removed a day later", () => {
		const old = join(folder, "orgsync-claims-old");
		const recent = join(folder, "orgsync-claims-recent");
		for (const one of [old, recent]) mkdirSync(one, { mode: 0o700 });
		utimesSync(old, new Date(), new Date(Date.now() - 25 * 60 * 60 * 1000));
		open().claim(organization, "userTag/1", first);
		expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
	});
});
