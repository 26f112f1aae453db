/** What a stack of the harness leaves on disk: its settings, its state in the backend, the calls, and every text. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { parse, stringify } from "yaml";

/** The name of the stack that the tests use. */
export const stackName = "test";

export type Configuration = Readonly<Record<string, string | { readonly secret: string }>>;

/** One call between engine, program and providers, as PULUMI_DEBUG_GRPC has it. Secrets are in it in plain text. */
export interface Call {
	/** For example `/pulumirpc.ResourceProvider/Create`. */
	readonly method: string;
	// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
	readonly request: any;
	// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
	readonly response?: any;
	readonly errors?: readonly string[];
}

/** What the stack keeps about a resource. */
export interface StateResource {
	readonly urn: string;
	readonly type: string;
	readonly id?: string;
	readonly custom: boolean;
	readonly inputs?: Readonly<Record<string, unknown>>;
	readonly outputs?: Readonly<Record<string, unknown>>;
	readonly initErrors?: readonly string[];
	readonly provider?: string;
	readonly parent?: string;
	readonly delete?: boolean;
}

export interface State {
	readonly version: number;
	readonly deployment: {
		readonly resources?: readonly StateResource[];
		readonly pending_operations?: readonly { readonly resource: StateResource; readonly type: string }[];
	};
}

/** One text, and where it was found. */
export interface Written {
	readonly place: string;
	readonly text: string;
}

/** Writes the plain values of a configuration to the file of a stack. */
export function configurePlain(file: string, values: Configuration): void {
	const plain = Object.entries(values).filter(([, value]) => typeof value === "string");
	if (plain.length === 0) return;
	const stack = (parse(readFileSync(file, "utf8")) ?? {}) as { config?: Record<string, unknown> };
	const named = plain.map(([key, value]) => [key.includes(":") ? key : `probe:${key}`, value]);
	writeFileSync(file, stringify({ ...stack, config: { ...stack.config, ...Object.fromEntries(named) } }));
}

/** The mark of an encrypted value in a state. */
const secretMark = "4dabf18193072939515e22adb298388d";

/** The outputs of a state with `[secret]` in place of encrypted values. */
export function hideSecrets(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(hideSecrets);
	if (typeof value !== "object" || value === null) return value;
	if (secretMark in value) return "[secret]";
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hideSecrets(item)]));
}

/** The one file in which the backend keeps the stack of these tests. */
export function findCheckpoint(backend: string): string {
	const stacks = join(backend, ".pulumi/stacks");
	const [file = ""] = readdirSync(stacks, { recursive: true, encoding: "utf8" }).filter(
		(name) => basename(name) === `${stackName}.json`,
	);
	return join(stacks, file);
}

/** Every text file below a folder, by its path from `root`. */
export function readTexts(folder: string, root: string): Written[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => !/(^|\/)node_modules(\/|$)/.test(name))
		.map((name) => join(folder, name))
		.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
		.map((file) => ({ place: relative(root, file), text: readFileSync(file, "utf8") }));
}
