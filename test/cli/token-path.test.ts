/** A token in the path of the service's address, as some gateways want it, is in no output. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { document, makeWorld } from "../world.ts";

const token = "tok_5f2e%20c0ffee5ecret";

/** A gateway that answers everything like this; it repeats the path of the request. */
async function startGateway(
	status: number,
	answer: (path: string) => { body: string; headers?: Record<string, string> },
) {
	const server = createServer(({ url = "" }, response) => {
		const { body, headers = {} } = answer(url);
		response.writeHead(status, headers).end(body);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = (path: string) => JSON.stringify({ code: 5, message: `no route ${path}, ${decodeURIComponent(path)}` });

test.each([
	["refuses the path", 404, (path: string) => ({ body: json(path) })],
	["repeats it with a gateway's error", 502, (path: string) => ({ body: `<h1>${path}</h1>` })],
	["redirects", 302, (path: string) => ({ body: "", headers: { location: `http://127.0.0.1:1${path}/again` } })],
	["is no service", 200, (path: string) => ({ body: JSON.stringify({ path }) })],
] as const)("the token is not shown where the service %s", async (_, status, answer) => {
	const world = await makeWorld(document("userTags: [{ name: signers }]"));
	const origin = await startGateway(status, answer);
	for (const format of ["text", "json"]) {
		const words = ["plan", "--format", format, "--timeout", "1"];
		const { code, stdout, stderr } = await world.run(words, { env: { ORGSYNC_URL: `${origin}/${token}` } });
		expect(code).not.toBe(0);
		expect(stdout + stderr).not.toMatch(/c0ffee5ecret/);
	}
});

test("the token is not shown where no service answers, and the origin is", async () => {
	const world = await makeWorld(document("userTags: [{ name: signers }]"));
	const { stdout, stderr } = await world.run(["plan", "--timeout", "1"], {
		env: { ORGSYNC_URL: `http://127.0.0.1:1/${token}` },
	});
	expect(stdout + stderr).toContain("no service answers at http://127.0.0.1:1 (connection refused)");
	expect(stdout + stderr).not.toContain("c0ffee5ecret");
});
