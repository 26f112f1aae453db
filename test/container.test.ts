/**
 * The container image: the Dockerfile of the root, built and run by Docker or Podman, where one of them works. Its base is made
 * of this machine's Node, at the place where the real base has it, so that no registry is needed.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
	chmodSync,
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifest } from "../scripts/manifest.ts";
import { leaveOut, NotHere } from "./left-out.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const works = (engine: string): boolean => spawnSync(engine, ["info"], { timeout: 20_000 }).status === 0;
const engine = process.platform === "linux" ? ["docker", "podman"].find(works) : undefined;
if (engine === undefined && process.platform === "linux") {
	const missing = "no Docker or Podman works";
	const install = "`apt-get install podman`";
	// The release workflow builds the image and runs it.
	leaveOut(new NotHere({ what: "the container image", missing, install }), { isOptional: true });
}

describe.skipIf(engine === undefined)("the container image", { timeout: 120_000 }, () => {
	const image = `localhost/orgsync-test-${process.pid}`;
	let folder: string;
	let documents: string;

	const call = (...words: readonly string[]): string =>
		execFileSync(engine ?? "", words, { cwd: root, encoding: "utf8", stdio: "pipe" });

	/** Runs the image as the docs do: read-only, without rights, the documents mounted. */
	function run(words: readonly string[], ...options: readonly string[]) {
		const limits = ["--read-only", "--cap-drop=all", "--security-opt=no-new-privileges", "--network=none"];
		const command = ["run", "--rm", ...limits, `--volume=${documents}:/workspace`, ...options, image, ...words];
		const { status, stdout, stderr } = spawnSync(engine ?? "", command, { encoding: "utf8" });
		return { status, stdout, stderr };
	}

	beforeAll(() => {
		folder = realpathSync(mkdtempSync(join(tmpdir(), "orgsync-container-")));
		documents = join(folder, "documents");
		mkdirSync(documents);
		// The user of the image is not the one of the test.
		chmodSync(documents, 0o777);
		const base = join(folder, "base");
		const libraries = execFileSync("ldd", [process.execPath], { encoding: "utf8" }).match(/\/\S+/g) ?? [];
		for (const [from, to] of [[process.execPath, "/nodejs/bin/node"], ...libraries.map((name) => [name, name])]) {
			mkdirSync(join(base, dirname(to ?? "")), { recursive: true });
			cpSync(realpathSync(from ?? ""), join(base, to ?? ""));
		}
		writeFileSync(join(folder, "base.Dockerfile"), "FROM scratch\nCOPY . /\n");
		call("build", "--file", join(folder, "base.Dockerfile"), "--tag", `${image}-base`, base);
		call("build", `--build-arg=BASE=${image}-base`, `--build-arg=VERSION=${manifest.version}`, "--tag", image, ".");
	}, 300_000);

	afterAll(() => {
		spawnSync(engine ?? "", ["rmi", "--force", image, `${image}-base`]);
		rmSync(folder, { recursive: true, force: true });
	});

	it("plans and applies in a mounted folder, read-only and without rights", () => {
		expect(run(["--version"])).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
		expect(run(["init", "--local"])).toMatchObject({ status: 0, stderr: "" });
		expect(run(["plan", "--local", "--detailed-exitcode"])).toMatchObject({ status: 2, stderr: "" });
		expect(run(["apply", "--local", "--yes", "--quiet"])).toMatchObject({ status: 0 });
		expect(readdirSync(documents).sort()).toEqual([".orgsync", "orgsync.yaml"]);
	});

	it("runs as a user without rights who cannot change the code, and holds no file that it does not need", () => {
		const script = `const fs = require("node:fs");
			const seen = { user: process.getuid(), files: fs.readdirSync("/orgsync"), dist: fs.readdirSync("/orgsync/dist") };
			try { fs.accessSync("/orgsync/dist/bin/orgsync.js", fs.constants.W_OK); seen.writable = true; } catch {}
			console.log(JSON.stringify(seen));`;
		const { stdout } = run(["-e", script], "--entrypoint=/nodejs/bin/node");
		expect(JSON.parse(stdout)).toEqual({ user: 65532, files: ["LICENSE", "dist", "package.json"], dist: ["bin"] });
	});

	it("plans as docs/install.md runs it, and leaves files that belong to who ran it", () => {
		const page = readFileSync(join(root, "docs/install.md"), "utf8");
		const [, block = ""] = /^## Container image$[\s\S]*?```sh\n([\s\S]*?)```/m.exec(page) ?? [];
		// The local emulator needs no network, which not every machine can set up.
		const script = `docker() { "$ENGINE" run --network=none "\${@:2}"; }\n${block}`;
		const cwd = join(folder, "owned");
		mkdirSync(cwd);
		cpSync(join(root, "examples/quickstart/document.yaml"), join(cwd, "orgsync.yaml"));
		const env = { ...process.env, ENGINE: engine, IMAGE: image };
		const { status, stdout, stderr } = spawnSync("bash", ["-c", script], { cwd, env, encoding: "utf8" });
		expect(stdout, stderr).toContain("Plan: 5 activities");
		expect(status).toBe(0);
		expect(statSync(join(cwd, ".orgsync")).uid).toBe(process.getuid?.());
	});

	it("says what it is in its labels", () => {
		const { Config } = JSON.parse(call("inspect", image))[0] as { Config: { Labels: Record<string, string> } };
		expect(Config.Labels).toMatchObject({
			"org.opencontainers.image.title": "orgsync",
			"org.opencontainers.image.version": manifest.version,
			"org.opencontainers.image.licenses": "Apache-2.0",
		});
	});
});
