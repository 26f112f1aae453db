/**
 * A process that asks a hostile peer, and prints what became of it, how long it took, and the most memory that the process had. Arguments:
 * `service`, `github` or `collector`, the address of the peer, the timeout in milliseconds, and the address of a proxy.
 */
const [what = "", url = "", limitMs = "", proxy = ""] = process.argv.slice(2);

const askers: Readonly<Record<string, () => Promise<string>>> = {
	service: async () => {
		const { createClient } = await import("../src/wire/client.ts");
		const { queries } = await import("../src/wire/operations.ts");
		const { createApiKeyStamper } = await import("../src/wire/stamp.ts");
		const stamper = createApiKeyStamper({ privateKey: "5e".repeat(32) });
		const limits = { timeoutMs: Number(limitMs), attemptTimeoutMs: Number(limitMs), insecure: true };
		const client = createClient({ url, stamper, ...limits, proxy: { https: proxy } });
		const said = await client.reader.query(queries.list_user_tags, { organizationId: "o" }).then(String, String);
		await client.close();
		return said;
	},
	github: async () => {
		const { Github } = await import("../src/action/github.ts");
		return await new Github({ api: url, repository: "owner/name", token: "t" }).get("pulls").then(String, String);
	},
	collector: async () => {
		const { startTraces } = await import("../src/cli/output/traces.ts");
		process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url;
		let said = "";
		const traces = startTraces({ host: "collector" }, process.env, (text) => {
			said = text;
		});
		await traces.follow("plan", async () => 0);
		return said;
	},
};

const start = performance.now();
const said = await askers[what]?.();
process.on("exit", () => {
	const { maxRSS } = process.resourceUsage();
	console.log(JSON.stringify({ said, ms: performance.now() - start, megabytes: maxRSS / 1024 }));
});
