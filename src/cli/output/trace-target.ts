/** Whether OpenTelemetry's environment variables ask for traces. Read at every start, so it loads nothing. */

export interface TraceTarget {
	/** The collector's host, for messages. The exporter reads the rest of the address itself. */
	readonly host: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns where traces go; undefined if none are asked for. An endpoint asks for them, or OTEL_TRACES_EXPORTER=otlp. Returns a
 * text where they are asked for in a way that orgsync cannot do. No text repeats an address: it can hold a password.
 */
export function findTraceTarget(environment: Environment): TraceTarget | string | undefined {
	const read = (name: string): string | undefined => {
		const value = environment[name]?.trim();
		return value === "" ? undefined : value;
	};
	if (read("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined;
	const name = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"].find((one) => read(one));
	const exporter = read("OTEL_TRACES_EXPORTER");
	if (exporter === "none" || (exporter === undefined && name === undefined)) return undefined;
	if (exporter !== undefined && exporter !== "otlp") return "OTEL_TRACES_EXPORTER is neither otlp nor none";
	const protocol = read("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ?? read("OTEL_EXPORTER_OTLP_PROTOCOL");
	if (protocol !== undefined && protocol !== "http/protobuf") {
		return "OTEL_EXPORTER_OTLP_PROTOCOL is not http/protobuf, which is the only one that orgsync speaks";
	}
	if (name === undefined) return { host: "localhost:4318" };
	const url = URL.parse(read(name) ?? "");
	if (url === null || !["http:", "https:"].includes(url.protocol)) return `${name} is no http or https address`;
	return { host: url.host };
}
