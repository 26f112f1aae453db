/**
 * A process that asks hostile peers one after the other, and prints what became of each, how long it took, and the most memory that the
 * process had until then. Arguments: `service`, `github` or `collector`, the addresses of the peers, separated by blanks, the timeout in
 * milliseconds, and the address of a proxy.
 */
import { readFileSync } from "node:fs";

const [what = "", urls = "", limitMs = "", proxy = ""] = process.argv.slice(2);

type Ask = (url: string) => Promise<string>;

/** Loads what a victim needs: that is no part of a cost. */
const victims: Readonly<Record<string, () => Promise<Ask>>> = {
	service: async () => {
		const { createClient } = await import("../src/wire/client.ts");
		const { queries } = await import("../src/wire/operations.ts");
		const { createApiKeyStamper } = await import("../src/wire/stamp.ts");
		const stamper = createApiKeyStamper({ privateKey: "5e".repeat(32) });
		const limits = { timeoutMs: Number(limitMs), attemptTimeoutMs: Number(limitMs), insecure: true };
		return async (url) => {
			const client = createClient({ url, stamper, ...limits, proxy: { https: proxy } });
			const said = await client.reader.query(queries.list_user_tags, { organizationId: "o" }).then(String, String);
			await client.close();
			return said;
		};
	},
	github: async () => {
		const { Github } = await import("../src/action/github.ts");
		return (url) => new Github({ api: url, repository: "owner/name", token: "t" }).get("pulls").then(String, String);
	},
	collector: async () => {
		const { startTraces } = await import("../src/cli/output/traces.ts");
		return async (url) => {
			process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url;
			let said = "";
			const traces = startTraces({ host: "collector" }, process.env, (text) => {
				said = text;
			});
			await traces.follow("plan", async () => 0);
			return said;
		};
	},
};

const ask = await victims[what]?.();
const costs: { said: string | undefined; ms: number; megabytes: number }[] = [];
let start = 0;
/** The most memory in kilobytes; on Linux, `maxRSS` counts that of the process that started this one. */
const peak = (): number =>
	process.platform === "linux"
		? Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1])
		: process.resourceUsage().maxRSS;
const measure = () => ({ ms: performance.now() - start, megabytes: peak() / 1024 });
for (const url of urls.split(" ")) {
	start = performance.now();
	const said = await ask?.(url);
	costs.push({ said, ...measure() });
}
process.on("exit", () => {
	// What keeps the process open is part of the last cost.
	console.log(JSON.stringify(costs.with(-1, { said: costs.at(-1)?.said, ...measure() })));
});
