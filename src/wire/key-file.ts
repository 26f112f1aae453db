/** Reads key files. No message repeats a text that can be a key, even when a key is passed in place of a file's name. */
import { existsSync, type Stats, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigurationError, explainFileError } from "../common/errors.ts";
import { readRegularFile } from "../common/files.ts";

export type Warn = (text: string) => void;

/**
 * Returns the key in NAME, if that file exists, or in NAME.private, and the public key in NAME.public, if that exists. `given` is
 * where the name comes from, for example `--key-file`; `directory` is what a relative name is resolved from. Messages name the
 * file `shownAs`. Warns when others can read the key. Throws ConfigurationError when the file cannot be read, or when others can write it.
 */
export function readKeyFile(
	file: string,
	given: string,
	warn: Warn = () => undefined,
	directory: string = process.cwd(),
) {
	const exists = (name: string): boolean => existsSync(resolve(directory, name));
	const privateFile = file.endsWith(".private") || exists(file) ? file : `${file}.private`;
	const isSecret = mayBeKey(resolve(directory, file)) || hidesKey(file);
	const shownAs = !exists(privateFile) && isSecret ? `that ${given} names` : privateFile;
	const publicFile = privateFile.replace(/\.private$/, ".public");
	const read = (name: string, shown: string): ReturnType<typeof readText> =>
		readText(resolve(directory, name), shown, shown === name, given);
	const { text: privateKey, stats } = read(privateFile, shownAs);
	// A pipe has no meaningful mode.
	if (stats.isFile()) checkMode(resolve(directory, privateFile), stats, shownAs, warn);
	const hasPublic = publicFile !== privateFile && exists(publicFile);
	return { privateKey, publicKey: hasPublic ? read(publicFile, publicFile).text : undefined, shownAs };
}

/** Max bytes of a key file; a key has about 100. */
const maxKeyBytes = 4096;

function readText(
	file: string,
	shownAs: string,
	isShown: boolean,
	given: string,
): { readonly text: string; readonly stats: Stats } {
	try {
		const { bytes, stats } = readRegularFile(file, maxKeyBytes);
		if (bytes.length > maxKeyBytes) throw new Error("it is larger than any key");
		return { text: bytes.toString("utf8").trim(), stats };
	} catch (error) {
		const reason = explainFileError(error);
		// The message of an unusual error has the path in it.
		const because = reason.includes(file) || reason.includes("Received") ? "it cannot be opened" : reason;
		throw new ConfigurationError(`the key file ${shownAs} cannot be read: ${because}`, {
			hint: isShown
				? "it holds the private key as 64 hexadecimal characters; NAME.public beside NAME.private holds the public key"
				: `${given} takes the name of a file. Its value is not shown, because it can be a key: set a key with ORGSYNC_API_PRIVATE_KEY`,
		});
	}
}

/**
 * Returns whether a text that should be the name of a file can be a key. Behind the folders that exist, it has 40 characters of a
 * key in a row, or a character that only encoded keys have. Slashes count only behind a folder that exists: base64 has them, and
 * so does every path that does not exist.
 */
function mayBeKey(path: string): boolean {
	let folder = dirname(path);
	while (folder !== dirname(folder) && !existsSync(folder)) folder = dirname(folder);
	const rest = path.slice(folder.length);
	const isInFolder = folder !== dirname(folder);
	return /[\w+=:-]{40,}|[\r\n{"\0]/.test(rest) || (isInFolder && /[\w+/=:-]{40,}/.test(rest));
}

/** Returns whether `..` takes a part out of the path that can be a key: base64 has slashes. */
function hidesKey(path: string): boolean {
	const parts = path.split(/[/\\]/);
	return parts.includes("..") && parts.some((part) => /[\w+=:-]{40,}/.test(part));
}

/** File systems that give every file the same mode: FAT, NTFS, network shares (linux/magic.h). */
const withoutModes: ReadonlySet<number> = new Set([
	0x4d44, 0x2011bab0, 0x5346544e, 0x7366746e, 0x01021997, 0x517b, 0xff534d42, 0xfe534d42,
]);

function checkMode(file: string, { mode }: Stats, shownAs: string, warn: Warn): void {
	if (process.platform === "win32" || hasNoModes(file)) return;
	const shown = `0${(mode & 0o777).toString(8)}`;
	if ((mode & 0o022) !== 0) {
		throw new ConfigurationError(`the key file ${shownAs} can be written by others (mode ${shown})`, {
			hint: "run chmod 600 on it; create a new key if others may have changed it",
		});
	}
	if ((mode & 0o044) !== 0)
		warn(`warning: the key file ${shownAs} can be read by others (mode ${shown}); run chmod 600 on it`);
}

function hasNoModes(file: string): boolean {
	try {
		return withoutModes.has(statfsSync(file).type);
	} catch {
		return false;
	}
}
