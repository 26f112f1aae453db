/**
 * `pulumi up` of a thousand tags over twenty organizations on the real engine, against the same program with a provider
 * that does nothing: what orgsync adds to what Pulumi costs anyway.
 */
import { spawnSync } from "node:child_process";
import { createECDH } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureEngine } from "../engine/engine.ts";
import { type Measured, median } from "./run.ts";
import { serve } from "./serve.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const organizations = 20;
const tagsEach = 50;
const rounds = 3;
const privateKey = "2e".repeat(32);

function id(kind: string, number: number): string {
	return `${kind}0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

const program = `import { UserTag } from "orgsync/pulumi";
for (let number = 0; number < ${organizations}; number += 1) {
	const organizationId = \`e0000000-0000-4000-8000-\${String(number).padStart(12, "0")}\`;
	for (let tag = 0; tag < ${tagsEach}; tag += 1) {
		new UserTag(\`\${number}-\${tag}\`, { organizationId, name: \`tag \${tag}\`, members: { atLeast: [] } });
	}
}`;

/** A provider that keeps its inputs and sends no request. */
const nothing = `export const providerOf = () => ({
	check: async (_olds, inputs) => ({ inputs: { ...inputs, onDestroy: "keep", tagId: inputs.resource } }),
	diff: async () => ({ changes: false }),
	create: async (inputs) => ({ id: inputs.tagId, outs: inputs }),
});`;

export async function benchPulumi(): Promise<Measured> {
	const { folder: engine } = await ensureEngine();
	const place = mkdtempSync(join(tmpdir(), "orgsync-bench-"));
	const seed = join(place, "seed.json");
	writeFileSync(
		seed,
		JSON.stringify({ organizations: Array.from({ length: organizations }, (_, index) => seedOf(index)) }),
	);
	const main = join(root, "dist", "cli", "main.js");
	const { child, url } = await serve([main, "emulator", "--seed", seed]);
	try {
		const times = { orgsync: [] as number[], nothing: [] as number[] };
		for (let round = 0; round < rounds; round += 1) {
			for (const name of ["nothing", "orgsync"] as const) {
				const folder = join(place, `${name}-${round}`);
				installPackage(join(folder, "node_modules"), name === "nothing");
				times[name].push(up(folder, engine, url));
			}
		}
		const [ours, bare] = [median(times.orgsync), median(times.nothing)];
		return {
			what: "pulumi up of 1,000 tags in 20 organizations, against a provider that does nothing",
			measured: `${(ours / bare).toFixed(2)} times (${(ours / 1000).toFixed(1)} s to ${(bare / 1000).toFixed(1)} s)`,
			aim: "at most 1.2 times",
		};
	} finally {
		child.kill();
		rmSync(place, { recursive: true, force: true });
	}
}

function seedOf(number: number) {
	const exchange = createECDH("prime256v1");
	exchange.setPrivateKey(privateKey, "hex");
	const publicKey = exchange.getPublicKey("hex", "compressed");
	return {
		organizationId: id("e", number),
		organizationName: `organization ${number}`,
		users: [{ userId: id("b", number), userName: "admin", apiKeys: [{ publicKey }] }],
		userTags: Array.from({ length: tagsEach }, (_, tag) => ({
			tagId: id("d", number * tagsEach + tag),
			tagName: `tag ${tag}`,
		})),
	};
}

/** The package as it is built; or with a provider that does nothing in place of its own. */
function installPackage(modules: string, doesNothing: boolean): void {
	const folder = join(modules, "orgsync");
	mkdirSync(folder, { recursive: true });
	for (const name of ["dist", "schemas", "package.json"])
		cpSync(join(root, name), join(folder, name), { recursive: true });
	for (const name of readdirSync(join(root, "node_modules"))) {
		if (name !== "orgsync" && !name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(modules, name));
	}
	if (doesNothing) writeFileSync(join(folder, "dist/pulumi/dynamic/provider.js"), nothing);
}

/** Milliseconds that `up` takes in a new stack. */
function up(folder: string, engine: string, url: string): number {
	const backend = join(folder, "backend");
	mkdirSync(backend, { recursive: true });
	writeFileSync(
		join(folder, "Pulumi.yaml"),
		"name: bench\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
	);
	writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "bench", main: "index.mjs" }));
	writeFileSync(join(folder, "index.mjs"), program);
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
		// The file backend writes the whole state at every step, which would drown everything else.
		PULUMI_SKIP_CHECKPOINTS: "true",
	};
	const pulumi = (...words: readonly string[]): void => {
		const { status, stdout, stderr } = spawnSync("pulumi", [...words, "--non-interactive"], {
			cwd: folder,
			env,
			encoding: "utf8",
		});
		if (status !== 0) throw new Error(`pulumi ${words.join(" ")} exited with ${status}\n${stdout}\n${stderr}`);
	};
	pulumi("stack", "init", "bench");
	const start = performance.now();
	pulumi("up", "--yes", "--skip-preview", "--suppress-progress", "--stack", "bench");
	return performance.now() - start;
}
