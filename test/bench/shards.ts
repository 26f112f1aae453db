/**
 * `node test/bench/shards.ts [SHARDS] [RATE…]`: how much of the service's rate limit the runners of a fleet use together, each
 * with its share of the organizations and of the rate. From that, how long a check of 100,000 organizations takes
 * (docs/fleets.md). Not part of `npm run bench`: it takes minutes, because the limit is real.
 */
import { spawn } from "node:child_process";
import { createECDH } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { commandFile } from "../../scripts/manifest.ts";
import { isInShard } from "../../src/cli/commands/selection.ts";
import { serve } from "./serve.ts";

const privateKey = "2e".repeat(32);
const fleetSize = 100_000;
/** Seconds for which a limit is measured. */
const sampleSeconds = 15;
/** Of an organization in sync. */
const queriesEach = 2;

const uuid = (kind: number, index: number): string =>
	`${kind.toString(16).padStart(8, "0")}-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;

interface Fleet {
	readonly folder: string;
	readonly url: string;
}

interface LoggedRequest {
	readonly timeMs: number;
	readonly status: number;
}

/** Returns ids of organizations, the same number in each share: a small fleet is split less evenly than a large one. */
function makeIds(size: number, shards: number): readonly string[] {
	const shares = Array.from({ length: shards }, () => [] as string[]);
	const each = Math.ceil(size / shards);
	for (let index = 0; shares.some(({ length }) => length < each); index += 1) {
		const share = shares[shareOf(uuid(1, index), shards)];
		if (share !== undefined && share.length < each) share.push(uuid(1, index));
	}
	return shares.flat();
}

/** Returns the share of an organization, counted from 0. */
function shareOf(id: string, shards: number): number {
	return Array.from({ length: shards }, (_, index) => index + 1).findIndex((index) =>
		isInShard(id, { index, count: shards }),
	);
}

/** Returns by how much the largest share of the whole fleet is larger than the mean. */
function largestShare(shards: number): number {
	const sizes = Array.from({ length: shards }, () => 0);
	for (let index = 0; index < fleetSize; index += 1) {
		const share = shareOf(uuid(1, index), shards);
		sizes[share] = (sizes[share] ?? 0) + 1;
	}
	return (Math.max(...sizes) * shards) / fleetSize;
}

/** Writes the documents and the seed of a fleet that is in sync. */
function writeFleet(folder: string, ids: readonly string[]): string {
	const exchange = createECDH("prime256v1");
	exchange.setPrivateKey(privateKey, "hex");
	const apiKeys = [{ publicKey: exchange.getPublicKey("hex", "compressed") }];
	const users = [{ userId: uuid(2, 0), userName: "admin", apiKeys }];
	const userTags = [{ tagId: uuid(3, 1), tagName: "signers", userIds: [uuid(2, 0)] }];
	const documents = ids.map(
		(id) => `---\norganizationId: ${id}\nuserTags: [{ name: signers, members: { exactly: [${uuid(2, 0)}] } }]\n`,
	);
	writeFileSync(join(folder, "fleet.yaml"), documents.join(""));
	const organizations = ids.map((organizationId) => ({ organizationId, users, userTags }));
	const seed = join(folder, "seed.json");
	writeFileSync(seed, JSON.stringify({ organizations }));
	return seed;
}

/** Sets the limit of the whole service and forgets what it was asked. */
async function limit(url: string, requestsPerSecond: number): Promise<void> {
	const body = JSON.stringify({ requestsPerSecond, burst: Math.ceil(requestsPerSecond / 10) });
	await request(`${url}/emulator/limits`, { method: "POST", headers: { "content-type": "application/json" }, body });
	await request(`${url}/emulator/requests`, { method: "DELETE" });
}

/** Runs one share to its end. */
async function runShare({ folder, url }: Fleet, share: string, more: readonly string[]): Promise<void> {
	const words = [commandFile, "drift", "-f", "fleet.yaml", "--shard", share, "--url", url, "--quiet", ...more];
	const env = { PATH: process.env.PATH, HOME: folder, ORGSYNC_API_PRIVATE_KEY: privateKey };
	const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
	const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
	if (code !== 0) throw new Error(`a share ends with ${code}`);
}

/** Returns the rate of one runner: nine tenths of its share, because requests of several runners arrive together by chance. */
function spacedRate(rate: number, shards: number): number {
	return (0.9 * rate) / shards;
}

/** Runs all shares at once; returns the answered requests a second, and how many requests were rejected. */
async function measure(fleet: Fleet, shards: number, rate: number, isSpaced: boolean) {
	await limit(fleet.url, rate);
	const more = isSpaced ? ["--max-rps", String(spacedRate(rate, shards))] : [];
	await Promise.all(Array.from({ length: shards }, (_, index) => runShare(fleet, `${index + 1}/${shards}`, more)));
	const { body } = await request(`${fleet.url}/emulator/requests`);
	const { requests } = (await body.json()) as { readonly requests: readonly LoggedRequest[] };
	const answered = requests.filter(({ status }) => status === 200);
	const times = answered.map(({ timeMs }) => timeMs);
	const seconds = (Math.max(...times) - Math.min(...times)) / 1000;
	return { perSecond: answered.length / seconds, rejected: requests.length - answered.length };
}

/** Returns minutes as people say them. */
function describeTime(seconds: number): string {
	return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

async function main(): Promise<void> {
	const [shards = 4, ...given] = process.argv.slice(2).map(Number);
	const uneven = largestShare(shards);
	for (const rate of given.length === 0 ? [50, 100, 500] : given) {
		const folder = mkdtempSync(join(tmpdir(), "orgsync-shards-"));
		const ids = makeIds(Math.ceil((rate * sampleSeconds) / queriesEach), shards);
		const { child, url } = await serve([commandFile, "emulator", "--seed", writeFleet(folder, ids)]);
		try {
			for (const isSpaced of [true, false]) {
				const { perSecond, rejected } = await measure({ folder, url }, shards, rate, isSpaced);
				const whole = describeTime((fleetSize * queriesEach * uneven) / perSecond);
				const how = isSpaced ? `--max-rps ${spacedRate(rate, shards)}` : "without --max-rps";
				const used = `${Math.round((100 * perSecond) / rate)} %`;
				process.stdout.write(
					`limit ${rate}/s, ${shards} shards, ${how}: ${used} of the limit, ${rejected} rejected; ${fleetSize} organizations take ${whole}\n`,
				);
			}
		} finally {
			child.kill();
			rmSync(folder, { recursive: true, force: true });
		}
	}
}

await main();
