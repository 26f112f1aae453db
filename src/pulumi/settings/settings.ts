/** The settings of a Pulumi provider: arguments or stack configuration `orgsync:NAME`, else variable `ORGSYNC_NAME`. */
import { ConfigurationError } from "../../common/errors.ts";
import { uuid } from "../../common/uuid.ts";
import { type Allowed, type GuardKind, guardKinds, isGuardKind } from "../../plan/guards/guards.ts";
import type { Reads } from "../../plan/plan.ts";
import { type CredentialOptions, type Environment, findOrganizationId, findUrl } from "../../wire/credentials.ts";

/** The type of each setting as an argument of a Provider. In the configuration and the environment, every setting is text. */
export const settingTypes = {
	organizationId: "text",
	url: "text",
	apiPublicKey: "text",
	apiPrivateKey: "text",
	keyFile: "text",
	stampCommand: "text",
	reads: "Reads",
	maxRequestsPerSecond: "number",
	wait: "number",
	timeout: "number",
	journal: "text",
	allow: "list",
	abandon: "list",
	retryRejected: "boolean",
} as const;

export type SettingName = keyof typeof settingTypes;

export const settingNames = Object.keys(settingTypes) as readonly SettingName[];

/** The namespace of the stack configuration, and of a Provider's arguments as they are sent. */
export const configurationNamespace = "orgsync";

/** The argument with the names of a Provider's secret arguments, separated by spaces, without the private key. */
export const secretSettings = "secretSettings";

/** Settings as text. The environment has those that are left out. */
export type GivenSettings = Readonly<Partial<Record<SettingName, string>>>;

export const plainKeyRefusal = `${configurationNamespace}:apiPrivateKey is in the stack configuration as plain text: remove it, create a new key, and set that one with \`pulumi config set --secret ${configurationNamespace}:apiPrivateKey\``;

/** The settings in a configuration; `get` returns the value of a key such as `orgsync:url`. */
export function givenSettings(get: (key: string) => string | undefined): GivenSettings {
	const given = settingNames.map((name) => [name, get(`${configurationNamespace}:${name}`)] as const);
	return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== ""));
}

export interface Settings {
	readonly organizationId: string | undefined;
	readonly url: string | undefined;
	readonly credentials: CredentialOptions;
	readonly reads: Reads;
	readonly maxRequestsPerSecond: number | undefined;
	/** How long orgsync polls an activity that the service works on. */
	readonly waitMs: number;
	readonly timeoutMs: number;
	/** File of the journal; undefined for `.orgsync/journal.sqlite` in the folder of Pulumi.yaml. */
	readonly journal: string | undefined;
	/** Guards to override, each with the number that it found. */
	readonly allow: Allowed;
	/** Ids or fingerprints of abandoned activities. */
	readonly abandon: readonly string[];
	readonly retryRejected: boolean;
}

/** The settings. Throws ConfigurationError for an invalid value; the message names it and never shows a key. */
export function readSettings(given: GivenSettings, environment: Environment): Settings {
	const value = (name: SettingName): string | undefined => {
		const text = (given[name] ?? environment[environmentName(name)])?.trim();
		return text === "" ? undefined : text;
	};
	const reads = value("reads") ?? "auto";
	if (reads !== "auto" && reads !== "documented") throw invalid("reads", reads, "auto or documented");
	const retryRejected = value("retryRejected") ?? "false";
	if (retryRejected !== "true" && retryRejected !== "false")
		throw invalid("retryRejected", retryRejected, "true or false");
	return {
		organizationId: readOrganization(value("organizationId") ?? findOrganizationId(environment)),
		url: value("url") ?? findUrl(environment),
		// Only from arguments and configuration: findStamper looks up the environment.
		credentials: {
			// A key that was read from a file may end with a line break.
			privateKey: given.apiPrivateKey?.trim(),
			publicKey: given.apiPublicKey?.trim(),
			keyFile: given.keyFile,
			stampCommand: given.stampCommand,
		},
		reads,
		maxRequestsPerSecond: readNumber("maxRequestsPerSecond", value("maxRequestsPerSecond")),
		waitMs: (readNumber("wait", value("wait"), 0) ?? 10) * 1000,
		timeoutMs: (readNumber("timeout", value("timeout")) ?? 30) * 1000,
		journal: value("journal"),
		allow: readAllow(value("allow")),
		abandon: listOf(value("abandon")).map((name) => name.toLowerCase()),
		retryRejected: retryRejected === "true",
	};
}

/** The environment variable of a setting, for example `ORGSYNC_API_PRIVATE_KEY`. */
export function environmentName(name: SettingName): string {
	return `ORGSYNC_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function readOrganization(text: string | undefined): string | undefined {
	if (text === undefined) return undefined;
	if (uuid.test(text)) return text.toLowerCase();
	throw invalid("organizationId", text, "a UUID");
}

function readNumber(name: SettingName, text: string | undefined, min = 1): number | undefined {
	if (text === undefined) return undefined;
	const value = Number(text);
	if (Number.isFinite(value) && value >= min) return value;
	throw invalid(name, text, min === 0 ? "a number of seconds" : `a number of at least ${min}`);
}

function readAllow(text: string | undefined): Allowed {
	const allowed = new Map<GuardKind, Set<number>>();
	for (const item of listOf(text)) {
		const [, kind = "", found = ""] = /^(\w+)=(\d+)$/.exec(item) ?? [];
		if (!isGuardKind(kind)) {
			throw invalid(
				"allow",
				item,
				`KIND=N with the number that the guard found, where KIND is one of ${guardKinds.join(", ")}`,
			);
		}
		allowed.set(kind, (allowed.get(kind) ?? new Set()).add(Number(found)));
	}
	return allowed;
}

function listOf(text: string | undefined): readonly string[] {
	return (text ?? "").split(/[\s,]+/).filter((item) => item !== "");
}

function invalid(name: SettingName, text: string, expected: string): ConfigurationError {
	return new ConfigurationError(`${configurationNamespace}:${name} must be ${expected}, got \`${text}\``, {
		hint: `it is set by the Provider's \`${name}\`, the stack configuration ${configurationNamespace}:${name}, or ${environmentName(name)}`,
	});
}
