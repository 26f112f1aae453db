/** The calls of the engine about the provider's own settings: are they valid, how do they differ, and what are they. */
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import { ConfigurationError } from "../../common/errors.ts";
import { unknownProperty } from "../inputs/input-schema.ts";
import { type CheckFailure, hasUnknown, type Properties } from "../inputs/inputs.ts";
import { asWhole, compareValues } from "../inputs/property-changes.ts";
import { isMarkedSecret, markSecret } from "../inputs/secrets.ts";
import { explain } from "../resources/failure.ts";
import {
	configurationNamespace,
	type GivenSettings,
	plainKeyRefusal,
	readSettings,
	type SettingName,
	settingNames,
	settingTypes,
} from "../settings/settings.ts";
import { writeDiff, writeFailures } from "./responses.ts";
import { readProperties, writeProperties } from "./values.ts";

type Messages = typeof import("@pulumi/pulumi/proto/provider_pb.js");
type Message<Name extends keyof Messages> = InstanceType<Messages[Name]>;

const keyName = "apiPrivateKey";

const ownOfEngine: ReadonlySet<string> = new Set(["version", "pluginDownloadURL"]);

/** The settings with the private key as a secret, or what is wrong with each of them. */
export function checkConfiguration(request: Message<"CheckRequest">): Message<"CheckResponse"> {
	const { properties } = readProperties(request.getNews());
	const response = new providerMessages.CheckResponse();
	response.setInputs(writeProperties(protectKey(properties, isDefault(request.getUrn()))));
	response.setFailuresList(writeFailures(findMistakes(properties, request.getUrn()), properties, [keyName]));
	return response;
}

/**
 * The settings with the private key as a secret. The engine sends this call no secrets, and afterwards marks those that are
 * secrets in the configuration. The key of the default provider is in a list, so that `readConfiguration` sees that mark: the
 * state never has the key as plain text, and a key that is in the configuration as plain text is refused.
 */
function protectKey(properties: Properties, isFromConfiguration: boolean): Properties {
	const key = properties[keyName];
	if (typeof key !== "string" || key === "") return properties;
	return { ...properties, [keyName]: isFromConfiguration ? [markSecret(key)] : markSecret(key) };
}

/** Whether the stack configuration, and not the program, has the settings of the provider with this URN. */
function isDefault(urn: string): boolean {
	return /::default(_[^:]*)?$/.test(urn);
}

function findMistakes(properties: Properties, urn: string): readonly CheckFailure[] {
	// A project of this name has settings of its own in the same namespace.
	const isShared = isDefault(urn) && urn.split("::")[1] === configurationNamespace;
	return Object.entries(properties).flatMap(([property, value]): readonly CheckFailure[] => {
		if (!isSetting(property)) {
			if (isShared || ownOfEngine.has(property)) return [];
			return [{ property, reason: unknownProperty(settingNames) }];
		}
		if (hasUnknown(value)) return [];
		try {
			const text = textOf(property, value);
			if (text !== undefined) readSettings({ [property]: text }, {});
			return [];
		} catch (error) {
			// The value may be a secret, which the engine does not say here. It prints the value itself, if that is none.
			return [{ property, reason: explain(error).replace(/, got `.*`(?=; it is set by |$)/s, "") }];
		}
	});
}

function isSetting(name: string): name is SettingName {
	return (settingNames as readonly string[]).includes(name);
}

const expected = {
	text: "text",
	Reads: "auto or documented",
	number: "a number",
	boolean: "true or false",
	list: "a list of text",
} as const;

/** A setting as text: from the configuration as text, from SDKs as JSON text, from YAML as a value. Throws ConfigurationError. */
function textOf(name: SettingName, value: unknown): string | undefined {
	const type = settingTypes[name];
	const plain =
		type === "list" && typeof value === "string" && value.trimStart().startsWith("[") ? parse(value) : value;
	if (plain === null || plain === undefined || plain === "") return undefined;
	if (typeof plain === "string") return plain;
	if (type === "list" && Array.isArray(plain) && plain.every((item) => typeof item === "string")) {
		return plain.length === 0 ? undefined : plain.join(" ");
	}
	if (typeof plain === type && (type === "number" || type === "boolean")) return String(plain);
	throw new ConfigurationError(`${configurationNamespace}:${name} must be ${expected[type]}`);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** How the settings differ. None replaces the provider: no setting is part of an object, and resources compare organizations. */
export function diffConfiguration(request: Message<"DiffRequest">): Message<"DiffResponse"> {
	const { properties: news } = readProperties(request.getNews());
	const { properties: olds } = readProperties(request.getOldInputs() ?? request.getOlds());
	const names = [...new Set([...Object.keys(olds), ...Object.keys(news)])].sort();
	const details = names.flatMap((name) => asWhole(compareValues([name], olds[name], news[name]), [name]));
	const changes = details.map((change) => ({ ...change, isOfInputs: true as const }));
	return writeDiff({ changes: changes.length > 0, replaces: [], details: changes }, []);
}

/** The settings to use as text, and which of them are secrets. Throws ConfigurationError, also for a private key that is in the stack configuration as plain text. */
export function readConfiguration(request: Message<"ConfigureRequest">) {
	// Old engines send only variables, as text.
	const variables = [...request.getVariablesMap().entries()].map(([name, value]) => [name.split(":").at(-1), value]);
	const args = request.getArgs() ?? writeProperties(Object.fromEntries(variables));
	const { properties, secretNames } = readProperties(args);
	refusePlainKey(request);
	const given = settingNames.flatMap((name): readonly (readonly [SettingName, string])[] => {
		const value = properties[name];
		const text = textOf(name, name === keyName && Array.isArray(value) ? value[0] : value);
		return text === undefined ? [] : [[name, text]];
	});
	return { given: Object.fromEntries(given) as GivenSettings, secretNames: secretNames.filter(isSetting) };
}

function refusePlainKey(request: Message<"ConfigureRequest">): void {
	const key: unknown = request.getArgs()?.toJavaScript()[keyName];
	// Checked by `checkConfiguration`, but not marked by the engine.
	if (Array.isArray(key) && isMarkedSecret(key[0])) throw new ConfigurationError(plainKeyRefusal);
}
