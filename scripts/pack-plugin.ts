/**
 * Writes the archives of dist/plugin that `pulumi plugin install` takes, and their checksums, into release/. `npm run plugin`
 * builds and runs it.
 *
 * All archives have the same content, since Node runs it: Pulumi asks for one by system and architecture. The same files
 * make the same bytes, with the same Node.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, gzipSync } from "node:zlib";

/** The systems and architectures for which Pulumi is made, in its words. */
const platforms = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64", "windows-arm64"];

/** Packs the plugin's folder into archives and a list for `sha256sum --check`, in a folder of their own. */
export function packPlugin(plugin: string, folder: string): void {
	const { version } = JSON.parse(readFileSync(join(plugin, "package.json"), "utf8")) as { version: string };
	const archive = gzipSync(makeTar(plugin), { level: constants.Z_BEST_COMPRESSION });
	// The system on which it was compressed, in the header of gzip: unknown.
	archive[9] = 255;
	const sum = createHash("sha256").update(archive).digest("hex");
	const files = platforms.map((platform) => `pulumi-resource-orgsync-v${version}-${platform}.tar.gz`);
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	for (const file of files) writeFileSync(join(folder, file), archive);
	writeFileSync(join(folder, "SHA256SUMS"), files.map((file) => `${sum}  ${file}\n`).join(""));
}

const blockBytes = 512;

/** The files below the folder in the format of `tar`, sorted, without owners and times. */
function makeTar(folder: string): Buffer {
	const names = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
		.sort();
	const blocks = names.flatMap((name) => {
		const content = readFileSync(join(folder, name));
		const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
		const path = name.replaceAll("\\", "/");
		// The launcher of POSIX is the only file that is run by itself.
		return [makeHeader(path, content.length, path === "pulumi-resource-orgsync" ? 0o755 : 0o644), content, padding];
	});
	return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

/** The header of one file, in the format `ustar`. */
function makeHeader(path: string, bytes: number, mode: number): Buffer {
	if (path.length > 100) throw new Error(`${path} is too long for an archive`);
	const header = Buffer.alloc(blockBytes);
	const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, "0")}\0`;
	header.write(path, 0);
	header.write(octal(mode, 7), 100);
	header.write(octal(0, 7), 108);
	header.write(octal(0, 7), 116);
	header.write(octal(bytes, 11), 124);
	header.write(octal(0, 11), 136);
	header.write(" ".repeat(8), 148);
	header.write("0", 156);
	header.write("ustar\u000000", 257);
	const sum = header.reduce((total, byte) => total + byte, 0);
	header.write(`${octal(sum, 6)} `, 148);
	return header;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const root = fileURLToPath(new URL("..", import.meta.url));
	packPlugin(join(root, "dist/plugin"), join(root, "release"));
	process.stdout.write(readFileSync(join(root, "release/SHA256SUMS")));
}
