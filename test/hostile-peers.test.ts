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

/** Starts a peer with this answer, and returns its addresses for HTTP and TLS. */
async function startPeer(answer: string): Promise<readonly [plain: string, secure: string]> {
	const child = spawn(process.execPath, [peer, answer], { stdio: ["ignore", "pipe", "inherit"] });
	onTestFinished(() => void child.kill("SIGKILL"));
	const [addresses] = (await once(child.stdout, "data")) as [Buffer];
	return addresses.toString().trim().split(" ") as [string, string];
}

/** Asks each of these addresses, and returns what each cost. */
async function ask(what: string, urls: readonly string[], ...words: readonly string[]): Promise<readonly Cost[]> {
	const { stdout } = await promisify(execFile)(process.execPath, [victim, what, urls.join(" "), ...words], {
		timeout: 30_000,
	});
	return JSON.parse(stdout) as Cost[];
}

/** A cost within these bounds. Without any answer, the process has 90 MB. */
const costOf = (said: RegExp, belowMs: number, below = 250): Cost => ({
	said: expect.stringMatching(said),
	ms: expect.toSatisfy((ms: number) => ms < belowMs, `less than ${belowMs}`),
	megabytes: expect.toSatisfy((megabytes: number) => megabytes < below, `less than ${below}`),
});

test.each([
	[
		200,
		5000,
		/^ServiceError: list_user_tags: the answer is not one of list_user_tags: it has more than 700000 values$/,
	],
	[500, 1500, /the service answered 500|no answer from/],
])("an answer of %i with millions of values takes little memory", async (status, limitMs, said) => {
	const body = `{"userTags":[${"{},".repeat(5_000_000)}{}]}`;
	const server = createServer((_request, response) => {
		response.writeHead(status, { "content-type": "application/json" }).end(body);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => void server.close());
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	expect(await ask("service", [url], `${limitMs}`)).toEqual([costOf(said, limitMs + 3000, 400)]);
});

describe("an answer that never ends", () => {
	it.each([
		["chunks of one byte", 700, /no answer from|is larger than 16 MiB and was not read$/],
		["chunks of one byte with an extension", 700, /was cut short \(HPE_CHUNK_EXTENSIONS_OVERFLOW\)$|no answer from/],
		["one chunk's extension", 1500, /was cut short \(HPE_CHUNK_EXTENSIONS_OVERFLOW\)$|no answer from/],
		["interim answers", 700, /no answer from .* within 0\.7 s$/],
		["headers", 1500, /failed before an answer came|no answer from/],
		["a body", 1500, /is larger than 16 MiB and was not read$/],
	])("of the service, made of %s, ends in time and with little memory, with TLS too", async (answer, limitMs, said) => {
		const cost = costOf(said, limitMs + 3000);
		expect(await ask("service", await startPeer(answer), `${limitMs}`)).toEqual([cost, cost]);
	});

	it.each([
		["blanks before a header", /no connection to https:\/\/localhost:9 within 1\.5 s$/],
		["interim answers", /does not connect to https:\/\/localhost:9 \(102\)$/],
		["chunks of one byte", /no secure connection to https:\/\/localhost:9/],
	])("of a proxy, made of %s, ends in time too, and the client closes at once", async (answer, said) => {
		const [proxy] = await startPeer(answer);
		expect(await ask("service", ["https://localhost:9"], "1500", proxy)).toEqual([costOf(said, 2800)]);
	});

	it("of GitHub's API is not read beyond 16 MiB", async () => {
		const [url] = await startPeer("a body");
		const said = /GitHub does not answer GET \/repos\/owner\/name\/pulls$/;
		expect(await ask("github", [url])).toEqual([costOf(said, 30_000)]);
	});

	it("of a collector of traces costs its connection", async () => {
		const [url] = await startPeer("chunks of one byte");
		const said = /^1 span was not sent to the collector at collector: the request failed$/;
		expect(await ask("collector", [url])).toEqual([costOf(said, 3000)]);
	});
});
