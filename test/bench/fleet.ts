/**
 * What ten thousand organizations cost: the whole command in a process of its own, its requests and its memory; and how fast
 * it asks, against a bare loop over undici that sends the very same stamped requests to the same emulator.
 *
 * `node test/bench/fleet.ts 100000` measures the memory of another number of organizations once.
 */
import { spawn } from "node:child_process";
import { createECDH } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Pool, request } from "undici";
import { commandFile } from "../../scripts/manifest.ts";
import { extendedReads, queries } from "../../src/wire/operations.ts";
import { encodeQuery } from "../../src/wire/request-body.ts";
import { createApiKeyStamper } from "../../src/wire/stamp.ts";
import { type Measured, median, printTable } from "./run.ts";
import { serve } from "./serve.ts";

const privateKey = "2e".repeat(32);
const organizationCount = 10_000;
const rounds = 3;
/** `--concurrency` of the command, which has as many requests in flight; the bare loop has as many too. */
const atOnce = 16;
/** Organizations in the document files of a fleet larger than the bench's. */
const organizationsInFile = 100;

const uuid = (kind: number, index: number): string =>
	`${kind.toString(16).padStart(8, "0")}-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
const makeIds = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => uuid(1, index));

export async function benchFleet(): Promise<readonly Measured[]> {
	const { folder, url, close } = await serveFleet(organizationCount, 1);
	const bare: number[] = [];
	const ours: number[] = [];
	const whole: number[] = [];
	let peakMb = 0;
	for (let round = 0; round < rounds; round += 1) {
		bare.push((await watch(url, () => runBare(url))).perSecond);
		const { result, perSecond } = await watch(url, () => runCommand(folder, url, "fleet"));
		ours.push(perSecond);
		whole.push(result.wholeMs);
		peakMb = Math.max(peakMb, result.peakMb);
	}
	const { result: few, requests } = await watch(url, () => runCommand(folder, url, "few"));
	close();
	const named = organizationCount.toLocaleString("en");
	return [
		{
			what: `drift of ${named} organizations: requests a second while it asks, against a bare undici loop that sends the same stamped requests`,
			measured: `${(median(ours) / median(bare)).toFixed(2)} times (${median(ours).toFixed(0)} to ${median(bare).toFixed(0)}; the whole command ${(median(whole) / 1000).toFixed(1)} s)`,
			aim: "at least 0.9 times",
		},
		{
			what: "the same: requests an organization, and most memory",
			measured: `${(10 * requests) / organizationCount} requests, ${peakMb.toFixed(0)} MB (${few.peakMb.toFixed(0)} MB with a tenth of them)`,
			aim: "2 requests, at most 150 MB",
		},
	];
}

/** Prints the memory of the command for this many organizations. */
async function printSize(count: number): Promise<void> {
	const { folder, url, close } = await serveFleet(count, organizationsInFile);
	try {
		const { peakMb, wholeMs } = await runCommand(folder, url, "fleet");
		const measured = `${peakMb.toFixed(0)} MB in ${(wholeMs / 1000).toFixed(0)} s`;
		printTable([{ what: `drift of ${count.toLocaleString("en")} organizations`, measured, aim: "at most 170 MB" }]);
	} finally {
		close();
	}
}

/** Returns an emulator with this many organizations, and a folder with their documents: `fleet`, and a tenth of them in `few`. */
async function serveFleet(count: number, inFile: number) {
	const folder = mkdtempSync(join(tmpdir(), "orgsync-bench-"));
	const seed = join(folder, "seed.json");
	const ids = makeIds(count);
	writeFileSync(seed, JSON.stringify({ organizations: ids.map(describeOrganization) }));
	mkdirSync(join(folder, "fleet"));
	mkdirSync(join(folder, "few"));
	for (let first = 0; first < count; first += inFile) {
		const text = ids
			.slice(first, first + inFile)
			.map(describeDocument)
			.join("---\n");
		const file = `${first / inFile}.yaml`;
		writeFileSync(join(folder, "fleet", file), text);
		if (first % (10 * inFile) === 0) writeFileSync(join(folder, "few", file), text);
	}
	const { child, url } = await serve([commandFile, "emulator", "--seed", seed]);
	const close = (): void => {
		child.kill();
		rmSync(folder, { recursive: true, force: true });
	};
	return { folder, url, close };
}

function describeOrganization(organizationId: string) {
	const exchange = createECDH("prime256v1");
	exchange.setPrivateKey(privateKey, "hex");
	const apiKeys = [{ publicKey: exchange.getPublicKey("hex", "compressed") }];
	const users = [{ userId: uuid(2, 0), userName: "admin", apiKeys }];
	return { organizationId, organizationName: "fleet", users, userTags: [tagOf("signers", 1), tagOf("oncall", 2)] };
}

function tagOf(tagName: string, index: number) {
	return { tagId: uuid(3, index), tagName, userIds: [uuid(2, 0)] };
}

function describeDocument(organizationId: string): string {
	return `organizationId: ${organizationId}
