/** The built command line as a process: what it keeps on disk, and what it says of its own defects. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commandFile, manifest } from "../../scripts/manifest.ts";

const root = mkdtempSync(join(tmpdir(), "orgsync-start-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The file of compiled code, as another build would have written it, with code that crashes V8. */
function ofAnotherBundle(kept: Buffer): Buffer {
	const content = Buffer.from(kept.subarray(32));
	const end = content.indexOf(0);
	const index = JSON.parse(content.toString("utf8", 0, end)) as { build: string };
	const other = { ...index, build: index.build.replaceAll(/\w/g, "0") };
	const code = content.subarray(end + 1).fill(0x55, 2000);
	const written = Buffer.concat([Buffer.from(`${JSON.stringify(other)}\0`), code]);
	return Buffer.concat([createHash("sha256").update(written).digest(), written]);
}

describe("orgsync as it is built", () => {
	it("keeps compiled code in the user's cache folder, and nothing in the shared temporary folder", () => {
		const [home, shared] = [join(root, "home"), join(root, "shared")];
		for (const folder of [home, shared]) mkdirSync(folder);
		const env = { HOME: home, TMPDIR: shared, XDG_CACHE_HOME: join(home, "caches") };
		const run = (word: string) => execFileSync(process.execPath, [commandFile, word], { env, encoding: "utf8" });
		expect(run("--version")).toBe(`${manifest.version}\n`);
		expect(readdirSync(home)).toEqual([]);
		expect(run("--help")).toContain("Usage: orgsync");
		expect(readdirSync(join(home, "caches/orgsync/compiled"))).toHaveLength(1);
		expect(readdirSync(shared)).toEqual([]);
	});

	it("keeps the compiled code of each command that ends well, and compiles again where the file is damaged or of another bundle", () => {
		const caches = mkdtempSync(join(root, "caches-"));
		const env = { HOME: root, XDG_CACHE_HOME: caches };
		const folder = join(caches, "orgsync/compiled");
		const file = join(folder, "schema");
		const run = (...words: readonly string[]) =>
			spawnSync(process.execPath, [commandFile, ...words], { env, encoding: "utf8" });
		expect(run("schema", "unknown").status).toBe(3);
		expect(readdirSync(folder)).toEqual([]);
		const { stdout } = run("schema", "plan");
		expect(readdirSync(folder)).toEqual(["schema"]);
		const kept = readFileSync(file);
		const { mtimeMs } = statSync(file);
		expect(run("schema", "plan").stdout).toBe(stdout);
		// A run that finds everything writes nothing.
		expect(statSync(file).mtimeMs).toBe(mtimeMs);
		const damaged = Buffer.from(kept).fill(0x55, kept.length >> 1, (kept.length >> 1) + 4000);
		for (const wrong of [damaged, kept.subarray(0, 1000), Buffer.alloc(0), ofAnotherBundle(kept)]) {
			writeFileSync(file, wrong);
			const again = run("schema", "plan");
			expect({ status: again.status, stdout: again.stdout, stderr: again.stderr }).toEqual({
				status: 0,
				stdout,
				stderr: "",
			});
			expect(readFileSync(file).equals(wrong)).toBe(false);
			expect(readdirSync(folder)).toEqual(["schema"]);
		}
		expect(run("schema", "plan", "--format", "json").status).toBe(0);
	});

	it("uses the compiled code of the same bundle in another place", () => {
		const caches = mkdtempSync(join(root, "caches-"));
		const env = { HOME: root, XDG_CACHE_HOME: caches };
		const run = (file: string) => execFileSync(process.execPath, [file, "schema", "plan"], { env, encoding: "utf8" });
		const stdout = run(commandFile);
		const kept = readFileSync(join(caches, "orgsync/compiled/schema"));
		cpSync(dirname(commandFile), join(root, "elsewhere/bin"), { recursive: true });
		expect(run(join(root, "elsewhere/bin", basename(commandFile)))).toBe(stdout);
		expect(readFileSync(join(caches, "orgsync/compiled/schema")).equals(kept)).toBe(true);
	});

	it("says in one sentence that a Node without what it needs is too old", () => {
		const older = join(root, "older.cjs");
		const versions = '{ value: { ...process.versions, node: "20.19.0" } }';
		const lacks = 'delete require("node:module").enableCompileCache;';
		writeFileSync(older, `Object.defineProperty(process, "versions", ${versions});${lacks}`);
		const words = ["--require", older, commandFile, "plan"];
		const { status, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8", env: { HOME: root } });
		expect(stderr).toBe("error: orgsync needs Node 22.18 or later, and this is 20.19.0\n");
		expect(status).toBe(3);
	});

	it("shows with --verbose where a defect is in the sources", () => {
		const defect = join(root, "defect.cjs");
		writeFileSync(defect, 'process.hrtime.bigint = () => { throw new TypeError("defect"); };');
		const words = ["--require", defect, commandFile, "validate", "--verbose"];
		const { stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
		expect(stderr).toContain("error: unexpected error: defect\n");
		expect(stderr).toMatch(/ at .*src[\\/]cli[\\/]main\.ts:\d+:\d+/);
	});

	it.each([
		"http://127.0.0.1:9",
		"https://api.example.test",
	])("shows a debugger of Node no stamp and no password of a proxy: %s", async (url) => {
		let received = "";
		const proxy = createServer((socket) => {
			socket.setEncoding("latin1").once("data", (text: string) => {
				received += text;
				socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
			});
		});
		await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
		const address = `http://user:hunter2@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
		writeFileSync(join(root, "key.private"), "2e".repeat(32), { mode: 0o600 });
		const debug = { NODE_DEBUG: "http,https,net,tls,stream", HTTPS_PROXY: address, HTTP_PROXY: address };
		const words = ["query", "whoami", "--url", url, "--organization", "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11"];
		const child = spawn(process.execPath, [commandFile, ...words, "--key-file", "key.private"], {
			cwd: root,
			env: { ...debug, HOME: root },
		});
		let stderr = "";
		child.stderr.setEncoding("utf8").on("data", (text: string) => {
			stderr += text;
		});
		await new Promise((resolve) => child.on("close", resolve));
		proxy.close();
		const secrets = [...received.matchAll(/^(?:x-stamp|proxy-authorization): (\S.*)\r$/gim)].map(([, value]) => value);
		expect(secrets).toHaveLength(url.startsWith("https") ? 1 : 2);
		expect(stderr).toMatch(/^HTTP \d+: /m);
		for (const secret of secrets) expect(stderr).not.toContain(secret?.slice(6, 30));
	});

	it("asks a proxy for a tunnel to a service with https", async () => {
		const asked: string[] = [];
		const proxy = createServer((socket) => {
			socket.once("data", (data) => {
				asked.push(String(data).split("\r\n")[0] ?? "");
				socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
			});
		});
		await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
		const { port } = proxy.address() as AddressInfo;
		writeFileSync(join(root, "key.private"), "2e".repeat(32), { mode: 0o600 });
		const env = { HTTPS_PROXY: `http://127.0.0.1:${port}`, ORGSYNC_KEY_FILE: "key.private", HOME: root };
		const words = [commandFile, "query", "whoami", "--url", "https://api.example.test"];
		const organization = ["--organization", "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11"];
		const child = spawn(process.execPath, [...words, ...organization], { cwd: root, env });
		let stderr = "";
		child.stderr.setEncoding("utf8").on("data", (text: string) => {
			stderr += text;
		});
		await new Promise((resolve) => child.on("close", resolve));
		proxy.close();
		expect(asked[0]).toBe("CONNECT api.example.test:443 HTTP/1.1");
		expect(stderr).toContain("does not connect to https://api.example.test");
	});
});
