/** The settings in the package schema: as stack configuration, and as arguments of a Provider. */

import { settingTexts } from "../../settings/setting-texts.ts";
import { environmentName, type SettingName, settingNames } from "../../settings/settings.ts";
import { fromEntries, listOf, namedType, type PropertySpecs, type TypeSpec, text } from "./specs.ts";

/**
 * The stack configuration `orgsync:NAME` with its environment variables. Lists are text here, separated by spaces or commas,
 * so that `pulumi config set orgsync:allow "policies=1"` needs no JSON.
 */
export function configurationVariables(): PropertySpecs {
	return fromEntries(
		settingNames.map((name) => {
			const { description, type } = settingTexts[name];
			const isList = type === "list";
			return [
				name,
				{
					...(isList || type === "Reads" ? text : argumentType(name)),
					description: isList ? `${description} Separated by spaces or commas.` : description,
					defaultInfo: { environment: [environmentName(name)] },
					...secrecyOf(name),
				},
			];
		}),
	);
}

/**
 * The arguments of a Provider. None has a default from the environment: a generated SDK would evaluate it in the program,
 * and a key or a one-time override would become an input in the state. The plugin reads the environment when it runs.
 */
export function providerInputs(): PropertySpecs {
	return fromEntries(
		settingNames.map((name) => [
			name,
			{ ...argumentType(name), description: settingTexts[name].description, ...secrecyOf(name) },
		]),
	);
}

function argumentType(name: SettingName): TypeSpec {
	const { type } = settingTexts[name];
	if (type === "text") return text;
	if (type === "list") return listOf(text);
	if (type === "Reads") return namedType(type);
	return { type };
}

function secrecyOf(name: SettingName): { readonly secret?: true } {
	return name === "apiPrivateKey" ? { secret: true } : {};
}
