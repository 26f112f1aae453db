/**
 * Reads key files. The rule it keeps: no message repeats a text that may be a key, also where a key was given in place of the
 * name of its file.
 */
import { existsSync, type Stats, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigurationError, explainFileError } from "../errors.ts";
import { readRegularFile } from "../files.ts";

/** Shows a warning to whoever runs this. */
export type Warn = (text: string) => void;

/** The two halves of a key, as text. */
export interface KeyTexts {
	readonly privateKey: string;
	readonly publicKey: string | undefined;
	/** How a message may name the file. */
	readonly shownAs: string;
}

/**
 * The key in NAME.private, or NAME where there is such a file, with the public half from NAME.public where that is there.
 * `given` says where the name comes from, for example `--key-file`. Warns of a key that others can read. Throws
 * ConfigurationError when the file cannot be read, or when others can write it.
 */
export function readKeyFile(file: string, given: string, warn: Warn = () => undefined): KeyTexts {
	const privateFile = file.endsWith(".private") || existsSync(file) ? file : `${file}.private`;
	const shownAs = !existsSync(privateFile) && mayBeKey(file) ? `that ${given} names` : privateFile;
	const publicFile = privateFile.replace(/\.private$/, ".public");
	const { text: privateKey, stats } = readText(privateFile, shownAs, given);
	// A pipe that the shell opened has no mode that means anything.
	if (stats.isFile()) judgeMode(privateFile, stats, shownAs, warn);
	const hasPublic = publicFile !== privateFile && existsSync(publicFile);
	return { privateKey, publicKey: hasPublic ? readText(publicFile, publicFile, given).text : undefined, shownAs };
}

/** More than a key needs; what is larger is no key, and is not read to its end. */
const maxKeyBytes = 4096;

function readText(file: string, shownAs: string, given: string): { readonly text: string; readonly stats: Stats } {
	try {
		const { bytes, stats } = readRegularFile(file, maxKeyBytes);
		if (bytes.length > maxKeyBytes) throw new Error("it is larger than any key");
		return { text: bytes.toString("utf8").trim(), stats };
	} catch (error) {
		const reason = explainFileError(error);
		// What the system says of an unusual error has the path in it.
		const because = reason.includes(file) || reason.includes("Received") ? "it cannot be opened" : reason;
		throw new ConfigurationError(`the key file ${shownAs} cannot be read: ${because}`, {
			hint:
				shownAs === file
					? "it holds the private key as 64 hexadecimal characters; NAME.public beside NAME.private holds the public key"
					: `${given} takes the name of a file. What it has may be a key itself, so it is not shown: a key belongs in ORGSYNC_API_PRIVATE_KEY`,
		});
	}
}

/**
 * Whether a text that should be the name of a file may be a key: behind the folders that are there, it has 40 characters of a
 * key in a row, or a character that only encoded keys have. Base64 has slashes too, as the whole of a missing path does.
 */
function mayBeKey(text: string): boolean {
	const path = resolve(text);
	let folder = dirname(path);
	while (folder !== dirname(folder) && !existsSync(folder)) folder = dirname(folder);
	const rest = path.slice(folder.length);
	const isInFolder = folder !== dirname(folder);
	return /[\w+=:-]{40,}|[\r\n{"\0]/.test(rest) || (isInFolder && /[\w+/=:-]{40,}/.test(rest));
}

/** File systems that give every file the same mode: FAT, NTFS, those of other machines (linux/magic.h). */
const withoutModes: ReadonlySet<number> = new Set([
	0x4d44, 0x2011bab0, 0x5346544e, 0x7366746e, 0x01021997, 0x517b, 0xff534d42, 0xfe534d42,
]);

function judgeMode(file: string, { mode }: Stats, shownAs: string, warn: Warn): void {
	if (process.platform === "win32" || hasNoModes(file)) return;
	const shown = `0${(mode & 0o777).toString(8)}`;
	if ((mode & 0o022) !== 0) {
		throw new ConfigurationError(`the key file ${shownAs} can be written by others (mode ${shown})`, {
			hint: "chmod 600 keeps it for its owner; make a new key if somebody may have changed this one",
		});
	}
	if ((mode & 0o044) !== 0)
		warn(`warning: the key file ${shownAs} can be read by others (mode ${shown}); chmod 600 keeps it for its owner`);
}

function hasNoModes(file: string): boolean {
	try {
		return withoutModes.has(statfsSync(file).type);
	} catch {
		return false;
	}
}
