/** One set of secrets, by every source of credentials, through every output: none is shown, written or sent elsewhere. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { run as runWords } from "../../../src/cli/run.ts";
import { orgsync, runHere, runProcess, runProgram, startProgram } from "../../run.ts";
import { document, keys, makeWorld, organizationId, type World } from "../../world.ts";

/** As they are written in addresses and commands. */
const written = {
	pathToken: "tok_5f2e%20c0ffee5ecret",
	proxyUser: "proxy-us3r",
	proxyPassword: "pr0xy%40passw0rd",
	headerToken: "telemetry-t0ken-4711",
	collectorPassword: "c0llector-passw0rd",
	stampArgument: "stamp-argum3nt-4711",
};
const proxyPair = `${written.proxyUser}:${decodeURIComponent(written.proxyPassword)}`;
const forms = [
	...Object.values(written),
	...Object.values(written).map(decodeURIComponent),
	...[keys.alice.privateKey, keys.stranger.privateKey].flatMap((key) => [key, key.toUpperCase()]),
	Buffer.from(proxyPair).toString("base64"),
];

function expectHidden(place: string, text: string): void {
	for (const form of forms) expect(text.includes(form), `${form} in ${place}: ${text.slice(0, 2000)}`).toBe(false);
}

/** No file in the folder has a secret, but those that the user wrote for it. */
function expectNoneWritten({ folder }: World): void {
	for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
		if (/\.private$|\.env$/.test(name) || !statSync(join(folder, name)).isFile()) continue;
		expectHidden(name, readFileSync(join(folder, name), "latin1"));
	}
}

