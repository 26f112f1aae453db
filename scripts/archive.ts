/** Archives of a release: the same files make the same bytes, with the same Node. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";

/** Returns the files below the folder as a `.tar.gz`, sorted, without owners and times. `executables` have the mode 0755. */
export function makeArchive(
	folder: string,
	executables: readonly string[],
	level: number = constants.Z_BEST_COMPRESSION,
): Buffer {
	const archive = gzipSync(makeTar(folder, executables), { level });
	// The system on which it was compressed, in the header of gzip: unknown.
	archive[9] = 255;
	return archive;
}

/**
 * Writes archives into the folder, in place of earlier ones whose names begin with `prefix`, and the checksums of all archives
 * there for `sha256sum --check` into SHA256SUMS.
 */
export function writeArchives(folder: string, prefix: string, archives: Readonly<Record<string, Buffer>>): void {
	mkdirSync(folder, { recursive: true });
	for (const name of archivesIn(folder).filter((one) => one.startsWith(prefix))) rmSync(join(folder, name));
	for (const [name, archive] of Object.entries(archives)) writeFileSync(join(folder, name), archive);
	const lines = archivesIn(folder).map((name) => {
		const sum = createHash("sha256").update(readFileSync(join(folder, name)));
		return `${sum.digest("hex")}  ${name}\n`;
	});
	writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}

const archivesIn = (folder: string): readonly string[] =>
	readdirSync(folder)
		.filter((name) => /\.(tar\.gz|tgz)$/.test(name))
		.sort();

const blockBytes = 512;

/** The files below the folder in the format of `tar`. */
function makeTar(folder: string, executables: readonly string[]): Buffer {
	const names = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
		.sort();
	const blocks = names.flatMap((name) => {
		const content = readFileSync(join(folder, name));
		const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
		const path = name.replaceAll("\\", "/");
		return [makeHeader(path, content.length, executables.includes(path) ? 0o755 : 0o644), content, padding];
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
