/** The packages that orgsync depends on: each has a reason and a known licence, and none runs a script at users. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { findUnknownLicenses } from "../scripts/licenses.ts";
import { root } from "../scripts/manifest.ts";
import { type Component, makeSbom, type Sbom } from "../scripts/sbom.ts";

type Versions = Readonly<Record<string, string>>;

interface Locked {
	readonly version: string;
	readonly resolved?: string;
	readonly integrity?: string;
	readonly dev?: boolean;
	readonly link?: boolean;
	readonly hasInstallScript?: boolean;
}

const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8")) as unknown;
const manifest = read("package.json") as {
	readonly scripts: Versions;
	readonly dependencies: Versions;
	readonly peerDependencies: Versions;
	readonly devDependencies: Versions;
	readonly allowScripts: Readonly<Record<string, boolean>>;
};
const { packages } = read("package-lock.json") as { readonly packages: Readonly<Record<string, Locked>> };
const locked = Object.entries(packages).filter(([path, { link }]) => path !== "" && link !== true);
const nameOf = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

/** The rows of docs/internals/dependencies.md, by the heading above each. */
function readRows(): Readonly<Record<string, readonly (readonly string[])[]>> {
	const sections = readFileSync(join(root, "docs/internals/dependencies.md"), "utf8").split(/^## /m).slice(1);
	return Object.fromEntries(
		sections.map((section) => {
			const rows = [...section.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)];
			return [section.split("\n")[0] ?? "", rows.map(([, name = "", cells = ""]) => [name, ...cells.split("|")])];
		}),
	);
}

describe("docs/internals/dependencies.md", () => {
	const rows = readRows();
	const names = (heading: string): readonly string[] => (rows[heading] ?? []).map(([name = ""]) => name);

	it("has a row for each package of package.json, and for no other", () => {
		expect(names("Dependencies of the package")).toEqual(Object.keys(manifest.dependencies).sort());
		expect(names("Peer dependency")).toEqual(Object.keys(manifest.peerDependencies));
		const development = [...names("Bundled into a program"), ...names("Tools"), ...names("Peer dependency")];
		expect(development.sort()).toEqual(Object.keys(manifest.devDependencies).sort());
	});

	it("has a reason in every row", () => {
		const reasons = Object.values(rows).flat();
		expect(reasons.length).toBeGreaterThan(40);
		for (const cells of reasons) expect(cells.at(-1)?.trim(), cells[0]).toMatch(/^\S.{4,}/);
	});
});

describe("the bill of materials", () => {
	let sbom: Sbom;
	beforeAll(() => {
		sbom = makeSbom();
	});

	it("has each package of the lock file, with its version and checksum", () => {
		const found = sbom.components.map(({ name, version, hashes }) => `${name}@${version} ${hashes[0]?.content}`);
		const expected = locked.map(([path, { version, integrity = "" }]) => {
			return `${nameOf(path)}@${version} ${Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex")}`;
		});
		expect(found.sort()).toEqual([...new Set(expected)].sort());
	});

	it("calls required what users get: the dependencies, and what the programs contain", () => {
		const required = sbom.components.filter(({ scope }) => scope === "required").map(({ name }) => name);
		expect(required).toEqual(expect.arrayContaining([...Object.keys(manifest.dependencies), "commander"]));
		expect(required).toEqual(expect.arrayContaining(readRows()["Bundled into a program"]?.map(([name]) => name) ?? []));
		const tools = (readRows().Tools ?? []).map(([name]) => name);
		// Executables contain it.
		expect(required.filter((name) => tools.includes(name))).toEqual(["node"]);
	});

	it("is the same for the same lock file, and names no folder of the machine", () => {
		expect(makeSbom()).toEqual(sbom);
		expect(JSON.stringify(sbom)).not.toContain(root);
		expect(sbom).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: { name: "orgsync" } } });
	});
});

describe("the licence of a package", () => {
	const of = (license: string, scope: Component["scope"]): Component => {
		const licenses = [{ license: { id: license } }];
		return { name: "some", version: "1.0.0", scope, purl: "", hashes: [], licenses, properties: [] };
	};

	it("is on the list", () =>
		expect(findUnknownLicenses([of("MIT", "required"), of("MPL-2.0", "excluded")])).toEqual([]));

	it("that is not on the list is named with the package", () => {
		expect(findUnknownLicenses([of("GPL-3.0-only", "excluded")])).toEqual(["some 1.0.0: GPL-3.0-only"]);
		expect(findUnknownLicenses([{ ...of("MIT", "excluded"), licenses: [] }])).toEqual(["some 1.0.0: none"]);
	});

	it("is on a shorter list if users get the package", () => {
		expect(findUnknownLicenses([of("MPL-2.0", "required")])).toEqual(["some 1.0.0: MPL-2.0"]);
	});
});

describe("install scripts", () => {
	it("are run for no package that users install, and orgsync has none", () => {
		const ofUsers = locked.filter(([, { dev }]) => dev !== true);
		expect(ofUsers.length).toBeGreaterThanOrEqual(Object.keys(manifest.dependencies).length);
		expect(ofUsers.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
		expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
	});

	it("of tools are decided on one by one", () => {
		const scripted = locked.flatMap(([path, { hasInstallScript }]) =>
			hasInstallScript === true ? [nameOf(path)] : [],
		);
		expect([...new Set(scripted)].sort()).toEqual(Object.keys(manifest.allowScripts).sort());
	});
});

describe("the lock file", () => {
	it("names no other registry than npm's, and has the SHA-512 of every package", () => {
		for (const [path, { resolved, integrity }] of locked) {
			// Without an address, it is that of the registry that is set up.
			if (resolved !== undefined) expect(resolved, path).toMatch(/^https:\/\/registry\.npmjs\.org\//);
			expect(integrity, path).toMatch(/^sha512-/);
		}
	});
});