async function listen(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
	const server = createServer(handler);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Reply = (response: ServerResponse, repeated: string) => unknown;

/** A world behind a gateway with a token in its path, which is also the proxy; with a reply it repeats all that it gets. */
async function makeHiddenWorld(text: string, reply?: Reply) {
	const world = await makeWorld(text);
	const got: IncomingMessage["headers"][] = [];
	const host = await listen((request, response) => {
		got.push(request.headers);
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const repeated = [request.url, decodeURIComponent(request.url ?? ""), ...request.rawHeaders].join(" ");
			if (reply !== undefined) return reply(response, repeated);
			const path = (request.url ?? "").split(`/${written.pathToken}`)[1] ?? "/none";
			const stamp = String(request.headers["x-stamp"]);
			const asked = fetch(world.url + path, {
				method: "POST",
				body: Buffer.concat(chunks),
				headers: { "x-stamp": stamp },
			});
			return asked.then(async (answer) => {
				response.writeHead(answer.status, {
					"content-type": "application/json",
					date: answer.headers.get("date") ?? "",
				});
				response.end(await answer.text());
			});
		});
	});
	const env = {
		ORGSYNC_URL: `http://${host}/${written.pathToken}`,
		HTTP_PROXY: `http://${written.proxyUser}:${written.proxyPassword}@${host}`,
		OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${written.headerToken}`,
		ORGSYNC_API_PRIVATE_KEY: "",
	};
	return { ...world, got, env };
}

const text = document("userTags: [{ name: signers, members: { exactly: [alice] } }]");

/** What a user writes for each source; returns the variables that name it. */
const sources: Readonly<Record<string, (folder: string) => Readonly<Record<string, string>>>> = {
	"a variable": () => ({ ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey, API_PRIVATE_KEY: keys.stranger.privateKey }),
	"the vendor's variable": () => ({ TURNKEY_API_PRIVATE_KEY: keys.alice.privateKey }),
	"a key file": (folder) => {
		writeFileSync(join(folder, "alice.private"), keys.alice.privateKey, { mode: 0o600 });
		return { ORGSYNC_KEY_FILE: "alice.private" };
	},
	"a stamp command": (folder) => {
		const stamper = JSON.stringify(fileURLToPath(new URL("../../../src/wire/stamp.ts", import.meta.url)));
		writeFileSync(join(folder, "alice.private"), keys.alice.privateKey, { mode: 0o600 });
		writeFileSync(
			join(folder, "stamp.mjs"),
			`import { readFileSync } from "node:fs";
			import { createApiKeyStamper } from ${stamper};
			const stamper = createApiKeyStamper({ privateKey: readFileSync(${JSON.stringify(join(folder, "alice.private"))}, "utf8") });
			console.error(process.argv[2]);
			console.log((await stamper.stamp(readFileSync(0, "utf8"))).stampHeaderValue);`,
		);
		const command = [process.execPath, join(folder, "stamp.mjs"), `--password=${written.stampArgument}`];
		return { ORGSYNC_STAMP_COMMAND: command.join(" ") };
	},
};

describe("credentials", () => {
	test.each(
		Object.keys(sources),
	)("by %s, in the address, of the proxy and of telemetry are in no output", async (name) => {
		const world = await makeHiddenWorld(text);
		const env = { ...world.env, ...sources[name]?.(world.folder) };
		const files = ["--journal", "journal.sqlite", "--verbose"];
		const metrics = ["--metrics", "metrics.prom"];
		const calls = [
			["plan", "--out", "plan.json", ...files],
			["show", "plan.json", "--format", "html", "--output", "plan.html"],
			["drift", "--format", "json", ...files, ...metrics],
			["apply", "--yes", "--plan", "plan.json", "--format", "markdown", ...files, ...metrics],
			["status", "--journal", "journal.sqlite", "--format", "json"],
			["export", "--organization", organizationId],
			["query", "whoami", "--organization", organizationId],
		];
		for (const words of calls) {
			const { code, stdout, stderr } = await world.run(words, { env });
			expect([0, 2], `${words.join(" ")}: ${stderr}`).toContain(code);
			expectHidden(words.join(" "), stdout + stderr);
		}
		expectNoneWritten(world);
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(world.got.every((headers) => headers["proxy-authorization"] !== undefined)).toBe(true);
	});

	const json = { "content-type": "application/json" };
	const replies: Readonly<Record<string, Reply>> = {
		"refuses the key": (to, said) => to.writeHead(401, json).end(JSON.stringify({ code: 16, message: said })),
		"denies it": (to, said) => to.writeHead(403, json).end(JSON.stringify({ code: 7, message: said })),
		"finds nothing": (to, said) => to.writeHead(404, json).end(JSON.stringify({ code: 5, message: said })),
		"is too busy": (to, said) =>
			to.writeHead(429, { ...json, "ratelimit-limit": said }).end(JSON.stringify({ code: 8, message: said })),
		fails: (to, said) => to.writeHead(500, json).end(JSON.stringify({ code: 13, message: said })),
		"is a gateway's page": (to, said) => to.writeHead(502, { "content-type": said.slice(0, 60) }).end(said),
		"wants the proxy's password": (to, said) => to.writeHead(407, json).end(JSON.stringify({ code: 1, message: said })),
		redirects: (to, said) => to.writeHead(302, { location: `/${said.split(" ")[0]}` }).end(said),
		"is another service": (to, said) => to.writeHead(200, json).end(JSON.stringify({ [said]: said })),
		"breaks off": (to, said) => {
			to.writeHead(200, { ...json, "content-length": 9_000 }).write(said, () => to.socket?.destroy());
		},
	};

	test.each(Object.keys(replies))("are not repeated where the service %s and repeats what it got", async (name) => {
		const world = await makeHiddenWorld(text, replies[name]);
		const env = { ...world.env, ...sources["a variable"]?.("") };
		for (const words of [
			["--format", "json"],
			["--verbose", "--metrics", "metrics.prom", "--journal", "journal.sqlite"],
		]) {
			const { code, stdout, stderr } = await world.run(["drift", "--timeout", "1", ...words], {
				env,
				onPause: () => undefined,
			});
			expect(code).not.toBe(0);
			expectHidden(words.join(" "), stdout + stderr);
		}
		expect(world.got).not.toHaveLength(0);
		expectNoneWritten(world);
	});

	test.each([
		["the address has a user", { ORGSYNC_URL: `http://${written.proxyUser}:${written.proxyPassword}@127.0.0.1:1` }],
		["the address is none", { ORGSYNC_URL: `${written.pathToken}://x` }],
		[
			"the proxy's address is none",
			{ HTTP_PROXY: `socks5://${written.proxyUser}:${written.proxyPassword}@127.0.0.1:1` },
		],
		["the proxy does not answer", { HTTP_PROXY: `http://${written.proxyUser}:${written.proxyPassword}@127.0.0.1:1` }],
		[
			"the stamp command fails",
			{ ORGSYNC_API_PRIVATE_KEY: "", ORGSYNC_STAMP_COMMAND: `false ${written.stampArgument}` },
		],
		[
			"the stamp command is not there",
			{ ORGSYNC_API_PRIVATE_KEY: "", ORGSYNC_STAMP_COMMAND: `/no/${written.stampArgument}` },
		],
		[
			"the stamp command prints more",
			{ ORGSYNC_API_PRIVATE_KEY: "", ORGSYNC_STAMP_COMMAND: `printf '%s\\n%s' 1 ${written.stampArgument}` },
		],
		["a key takes the place of a key file", { ORGSYNC_API_PRIVATE_KEY: "", ORGSYNC_KEY_FILE: keys.alice.privateKey }],
		["the private key is of another public key", { ORGSYNC_API_PUBLIC_KEY: keys.stranger.publicKey }],
		["the private key has a digit too many", { ORGSYNC_API_PRIVATE_KEY: `${keys.alice.privateKey}0` }],
	])("are not repeated where %s", async (_, wrong) => {
		const world = await makeHiddenWorld(text);
		const env = { ...world.env, ...sources["a variable"]?.(""), ...wrong };
		for (const words of [
			["--format", "json"],
			["--verbose", "--metrics", "metrics.prom"],
		]) {
			const { code, stdout, stderr } = await world.run(["drift", "--timeout", "1", ...words], {
				env,
				onPause: () => undefined,
			});
			expect(code).not.toBe(0);
			expect(stdout + stderr).toContain("error");
			expectHidden(words.join(" "), stdout + stderr);
		}
		expectNoneWritten(world);
	});

	test("are in no trace, and a collector that repeats its headers is not quoted", async () => {
		const world = await makeHiddenWorld(text);
		const bodies: Buffer[] = [];
		const collector = await listen((request, response) => {
			request.on("data", (chunk: Buffer) => bodies.push(chunk));
			request.on("end", () => response.writeHead(400, `${request.headers.authorization}`).end(`${request.rawHeaders}`));
		});
		const env = {
			...{ ...world.env, ...sources["a variable"]?.("") },
			OTEL_EXPORTER_OTLP_ENDPOINT: `http://user:${written.collectorPassword}@${collector}`,
		};
		const { stdout, stderr } = await runProcess(["plan", "--verbose"], { cwd: world.folder, env });
		expect(stderr).toContain("sent to the collector");
		expectHidden("the output", stdout + stderr);
		expect(bodies).not.toHaveLength(0);
		expectHidden("the traces", Buffer.concat(bodies).toString("latin1"));
	});

	test("that Node reads from a file for the environment are in no output", async () => {
		const world = await makeHiddenWorld(text);
		const lines = Object.entries({ ...world.env, ...sources["a variable"]?.("") }).map(
			([key, value]) => `${key}="${value}"`,
		);
		writeFileSync(join(world.folder, "keys.env"), lines.join("\n"));
		const [node = "", main = ""] = orgsync;
		const words = ["plan", "--verbose", "--out", "plan.json"];
		const { code, stdout, stderr } = await runProgram([node, "--env-file=keys.env", main, ...words], {
			cwd: world.folder,
		});
		expect(code).toBe(0);
		expectHidden("the output", stdout + stderr);
		expectNoneWritten(world);
	});

	const all = {
		ORGSYNC_URL: `http://127.0.0.1:1/${written.pathToken}`,
		HTTPS_PROXY: `http://${written.proxyUser}:${written.proxyPassword}@127.0.0.1:1`,
		OTEL_EXPORTER_OTLP_TRACES_HEADERS: `a=b,authorization=Bearer ${written.headerToken}`,
		OTEL_SDK_DISABLED: "true",
		OTEL_EXPORTER_OTLP_ENDPOINT: `http://user:${written.collectorPassword}@127.0.0.1:1`,
		ORGSYNC_STAMP_COMMAND: `stamp --password=${written.stampArgument}`,
		ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey,
		TURNKEY_API_PRIVATE_KEY: keys.stranger.privateKey.toUpperCase(),
	};

	test("are in no text of a crash, with a stack trace or without", async () => {
		const defect = `setTimeout(() => { throw new Error(JSON.stringify(process.env) + "Basic ${Buffer.from(proxyPair).toString("base64")}"); }, 300)`;
		const env = { ...all, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(defect)}` };
		for (const words of [["emulator"], ["emulator", "--verbose"]]) {
			const { code, stderr } = await runProcess(words, { env });
			expect(code).toBe(1);
			expect(stderr).toContain("error: unexpected error: {");
			expectHidden(words.join(" "), stderr);
		}
	});

	test("are in no text of a crash of the Pulumi plugin, and of a step of the action", async () => {
		const source = (name: string): string => fileURLToPath(new URL(`../../../src/${name}/main.ts`, import.meta.url));
		const defect = "setTimeout(() => { throw new Error(JSON.stringify(process.env)); }, 1000)";
		const preload = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(defect)}` };
		const token = { ACTION_TOKEN: written.headerToken, OTEL_EXPORTER_OTLP_HEADERS: "" };
		const said = JSON.stringify({ ...all, ...token });
		const [plugin, step] = await Promise.all([
			startProgram([process.execPath, source("pulumi/plugin"), "127.0.0.1:1"], { env: { ...all, ...preload } }).ended,
			runProgram([process.execPath, source("action"), said], { env: { ...all, ...token } }),
		]);
		for (const [name, { code, stdout, stderr }] of Object.entries({ plugin, step })) {
			expect({ name, code }).toEqual({ name, code: 1 });
			expect(stdout + stderr).toMatch(/^(?:error: |::error title=orgsync::)unexpected error: /m);
			expect(stderr).toMatch(/^ {4}at /m);
			expectHidden(name, stdout + stderr);
		}
	});

	test.each(["text", "json", "markdown"])("are in no unexpected error of a command, as %s", async (format) => {
		const world = await makeWorld(text);
		for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
		onTestFinished(() => void vi.unstubAllEnvs());
		const words = ["drift", "--format", format, "--verbose", "--metrics", "metrics.prom"];
		const get = (): never => {
			throw new Error(JSON.stringify(all));
		};
		const { code, stdout, stderr } = await runHere(
			(terminal) => {
				const environment = Object.defineProperty({ ...terminal.environment }, "ORGSYNC_URL", { get });
				return runWords(words, { ...terminal, environment });
			},
			{ cwd: world.folder },
		);
		expect(code).toBe(1);
		expect(stdout + stderr).toContain("unexpected error: {");
		expectHidden(format, stdout + stderr);
		expectNoneWritten(world);
	});
});
