/**
 * An organization from nothing, played on the emulator: tags and policies are created, changed by hand and taken back, changed by a
 * pull request, and removed. Run it with `node examples/policies/run.ts` after `npm run build`.
 */
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSeed, startEmulator } from "../../dist/emulator/server.js";
import { createApiKeyStamper } from "../../dist/index.js";
import { commandFile } from "../../scripts/manifest.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "orgsync-policies-"));
const people = ["alice", "bob", "pipeline"] as const;
type Person = (typeof people)[number];

/** Writes a key of this person into the folder, and returns its public half. */
function makeKey(person: Person): string {
	const { d = "" } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
	const privateKey = Buffer.from(d, "base64url").toString("hex");
	writeFileSync(join(folder, `${person}.private`), privateKey, { mode: 0o600 });
	return createApiKeyStamper({ privateKey }).publicKey;
}

const signersOfMore = `  - name: a signer and an admin sign up to 5 ETH
    effect: allow
    consensus: |-
      approvers.any(user, user.tags.contains('\${userTags.signers}'))
      && approvers.any(user, user.tags.contains('\${userTags.admins}'))
    condition: |-
      activity.kind == 'SIGN_TRANSACTION' && eth.tx.value <= 5000000000000000000
`;

/** The documents of the story beside document.yaml, which they vary. */
function writeDocuments(): void {
	const document = readFileSync(join(here, "document.yaml"), "utf8");
	for (const name of ["document.yaml", "destroy.yaml"]) cpSync(join(here, name), join(folder, name));
	const documents = {
		"main.yaml": document,
		"hurry.yaml": document.replace("value <= 1000000000000000000", "value <= 50000000000000000000"),
		"pull-request.yaml": document.replace(/^exactly:/m, () => `${signersOfMore}exactly:`),
	};
	for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, name), text);
}

async function main(): Promise<void> {
	writeDocuments();
	let seed = readFileSync(join(here, "seed.yaml"), "utf8");
	for (const person of people) seed = seed.replace(`${person.toUpperCase()}_PUBLIC_KEY`, `"${makeKey(person)}"`);
	const emulator = await startEmulator({
		dataFile: join(folder, "service.sqlite"),
		seed: parseSeed(seed, "seed.yaml"),
	});
	const say = (text: string): boolean => process.stdout.write(`\n# ${text}\n`);
	const orgsync = async (person: Person, words: string, journal = `${person}.sqlite`): Promise<void> => {
		process.stdout.write(`${person}$ orgsync ${words}\n`);
		// People have folders of their own; here, journals.
		const own = /^(?:apply|approve)/.test(words) ? ["--journal", journal] : [];
		const settings = { ORGSYNC_URL: emulator.url, ORGSYNC_KEY_FILE: `${person}.private` };
		const { status } = await run([...words.split(" "), ...own], settings);
		if (status !== 0) process.stdout.write(`(exit code ${status})\n`);
	};

	/** The pipeline's job, an admin's approval, and the job's next run. */
	const applyAndApprove = async (admin: Person): Promise<void> => {
		await orgsync("pipeline", "apply -f document.yaml --yes --quiet");
		await orgsync(admin, "approve -f document.yaml --yes --quiet");
		await orgsync("pipeline", "apply -f document.yaml --yes --quiet");
	};

	say("A new organization: no tags, no policies, and alice is its root user.");
	await orgsync("alice", "plan -f document.yaml");
	await orgsync("alice", "apply -f document.yaml --yes --quiet");
	say("In a hurry, alice lets signers sign 50 ETH, past the document. A scheduled job finds it.");
	await orgsync("alice", "apply -f hurry.yaml --yes --quiet --allow escalation=1", "hurry.sqlite");
	await orgsync("pipeline", "drift -f document.yaml");
	say("The pipeline takes it back. Its key may only submit: an admin has to approve.");
	await applyAndApprove("bob");
	say("A pull request: one policy more. Its comment says what that means.");
	cpSync(join(folder, "pull-request.yaml"), join(folder, "document.yaml"));
	await orgsync("pipeline", "plan -f document.yaml --base-file main.yaml");
	say("It is merged and applied. It gives bob more, so alice approves it.");
	await applyAndApprove("alice");
	say(
		"The end: a document in which nothing exists, applied by the root user. What that takes away has to be allowed by its number.",
	);
	await orgsync("alice", "apply -f destroy.yaml --yes --quiet");
	await orgsync("alice", "apply -f destroy.yaml --yes --quiet --allow ownUserTags=2 --allow lockout=7");
	await emulator.close();
}

/** Runs a command while this process keeps serving; what it shows before it acts is printed among the rest. */
async function run(
	words: readonly string[],
	settings: Readonly<Record<string, string>>,
): Promise<{ status: number | null }> {
	const env = { ...process.env, ...settings };
	const child = spawn(process.execPath, [commandFile, ...words], { cwd: folder, env, stdio: ["ignore", "inherit", 1] });
	return new Promise((resolve) => child.once("exit", (status) => resolve({ status })));
}

try {
	await main();
} finally {
	rmSync(folder, { recursive: true, force: true });
}
