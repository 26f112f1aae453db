/**
 * Claims of resources on objects: within a process, and as files that the processes of one engine share.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openClaims, openClaimsFolder } from "../../src/pulumi/session/claims.ts";
import { makeFolder } from "../run.ts";

const module = new URL("../../src/pulumi/session/claims.ts", import.meta.url).href;
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

/** Returns the objects that another process of the engine gets, once it is asked for them. */
async function claimMany(resource: string): Promise<() => Promise<readonly string[]>> {
	const code = `import { openClaims, openClaimsFolder } from ${JSON.stringify(module)};
const claims = openClaims(openClaimsFolder(${JSON.stringify(engine)}, "/project"), ${JSON.stringify(url)});
const objects = Array.from({ length: 300 }, (_, index) => "userTag/" + index);
const isMine = (object) => claims.claim(${JSON.stringify(organization)}, object, { resource: ${JSON.stringify(resource)} }) === undefined;
console.log("ready");
process.stdin.once("data", () => console.log(JSON.stringify(objects.filter(isMine)))).on("end", () => process.exit());`;
	const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	onTestFinished(() => void child.kill("SIGKILL"));
	await once(child.stdout, "data");
	return async () => {
		child.stdin.write("go\n");
		const [found] = (await once(child.stdout, "data")) as [Buffer];
		return JSON.parse(found.toString()) as readonly string[];
	};
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

	it("is never that of two processes that make it at the same time", async () => {
		const processes = await Promise.all([claimMany("first"), claimMany("second")]);
		const [left = [], right = []] = await Promise.all(processes.map((claim) => claim()));
		expect(new Set([...left, ...right]).size).toBe(left.length + right.length);
		expect(left.length + right.length).toBeGreaterThan(0);
	});

	it("is a line in the one file of its process, and is written again if that was removed", () => {
		const claims = open();
		for (const object of ["userTag/1", "userTag/2"]) claims.claim(organization, object, first);
		const [name = ""] = readdirSync(folder);
		expect(readdirSync(join(folder, name)).length).toBe(1);
		const other = open();
		expect(other.claim(organization, "userTag/3", second)).toBeUndefined();
		expect(claims.claim(organization, "userTag/3", first)).toMatchObject(second);

		rmSync(join(folder, name), { recursive: true });
		expect(claims.claim(organization, "userTag/4", first)).toBeUndefined();
		expect(open().find(organization, "userTag/1")).toMatchObject(first);
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
