/** Traces by OpenTelemetry's environment variables: what a collector on loopback gets, and what becomes of a broken one. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { findTraceTarget } from "../../../src/cli/output/trace-target.ts";
import { parseTraces, type ReceivedSpan } from "../../metrics.ts";
import { orgsync, runProgram, startProgram } from "../../run.ts";
import { document, keys, makeWorld, organizationId, policies, type World } from "../../world.ts";

const parent = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const token = "geheim-4711";

interface Collector {
	readonly url: string;
	readonly bodies: Buffer[];
	readonly headers: IncomingHttpHeaders[];
	readonly paths: (string | undefined)[];
}

/** A collector that answers with this status; 0 never answers. */
async function startCollector(status = 200): Promise<Collector> {
	const got: Omit<Collector, "url"> = { bodies: [], headers: [], paths: [] };
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			got.bodies.push(Buffer.concat(chunks));
			got.headers.push(request.headers);
			got.paths.push(request.url);
			// As a collector that repeats what it was sent.
			if (status !== 0) response.writeHead(status, JSON.stringify(request.headers.authorization)).end(token);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	return { ...got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const variables = (url: string) => ({
	OTEL_EXPORTER_OTLP_ENDPOINT: url,
	OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${token}`,
	TRACEPARENT: `00-${parent.traceId}-${parent.spanId}-01`,
});

function command({ folder, url }: World, words: readonly string[], env: Readonly<Record<string, string>>) {
	const own = { ORGSYNC_URL: url, ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey };
	return [[...orgsync, ...words], { cwd: folder, env: { ...own, ...env } }] as const;
}

const text = document(
	"userTags: [{ name: signers, members: { exactly: [alice, bob] } }]",
	`absent: { policies: [${policies[0]}] }`,
);

/** Each span with the names of those above it: `step delete_policies < apply organization < orgsync apply`. */
function lines(spans: readonly ReceivedSpan[]): readonly string[] {
	const byId = new Map(spans.map((span) => [span.spanId, span]));
	const line = ({ name, parentId }: ReceivedSpan): string => {
		const above = byId.get(parentId);
		return above === undefined ? name : `${name} < ${line(above)}`;
	};
	return spans.map(line);
}

// The first one may install the library that reads them.
describe("traces", { timeout: 120_000 }, () => {
	test("show the command, its organizations, requests, attempts and steps, and no secret", async (context) => {
		const world = await makeWorld(text);
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		await world.addFault({ operation: "list_user_tags", fault: "429", count: 1 });
		await world.addFault({ operation: "delete_policies", fault: "fail", count: 1 });
		const collector = await startCollector();
		const more = { OTEL_SERVICE_NAME: "payments", OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test" };
		const answer = await runProgram(
			...command(world, ["apply", "--yes", "--concurrency", "2"], { ...variables(collector.url), ...more }),
		);
		expect(answer).toMatchObject({ code: 1, stderr: expect.not.stringContaining("traces") });
		expect(collector).toMatchObject({ paths: ["/v1/traces"], headers: [{ authorization: `Bearer ${token}` }] });

		const spans = await parseTraces(context, collector.bodies);
		const tree = lines(spans);
		expect(tree.at(-1)).toBe("orgsync apply");
		expect(tree).toEqual(
			expect.arrayContaining([
				"query list_user_tags < read organization < orgsync apply",
				"submit update_user_tag < step update_user_tag < apply organization < orgsync apply",
				"submit delete_policies < step delete_policies < apply organization < orgsync apply",
			]),
		);
		const find = (name: string) => spans.find((span) => span.name === name);
		expect(find("orgsync apply")).toMatchObject({
			traceId: parent.traceId,
			parentId: parent.spanId,
			isError: true,
			attributes: { "orgsync.command": "apply", "process.exit.code": 1, "error.type": "1" },
			resource: { "service.name": "payments", "deployment.environment.name": "test" },
		});
		expect(find("query list_user_tags")).toMatchObject({
			kind: 3,
			isError: false,
			attributes: {
				"orgsync.organization.id": organizationId,
				"orgsync.attempts": 2,
				"http.request.resend_count": 1,
				"http.response.status_code": 200,
				"server.address": "127.0.0.1",
			},
			events: [{ "http.response.status_code": 429 }, { "http.response.status_code": 200, "orgsync.attempt": 2 }],
		});
		expect(find("step update_user_tag")).toMatchObject({
			isError: false,
			attributes: {
				"orgsync.step.outcome": "awaiting-approval",
				"orgsync.step.objects": ["userTag:signers"],
				"orgsync.activity.fingerprint": expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
			},
		});
		expect(find("step delete_policies")).toMatchObject({
			isError: true,
			attributes: { "orgsync.step.outcome": "failed", "error.type": "failed" },
		});
		expect(JSON.stringify(spans)).not.toContain(token);
		for (const secret of [keys.alice.privateKey, "X-Stamp", "publicKey"]) {
			expect(Buffer.concat(collector.bodies).includes(secret)).toBe(false);
		}
		expect(`${answer.stdout}${answer.stderr}`).not.toContain(token);
	});

	test("are sent before a signal ends the command, which ends as without them", async (context) => {
		const world = await makeWorld(text);
		await world.addFault({ operation: "*", fault: "slow", delayMs: 60_000, count: 100 });
		const collector = await startCollector();
		const { child, ended } = startProgram(...command(world, ["drift"], variables(collector.url)));
		await expect.poll(() => world.requests().length, { timeout: 20_000 }).toBeGreaterThan(0);
		child.kill("SIGTERM");
		expect(await ended).toMatchObject({ code: null, stdout: "" });
		expect(child.signalCode).toBe("SIGTERM");
		const spans = await parseTraces(context, collector.bodies);
		expect(spans.find(({ name }) => name === "read organization")?.attributes).toMatchObject({
			"error.type": "interrupted",
		});
		expect(spans.at(-1)).toMatchObject({ name: "orgsync drift", attributes: { "process.exit.code": 130 } });
	});
});

test("A collector that refuses, never answers or is not there changes no exit code, and no header is shown", async () => {
	const world = await makeWorld(text);
	const [refusing, hanging] = await Promise.all([startCollector(401), startCollector(0)]);
	const urls = [refusing.url, hanging.url, "http://user:geheim-4711@127.0.0.1:9"];
	const answers = await Promise.all(
		urls.map((url) => runProgram(...command(world, ["drift", "--format", "json"], variables(url)))),
	);
	const reasons = ["it answered 401", "no answer within 3 s", "no answer within 3 s"];
	for (const [at, { code, stdout, stderr }] of answers.entries()) {
		expect({ code, exitCode: JSON.parse(stdout).exitCode, stderr }).toEqual({
			code: 2,
			exitCode: 2,
			stderr: expect.stringMatching(
				new RegExp(`^warning: traces: \\d+ spans were not sent to the collector at 127.0.0.1:\\d+: ${reasons[at]}\n$`),
			),
		});
		expect(`${stdout}${stderr}`).not.toContain(token);
	}
	expect(hanging.bodies).toHaveLength(1);
});

describe("OpenTelemetry's variables", () => {
	const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://user:geheim@collector.example:4318/otel" };
	const here = { host: "collector.example:4318" };
	test.each<[string, Readonly<Record<string, string>>, unknown]>([
		["are not set", {}, undefined],
		["are empty", { OTEL_EXPORTER_OTLP_ENDPOINT: "", OTEL_TRACES_EXPORTER: "" }, undefined],
		["name an endpoint", endpoint, here],
		["name an endpoint for traces", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://[::1]:1/x" }, { host: "[::1]:1" }],
		["name the exporter alone", { OTEL_TRACES_EXPORTER: "otlp" }, { host: "localhost:4318" }],
		["disable the SDK", { ...endpoint, OTEL_SDK_DISABLED: "TRUE" }, undefined],
		["want no traces", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }, undefined],
		["name another exporter", { OTEL_TRACES_EXPORTER: "zipkin" }, expect.stringContaining("OTEL_TRACES_EXPORTER")],
		[
			"name another protocol",
			{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
			expect.stringContaining("PROTOCOL"),
		],
		[
			"name no address",
			{ OTEL_EXPORTER_OTLP_ENDPOINT: "geheim" },
			"OTEL_EXPORTER_OTLP_ENDPOINT is no http or https address",
		],
	])("%s: traces go there or nowhere", (_what, environment, target) => {
		expect(findTraceTarget(environment)).toEqual(target);
	});
});
