/** The Pulumi package schema: what Pulumi's languages and documentation know of the package. */
import { configurationNamespace } from "../../src/pulumi/settings/settings.ts";
import { functionSpecs, recordTypes } from "./functions.ts";
import { resourceSpecs, resourceTypes } from "./resources.ts";
import { configurationVariables, providerInputs } from "./settings.ts";

/**
 * The package has no public home yet. No one can register a name under the reserved domain `.invalid`, so no one else can
 * serve a plugin or a Go module by these addresses.
 */
const home = "orgsync.invalid";

const goImportPath = `${home}/sdk/go/orgsync`;

/**
 * Returns the package schema as plain JSON. `examples` has the programs of a resource or function by its name, as they follow
 * its description.
 */
export function makePackageSchema(version: string, examples: Readonly<Record<string, string>>): object {
	return {
		name: configurationNamespace,
		displayName: "orgsync",
		version,
		description:
			"Keeps an organization in sync with a Pulumi program: the fewest activities, each submitted exactly once. Resources create and adopt user tags and policies, and remove what must not exist.",
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
		resources: withExamples(resourceSpecs(), examples),
		functions: withExamples(functionSpecs(), examples),
		language: languages,
	};
}

/** The resources or functions with their programs, in which `GO_IMPORT_PATH` is the path of the Go SDK. */
function withExamples<Spec extends { readonly description?: string }>(
	specs: Readonly<Record<string, Spec>>,
	examples: Readonly<Record<string, string>>,
): Readonly<Record<string, Spec>> {
	const described = Object.entries(specs).map(([token, spec]): readonly [string, Spec] => {
		const programs = examples[token.split(":").at(-1) ?? ""];
		if (programs === undefined) return [token, spec];
		const description = `${spec.description}\n\n${programs.replaceAll("GO_IMPORT_PATH", goImportPath)}`;
		return [token, { ...spec, description }];
	});
	return Object.fromEntries(described);
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
		importBasePath: goImportPath,
		// Wrappers that programs do not use. Functions keep their output versions: `pulumi convert` writes them in Go.
		generateResourceContainerTypes: false,
		// A second SDK with generics would double the minutes that a cold build takes.
		generics: "none",
		respectSchemaVersion: true,
	},
	csharp: {
		// Makes `Orgsync.Pulumi`, as the npm package is called. `Orgsync.Orgsync` would not compile: generated code uses full names,
		// and C# looks up their first word in the namespace `Orgsync` before it looks outside.
		rootNamespace: "Orgsync",
		namespaces: { orgsync: "Pulumi" },
		packageReferences: { Pulumi: "3.*" },
		respectSchemaVersion: true,
	},
};
