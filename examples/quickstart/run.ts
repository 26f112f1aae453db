/**
 * The quickstart as a story that tells itself: `npm start`. It runs the real command line on the embedded service, in a
 * folder of its own that it removes again; no account, no network, no question.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

interface Scene {
	readonly say: string;
	readonly words: string;
	readonly exitCode: number;
}

const scenes: readonly Scene[] = [
	{ say: "What would have to change?", words: "plan --local -f document.yaml", exitCode: 0 },
	{ say: "Make it so: five activities, each sent once.", words: "apply --local -f document.yaml --yes", exitCode: 0 },
	{ say: "And again: nothing left to do.", words: "plan --local -f document.yaml", exitCode: 0 },
	{
		say: "Behind our back, somebody renames a tag and takes it from bob (with another document and another journal).",
		words: "apply --local -f somebody-else.yaml --yes --journal .orgsync/somebody-else.sqlite",
		exitCode: 0,
	},
	{ say: "A scheduled job would notice: drift exits 2.", words: "drift --local -f document.yaml", exitCode: 2 },
	{ say: "Put it right: one activity for both.", words: "apply --local -f document.yaml --yes", exitCode: 0 },
	{ say: "Everything is as the document says.", words: "drift --local -f document.yaml", exitCode: 0 },
];

process.exitCode = play();

/** Plays every scene and returns 0; stops with 1 at the first command that ends otherwise than it should. */
function play(): number {
	const folder = mkdtempSync(join(tmpdir(), "orgsync-quickstart-"));
	try {
		for (const name of ["document.yaml", "somebody-else.yaml"]) cpSync(join(here, name), join(folder, name));
		for (const { say, words, exitCode } of scenes) {
			process.stdout.write(`\n# ${say}\n$ orgsync ${words}\n`);
			const { status } = spawnSync(process.execPath, [program, ...words.split(" ")], { cwd: folder, stdio: "inherit" });
			if (status !== 0) process.stdout.write(`(exit code ${status})\n`);
			if (status !== exitCode) return 1;
		}
		process.stdout.write("\nThat was it. README.md goes on from here.\n");
		return 0;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
