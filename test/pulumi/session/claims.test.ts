/**
 * Claims of resources on objects: within a process, and in the file that the processes of one engine share.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
	chmodSync,
	existsSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openClaims } from "../../../src/pulumi/session/claims.ts";
import { ClaimsFile } from "../../../src/pulumi/session/claims-file.ts";
import { makeFolder } from "../../run.ts";

const moduleOf = (name: string) => JSON.stringify(new URL(`../../../src/pulumi/session/${name}`, import.meta.url).href);
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

const open = (address = engine) => openClaims(new ClaimsFile(address, "/project"), url);

/** Another process of the engine that claims an object as `first`, and lives until it is ended. */
async function claimElsewhere() {
	const code = `import { openClaims } from ${moduleOf("claims.ts")};
import { ClaimsFile } from ${moduleOf("claims-file.ts")};
const shared = new ClaimsFile(${JSON.stringify(engine)}, "/project");
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
	const code = `import { openClaims } from ${moduleOf("claims.ts")};
import { ClaimsFile } from ${moduleOf("claims-file.ts")};
const claims = openClaims(new ClaimsFile(${JSON.stringify(engine)}, "/project"), ${JSON.stringify(url)});
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
		expect(open().find(organization, "userTag/1", second)).toMatchObject(first);
		expect(open().claim(organization, "userTag/1", second)).toMatchObject(first);
		expect(open().claim(organization, "userTag/2", second)).toBeUndefined();
		expect(open("127.0.0.1:4712").claim(organization, "userTag/1", second)).toBeUndefined();
		const otherService = openClaims(new ClaimsFile(engine, "/project"), "https://two.test");
		expect(otherService.find(organization, "userTag/1", second)).toBeUndefined();

		child.kill("SIGKILL");
		await once(child, "exit");
		expect(open().find(organization, "userTag/1", second)).toBeUndefined();
		expect(open().claim(organization, "userTag/1", second)).toBeUndefined();
		expect(open().find(organization, "userTag/1", second)).toMatchObject(second);
	});

	it("of the same resource passes to the later process, and does not end with the earlier one", async () => {
		const child = await claimElsewhere();
		const shared = new ClaimsFile(engine, "/project");
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

	it("is a line of the one file of all, and is written again if that was removed", () => {
		const claims = open();
		for (const object of ["userTag/1", "userTag/2"]) claims.claim(organization, object, first);
		const other = open();
		expect(other.claim(organization, "userTag/3", second)).toBeUndefined();
		expect(claims.claim(organization, "userTag/3", first)).toMatchObject(second);
		const [name = "", ...more] = readdirSync(folder);
		expect(more).toEqual([]);
		// The last is the end of a claim.
		expect(readFileSync(join(folder, name), "utf8").trim().split("\n")).toHaveLength(5);

		rmSync(join(folder, name));
		expect(claims.claim(organization, "userTag/4", first)).toBeUndefined();
		expect(open().find(organization, "userTag/1", second)).toMatchObject(first);
		expect(open().claim(organization, "userTag/3", first)).toBeUndefined();
	});

	it("is not lost if it is made while the last other session removes the file", async () => {
		const child = await claimElsewhere();
		const [last, late] = [new ClaimsFile(engine, "/project"), new ClaimsFile(engine, "/project")];
		expect(last.claim("1", second)).toBeUndefined();
		child.kill("SIGKILL");
		await once(child, "exit");
		const { kill } = process;
		// The last session asks whether the killed process is alive after it has read the file, and before it removes it.
		const asked = vi.spyOn(process, "kill").mockImplementation((...of) => {
			asked.mockRestore();
			expect(late.claim("2", first)).toBeUndefined();
			return kill.call(process, ...of);
		});
		last.close();
		expect(new ClaimsFile(engine, "/project").claim("2", second)).toMatchObject(first);
		late.close();
		expect(new ClaimsFile(engine, "/project").claim("2", second)).toBeUndefined();
	});

	it("that was refused is none", () => {
		const [claimant, refused] = [new ClaimsFile(engine, "/project"), new ClaimsFile(engine, "/project")];
		expect(claimant.claim("1", first)).toBeUndefined();
		expect(refused.claim("1", second)).toMatchObject(first);
		claimant.close();
		expect(new ClaimsFile(engine, "/project").find("1")).toBeUndefined();
		expect(refused.claim("1", second)).toBeUndefined();
	});

	it("is that of one resource among all Providers of a process", () => {
		const shared = new ClaimsFile(engine, "/project");
		const [one, two] = [openClaims(shared, url), openClaims(shared, url)];
		expect(one.claim(organization, "userTag/1", first)).toBeUndefined();
		expect(two.claim(organization, "userTag/1", first)).toBeUndefined();
		expect(openClaims(shared, url).claim(organization, "userTag/1", second)).toMatchObject(first);
		expect(openClaims(shared, url).find(organization, "userTag/1", second)).toMatchObject(first);
	});

	it("does not count from an incomplete line", () => {
		const claims = open();
		claims.claim(organization, "userTag/1", first);
		const [name = ""] = readdirSync(folder);
		const line = `{"by":"${process.pid}.x","key":"2","owner":{"resource":"other"}}`;
		writeFileSync(join(folder, name), line.slice(0, 20), { flag: "a" });
		const shared = new ClaimsFile(engine, "/project");
		expect(shared.find("2")).toBeUndefined();
		writeFileSync(join(folder, name), `${line.slice(20)}\nnone\n`, { flag: "a" });
		expect(shared.find("2")).toEqual({ resource: "other" });
	});

	it("holds within its process if the file cannot be used, and is not written where others can read it", () => {
		expect(open().claim(organization, "userTag/1", first)).toBeUndefined();
		const [name = ""] = readdirSync(folder);
		const made = join(folder, name);
		expect(statSync(made).mode & 0o777).toBe(0o600);

		chmodSync(made, 0o666);
		const before = readFileSync(made, "utf8");
		const alone = open();
		expect(alone.claim(organization, "userTag/1", second)).toBeUndefined();
		expect(alone.claim(organization, "userTag/1", first)).toMatchObject(second);
		expect(readFileSync(made, "utf8")).toBe(before);

		process.env.TMPDIR = makeFolder();
		const elsewhere = join(makeFolder(), "file");
		writeFileSync(elsewhere, "", { mode: 0o600 });
		symlinkSync(elsewhere, join(process.env.TMPDIR, name));
		expect(open().claim(organization, "userTag/1", second)).toBeUndefined();
		expect(readFileSync(elsewhere, "utf8")).toBe("");
	});

	it("of killed processes is removed by the next engine's first claim, unless another process of it is alive", async () => {
		const child = await claimElsewhere();
		const [left = ""] = readdirSync(folder);
		open("127.0.0.1:4712").claim(organization, "userTag/1", first);
		expect(existsSync(join(folder, left))).toBe(true);
		child.kill("SIGKILL");
		await once(child, "exit");
		open("127.0.0.1:4713").claim(organization, "userTag/1", first);
		expect(existsSync(join(folder, left))).toBe(false);
		expect(readdirSync(folder)).toHaveLength(2);
	});

	it("without a claim is removed a day later", () => {
		const old = join(folder, "orgsync-claims-old");
		const recent = join(folder, "orgsync-claims-recent");
		for (const one of [old, recent]) writeFileSync(one, "", { mode: 0o600 });
		utimesSync(old, new Date(), new Date(Date.now() - 25 * 60 * 60 * 1000));
		open().claim(organization, "userTag/1", first);
		expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
	});
});
