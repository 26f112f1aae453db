/**
 * `--local`: the embedded service. It lives in `.orgsync/local.sqlite`, is made and seeded at first use with a key of its
 * own, and runs only as long as the command that uses it. No account, no network beyond the loopback address.
 */
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { explainFileError, StorageError } from "../errors.ts";
import { readRegularFile } from "../files.ts";
import { makePrivate } from "../private-file.ts";
import { localSeed } from "./local-seed.ts";
import { replaceFile } from "./write-file.ts";

/** Files of the embedded service, all in the folder `.orgsync` of the working directory. */
export const localFolder = ".orgsync";

export interface LocalService {
	readonly url: string;
	readonly keyFile: string;
	readonly organizationIds: readonly string[];
	close(): Promise<void>;
}

/**
 * The embedded service of this folder, running. Throws StorageError when its files cannot be used, or are not private to
 * their owner and cannot be made so; `notice` gets what was changed about them.
 */
export async function startLocalService(
	directory: string,
	notice: (text: string) => void = () => undefined,
): Promise<LocalService> {
	const { startEmulator } = await import("../emulator/server.ts");
	const { parseSeed } = await import("../emulator/seed.ts");
	const folder = join(directory, localFolder);
	const keyFile = join(folder, "local.private");
	const publicKey = readOrMakeKey(directory, keyFile, notice);
	const emulator = await startEmulator({
		dataFile: join(folder, "local.sqlite"),
		notice,
		seed: parseSeed(localSeed(publicKey), "the seed of the local service"),
	});
	return {
		url: emulator.url,
		keyFile,
		organizationIds: emulator.organizations.map(({ organizationId }) => organizationId),
		close: () => emulator.close(),
	};
}

/** The public key of the key pair in the folder, which is made, readable by its owner alone, when it is not there. */
function readOrMakeKey(directory: string, keyFile: string, notice: (text: string) => void): string {
	const folder = dirname(keyFile);
	const publicFile = keyFile.replace(/\.private$/, ".public");
	try {
		if (existsSync(keyFile) && existsSync(publicFile)) {
			for (const file of [keyFile, publicFile]) makePrivate(file, notice);
			return readRegularFile(publicFile, 1024).bytes.toString("utf8").trim();
		}
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		// What is kept here is never meant for version control: a key, a database, a journal.
		replaceFile(join(folder, ".gitignore"), "*\n", { directory, isSecret: true });
		const {
			d = "",
			x = "",
			y = "",
		} = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
		const publicKey = compressPoint(Buffer.from(x, "base64url"), Buffer.from(y, "base64url"));
		replaceFile(publicFile, `${publicKey}\n`, { directory, isSecret: true });
		replaceFile(keyFile, `${Buffer.from(d, "base64url").toString("hex")}\n`, { directory, isSecret: true });
		return publicKey;
	} catch (error) {
		if (error instanceof StorageError) throw error;
		const reason = explainFileError(error);
		throw new StorageError(`the local service cannot keep its files in ${folder}: ${reason}`, { cause: error });
	}
}

/** The compressed form of a P-256 point as hex: 02 or 03 by the parity of y, then x (SEC 1, 2.3.3). */
function compressPoint(x: Buffer, y: Buffer): string {
	return Buffer.concat([Buffer.from([(y[y.length - 1] ?? 0) % 2 === 0 ? 2 : 3]), x]).toString("hex");
}
