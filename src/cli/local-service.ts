/** Runs the local emulator of `--local` on loopback, with its state and key in `.orgsync/`, as long as the command. */
import { createECDH } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { explainFileError, StorageError } from "../common/errors.ts";
import { readRegularFile } from "../common/files.ts";
import { makePrivate } from "../common/private-file.ts";
import { stateFolder } from "./files/state-folder.ts";
import { replaceFile } from "./files/write-file.ts";
import { localSeed } from "./local-seed.ts";

/** Starts the local emulator of this folder. Throws StorageError for files that cannot be used or made private. */
export async function startLocalService(directory: string, notice: (text: string) => void = () => undefined) {
	const { startEmulator } = await import("../emulator/server.ts");
	const folder = join(directory, stateFolder);
	const keyFile = join(folder, "local.private");
	const publicKey = readOrCreateKey(directory, keyFile, notice);
	const emulator = await startEmulator({ dataFile: join(folder, "local.sqlite"), notice });
	if (emulator.organizations.length === 0) {
		const { parseSeed } = await import("../emulator/seed/seed.ts");
		await emulator.changeState(parseSeed(localSeed(publicKey), "the seed of the local service"));
	}
	return {
		url: emulator.url,
		keyFile,
		organizationIds: emulator.organizations.map(({ organizationId }) => organizationId),
		close: () => emulator.close(),
	};
}

/** Returns the public key of the key pair in the folder. Creates the pair, readable by its owner only, if it is missing. */
function readOrCreateKey(directory: string, keyFile: string, notice: (text: string) => void): string {
	const folder = dirname(keyFile);
	const publicFile = keyFile.replace(/\.private$/, ".public");
	try {
		if (existsSync(keyFile) && existsSync(publicFile)) {
			for (const file of [keyFile, publicFile]) makePrivate(file, notice);
			return readRegularFile(publicFile, 1024).bytes.toString("utf8").trim();
		}
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		// Nothing here belongs in version control: a key, a database, a journal.
		replaceFile(join(folder, ".gitignore"), "*\n", { directory, isSecret: true });
		const pair = createECDH("prime256v1");
		const publicKey = pair.generateKeys("hex", "compressed");
		replaceFile(publicFile, `${publicKey}\n`, { directory, isSecret: true });
		replaceFile(keyFile, `${pair.getPrivateKey("hex").padStart(64, "0")}\n`, { directory, isSecret: true });
		return publicKey;
	} catch (error) {
		if (error instanceof StorageError) throw error;
		const reason = explainFileError(error);
		throw new StorageError(`the local service cannot keep its files in ${folder}: ${reason}`, { cause: error });
	}
}
