/** What 50 ms of latency cost: reading everything, and 32 independent steps, against single round trips in the same run. */
import { createECDH } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { commandFile } from "../../scripts/manifest.ts";
import { parseDocuments } from "../../src/document/read/parse.ts";
import { emptyLastApplied } from "../../src/plan/organization.ts";
import { applyPlan, reportOf } from "../../src/sync/apply.ts";
import { compareLive } from "../../src/sync/converge.ts";
import { openJournal } from "../../src/sync/journal/file.ts";
import { readLive } from "../../src/sync/read/read.ts";
import { type Client, createClient } from "../../src/wire/client.ts";
import { queries, submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { createApiKeyStamper } from "../../src/wire/stamp.ts";
import { type Measured, median } from "./run.ts";
import { serve } from "./serve.ts";

const privateKey = "2e".repeat(32);
const organizationId = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";
const uuid = (kind: number, index: number): string =>
	`${kind.toString(16).padStart(8, "0")}-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
const latencyMs = 50;

function publicKeyOf(scalar: string): string {
	const exchange = createECDH("prime256v1");
	exchange.setPrivateKey(scalar, "hex");
	return exchange.getPublicKey("hex", "compressed");
}

async function start(): Promise<{ client: Client; stop: () => Promise<void> }> {
	const folder = mkdtempSync(join(tmpdir(), "orgsync-bench-"));
	const seed = join(folder, "seed.json");
	const organization = {
		organizationId,
		organizationName: "bench",
		users: [
			{ userId: uuid(1, 0), userName: "admin", apiKeys: [{ publicKey: publicKeyOf(privateKey) }] },
			{ userId: uuid(1, 1), userName: "member" },
		],
		userTags: Array.from({ length: 32 }, (_, index) => ({
			tagId: uuid(3, index),
			tagName: `tag-${index}`,
			userIds: [],
		})),
	};
	writeFileSync(seed, JSON.stringify({ organizations: [organization] }));
	const { child, url } = await serve([commandFile, "emulator", "--seed", seed]);
	const client = createClient({ url, stamper: createApiKeyStamper({ privateKey }), connections: 16 });
	// Connections are opened before the clock runs, as they are in a process that has asked once.
	await Promise.all(Array.from({ length: 16 }, () => client.reader.query(queries.list_user_tags, { organizationId })));
	await request(`${url}/emulator/faults`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ operation: "*", fault: "slow", count: 1_000_000, delayMs: latencyMs }),
	});
	const stop = async (): Promise<void> => {
		await client.close();
		child.kill();
		rmSync(folder, { recursive: true, force: true });
	};
	return { client, stop };
}

async function timeOf(work: () => Promise<unknown>, rounds: number): Promise<number> {
	const times: number[] = [];
	for (let round = 0; round < rounds; round += 1) {
		const begin = performance.now();
		await work();
		times.push(performance.now() - begin);
	}
	return median(times);
}

function parse(content: string) {
	const [desired] = parseDocuments([{ file: "bench.yaml", content }], {}).organizations;
	if (desired === undefined) throw new Error("the document of the bench is sound");
	return desired;
}

export async function benchReading(): Promise<Measured> {
	const { client, stop } = await start();
	const desired = parse(`organizationId: ${organizationId}
userTags: [{ name: tag-1, members: { exactly: [${uuid(1, 1)}] } }]
absent: { policies: [${uuid(5, 1)}], oauthProviders: { ${uuid(1, 1)}: [${uuid(6, 1)}] }, tvcApps: [${uuid(7, 1)}] }
expect:
  sessionProfiles: [{ id: ${uuid(8, 1)}, name: a }, { id: ${uuid(8, 2)}, name: b }]
  mfaPolicies: { ${uuid(1, 1)}: [{ name: a, order: 1 }] }
  bootProofs: [{ app: ${uuid(7, 1)}, owner: a }]
  supportedAssets: { "eip155:1": [{ symbol: ETH, decimals: 18 }] }
`);
	const one = await timeOf(() => client.reader.query(queries.list_user_tags, { organizationId }), 9);
	const all = await timeOf(() => readLive(desired, client.reader, emptyLastApplied, "auto"), 9);
	await stop();
	return {
		what: "reading an organization with 9 queries at 50 ms latency, against one round trip",
		measured: `${(all / one).toFixed(2)} times (${all.toFixed(0)} ms to ${one.toFixed(0)} ms)`,
		aim: "at most 1.1 times",
	};
}

export async function benchApply(): Promise<Measured> {
	const { client, stop } = await start();
	const folder = mkdtempSync(join(tmpdir(), "orgsync-bench-"));
	const journal = await openJournal(join(folder, "journal.sqlite"));
	// A round trip of the same kind: an activity that changes nothing.
	const nothing = { userTagId: uuid(3, 0), addUserIds: [], removeUserIds: [] };
	let timestampMs = Date.now();
	const one = await timeOf(
		() => client.submitter.submit(encodeSubmit(submits.update_user_tag, organizationId, nothing, timestampMs++)),
		9,
	);
	const times: number[] = [];
	for (const members of [`[${uuid(1, 1)}]`, "[]", `[${uuid(1, 1)}]`]) {
		const tags = Array.from(
			{ length: 32 },
			(_, index) => `  - { name: tag-${index}, members: { exactly: ${members} } }`,
		);
		const desired = parse(`organizationId: ${organizationId}\nuserTags:\n${tags.join("\n")}\n`);
		const comparison = await compareLive(desired, client.reader, emptyLastApplied, { reads: "auto", now: Date.now });
		const begin = performance.now();
		const applied = await applyPlan(comparison, {
			reader: client.reader,
			submitter: client.submitter,
			journal,
			now: Date.now,
			sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
			waitMs: 0,
			concurrency: 8,
			verify: false,
			stats: () => client.stats(),
		});
		times.push(performance.now() - begin);
		const report = reportOf(applied);
		if (!report.inSync || report.steps.length !== 32) throw new Error("the bench submits 32 steps");
	}
	journal.close();
	await stop();
	rmSync(folder, { recursive: true, force: true });
	const ratio = median(times) / (4 * one);
	return {
		what: "32 independent steps, 8 at once, at 50 ms latency, the submit phase only, against 4 round trips",
		measured: `${ratio.toFixed(2)} times (${median(times).toFixed(0)} ms to ${(4 * one).toFixed(0)} ms)`,
		aim: "at most 1.10 times",
	};
}
