import type { Addition } from "./addition.ts";

/** A kind of object that can only be read: a vault. */
export const kind: Addition = {
	created: {
		"src/plan/kinds/vault.ts": `import { readOnlyKind } from "./read-only.ts";

export const vault = readOnlyKind({
	name: "vault",
	words: ["vault", "vaults"],
	groupedBy: null,
	identities: ["id"],
	isIdentityId: () => true,
	fields: ["name", "sealed"],
	matches: () => true,
	nameField: "vaultName",
	activities: null,
	exported: null,
	remedy: "seal it by hand, or ",
});
`,
		"src/emulator/kinds/vault.ts": `import { type EntityKind, findEntity, idIn, listSection } from "./entity-kind.ts";

export interface Vault {
	readonly vaultId: string;
	readonly vaultName: string;
	readonly sealed: boolean;
}

export const vaults: EntityKind<Vault, Vault, readonly Vault[], "vaults"> = {
	section: "vaults",
	...listSection<Vault, Vault>("vaultId"),
	uniqueFields: { vaultId: "this vault id" },
	complete: (seed) => ({ ...seed, vaultId: seed.vaultId.toLowerCase() }),
	queries: {
		get_vault: ({ organization }, body) =>
			findEntity(organization.entities(vaults), idIn(body, "vaultId"), "vault"),
	},
};
`,
		"schemas/operations/get_vault.json": JSON.stringify({
			$schema: "https://json-schema.org/draft/2020-12/schema",
			$defs: {
				request: {
					type: "object",
					required: ["organizationId", "vaultId"],
					properties: { organizationId: { type: "string" }, vaultId: { type: "string" } },
				},
				response: { type: "object", required: ["vault"], properties: { vault: { type: "object" } } },
			},
		}),
	},
	changed: {
		"src/plan/kinds/names.ts": [['\tsessionProfile: "sessionProfiles",\n', '\tvault: "vaults",\n']],
		"src/plan/kinds/index.ts": [
			[
				'import { tagCreation, tagRemoval, tagUpdate, userTag } from "./user-tag.ts";\n',
				'import { vault } from "./vault.ts";\n',
			],
			["\tsessionProfile,\n", "\tvault,\n"],
		],
		"src/sync/read/read.ts": [
			[
				"const recordReads: { readonly [K in ReadOnlyKindName]: RecordRead } = {\n",
				"\tvault: (vaultId, query) => queryOne(query, queries.get_vault, { vaultId }),\n",
			],
		],
		"src/wire/operations.ts": [
			[
				"export const queries = defineQueries({\n",
				'\tget_vault: { fields: ["organizationId", "vaultId"], answerKey: "vault" },\n',
			],
		],
		"src/emulator/kinds/table.ts": [
			['import { userTags } from "./user-tag.ts";\n', 'import { vaults } from "./vault.ts";\n'],
			["const table = [", "vaults, "],
		],
	},
	schemas: {
		"schemas/document.json": [
			["properties", "expect", "properties"],
			{
				vaults: listOf({ id: { $ref: "#/$defs/id" }, name: { type: "string" }, sealed: { type: "boolean" } }),
			},
		],
		"schemas/seed.json": [
			["$defs", "organization", "properties"],
			{
				vaults: listOf({ vaultId: { type: "string" }, vaultName: { type: "string" }, sealed: { type: "boolean" } }),
			},
		],
	},
};

function listOf(properties: object): object {
	return { type: "array", items: { type: "object", additionalProperties: false, properties } };
}
