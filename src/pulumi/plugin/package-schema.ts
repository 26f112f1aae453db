/** The Pulumi package schema: what Pulumi's languages and documentation know of the package. */
import { configurationNamespace } from "../settings.ts";
import { functionSpecs, recordTypes } from "./schema/functions.ts";
import { resourceSpecs, resourceTypes } from "./schema/resources.ts";
import { configurationVariables, providerInputs } from "./schema/settings.ts";

/**
 * The package has no public home yet. Nobody can register a name under the reserved domain `.invalid`, so nobody else can
 * serve a plugin or a Go module by these addresses.
 */
const home = "orgsync.invalid";

/** Returns the package schema as plain JSON. */
export function makePackageSchema(version: string): object {
	return {
		name: configurationNamespace,
		displayName: "orgsync",
		version,
		description:
			"Keeps an organization in sync with a Pulumi program: the fewest activities, each submitted exactly once. Resources adopt the live user tags, and remove policies, OAuth providers and TVC apps that must not exist.",
		keywords: ["pulumi", "orgsync", "category/infrastructure", "kind/native"],
		homepage: `https://${home}`,
		repository: `https://${home}/orgsync`,
		pluginDownloadURL: `https://${home}/plugins`,
		license: "Apache-2.0",
		publisher: "orgsync",
		config: { variables: configurationVariables() },
		provider: {
			description:
				"The service, the organization and the key of resources and functions. An argument that is left out has the value of the stack configuration `orgsync:NAME`, else of the environment variable `ORGSYNC_NAME`.",
			type: "object",
			inputProperties: providerInputs(),
		},
		types: { ...resourceTypes(), ...recordTypes() },
		resources: resourceSpecs(),
		functions: functionSpecs(),
		language: languages,
	};
}

/** How each language's SDK is generated. The generators choose the versions of Pulumi's own library that their code needs. */
const languages = {
	nodejs: {
		packageName: "@orgsync/pulumi",
		packageDescription: "Pulumi resources that keep an organization in sync.",
		respectSchemaVersion: true,
	},
	python: {
		packageName: "pulumi_orgsync",
		pyproject: { enabled: true },
		inputTypes: "classes-and-dicts",
		respectSchemaVersion: true,
	},
	go: {
		importBasePath: `${home}/sdk/go/orgsync`,
		generateResourceContainerTypes: true,
		// A second SDK with generics would double the minutes that a cold build takes.
		generics: "none",
		respectSchemaVersion: true,
	},
	csharp: {
		rootNamespace: "Orgsync",
		packageReferences: { Pulumi: "3.*" },
		respectSchemaVersion: true,
	},
};
