/** The proxy of faults: what the client sees, and how often the service gets a request. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { drawFaults, type FaultName, type FaultProxy, openFaultProxy } from "./faults.ts";
import { randomFrom } from "./proof.ts";

let arrived: string[] = [];
const service = createServer(async (request, response) => {
	let body = "";
	for await (const chunk of request) body += chunk;
	arrived.push(body);
	response.end(JSON.stringify({ echo: body }));
});
let proxy: FaultProxy;

beforeAll(async () => {
	await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
	proxy = await openFaultProxy(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
});
beforeEach(async () => {
	await proxy.settle();
	arrived = [];
	proxy.use({});
});
afterAll(async () => {
	await proxy.close();
	service.close();
});

async function send(body: string, fault: FaultName): Promise<string> {
	proxy.use({ choose: () => fault });
	try {
		const signal = AbortSignal.timeout(500);
		const answer = await fetch(`${proxy.url}/public/v1/submit/thing`, { method: "POST", body, signal });
		return `${answer.status} ${await answer.text()}`;
	} catch {
		return "no answer";
	}
}

const echoed = '200 {"echo":"a long request"}';

describe("the proxy of faults", () => {
	it.each<[FaultName, string | RegExp, number]>([
		["none", echoed, 1],
		["refuse", "no answer", 0],
		["reset-before", "no answer", 0],
		["reset-after", "no answer", 1],
		["stall-before", "no answer", 0],
		["stall-after", "no answer", 1],
		["half-head", "no answer", 1],
		["half-answer", "no answer", 1],
		["page-502-before", /^502 <html>/, 0],
		["page-504-after", /^504 <html>/, 1],
		["duplicate", echoed, 2],
		["reorder", echoed, 1],
		["drip", echoed, 1],
	])("answers a request with %s, and the service gets it as often as that means", async (fault, seen, times) => {
		expect(await send("a long request", fault)).toEqual(seen instanceof RegExp ? expect.stringMatching(seen) : seen);
		await proxy.settle();
		expect(arrived).toEqual(Array(times).fill("a long request"));
	});

	it("delivers a late request when it is settled, or after three others", async () => {
		expect(await send("first", "late")).toBe("no answer");
		expect(arrived).toEqual([]);
		await proxy.settle();
		expect(arrived).toEqual(["first"]);
		await send("second", "late");
		for (const body of ["third", "fourth", "fifth"]) await send(body, "none");
		await proxy.settle();
		expect(arrived).toEqual(["first", "third", "fourth", "fifth", "second"]);
	});

	it("accepts connections again after it refused some", async () => {
		await send("lost", "refuse");
		await expect.poll(() => send("found", "none"), { interval: 20 }).toBe('200 {"echo":"found"}');
	});

	it("holds a request and its answer as long as the hooks ask, and loses what they say", async () => {
		const seen: string[] = [];
		proxy.use({
			arrived: ({ name, number }) => seen.push(`${name} ${number > 0}`) > 0,
			answered: (_exchange, status) => {
				seen.push(String(status));
				return false;
			},
		});
		await expect(fetch(`${proxy.url}/public/v1/query/thing`, { method: "POST" })).rejects.toThrow();
		expect(seen).toEqual(["thing true", "200"]);
	});

	it("draws the same faults from the same seed, for about the share of requests that is asked for", () => {
		const exchange = { number: 1, name: "thing", isSubmit: true, body: Buffer.from(""), fingerprint: "" };
		const draw = () => {
			const choose = drawFaults(randomFrom(5), 0.5, ["late", "drip"]);
			return Array.from({ length: 200 }, () => choose(exchange));
		};
		expect(draw()).toEqual(draw());
		expect(new Set(draw())).toEqual(new Set(["none", "late", "drip"]));
		expect(draw().filter((fault) => fault === "none").length).toBeGreaterThan(60);
	});
});
