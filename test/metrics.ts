/** Reads metrics and traces with the libraries of Prometheus and of OpenTelemetry. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, type TestContext } from "vitest";
import { ensurePython } from "./engine/python.ts";
import { orSkip } from "./left-out.ts";

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
	const read = (await runPython(context, program, texts)) as {
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

/** A span as the collector got it. */
export interface ReceivedSpan {
	readonly name: string;
	readonly kind: number;
	readonly traceId: string;
	readonly spanId: string;
	readonly parentId: string;
	readonly attributes: Readonly<Record<string, unknown>>;
	readonly resource: Readonly<Record<string, unknown>>;
	/** Attributes of its events. */
	readonly events: readonly Readonly<Record<string, unknown>>[];
	readonly isError: boolean;
	readonly durationMs: number;
}

const traceProgram = `
import base64, json, sys
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
def value(v):
    kind = v.WhichOneof("value")
    return [value(one) for one in v.array_value.values] if kind == "array_value" else getattr(v, kind)
def pairs(all):
    return {one.key: value(one.value) for one in all}
spans = []
for body in json.load(sys.stdin):
    request = ExportTraceServiceRequest.FromString(base64.b64decode(body))
    for group in request.resource_spans:
        for span in [span for scope in group.scope_spans for span in scope.spans]:
            spans.append({
                "name": span.name, "kind": span.kind, "traceId": span.trace_id.hex(), "spanId": span.span_id.hex(),
                "parentId": span.parent_span_id.hex(), "attributes": pairs(span.attributes),
                "resource": pairs(group.resource.attributes), "events": [pairs(one.attributes) for one in span.events],
                "isError": span.status.code == 2,
                "durationMs": (span.end_time_unix_nano - span.start_time_unix_nano) / 1e6,
            })
json.dump(spans, sys.stdout)
`;

/** Returns the spans of these OTLP requests (protobuf), in the order in which they ended. Skips the test without Python. */
export async function parseTraces(context: TestContext, bodies: readonly Buffer[]): Promise<readonly ReceivedSpan[]> {
	const texts = bodies.map((body) => body.toString("base64"));
	return (await runPython(context, traceProgram, texts)) as readonly ReceivedSpan[];
}

async function runPython(context: TestContext, code: string, texts: readonly string[]): Promise<unknown> {
	const python = join(await orSkip(context, () => ensurePython()), "bin/python");
	const { stdout, stderr } = spawnSync(python, ["-c", code], { input: JSON.stringify(texts), encoding: "utf8" });
	expect(stderr).toBe("");
	return JSON.parse(stdout);
}
