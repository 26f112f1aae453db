/**
 * A stack of a thousand tags over twenty organizations, which a Node program or a YAML program declares, on an emulator in a
 * process of its own.
 */
import { spawn } from "node:child_process";
import { createECDH } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandFile } from "../../scripts/manifest.ts";
import { ensureEngine } from "../engine/engine.ts";
import { serve } from "./serve.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const organizations = 20;
const tagsEach = 50;
export const privateKey = "2e".repeat(32);
const exchange = createECDH("prime256v1");
exchange.setPrivateKey(privateKey, "hex");
export const publicKey = exchange.getPublicKey("hex", "compressed");

/** The project's files of a thousand tags in Node. */
export const nodeProject: Readonly<Record<string, string>> = {
	"Pulumi.yaml": "name: bench\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
	"package.json": JSON.stringify({ name: "bench", main: "index.mjs" }),
	"index.mjs": `import { UserTag } from "orgsync/pulumi";
for (let number = 0; number < ${organizations}; number += 1) {
	const organizationId = \`e0000000-0000-4000-8000-\${String(number).padStart(12, "0")}\`;
	for (let tag = 0; tag < ${tagsEach}; tag += 1) {
		new UserTag(\`\${number}-\${tag}\`, { organizationId, name: \`tag \${tag}\`, members: { atLeast: [] } });
	}
}`,
};

/** The project's file of a thousand tags in YAML, with the plugin in this folder. */
export function makeYamlProject(plugin: string): Readonly<Record<string, string>> {
	const tags = Array.from({ length: organizations * tagsEach }, (_, index) => {
		const [number, tag] = [Math.floor(index / tagsEach), index % tagsEach];
		const properties = { organizationId: id("e", number), name: `tag ${tag}`, members: { atLeast: [] } };
		return `  ${number}-${tag}: ${JSON.stringify({ type: "orgsync:index:UserTag", properties })}`;
	});
	const providers = JSON.stringify([{ name: "orgsync", path: plugin }]);
	return {
		"Pulumi.yaml": `name: bench\nruntime: yaml\nplugins:\n  providers: ${providers}\nresources:\n${tags.join("\n")}\n`,
	};
}

export interface ManyTags {
	/** A new stack of this project. */
	addStack(files: Readonly<Record<string, string>>, options?: ProjectOptions): Promise<TagStack>;
	/** How often the service was asked for each operation since this was called last. */
	countRequests(): Promise<Readonly<Record<string, number>>>;
	close(): void;
}

interface ProjectOptions {
	/** Replaces the provider of the installed package. */
	readonly provider?: string;
}

export interface TagStack {
	/** Milliseconds that the command takes. Throws if it fails. */
	run(...words: readonly string[]): Promise<number>;
}

export async function startManyTags(): Promise<ManyTags> {
	const { folder: engine } = await ensureEngine();
	const place = mkdtempSync(join(tmpdir(), "orgsync-bench-"));
	const seed = join(place, "seed.json");
	const seeded = { organizations: Array.from({ length: organizations }, (_, index) => seedOf(index)) };
	writeFileSync(seed, JSON.stringify(seeded));
	const { child, url } = await serve([commandFile, "emulator", "--seed", seed]);
	return {
		async addStack(files, { provider } = {}) {
			const folder = mkdtempSync(join(place, "stack-"));
			for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
			installPackage(join(folder, "node_modules"), provider);
			const run = (...words: readonly string[]) => runPulumi(folder, engine, url, words);
			await run("stack", "init", "bench");
			return { run };
		},
		async countRequests() {
			const { requests } = (await (await fetch(`${url}/emulator/requests`)).json()) as {
				requests: readonly { readonly operation: string }[];
			};
			await fetch(`${url}/emulator/requests`, { method: "DELETE" });
			const found = Map.groupBy(requests, ({ operation }) => operation);
			return Object.fromEntries([...found].map(([name, all]) => [name, all.length]).sort());
		},
		close() {
			child.kill();
			rmSync(place, { recursive: true, force: true });
		},
	};
}

export function id(kind: string, number: number): string {
	return `${kind}0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

function seedOf(number: number) {
	return {
		organizationId: id("e", number),
		organizationName: `organization ${number}`,
		users: [{ userId: id("b", number), userName: "admin", apiKeys: [{ publicKey }] }],
		rootQuorum: { threshold: 1, userIds: [id("b", number)] },
		userTags: Array.from({ length: tagsEach }, (_, tag) => ({
			tagId: id("d", number * tagsEach + tag),
			tagName: `tag ${tag}`,
		})),
	};
}

/** The package as it is built; or with another provider in place of its own. */
function installPackage(modules: string, provider: string | undefined): void {
	const folder = join(modules, "orgsync");
	mkdirSync(folder, { recursive: true });
	for (const name of ["dist", "schemas", "package.json"])
		cpSync(join(root, name), join(folder, name), { recursive: true });
	for (const name of readdirSync(join(root, "node_modules"))) {
		if (name !== "orgsync" && !name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(modules, name));
	}
	if (provider !== undefined) writeFileSync(join(folder, "dist/pulumi/dynamic/provider.js"), provider);
}

async function runPulumi(folder: string, engine: string, url: string, words: readonly string[]): Promise<number> {
	const backend = join(folder, "backend");
	mkdirSync(backend, { recursive: true });
	const env = {
		PATH: [engine, dirname(process.execPath), process.env.PATH].join(delimiter),
		HOME: folder,
		ORGSYNC_URL: url,
		ORGSYNC_API_PRIVATE_KEY: privateKey,
		PULUMI_HOME: join(folder, "home"),
		PULUMI_BACKEND_URL: `file://${backend}`,
		PULUMI_CONFIG_PASSPHRASE: "bench",
		PULUMI_SKIP_UPDATE_CHECK: "true",
		PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
		PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
		// The file backend writes the whole state at every step, which would drown everything else.
		PULUMI_SKIP_CHECKPOINTS: "true",
	};
	const start = performance.now();
	const child = spawn("pulumi", [...words, "--non-interactive"], { cwd: folder, env, stdio: "pipe" });
	let printed = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding("utf8").on("data", (text: string) => {
			printed += text;
		});
	}
	const exitCode = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
	if (exitCode !== 0) throw new Error(`pulumi ${words.join(" ")} exited with ${exitCode}\n${printed}`);
	return performance.now() - start;
}
