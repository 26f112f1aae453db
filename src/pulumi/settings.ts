/**
 * What a Pulumi provider is told: by its arguments or the stack's configuration `orgsync:NAME`, else by the environment
 * variable `ORGSYNC_NAME`. The same names on every way in.
 */
import { ConfigurationError } from "../errors.ts";
import { type Allowed, type GuardKind, guardKinds, isGuardKind } from "../plan/guards.ts";
import type { Reads } from "../plan/plan.ts";
import { type CredentialOptions, type Environment, findOrganizationId, findUrl } from "../wire/credentials.ts";

/** What can be set, in the words of Provider's arguments. */
export const settingNames = [
	"organizationId",
	"url",
	"apiPublicKey",
	"apiPrivateKey",
	"keyFile",
	"stampCommand",
	"reads",
	"maxRequestsPerSecond",
	"wait",
	"timeout",
	"journal",
	"allow",
	"abandon",
	"retryRejected",
] as const;

export type SettingName = (typeof settingNames)[number];

/** Namespace of the stack configuration, and what the arguments of a Provider are sent as. */
export const configurationNamespace = "orgsync";

/** What a Provider sends the names of its secret arguments as, parted by blanks; the private key is not among them. */
export const secretSettings = "secretSettings";

/** What was set, by name, as text; what is not there is looked up in the environment. */
export type GivenSettings = Readonly<Partial<Record<SettingName, string>>>;

export interface Settings {
	readonly organizationId: string | undefined;
	readonly url: string | undefined;
	readonly credentials: CredentialOptions;
	readonly reads: Reads;
	readonly maxRequestsPerSecond: number | undefined;
	/** How long an activity that is created or pending is asked for again. */
	readonly waitMs: number;
	readonly timeoutMs: number;
	/** File of the journal; undefined: `.orgsync/journal.sqlite` in the folder of Pulumi.yaml, as for the command line there. */
	readonly journal: string | undefined;
	/** Guards that are acknowledged, each by what was found. */
	readonly allow: Allowed;
	/** Activity ids or fingerprints that are given up. */
	readonly abandon: readonly string[];
	readonly retryRejected: boolean;
}

/** The settings; throws ConfigurationError for a value that cannot be used, naming it and never showing a key. */
export function readSettings(given: GivenSettings, environment: Environment): Settings {
	const value = (name: SettingName): string | undefined => {
		const text = (given[name] ?? environment[environmentName(name)])?.trim();
		return text === "" ? undefined : text;
	};
	const reads = value("reads") ?? "auto";
	if (reads !== "auto" && reads !== "documented") throw wrong("reads", reads, "auto or documented");
	const retryRejected = value("retryRejected") ?? "false";
	if (retryRejected !== "true" && retryRejected !== "false")
		throw wrong("retryRejected", retryRejected, "true or false");
	return {
		organizationId: readOrganization(value("organizationId") ?? findOrganizationId(environment)),
		url: value("url") ?? findUrl(environment),
		// Only what was given: the environment has other names too, and they are looked up when the stamper is made.
		credentials: {
			// Read from a file into the configuration, a key may have brought its line end.
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

/** The environment variable that stands in for a setting, for example `ORGSYNC_API_PRIVATE_KEY`. */
export function environmentName(name: SettingName): string {
	return `ORGSYNC_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function readOrganization(text: string | undefined): string | undefined {
	if (text === undefined) return undefined;
	if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
	throw wrong("organizationId", text, "a UUID");
}

function readNumber(name: SettingName, text: string | undefined, least = 1): number | undefined {
	if (text === undefined) return undefined;
	const value = Number(text);
	if (Number.isFinite(value) && value >= least) return value;
	throw wrong(name, text, least === 0 ? "a number of seconds" : `a number from ${least} on`);
}

function readAllow(text: string | undefined): Allowed {
	const allowed = new Map<GuardKind, Set<number>>();
	for (const item of listOf(text)) {
		const [, kind = "", found = ""] = /^(\w+)=(\d+)$/.exec(item) ?? [];
		if (!isGuardKind(kind)) {
			throw wrong("allow", item, `KIND=N with the number that was found, KIND one of ${guardKinds.join(", ")}`);
		}
		allowed.set(kind, (allowed.get(kind) ?? new Set()).add(Number(found)));
	}
	return allowed;
}

function listOf(text: string | undefined): readonly string[] {
	return (text ?? "").split(/[\s,]+/).filter((item) => item !== "");
}

function wrong(name: SettingName, text: string, right: string): ConfigurationError {
	return new ConfigurationError(`${configurationNamespace}:${name} is \`${text}\`, and must be ${right}`, {
		hint: `it is set by the Provider's \`${name}\`, the stack configuration ${configurationNamespace}:${name}, or ${environmentName(name)}`,
	});
}
