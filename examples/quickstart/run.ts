/**
 * Plays the quickstart: `npm start`. It runs the real command line on the local emulator, in a temporary folder. It needs no
 * account and no network, and asks nothing.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandFile } from "../../scripts/manifest.ts";

const here = fileURLToPath(new URL(".", import.meta.url));

interface Scene {
	readonly say: string;
	readonly words: string;
	readonly exitCode: number;
}

const scenes: readonly Scene[] = [
	{ say: "What would change?", words: "plan --local -f document.yaml", exitCode: 0 },
	{ say: "Apply it: five activities, each sent once.", words: "apply --local -f document.yaml --yes", exitCode: 0 },
	{ say: "Plan again: no changes.", words: "plan --local -f document.yaml", exitCode: 0 },
	{
		say: "Someone renames a tag and removes bob from it (with another document and another journal).",
		words: "apply --local -f someone-else.yaml --yes --journal .orgsync/someone-else.sqlite",
		exitCode: 0,
	},
	{ say: "A scheduled job finds it: drift exits with 2.", words: "drift --local -f document.yaml", exitCode: 2 },
	{ say: "Revert it: one activity for both changes.", words: "apply --local -f document.yaml --yes", exitCode: 0 },
	{ say: "In sync again.", words: "drift --local -f document.yaml", exitCode: 0 },
];

process.exitCode = play();

/** Plays every scene and returns 0; stops with 1 at the first command with another exit code than expected. */
function play(): number {
	const folder = mkdtempSync(join(tmpdir(), "orgsync-quickstart-"));
	try {
		for (const name of ["document.yaml", "someone-else.yaml"]) cpSync(join(here, name), join(folder, name));
		for (const { say, words, exitCode } of scenes) {
			process.stdout.write(`\n# ${say}\n$ orgsync ${words}\n`);
			const { status } = spawnSync(process.execPath, [commandFile, ...words.split(" ")], {
				cwd: folder,
				stdio: "inherit",
			});
			if (status !== 0) process.stdout.write(`(exit code ${status})\n`);
			if (status !== exitCode) return 1;
		}
		process.stdout.write("\nDone. README.md continues from here.\n");
		return 0;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
