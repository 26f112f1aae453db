/**
 * The stack's configuration as the program sees it, for what runs there: functions, the Organization component, and the
 * check that a private key is kept as a secret.
 */
import * as pulumi from "@pulumi/pulumi";
import { explain } from "./failure.ts";
import { isMocked } from "./mocks.ts";
import { processContext } from "./process-context.ts";
import { Session } from "./session.ts";
import {
	configurationNamespace,
	type GivenSettings,
	readSettings,
	type SettingName,
	settingNames,
} from "./settings.ts";

const told = new Map<string, pulumi.RunError>();

/**
 * The error that ends a program with this text and no stack: the same one for the same text, because Pulumi shows an error
 * once however often it is thrown.
 */
export function programError(message: string): pulumi.RunError {
	const known = told.get(message);
	if (known !== undefined) return known;
	const error = new pulumi.RunError(message);
	error.stack = "";
	told.set(message, error);
	return error;
}

const keyName = `${configurationNamespace}:apiPrivateKey`;

/**
 * Throws when the private key stands in the stack's configuration for everybody to read. It is asked before the first
 * resource is registered, because the engine copies the configuration into the state. With mocks there is no state.
 */
export function refusePlainKey(): void {
	if (isMocked()) return;
	const value = pulumi.runtime.getConfig(keyName);
	if (value === undefined || secretKeys().includes(keyName)) return;
	throw programError(
		`${keyName} is in the stack's configuration as plain text: take it out, make another key, and write that one with \`pulumi config set --secret ${keyName}\``,
	);
}

/** Whether the stack's configuration has this setting as a secret. */
export function isSecretSetting(name: SettingName): boolean {
	return secretKeys().includes(`${configurationNamespace}:${name}`);
}

/** The names of secrets in the stack's configuration, as the language host tells them. */
function secretKeys(): readonly string[] {
	const text = process.env.PULUMI_CONFIG_SECRET_KEYS;
	const keys: unknown = text === undefined || text === "" ? [] : JSON.parse(text);
	return Array.isArray(keys) ? keys.map((key) => String(key).replace(":config:", ":")) : [];
}

const sessions = new Map<string, Session>();

/** The program's own session for the stack's configuration, or for what a Provider was given. Throws RunError. */
export function programSession(given: GivenSettings = configuredSettings()): Session {
	refusePlainKey();
	const key = JSON.stringify(given);
	const known = sessions.get(key);
	if (known !== undefined) return known;
	try {
		const session = new Session(readSettings(given, process.env), { ...processContext(), warn });
		sessions.set(key, session);
		return session;
	} catch (error) {
		throw programError(explain(error));
	}
}

function warn(text: string): void {
	pulumi.log.warn(text.replace(/^warning: /, "")).catch(() => undefined);
}

/** What the stack's configuration sets. */
export function configuredSettings(): GivenSettings {
	return Object.fromEntries(
		settingNames.flatMap((name) => {
			const value = pulumi.runtime.getConfig(`${configurationNamespace}:${name}`);
			return value === undefined || value === "" ? [] : [[name, value] as const];
		}),
	);
}
