/** The settings in the package schema: as stack configuration, and as arguments of a Provider. */
import { environmentName, type SettingName, settingNames, settingTypes } from "../../src/pulumi/settings/settings.ts";
import { commentOfMember } from "./sources.ts";
import { listOf, namedType, type PropertySpecs, type TypeSpec, text } from "./specs.ts";

/**
 * The stack configuration `orgsync:NAME` with its environment variables. Lists are text here, separated by spaces or commas,
 * so that `pulumi config set orgsync:allow "policies=1"` needs no JSON.
 */
export function configurationVariables(): PropertySpecs {
	return mapSettings((name) => {
		const type = settingTypes[name];
		const description = commentOfMember("ProviderArgs", name);
		return {
			...(type === "list" || type === "Reads" ? text : argumentType(name)),
			description: type === "list" ? `${description} Separated by spaces or commas.` : description,
			defaultInfo: { environment: [environmentName(name)] },
			...secrecyOf(name),
		};
	});
}

/**
 * The arguments of a Provider. None has a default from the environment: a generated SDK would evaluate it in the program,
 * and a key or a one-time override would become an input in the state. The plugin reads the environment when it runs.
 */
export function providerInputs(): PropertySpecs {
	return mapSettings((name) => ({
		...argumentType(name),
		description: commentOfMember("ProviderArgs", name),
		...secrecyOf(name),
	}));
}

function mapSettings(make: (name: SettingName) => PropertySpecs[string]): PropertySpecs {
	return Object.fromEntries(settingNames.map((name) => [name, make(name)]));
}

function argumentType(name: SettingName): TypeSpec {
	const type = settingTypes[name];
	if (type === "text") return text;
	if (type === "list") return listOf(text);
	return type === "Reads" ? namedType(type) : { type };
}

function secrecyOf(name: SettingName): { readonly secret?: true } {
	return name === "apiPrivateKey" ? { secret: true } : {};
}
