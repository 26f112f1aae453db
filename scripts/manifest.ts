/** What package.json says of this package, and the only place that knows where its programs are. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the clone. */
export const root = fileURLToPath(new URL("..", import.meta.url));

export const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
	readonly name: string;
	readonly version: string;
	readonly license: string;
	readonly engines: { readonly node: string };
	readonly bin: { readonly orgsync: string; readonly "pulumi-resource-orgsync": string };
	readonly exports: Readonly<Record<string, unknown>>;
};

/** The built program `orgsync`. */
export const commandFile = join(root, manifest.bin.orgsync);

/** The built program `pulumi-resource-orgsync`. */
export const pluginFile = join(root, manifest.bin["pulumi-resource-orgsync"]);
