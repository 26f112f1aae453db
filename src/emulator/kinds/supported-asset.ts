/** The supported assets of each network, which are read-only. A seed has them as an object with a list by network. */
import { isRecord } from "../../common/json.ts";
import { caip2Aliases } from "../../wire/operations.ts";
import type { EntityKind, JsonObject } from "./entity-kind.ts";

/** The assets of one network, by its canonical name. */
export interface NetworkAssets {
	readonly caip2: string;
	/** docs/internals/service.md#supported-asset. */
	readonly assets: readonly JsonObject[];
}

type AssetsByNetwork = Readonly<Record<string, readonly JsonObject[]>>;

const aliases: Readonly<Record<string, string>> = caip2Aliases;

/** Returns the canonical name of a network (docs/internals/service.md#networks). */
function canonicalNetwork(caip2: string): string {
	return aliases[caip2] ?? caip2;
}

export const supportedAssets: EntityKind<NetworkAssets, NetworkAssets, AssetsByNetwork, "supportedAssets"> = {
	section: "supportedAssets",
	idField: "caip2",
	expected: { section: "an object with a list of assets by network, as in a seed", ids: "a list of networks" },
	isSection: isRecord,
	isId: (value) => typeof value === "string",
	idOf: ({ caip2 }) => caip2,
	normalizeId: canonicalNetwork,
	readSection: (section) => Object.entries(section).map(([caip2, assets]) => ({ caip2, assets })),
	writeSection: (rows) => Object.fromEntries(rows.map(({ caip2, assets }) => [caip2, assets])),
	pathOf: ({ caip2 }) => [caip2],
	uniqueFields: { caip2: "this network" },
	complete: ({ caip2, assets }) => ({ caip2: canonicalNetwork(caip2), assets }),
	queries: {
		list_supported_assets: ({ organization }, body) =>
			organization.entities(supportedAssets).get(canonicalNetwork(String(body.caip2)))?.assets ?? [],
	},
};
