/** The examples of monitoring: every query names only what orgsync writes, and the CronJob pushes what Prometheus reads. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parser } from "@prometheus-io/lezer-promql";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
	driftKinds,
	type MetricName,
	metricOf,
	metricTable,
	stepOutcomes,
} from "../src/render/metrics/metric-table.ts";
import { states } from "../src/render/result/organizations.ts";
import { havePrograms } from "./needs.ts";
import { makeRecorders } from "./pipelines/workflow.ts";
import { keepSecret, makeFolder, runProgram } from "./run.ts";
import { agreeing, document, keys, makeWorld } from "./world.ts";

const folder = fileURLToPath(new URL("../examples/monitoring/", import.meta.url));
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

interface Panel {
	readonly id: number;
	readonly title: string;
	readonly description: string;
	readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
	readonly targets: readonly { readonly expr: string; readonly legendFormat?: string }[];
}

interface Dashboard {
	readonly panels: readonly Panel[];
	readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

interface Rule {
	readonly alert: string;
	readonly expr: string;
	readonly labels: Readonly<Record<string, string>>;
	readonly annotations: Readonly<Record<string, string>>;
}

const dashboard = JSON.parse(read("dashboard.json")) as Dashboard;
const rules = (parse(read("alerts.yml")) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);

const queries = [
	...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
	...rules.map(({ alert, expr }) => [alert, expr] as const),
];

const rows = (Object.keys(metricTable) as MetricName[]).map(metricOf);
const metricNames = new Set(rows.map(({ name }) => name));
/** Of every series, and those that Prometheus adds. */
const everyLabel = ["command", "shard", "job", "instance"];
const labelNames = new Set([...everyLabel, ...rows.flatMap(({ label }) => label ?? [])]);
const values: Readonly<Record<string, readonly string[]>> = {
	command: ["drift", "apply"],
	state: Object.keys(states),
	kind: driftKinds,
	outcome: stepOutcomes,
	type: ["query", "submit", "retry"],
};

/** The texts of all nodes of a kind. Throws for a query that PromQL does not allow. */
function find(query: string, kind: string): readonly string[] {
	const found: string[] = [];
	parser.parse(query).iterate({
		enter: ({ name, from, to, type }) => {
			if (type.isError) throw new Error(`no PromQL at ${from}: ${query}`);
			if (name === kind) found.push(query.slice(from, to));
		},
	});
	return found;
}

describe("the queries of the dashboard and the alerts", () => {
	test.each(queries)("%s names only metrics, labels and values that orgsync writes: %s", (_title, query) => {
		const names = find(query, "Identifier");
		expect(names.length).toBeGreaterThan(0);
		for (const name of names) expect(metricNames).toContain(name);
		for (const label of find(query, "LabelName")) expect(labelNames).toContain(label);
		for (const matcher of find(query, "UnquotedLabelMatcher")) {
			const [, label = "", value = ""] = /^(\w+)\s*=~?\s*"(.*)"$/.exec(matcher) ?? [];
			for (const word of value.startsWith("$") ? [] : value.split("|")) expect(values[label]).toContain(word);
		}
		for (const selector of find(query, "VectorSelector")) {
			const row = rows.find(({ name }) => selector.startsWith(name));
			const own = find(selector, "LabelName").filter((label) => !everyLabel.includes(label));
			for (const label of own) expect(label).toBe(row?.label);
		}
	});

	test("use every metric but the version and the codes of errors", () => {
		const used = new Set(queries.flatMap(([, query]) => find(query, "Identifier")));
		const unused = [...metricNames].filter((name) => !used.has(name));
		expect(unused).toEqual([metricTable.build.name, metricTable.errors.name]);
	});
});

test("The panels of the dashboard do not overlap, and each says what it shows", () => {
	const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
		Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
	);
	expect(new Set(cells).size).toBe(cells.length);
	expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
	for (const { description, targets } of dashboard.panels) {
		expect(description).toMatch(/\.$/);
		for (const { expr, legendFormat = "" } of targets) {
			for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
				expect(find(expr, "GroupingLabels").join()).toContain(label);
			}
		}
	}
	for (const { definition } of dashboard.templating.list) {
		if (definition !== undefined) expect(definition).toContain(metricTable.ended.name);
	}
});

test("Every alert has a severity and a summary, and fires when it should by Prometheus' own tool, where that is installed", ({
	skip,
}) => {
	for (const { labels, annotations } of rules) {
		expect(labels.severity).toMatch(/^(?:critical|warning|info)$/);
		expect(annotations.summary).not.toBe("");
	}
	if (!havePrograms("the tests of the alerts with Prometheus' own tool", "promtool")) skip();
	const place = mkdtempSync(join(tmpdir(), "orgsync-alerts-"));
	try {
		const tests = fileURLToPath(new URL("alerts.promtool.yml", import.meta.url));
		writeFileSync(join(place, "alerts.yml"), read("alerts.yml"));
		writeFileSync(join(place, "test.yml"), readFileSync(tests));
		const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", "test.yml"], {
			cwd: place,
			encoding: "utf8",
		});
		expect(status, `${stdout}${stderr}`).toBe(0);
	} finally {
		rmSync(place, { recursive: true });
	}
});

test("The CronJob writes metrics, and its second container pushes them", async () => {
	const { containers } = parse(read("kubernetes.yaml"), { merge: true }).spec.jobTemplate.spec.template.spec;
	const [looking, pushing] = containers as { args: string[]; command: string[]; env: { value: string }[] }[];
	keepSecret(keys.alice.privateKey);
	const world = await makeWorld(document(agreeing.userTags));
	const work = makeFolder();
	mkdirSync(join(work, "key"));
	writeFileSync(join(work, "key/api.private"), keys.alice.privateKey, { mode: 0o600 });
	const place = (word: string): string =>
		word
			.replaceAll("/workspace/", `${work}/`)
			.replaceAll("/documents", join(world.folder, "orgsync.yaml"))
			.replaceAll("/run/secrets/orgsync", join(work, "key"));
	const answer = await world.run((looking?.args ?? []).map(place), { cwd: work, env: { ORGSYNC_API_PRIVATE_KEY: "" } });
	expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining("No drift.") });
	const recorders = makeRecorders("curl");
	recorders.prepare({ when: /^curl / });
	const env = { PATH: recorders.path, RECORDER: recorders.folder, PUSHGATEWAY: pushing?.env[0]?.value ?? "" };
	expect(await runProgram((pushing?.command ?? []).map(place), { env })).toMatchObject({ code: 0 });
	const [call] = recorders.calls("curl");
	const file = call?.words[call.words.indexOf("--upload-file") + 1] ?? "";
	expect(readFileSync(file, "utf8")).toContain('orgsync_run_exit_code{command="drift"} 0\n');
	expect(call?.words.at(-1)).toBe("http://pushgateway.monitoring:9091/metrics/job/orgsync/command/drift");
});
