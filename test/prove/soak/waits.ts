/** Commands that wait for an approval as long as a soak lasts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandFile } from "../../../scripts/manifest.ts";
import { type ServerProcess, startServer } from "../processes.ts";
import { expectCode, keys, runOrgsync } from "./cron.ts";
import { documentOf, hasPending, type SoakOrganization, type SoakState, soakOrganization } from "./organizations.ts";

const waiting = soakOrganization(4, "waiting", true);
const applying = soakOrganization(5, "applying", true);

/** Each has one pending activity until the end, for which a command waits. */
export const waitedFor = [waiting, applying];

/** A command that waits for the end of an activity. */
export interface Wait {
	readonly name: string;
	readonly document: string;
	readonly journal: string;
	readonly process: ServerProcess;
}

/** Takes an organization out of sync, and writes its document. Returns the file of the document. */
async function leaveSync(cwd: string, url: string, organization: SoakOrganization): Promise<string> {
	const document = `${organization.name}.yaml`;
	writeFileSync(join(cwd, document), documentOf(organization, []));
	const [alice, , carol] = organization.users;
	const userTags = [{ tagId: organization.tags[0], tagName: "signers", userIds: [alice, carol] }];
	const body = JSON.stringify({ organizationId: organization.organizationId, userTags });
	await fetch(`${url}/emulator/state`, { method: "POST", body });
	return document;
}

function startWaiting(cwd: string, url: string, words: readonly string[]): Promise<ServerProcess> {
	const credentials = { ORGSYNC_URL: url, ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey };
	const env = { TMPDIR: join(cwd, "temporary"), ...credentials };
	return startServer([commandFile, ...words], { cwd, env, isObserved: true, isSilent: true });
}

async function isPending(url: string, { organizationId }: SoakOrganization): Promise<boolean> {
	const answer = await fetch(`${url}/emulator/state?organizationId=${organizationId}`);
	return hasPending((await answer.json()) as SoakState);
}

/** Starts the commands at the service with this address, which they reach through the proxy. */
export async function startWaits(cwd: string, url: string, proxy: string): Promise<readonly Wait[]> {
	return [await startWait(cwd, url, proxy), await startWaitingApply(cwd, url, proxy)];
}

/** Applies, and starts the `wait` for the activity. */
async function startWait(cwd: string, url: string, proxy: string): Promise<Wait> {
	const document = await leaveSync(cwd, url, waiting);
	const { privateKey } = keys.alice;
	const journal = "wait.sqlite";
	const words = ["apply", "-f", document, "--yes", "--quiet", "--journal", journal];
	expectCode("apply", await runOrgsync(words, { cwd, url, privateKey, aheadMs: 0 }), [8]);
	const wait = ["wait", "-f", document, "--wait", "86400", "--journal", journal];
	return { name: "wait", document, journal, process: await startWaiting(cwd, proxy, wait) };
}

/** Starts an `apply` that waits for the activity that it submits. */
async function startWaitingApply(cwd: string, url: string, proxy: string): Promise<Wait> {
	const document = await leaveSync(cwd, url, applying);
	const journal = "apply.sqlite";
	const words = ["apply", "-f", document, "--yes", "--quiet", "--wait-for-approval", "24h", "--journal", journal];
	const process = await startWaiting(cwd, proxy, words);
	// The faults begin after that.
	while (!(await isPending(url, applying))) await delay(50);
	return { name: "apply", document, journal, process };
}
