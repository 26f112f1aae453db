/** The stack configuration, as programs use it, and the check that a private key in it is a secret. */

import * as pulumi from "@pulumi/pulumi";
import { remember } from "../../common/remember.ts";
import { explain } from "../resources/failure.ts";
import { processContext } from "../session/project.ts";
import { Session } from "../session/session.ts";
import {
	configurationNamespace,
	type GivenSettings,
	givenSettings,
	plainKeyRefusal,
	readSettings,
	type SettingName,
} from "../settings/settings.ts";

const thrown = new Map<string, pulumi.RunError>();

/** The error that ends a program with this message and no stack. Pulumi shows the same error object only once. */
export function programError(message: string): pulumi.RunError {
	return remember(thrown, message, () => Object.assign(new pulumi.RunError(message), { stack: "" }));
}

const keyName = `${configurationNamespace}:apiPrivateKey`;

/** Throws RunError for a private key in plain text, before a resource is registered: then the engine would copy it into the state. */
export function refusePlainKey(): void {
	if (isMocked()) return;
	const value = pulumi.runtime.getConfig(keyName);
	if (value === undefined || secretKeys().includes(keyName)) return;
	throw programError(plainKeyRefusal);
}

export function isSecretSetting(name: SettingName): boolean {
	return secretKeys().includes(`${configurationNamespace}:${name}`);
}

/** The names of secrets in the stack configuration, as the language host passes them. */
function secretKeys(): readonly string[] {
	const text = process.env.PULUMI_CONFIG_SECRET_KEYS;
	const keys: unknown = text === undefined || text === "" ? [] : JSON.parse(text);
	return Array.isArray(keys) ? keys.map((key) => String(key).replace(":config:", ":")) : [];
}

const sessions = new Map<string, Session>();

/** The program's session for these settings: the stack configuration, or those of a Provider. Throws RunError. */
export function programSession(given: GivenSettings = configuredSettings()): Session {
	refusePlainKey();
	try {
		return remember(
			sessions,
			JSON.stringify(given),
			() => new Session(readSettings(given, process.env), { ...processContext(), warn }),
		);
	} catch (error) {
		throw programError(explain(error));
	}
}

function warn(text: string): void {
	pulumi.log.warn(text.replace(/^warning: /, "")).catch(() => undefined);
}

export function configuredSettings(): GivenSettings {
	return givenSettings((key) => pulumi.runtime.getConfig(key));
}

/** Whether the program runs with mocks (`pulumi.runtime.setMocks`) instead of an engine. */
export function isMocked(): boolean {
	const monitor = pulumi.runtime.getMonitor();
	return monitor !== undefined && "mocks" in monitor;
}
