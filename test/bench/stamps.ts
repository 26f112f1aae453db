/** Stamps a second, ours against the vendor's published stamper, in turn. */
import { ApiKeyStamper } from "@turnkey/api-key-stamper";
import { createApiKeyStamper, type Stamper } from "../../src/wire/stamp.ts";
import { type Measured, median } from "./run.ts";

const privateKey = "1f".repeat(32);
const body = JSON.stringify({ filler: "x".repeat(485) });

async function perSecond(stamper: Stamper, count: number): Promise<number> {
	const start = performance.now();
	for (let index = 0; index < count; index += 1) await stamper.stamp(body);
	return (count * 1000) / (performance.now() - start);
}

export async function benchStamps(): Promise<Measured> {
	const ours = createApiKeyStamper({ privateKey });
	const theirs = new ApiKeyStamper({ apiPublicKey: ours.publicKey, apiPrivateKey: privateKey });
	await perSecond(ours, 1000);
	await perSecond(theirs, 200);
	const rates: { ours: number; theirs: number }[] = [];
	for (let round = 0; round < 5; round += 1) {
		rates.push({ ours: await perSecond(ours, 10_000), theirs: await perSecond(theirs, 1000) });
	}
	const ratio = median(rates.map((rate) => rate.ours / rate.theirs));
	const [fast, slow] = [median(rates.map((rate) => rate.ours)), median(rates.map((rate) => rate.theirs))];
	return {
		what: "stamps of 500 bytes a second, against the vendor's stamper",
		measured: `${ratio.toFixed(1)} times (${fast.toFixed(0)} to ${slow.toFixed(0)})`,
		aim: "at least 5 times",
	};
}
