/** Reads metrics with the parsers of Prometheus' own library. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, type TestContext } from "vitest";
import { orSkip } from "./engine/needed.ts";
import { ensurePython } from "./engine/python.ts";

/** The series of one text: `orgsync_organizations{verdict=drifted}` to 1, without the label `command`. */
export type Series = Readonly<Record<string, number>>;

export interface ParsedMetrics {
	readonly series: Series;
	/** The type and the unit of each metric. */
	readonly families: Readonly<Record<string, readonly [type: string, unit: string]>>;
}

/** The strict parser of OpenMetrics, and that of the text format that node_exporter reads: both must find the same series. */
const program = `
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as textfile
def series(families):
    return [[s.name, s.labels, s.value] for f in families for s in f.samples]
def read(text):
    families = list(openmetrics(text))
    assert series(families) == series(textfile(text)), "the two formats differ"
    return {"series": series(families), "families": {f.name: [f.type, f.unit] for f in families}}
json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
`;

/** Returns what the parsers read; fails for a text that is not valid. Skips the test without Python. */
export async function parseMetrics(context: TestContext, texts: readonly string[]): Promise<readonly ParsedMetrics[]> {
	const python = join(await orSkip(context, () => ensurePython()), "bin/python");
	const { stdout, stderr } = spawnSync(python, ["-c", program], { input: JSON.stringify(texts), encoding: "utf8" });
	expect(stderr).toBe("");
	const read = JSON.parse(stdout) as {
		series: [name: string, labels: Record<string, string>, value: number][];
		families: ParsedMetrics["families"];
	}[];
	return read.map(({ series, families }) => ({
		families,
		series: Object.fromEntries(
			series.map(([name, { command: _command, ...labels }, value]) => {
				const all = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
				return [all.length === 0 ? name : `${name}{${all.join(",")}}`, value];
			}),
		),
	}));
}
