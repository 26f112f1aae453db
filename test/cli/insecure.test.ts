/** An environment that weakens TLS is refused by every command that speaks to a service, unless --insecure is given. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeCertificate } from "../wire/certificate.ts";
import { agreeing, alice, document, makeWorld, organizationId } from "../world.ts";

const weak = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
const activity = "01a1fe02-1455-712e-be80-c4ad5d3e1bce";
const commands: readonly (readonly string[])[] = [
	["plan"],
	["drift"],
	["apply", "--yes"],
	["query", "list_user_tags"],
	["export", "--organization", organizationId],
	["explain", activity],
	["status"],
	["wait"],
	["import-key", "--user", alice],
];
const warning =
	"warning: --insecure: certificates are not verified; anyone on the network path can read and change requests and responses\n";

describe("an environment with NODE_TLS_REJECT_UNAUTHORIZED=0", () => {
	test.each(commands)("is refused by %s, and nothing is asked", async (...words) => {
		const world = await makeWorld(document(agreeing.userTags));
		const answer = await world.run(words, { env: weak });
		expect(answer).toMatchObject({
			code: 3,
			stdout: "",
			stderr: expect.stringContaining(
				"error: the environment weakens TLS: NODE_TLS_REJECT_UNAUTHORIZED=0\nhint: unset it; to trust a private certificate authority, name its file in NODE_EXTRA_CA_CERTS; to override: --insecure\n",
			),
		});
		expect(world.requests()).toEqual([]);
	});

	test("is refused with --local too", async () => {
		const world = await makeWorld();
		expect((await world.run(["status", "--local"], { env: weak })).code).toBe(3);
	});

	test("is allowed by --insecure, with a warning that --quiet does not silence, and JSON as it is without", async () => {
		const world = await makeWorld(document(agreeing.userTags));
		const words = ["plan", "--quiet", "--format", "json"];
		const insecure = await world.run([...words, "--insecure"], { env: weak });
		expect(insecure.code).toBe(0);
		expect(insecure.stderr).toContain(warning);
		expect(JSON.parse(insecure.stdout)).toMatchObject({ command: "plan", exitCode: 0, error: null });
		expect((await world.run(words)).stderr).not.toContain("warning");
	});
});

test("logged TLS keys and broken TLS versions are refused too", async () => {
	const world = await makeWorld(document(agreeing.userTags));
	for (const [env, named] of [
		[{ NODE_OPTIONS: "--tls-min-v1.0" }, "--tls-min-v1.0 in NODE_OPTIONS"],
		[{ SSLKEYLOGFILE: `${world.folder}/keys.log` }, "SSLKEYLOGFILE"],
	] as const) {
		const answer = await world.run(["plan"], { env });
		expect([answer.code, answer.stderr.split("\n")[0]]).toEqual([3, `error: the environment weakens TLS: ${named}`]);
	}
	expect(world.requests()).toEqual([]);
});

test("an address that is none is refused with --insecure as without it", async () => {
	const world = await makeWorld();
	const words = ["status", "--organization", organizationId, "--url", "https://a.test:99999"];
	for (const flags of [[], ["--insecure"]]) {
		const { code, stderr } = await world.run([...words, ...flags]);
		expect([code, stderr]).toEqual([
			3,
			expect.stringContaining("error: the service's address is not an http or https URL"),
		]);
	}
});

test("an untrusted certificate is refused, and accepted with --insecure", async () => {
	const world = await makeWorld();
	const service = createServer(makeCertificate("localhost"), (request, response) => {
		request.resume();
		response.setHeader("content-type", "application/json").end('{"userTags":[]}');
	});
	await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => void service.close());
	const { port } = service.address() as AddressInfo;
	const words = ["query", "list_user_tags", "--organization", organizationId, "--url", `https://localhost:${port}`];
	const refused = await world.run(words);
	expect(refused).toMatchObject({ code: 1, stdout: "" });
	expect(refused.stderr).toContain("no secure connection");
	const accepted = await world.run([...words, "--insecure"]);
	expect(accepted).toMatchObject({ code: 0, stdout: '{\n  "userTags": []\n}\n', stderr: warning });
});
