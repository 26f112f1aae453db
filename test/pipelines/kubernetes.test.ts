/**
 * The containers' commands of the Kubernetes examples, run as they are written, once for each index.
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { type Answer, makeFolder, runProgram, startProgram } from "../run.ts";
import { keys, makeWorld, type World } from "../world.ts";
import { fleet } from "./repository.ts";
import { makeRecorders, readExample } from "./workflow.ts";

interface Container {
	readonly command: readonly string[];
	readonly env: readonly { readonly name: string; readonly value: string }[];
}

const job = parse(readExample("kubernetes/fleet-apply.yaml"));
const cronJob = parse(readExample("kubernetes/fleet-drift.yaml"));
const applying: Container = job.spec.template.spec.containers[0];
const looking: Container = cronJob.spec.jobTemplate.spec.template.spec.containers[0];

/** A folder as Kubernetes mounts a ConfigMap: links to links, so that all files change at once. */
function mountDocuments(documents: readonly string[]): string {
	const folder = makeFolder();
	const data = "..2026_11_21_05_17_00.0123456789";
	mkdirSync(join(folder, data));
	symlinkSync(data, join(folder, "..data"));
	for (const [index, document] of documents.entries()) {
		writeFileSync(join(folder, data, `${index}.yaml`), document);
		symlinkSync(`..data/${index}.yaml`, join(folder, `${index}.yaml`));
	}
	return folder;
}

/** The command with the folders where this test has them, and its environment for one index. */
function containerOf({ command, env }: Container, { url }: World, documents: string, index: number) {
	const key = makeFolder();
	writeFileSync(join(key, "api.private"), keys.alice.privateKey);
	const words = command.map((word) => word.replaceAll("/documents", documents).replaceAll("/run/secrets/orgsync", key));
	const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
	const { path } = makeRecorders();
	return [words, { env: { ...given, PATH: path, ORGSYNC_URL: url, JOB_COMPLETION_INDEX: String(index) } }] as const;
}

async function runIndexes(
	container: Container,
	world: World,
	documents: string,
	indexes: readonly number[],
): Promise<readonly Answer[]> {
	const answers = [];
	for (const index of indexes) answers.push(await runProgram(...containerOf(container, world, documents, index)));
	return answers;
}

test("all indexes together sync every organization exactly once, and an index with a pending approval succeeds", async () => {
	const world = await makeWorld();
	for (const { seed } of fleet) await world.addOrganization(seed);
	const waiting = fleet[1]?.organizationId;
	await fetch(`${world.url}/emulator/rules`, {
		method: "POST",
		body: JSON.stringify({ organizationId: waiting, rules: { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } } }),
	});
	const documents = mountDocuments(fleet.map(({ document }) => document("duty")));
	const answers = await runIndexes(applying, world, documents, [0, 1, 2, 3]);
	expect(
		answers.map(({ code }) => code),
		answers.map(({ stderr }) => stderr).join(""),
	).toEqual([0, 0, 0, 0]);
	expect(world.submits()).toEqual(fleet.map(() => "update_user_tag"));
	expect(answers.map(({ stdout }) => stdout).join("")).toContain("pending approval");
});

test("an index with drift fails with exit code 2, a failed one with another code, and the others succeed", async () => {
	const world = await makeWorld();
	const [unknown] = fleet.filter((_, index) => index === 2);
	for (const { organizationId, seed } of fleet) {
		if (organizationId !== unknown?.organizationId) await world.addOrganization(seed);
	}
	const documents = mountDocuments(fleet.map(({ document }, index) => document(index === 4 ? "duty" : "oncall")));
	const answers = await runIndexes(looking, world, documents, [0, 1, 3]);
	expect(answers.map(({ code }) => code)).toEqual([0, 1, 2]);
	expect(world.submits()).toEqual([]);
});

test("orgsync ends after the steps in flight when Kubernetes stops the shell", async () => {
	const world = await makeWorld();
	const [first] = fleet;
	await world.addOrganization(first?.seed ?? {});
	await world.addFault({ operation: "update_user_tag", fault: "slow", delayMs: 1500 });
	const documents = mountDocuments([first?.document("duty") ?? ""]);
	const [command, options] = containerOf(applying, world, documents, 0);
	const { child, ended } = startProgram(command, { ...options, env: { ...options.env, SHARDS: "1" } });
	onTestFinished(() => void child.kill("SIGKILL"));
	await expect.poll(() => world.submits(), { timeout: 20_000 }).toHaveLength(1);
	child.kill("SIGTERM");
	const { code, stdout, stderr } = await ended;
	expect([code, stdout]).toEqual([130, expect.stringContaining("Interrupted: 1 completed (7 queries, 1 submit).\n")]);
	expect(stderr).toContain("Interrupted: finishing the steps in flight");
});
