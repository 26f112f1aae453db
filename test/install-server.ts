/**
 * A release's files, and a registry of npm with the packages of this clone, on loopback: what the ways to install ask for.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeArchive } from "../scripts/archive.ts";
import { root } from "../scripts/manifest.ts";

export interface InstallServer {
	/** Ends with a slash. Releases are under `releases/`, packages under `npm/`. */
	readonly url: string;
	close(): void;
}

/** Starts it. `releases` is the folder whose files it serves. */
export async function startInstallServer(releases: string): Promise<InstallServer> {
	const archives = new Map<string, Buffer>();
	const archiveOf = (name: string): Buffer => {
		const made = archives.get(name) ?? packInstalled(name);
		archives.set(name, made);
		return made;
	};
	let url = "";
	const answer = (path: string): Buffer | string | undefined => {
		const [, place = "", name = ""] = /^\/(\w+)\/([^?]*)/.exec(decodeURIComponent(path)) ?? [];
		if (place === "releases") return existsSync(join(releases, name)) ? readFileSync(join(releases, name)) : undefined;
		const wanted = name.replace(/\.tgz$/, "");
		if (place !== "npm" || !existsSync(join(root, "node_modules", wanted, "package.json"))) return undefined;
		if (wanted !== name) return archiveOf(wanted);
		const manifest = JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8"));
		const integrity = `sha512-${createHash("sha512").update(archiveOf(name)).digest("base64")}`;
		const dist = { tarball: `${url}npm/${name}.tgz`, integrity };
		return JSON.stringify({
			name,
			"dist-tags": { latest: manifest.version },
			versions: { [manifest.version]: { ...manifest, dist } },
		});
	};
	const server = createServer((request, response) => {
		const body = answer(request.url ?? "");
		response.statusCode = body === undefined ? 404 : 200;
		response.end(body ?? "not found");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
	return { url, close: () => server.close() };
}

/** The package as the registry has it, from where it is installed. */
function packInstalled(name: string): Buffer {
	const folder = mkdtempSync(join(tmpdir(), "orgsync-registry-"));
	try {
		cpSync(join(root, "node_modules", name), join(folder, "package"), { recursive: true, dereference: true });
		return makeArchive(folder, [], 1);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
