/** Reads files that a flag names: regular files only, up to a limit. */

import { resolve } from "node:path";
import { defined } from "../../common/defined.ts";
import { ConfigurationError, explainFileError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { readRegularFile } from "../../common/files.ts";

export interface TextFileOptions {
	/** Larger files are refused. */
	readonly maxMebibytes: number;
	/** The hint of the error if the file cannot be read. */
	readonly hint?: string;
}

/** Returns the text of the file. Throws ConfigurationError when it cannot be read or is too large. */
export function readTextFile(name: string, directory: string, options: TextFileOptions): string {
	const maxBytes = options.maxMebibytes * 1024 * 1024;
	const { bytes } = readOrRefuse(name, () => readRegularFile(resolve(directory, name), maxBytes), options.hint);
	return decodeText(name, bytes, options);
}

/** Returns the text of the bytes, which are cut just above the limit. Throws ConfigurationError for more. */
export function decodeText(name: string, bytes: Uint8Array, { maxMebibytes, hint }: TextFileOptions): string {
	if (bytes.length <= maxMebibytes * 1024 * 1024) return new TextDecoder().decode(bytes);
	throw new ConfigurationError(`${showText(name)} cannot be read: it is larger than ${maxMebibytes} MiB`, {
		...defined({ hint }),
	});
}

/** Returns what `read` returns. Throws ConfigurationError with the reason if it throws. */
export function readOrRefuse<T>(name: string, read: () => T, hint?: string): T {
	try {
		return read();
	} catch (error) {
		if (error instanceof ConfigurationError) throw error;
		throw new ConfigurationError(`${showText(name)} cannot be read: ${explainFileError(error)}`, {
			cause: error,
			...defined({ hint }),
		});
	}
}
