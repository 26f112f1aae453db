/**
 * Requests a second of the emulator in a process of its own, each with a stamp that it verifies, against a bare HTTP server
 * that reads the same requests and verifies nothing.
 */
import { createECDH } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { commandFile } from "../../scripts/manifest.ts";
import { createApiKeyStamper } from "../../src/wire/stamp.ts";
import { type Measured, median } from "./run.ts";
import { serve } from "./serve.ts";

const privateKey = "3d".repeat(32);
const organizationId = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";
const inFlight = 64;
const count = 6000;

const bareServer = `
const answer = JSON.stringify({ userTags: [] });
require("node:http").createServer((request, response) => {
	request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(answer));
}).listen(0, "127.0.0.1", function () { console.log(JSON.stringify({ url: "http://127.0.0.1:" + this.address().port })); });`;

async function perSecond(url: string, requests: readonly { body: string; stamp: string }[]): Promise<number> {
	const pool = new Pool(url, { connections: inFlight });
	let next = 0;
	const start = performance.now();
	await Promise.all(
		Array.from({ length: inFlight }, async () => {
			for (let index = next++; index < count; index = next++) {
				const request = requests[index % requests.length];
				if (request === undefined) continue;
				const { statusCode, body } = await pool.request({
					method: "POST",
					path: "/public/v1/query/list_user_tags",
					headers: { "content-type": "application/json", "x-stamp": request.stamp },
					body: request.body,
				});
				await body.dump();
				if (statusCode !== 200) throw new Error(`the bench got ${statusCode}`);
			}
		}),
	);
	const rate = (count * 1000) / (performance.now() - start);
	await pool.close();
	return rate;
}

export async function benchEmulator(): Promise<readonly Measured[]> {
	const exchange = createECDH("prime256v1");
	exchange.setPrivateKey(privateKey, "hex");
	const folder = mkdtempSync(join(tmpdir(), "orgsync-bench-"));
	const seed = join(folder, "seed.json");
	const publicKey = exchange.getPublicKey("hex", "compressed");
	const user = { userId: "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001", userName: "admin", apiKeys: [{ publicKey }] };
	writeFileSync(
		seed,
		JSON.stringify({ organizations: [{ organizationId, organizationName: "bench", users: [user] }] }),
	);
	const stamper = createApiKeyStamper({ privateKey });
	// Stamped before the measurement, each on its own: the emulator verifies every stamp, and the client does little.
	const requests = await Promise.all(
		Array.from({ length: 1000 }, async () => {
			const body = JSON.stringify({ organizationId });
			return { body, stamp: (await stamper.stamp(body)).stampHeaderValue };
		}),
	);
	const emulator = await serve([commandFile, "emulator", "--seed", seed], { pinned: true });
	const bare = await serve(["-e", bareServer], { pinned: true });
	const rates: { ours: number; bare: number }[] = [];
	for (let round = 0; round < 4; round += 1) {
		rates.push({ ours: await perSecond(emulator.url, requests), bare: await perSecond(bare.url, requests) });
	}
	emulator.child.kill();
	bare.child.kill();
	rmSync(folder, { recursive: true, force: true });
	const ours = median(rates.slice(1).map((rate) => rate.ours));
	const ratio = median(rates.slice(1).map((rate) => rate.ours / rate.bare));
	return [
		{
			what: "emulator on one core, requests a second with stamps verified",
			measured: `${ours.toFixed(0)} (${ratio.toFixed(2)} times a bare HTTP server)`,
			aim: "at least 3,000",
		},
	];
}
