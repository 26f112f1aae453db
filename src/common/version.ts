import { readFileSync } from "node:fs";

/** The version of the package. Bundles have it as a constant (scripts/bundle.ts). */
export const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
	readonly version: string;
};
