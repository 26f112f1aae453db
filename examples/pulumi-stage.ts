/**
 * What the Pulumi examples share: the real engine, the local emulator, and a stack whose state lies in a folder of its
 * own, so that a login to Pulumi elsewhere is not touched.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startLocalService } from "../dist/cli/local-service.js";
import { commandFile } from "../scripts/manifest.ts";
import { ensureEngine } from "../test/engine/engine.ts";

export const root = fileURLToPath(new URL("..", import.meta.url));

export interface Stage {
	/** Runs `pulumi` in the project and resolves with its exit code. */
	pulumi(...words: readonly string[]): Promise<number>;
	/** Runs `orgsync` against the same service. */
	orgsync(...words: readonly string[]): Promise<number>;
	/** Runs Node in the project. */
	node(...words: readonly string[]): Promise<number>;
}

/** Plays a story in the project of this folder and resolves with the exit code that it returns. */
export async function playIn(project: string, story: (stage: Stage) => Promise<number>): Promise<number> {
	const { folder: engine } = await ensureEngine();
	const service = await startLocalService(project);
	const state = join(project, ".orgsync", "pulumi");
	mkdirSync(join(state, "backend"), { recursive: true });
	const env = {
		...process.env,
		PATH: [engine, dirname(process.execPath), process.env.PATH].join(delimiter),
		ORGSYNC_URL: service.url,
		ORGSYNC_KEY_FILE: service.keyFile,
		ORGSYNC_ORGANIZATION_ID: service.organizationIds[0],
		PULUMI_HOME: join(state, "home"),
		PULUMI_BACKEND_URL: `file://${join(state, "backend")}`,
		PULUMI_CONFIG_PASSPHRASE: "local",
		PULUMI_SKIP_UPDATE_CHECK: "true",
	};
	// Not by spawnSync: the service lives in this process, and has to go on answering.
	const run = (name: string, program: string, first: readonly string[], words: readonly string[]): Promise<number> => {
		process.stdout.write(`\n$ ${name} ${words.join(" ")}\n`);
		const child = spawn(program, [...first, ...words], { cwd: project, env, stdio: ["ignore", "inherit", "inherit"] });
		return new Promise((resolve, reject) => {
			child.on("error", reject).on("close", (code) => resolve(code ?? 1));
		});
	};
	try {
		return await story({
			pulumi: (...words) => run("pulumi", "pulumi", [], words),
			orgsync: (...words) => run("orgsync", process.execPath, [commandFile], words),
			node: (...words) => run("node", process.execPath, [], words),
		});
	} finally {
		await service.close();
	}
}

/** Plays a story in a copy of an example that is removed again: as `npm install` would leave it, with this package. */
export async function playInCopy(example: URL, story: (stage: Stage) => Promise<number>): Promise<number> {
	const place = mkdtempSync(join(tmpdir(), "orgsync-example-"));
	try {
		const project = join(place, "project");
		cpSync(fileURLToPath(example), project, { recursive: true });
		mkdirSync(join(place, "node_modules"));
		symlinkSync(join(root, "node_modules", "@pulumi"), join(place, "node_modules", "@pulumi"));
		symlinkSync(root, join(place, "node_modules", "orgsync"));
		return await playIn(project, story);
	} finally {
		rmSync(place, { recursive: true, force: true });
	}
}
