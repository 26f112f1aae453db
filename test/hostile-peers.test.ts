/** Answers that never end, as fast as they are read: they cost a bounded time and memory, and end with the ordinary error. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, test } from "vitest";

interface Cost {
	readonly said: string;
	readonly ms: number;
	readonly megabytes: number;
}

const peer = fileURLToPath(new URL("./hostile-peer.ts", import.meta.url));
const victim = fileURLToPath(new URL("./hostile-victim.ts", import.meta.url));

/** Starts a peer with this answer, and returns its port. */
async function startPeer(how: "http" | "tls", answer: string): Promise<string> {
	const child = spawn(process.execPath, [peer, how, answer], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	onTestFinished(() => void child.kill("SIGKILL"));
	const [port] = (await once(child.stdout, "data")) as [Buffer];
	return port.toString().trim();
}

async function ask(...words: readonly string[]): Promise<Cost> {
	const { stdout } = await promisify(execFile)(process.execPath, [victim, ...words], {
		timeout: 30_000,
	});
	return JSON.parse(stdout) as Cost;
}

test.each([
	[200, /^ServiceError: list_user_tags: the answer is not one of list_user_tags: it has more than 700000 values$/],
	[500, /the service answered 500|no answer from/],
])("an answer of %i with millions of values takes little memory", async (status, said) => {
	const body = `{"userTags":[${"{},".repeat(5_000_000)}{}]}`;
	const server = createServer((_request, response) => {
		response.writeHead(status, { "content-type": "application/json" }).end(body);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => void server.close());
	const cost = await ask("service", `http://127.0.0.1:${(server.address() as AddressInfo).port}`, "5000");
	expect(cost.said).toMatch(said);
	expect(cost.megabytes).toBeLessThan(400);
	expect(cost.ms).toBeLessThan(8000);
});

describe("an answer that never ends", () => {
	it.each([
		["chunks of one byte", 5000, /no answer from|is larger than 16 MiB and was not read$/],
		["chunks of one byte with an extension", 5000, /no answer from|is larger than 16 MiB and was not read$/],
		["one chunk's extension", 1500, /no answer from .* within 1\.5 s$/],
		["interim answers", 1500, /no answer from .* within 1\.5 s$/],
		["headers", 1500, /failed before an answer came|no answer from/],
		["a body", 1500, /is larger than 16 MiB and was not read$/],
	])("of the service, made of %s, ends in time and with little memory, with TLS too", async (answer, limitMs, said) => {
		const [plain, secure] = await Promise.all([startPeer("http", answer), startPeer("tls", answer)]);
		for (const url of [`http://127.0.0.1:${plain}`, `https://127.0.0.1:${secure}`]) {
			const cost = await ask("service", url, `${limitMs}`);
			expect(cost).toMatchObject({ said: expect.stringMatching(said) as string });
			expect(cost.megabytes).toBeLessThan(400);
			expect(cost.ms).toBeLessThan(limitMs + 3000);
		}
	});

	it.each([
		["blanks before a header", /no connection to https:\/\/localhost:9 within 1\.5 s$/],
		["interim answers", /does not connect to https:\/\/localhost:9 \(102\)$/],
		["chunks of one byte", /no secure connection to https:\/\/localhost:9/],
	])("of a proxy, made of %s, ends in time too, and the client closes at once", async (answer, said) => {
		const port = await startPeer("http", answer);
		const cost = await ask("service", "https://localhost:9", "1500", `http://127.0.0.1:${port}`);
		expect(cost).toMatchObject({ said: expect.stringMatching(said) as string });
		expect(cost.megabytes).toBeLessThan(400);
		expect(cost.ms).toBeLessThan(2800);
	});

	it("of GitHub's API is not read beyond 16 MiB", async () => {
		const cost = await ask("github", `http://127.0.0.1:${await startPeer("http", "a body")}`);
		expect(cost.said).toMatch(/GitHub does not answer GET \/repos\/owner\/name\/pulls$/);
		expect(cost.megabytes).toBeLessThan(400);
	});

	it("of a collector of traces costs its connection", async () => {
		const cost = await ask("collector", `http://127.0.0.1:${await startPeer("http", "chunks of one byte")}`);
		expect(cost.said).toBe("1 span was not sent to the collector at collector: the request failed");
		expect(cost.megabytes).toBeLessThan(400);
		expect(cost.ms).toBeLessThan(3000);
	});
});
