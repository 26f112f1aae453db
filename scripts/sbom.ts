/**
 * Writes the software bill of materials of a release, in CycloneDX: every package of the lock file with its version, licence and
 * checksum. `npm run sbom` writes release/orgsync-VERSION.cdx.json; the programs have to be built.
 *
 * npm makes the list. What only npm cannot know is added: which packages the bundled programs contain. The same lock file and the
 * same npm make the same bytes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findUnknownLicenses } from "./licenses.ts";
import { commandFile, manifest, pluginFile, root } from "./manifest.ts";

export interface Component {
	readonly name: string;
	readonly version: string;
	/** `required`: users get it, as a dependency or inside a program. `excluded`: only contributors do. */
	readonly scope: "required" | "excluded";
	readonly purl: string;
	readonly hashes: readonly { readonly alg: string; readonly content: string }[];
	readonly licenses?: readonly (
		| { readonly license: { readonly id?: string; readonly name?: string } }
		| { readonly expression: string }
	)[];
	readonly properties: readonly { readonly name: string; readonly value: string }[];
}

export interface Sbom {
	readonly bomFormat: "CycloneDX";
	readonly specVersion: string;
	readonly serialNumber: string;
	readonly metadata: { readonly component: object; readonly lifecycles: unknown };
	readonly components: readonly Component[];
}

/** Returns the bill of materials of the lock file. Throws if a licence is not on the list, or a program has an unlisted package. */
export function makeSbom(): Sbom {
	const words = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"];
	const npm = execFileSync("npm", words, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28, stdio: "pipe" });
	const { metadata, serialNumber: _random, ...made } = JSON.parse(npm) as Sbom;
	const bundled = new Set([commandFile, pluginFile].flatMap(readNotices));
	// The executables are Node with the command line inside.
	for (const { name, version } of made.components) if (name === "node") bundled.add(`${name} ${version}`);
	const components = made.components.map((one) => withScope(one, bundled));
	const listed = new Set(components.map(({ name, version }) => `${name} ${version}`));
	const missing = [...bundled].filter((name) => !listed.has(name));
	if (missing.length > 0)
		throw new Error(`the programs contain packages that the lock file lacks: ${missing.join(", ")}`);
	const unknown = findUnknownLicenses(components);
	if (unknown.length > 0)
		throw new Error(`licences that are not on the list in scripts/licenses.ts:\n${unknown.join("\n")}`);
	// npm names the root after its folder, and adds the time.
	const { component, lifecycles } = metadata;
	const own = { ...component, name: manifest.name };
	const sbom = { ...made, metadata: { lifecycles, component: own }, components };
	return { ...sbom, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(sbom))}` };
}

/** Returns `NAME VERSION` of each package in a program, by the notices beside it. */
function readNotices(program: string): readonly string[] {
	const notices = readFileSync(join(dirname(program), "THIRD-PARTY-NOTICES.txt"), "utf8");
	return [...notices.matchAll(/^## (\S+ \S+) \(/gm)].map(([, name = ""]) => name);
}

function withScope(one: Component, bundled: ReadonlySet<string>): Component {
	const development = "cdx:npm:package:development";
	const isBundled = bundled.has(`${one.name} ${one.version}`);
	const isRequired = isBundled || !one.properties.some(({ name }) => name === development);
	const kept = one.properties.filter(({ name }) => !isRequired || name !== development);
	const properties = isBundled ? [...kept, { name: "cdx:npm:package:bundled", value: "true" }] : kept;
	return { ...one, scope: isRequired ? "required" : "excluded", properties };
}

/** Returns a UUID of version 8 with bits of the text's SHA-256. */
function uuidOf(text: string): string {
	const hex = createHash("sha256").update(text).digest("hex");
	return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
		"-",
	);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const file = join(root, "release", `${manifest.name}-${manifest.version}.cdx.json`);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, `${JSON.stringify(makeSbom(), null, "\t")}\n`);
	console.log(file);
}
