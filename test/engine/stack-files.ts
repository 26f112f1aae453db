/** What a stack of the harness leaves on disk: its settings, its state in the backend, the calls, and every text. */
import { createCipheriv, randomBytes } from "node:crypto";
import {
	copyFileSync,
	cpSync,
	existsSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { parse, stringify } from "yaml";
import { keyOf } from "./vault.ts";

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

/** What every command of the engine has in its environment: these folders, and nothing from elsewhere. */
export function environmentOf(home: string, backend: string): Readonly<Record<string, string>> {
	return {
		HOME: home,
		PULUMI_HOME: join(home, ".pulumi"),
		PULUMI_BACKEND_URL: `file://${backend}`,
		// For the stacks that a page makes.
		PULUMI_CONFIG_PASSPHRASE: "test",
		PULUMI_STACK: stackName,
		PULUMI_SKIP_UPDATE_CHECK: "true",
		PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
		PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
		PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
	};
}

/** Removes the lock of a killed command, and restores Pulumi's backup of a state that the kill cut off. */
export function recoverBackend(backend: string): void {
	rmSync(join(backend, ".pulumi/locks"), { recursive: true, force: true });
	const file = findCheckpoint(backend);
	const isCut = (name: string) => existsSync(name) && !readFileSync(name, "utf8").trimEnd().endsWith("}");
	if (isCut(file) && existsSync(`${file}.bak`)) copyFileSync(`${file}.bak`, file);
	// The backend reads a file without its attributes, but not one whose attributes were cut off.
	for (const attributes of [`${file}.attrs`, `${file}.bak.attrs`]) {
		if (isCut(attributes)) rmSync(attributes);
	}
}

/**
 * Writes values of a configuration to the file of a stack, as `pulumi config set` does: a secret is encrypted with AES-256-GCM, by the key
 * that the file has.
 */
export function configureStack(file: string, values: Configuration): void {
	if (Object.keys(values).length === 0) return;
	const stack = (parse(readFileSync(file, "utf8")) ?? {}) as {
		readonly encryptedkey: string;
		readonly config?: Record<string, unknown>;
	};
	const named = Object.entries(values).map(([key, value]) => [
		key.includes(":") ? key : `probe:${key}`,
		typeof value === "string" ? value : { secure: encrypt(value.secret, keyOf(stack.encryptedkey)) },
	]);
	writeFileSync(file, stringify({ ...stack, config: { ...stack.config, ...Object.fromEntries(named) } }));
}

function encrypt(text: string, key: Buffer): string {
	const nonce = randomBytes(12);
	const cipher = createCipheriv("aes-256-gcm", key, nonce);
	const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
	return `v1:${nonce.toString("base64")}:${encrypted.toString("base64")}`;
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

/** Copies a new stack of the project `probe` into a backend, and its settings into the folder of a project. */
export function copyStack(
	made: string,
	{ backend, folder, project }: Readonly<Record<"backend" | "folder" | "project", string>>,
): void {
	cpSync(join(made, "backend"), backend, { recursive: true });
	copyFileSync(join(made, "settings"), join(folder, `Pulumi.${stackName}.yaml`));
	if (project === "probe") return;
	const stacks = join(backend, ".pulumi/stacks");
	renameSync(join(stacks, "probe"), join(stacks, project));
	const file = findCheckpoint(backend);
	for (const other of [".attrs", ".bak", ".bak.attrs"]) rmSync(`${file}${other}`, { force: true });
	writeFileSync(file, readFileSync(file, "utf8").replace("organization/probe/", `organization/${project}/`));
}

/** Every text file below a folder, by its path from `root`. */
export function readTexts(folder: string, root: string): Written[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => !/(^|\/)node_modules(\/|$)/.test(name))
		.map((name) => join(folder, name))
		.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
		.map((file) => ({ place: relative(root, file), text: readFileSync(file, "utf8") }));
}