users: { admin: ${uuid(2, 0)} }
userTags:
  - { name: signers, members: { exactly: [admin] } }
  - { name: oncall, members: { atLeast: [admin] } }
`;
}

/** The bare loop in a process of its own, as new as that of the command. */
async function runBare(url: string): Promise<void> {
	const words = [fileURLToPath(import.meta.url), "bare", url];
	const child = spawn(process.execPath, words, { stdio: ["ignore", "inherit", "inherit"] });
	const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
	if (code !== 0) throw new Error(`the bare loop ends with ${code}`);
}

/** Every request stamped beforehand, then sent by workers that wait for one answer each and look at nothing in it. */
async function askBare(url: string): Promise<void> {
	const stamper = createApiKeyStamper({ privateKey });
	const operations = [queries.list_user_tags, extendedReads.list_users];
	const all = await Promise.all(
		makeIds(organizationCount).flatMap((organizationId) =>
			operations.map(async (operation) => {
				const body = encodeQuery(operation, { organizationId });
				const { stampHeaderName, stampHeaderValue } = await stamper.stamp(body);
				return { path: operation.path, body, headers: { [stampHeaderName]: stampHeaderValue } };
			}),
		),
	);
	const connections = atOnce;
	const pool = new Pool(url, { connections, pipelining: 1 });
	let next = 0;
	const work = async (): Promise<void> => {
		for (let one = all[next++]; one !== undefined; one = all[next++]) {
			const headers = { "content-type": "application/json", ...one.headers };
			const { statusCode, body } = await pool.request({ path: one.path, method: "POST", headers, body: one.body });
			await body.text();
			if (statusCode !== 200) throw new Error(`the emulator answers ${statusCode}`);
		}
	};
	await Promise.all(Array.from({ length: connections }, work));
	await pool.close();
}

/** Said by the command's process at its end. */
const tellMemory = "process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS+'\\n'))";

async function runCommand(
	folder: string,
	url: string,
	documents: string,
): Promise<{ readonly wholeMs: number; readonly peakMb: number }> {
	const words = ["drift", "-f", documents, "--url", url, "--concurrency", String(atOnce), "--quiet"];
	const begin = performance.now();
	const child = spawn(process.execPath, ["--import", `data:text/javascript,${tellMemory}`, commandFile, ...words], {
		cwd: folder,
		env: { PATH: process.env.PATH, ORGSYNC_API_PRIVATE_KEY: privateKey },
		stdio: ["ignore", "ignore", "pipe"],
	});
	let said = "";
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		said += text;
	});
	const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
	if (code !== 0) throw new Error(`drift ends with ${code}: ${said}`);
	const wholeMs = performance.now() - begin;
	return { wholeMs, peakMb: Number(/peak (\d+)/.exec(said)?.[1]) / 1024 };
}

/**
 * Returns what the work gives, and what the emulator saw of it: requests in all, and each second. It remembers the last ten
 * thousand requests, so of more it is the second half that counts.
 */
async function watch<T>(
	url: string,
	work: () => Promise<T>,
): Promise<{ readonly result: T; readonly requests: number; readonly perSecond: number }> {
	await request(`${url}/emulator/requests`, { method: "DELETE" });
	const result = await work();
	const { body } = await request(`${url}/emulator/requests`);
	const { requests } = (await body.json()) as { requests: readonly { timeMs: number }[] };
	const askingMs = (requests.at(-1)?.timeMs ?? 0) - (requests[0]?.timeMs ?? 0);
	return { result, requests: requests.length, perSecond: (requests.length * 1000) / askingMs };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const [, , what = "", url = ""] = process.argv;
	if (what === "bare") await askBare(url);
	else if (what === "") printTable(await benchFleet());
	else await printSize(Number(what));
}
