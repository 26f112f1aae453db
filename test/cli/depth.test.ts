/** What others wrote and nested without end leads to an error that says so, not to an exhausted stack. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { agreeing, document, makeWorld } from "../world.ts";

const deep = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;
const words = "nested more than 200 levels deep";

/** The world's emulator, but that the answer to one query has another member, nested so deep, in its first object. */
async function bend(url: string, operation: string, list: string, depth: number): Promise<string> {
	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const headers = { "x-stamp": String(request.headers["x-stamp"]) };
		const answer = await fetch(url + request.url, { method: "POST", headers, body: Buffer.concat(chunks) });
		const text = await answer.text();
		const bent = text.replace(`"${list}":[{`, `"${list}":[{"more":${"[".repeat(depth)}${"]".repeat(depth)},`);
		response.writeHead(answer.status, { "content-type": "application/json" });
		response.end(request.url?.endsWith(operation) === true ? bent : text);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => void server.closeAllConnections());
	onTestFinished(() => void server.close());
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
	7000, 200_000,
])("a policy that is nested %i levels deep is refused as a response of something else", async (depth) => {
	const world = await makeWorld(document(agreeing.userTags, "absent: { policies: [] }"));
	const url = await bend(world.url, "list_policies", "policies", depth);
	const answer = await world.run(["export", "--url", url, "--organization", "00000000-0000-4000-8000-000000000001"]);
	expect(answer).toMatchObject({ code: 1, stdout: "" });
	expect(answer.stderr).toContain(`error: list_policies: the answer is not one of list_policies: it is ${words}\n`);
	expect(answer.stderr).not.toContain("unexpected error");
});

test("the body of query --json, a saved plan and the report of --since are refused", async () => {
	const world = await makeWorld(document(agreeing.userTags));
	const inner = `${"[".repeat(7000)}${"]".repeat(7000)}`;
	world.write("plan.json", `{"formatVersion":1,"command":"plan","digest":"sha256:0","plans":[${deep}]}`);
	world.write("last.json", `{"formatVersion":1,"command":"drift","drift":[${deep}]}`);
	const cases: readonly (readonly [readonly string[], string])[] = [
		[["query", "list_user_tags", "--json", `{"organizationId":${inner}}`], `--json is ${words}`],
		[["show", "plan.json"], `plan.json is no saved plan: it is ${words}`],
		[["apply", "--plan", "plan.json"], `plan.json is no saved plan: it is ${words}`],
		[["drift", "--since", "last.json"], `--since last.json: it is ${words}`],
	];
	for (const [commandLine, message] of cases) {
		const answer = await world.run(commandLine);
		expect([answer.code, answer.stderr.split("\n")[0]]).toEqual([3, `error: ${message}`]);
	}
	expect(world.requests()).toEqual([]);
});
