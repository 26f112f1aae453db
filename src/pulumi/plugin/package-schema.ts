/** The Pulumi package schema: what Pulumi's languages and documentation know of the package. */
import type { PropertySchema } from "../input-schema.ts";
import { resources } from "../resources.ts";
import { configurationNamespace, settingNames } from "../settings.ts";

/** Returns the package schema as plain JSON. */
export function makePackageSchema(version: string): object {
	return {
		name: configurationNamespace,
		version,
		provider: {
			inputProperties: Object.fromEntries(
				settingNames.map((name) => [name, { type: "string", ...(name === "apiPrivateKey" ? { secret: true } : {}) }]),
			),
		},
		resources: Object.fromEntries(
			resources.map(({ name, schema, operation }) => {
				const properties = Object.fromEntries(
					Object.entries(schema.fields).map(([field, shape]) => [field, typeOf(shape)]),
				);
				const { limits: _limits, ...outputs } = properties;
				return [
					`${configurationNamespace}:index:${name}`,
					{
						description: `Submits ${operation}.`,
						inputProperties: properties,
						requiredInputs: schema.required,
						properties: outputs,
						required: ["organizationId", ...schema.required],
						aliases: [{ type: `pulumi-nodejs:dynamic/${configurationNamespace}:${name}` }],
					},
				];
			}),
		),
	};
}

function typeOf(shape: PropertySchema): object {
	if (typeof shape === "string") return shape === "any" ? { $ref: "pulumi.json#/Any" } : { type: "string" };
	if ("oneOf" in shape) return { type: "string" };
	if ("listOf" in shape) return { type: "array", items: { type: "string" } };
	return { type: "object", additionalProperties: { $ref: "pulumi.json#/Any" } };
}
