/**
 * What the stories of the GitHub workflows share: an emulator, a git repository with the documents, and what GitHub would
 * hand to a run. Planning has bob's key, who may submit nothing; applying has alice's.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../src/plan/value.ts";
import { needPrograms } from "../needs.ts";
import { makeFolder } from "../run.ts";
import { alice, bob, keys, makeWorld, tags, type World } from "../world.ts";
import type { Context } from "./expressions.ts";
import { type GithubServer, startGithub } from "./github-server.ts";
import { type Actions, makeActions, makeRecorders, type Recorders } from "./workflow.ts";

needPrograms("the tests of the pipelines", "bash", "git", "jq");

export const home = "acme/access";

export interface Repository extends World {
	readonly actions: Actions;
	readonly recorders: Recorders;
	readonly github: GithubServer;
	/** The folder of the git repository. */
	readonly checkout: string;
	/** Writes the document on a branch and merges it as GitHub does for a look; returns the commit of that merge. */
	propose(text: string): string;
	/** What GitHub hands to a run for a pull request; from a fork, without any secret. */
	pullRequest(options?: { readonly from?: string }): Context;
	/** What it hands to a run on main. */
	onMain(): Context;
	/** The context of a run that was started manually. */
	byHand(inputs?: Readonly<Record<string, string>>): Context;
}

/** A repository whose main has this document, and these files besides. */
export async function makeRepository(text: string, files: Readonly<Record<string, string>> = {}): Promise<Repository> {
	const world = await makeWorld();
	await world.setRules({ deny: submitting.map((type) => ({ type: `ACTIVITY_TYPE_${type}`, userId: bob })) });
	const folder = makeFolder();
	const git = (...words: string[]): string =>
		execFileSync("git", ["-c", "user.name=alice", "-c", "user.email=alice@example.org", ...words], {
			cwd: folder,
			encoding: "utf8",
			stdio: "pipe",
		}).trim();
	const commit = (content: string): void => {
		mkdirSync(join(folder, "organization"), { recursive: true });
		writeFileSync(join(folder, "organization/orgsync.yaml"), content);
		git("add", ".");
		git("commit", "--quiet", "--allow-empty", "--message=change");
	};
	git("init", "--quiet", "--initial-branch=main");
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(join(folder, name, ".."), { recursive: true });
		writeFileSync(join(folder, name), content);
	}
	commit(text);
	const recorders = makeRecorders("gh", "curl");
	const token = "token-of-the-run";
	const server = await startGithub(home, token);
	const github = { repository: home, server_url: "https://github.test", api_url: server.url, token, ref_name: "main" };
	let runs = 0;
	const handed = (more: Record<string, unknown>, hasSecrets: boolean): Context => {
		runs += 1;
		const read = { ORGSYNC_READ_KEY: keys.bob.privateKey };
		return {
			github: { ...github, sha: git("rev-parse", "HEAD"), run_id: String(runs), run_attempt: "1", ...more },
			vars: { ORGSYNC_URL: world.url },
			inputs: more.inputs ?? {},
			secretsOf: hasSecrets
				? { "": read, production: { ...read, ORGSYNC_APPLY_KEY: keys.alice.privateKey } }
				: { "": {}, production: {} },
		};
	};
	return {
		...world,
		recorders,
		github: server,
		checkout: folder,
		actions: makeActions(folder, recorders),
		propose: (content) => {
			git("switch", "--quiet", "--force-create", "change", "main");
			commit(content);
			git("switch", "--quiet", "--force-create", "merged", "main");
			git("merge", "--quiet", "--no-ff", "--message=merge", "change");
			return git("rev-parse", "HEAD");
		},
		pullRequest: ({ from = home } = {}) =>
			handed(
				{
					event: { pull_request: { number: 7, head: { repo: { full_name: from } } } },
					event_name: "pull_request",
				},
				from === home,
			),
		onMain: () => handed({ event: {}, event_name: "push" }, true),
		byHand: (inputs = {}) => handed({ event: {}, event_name: "workflow_dispatch", inputs }, true),
	};
}

/** Changes facts of the saved plan in this file and its digest: anyone who can write the file can do both. */
export function replacePlan(file: string, facts: (plan: Record<string, unknown>) => object): void {
	const { digest: _digest, ...content } = JSON.parse(readFileSync(file, "utf8"));
	const plans = content.plans.map((plan: Record<string, unknown>) => ({ ...plan, ...facts(plan) }));
	writeFileSync(file, JSON.stringify({ ...content, plans, digest: digestOf({ ...content, plans }) }));
}

const submitting = [
	"UPDATE_USER_TAG",
	"DELETE_OAUTH_PROVIDERS",
	"DELETE_POLICIES",
	"DELETE_TVC_APP_AND_DEPLOYMENTS",
] as const;

/**
 * Organizations of alice's and bob's with one tag each. Of four shares they are in the first, third, second, first, fourth
 * and third.
 */
export const fleet = [17, 16, 36, 18, 24, 19].map((number) => {
	const organizationId = `f0000000-0000-4000-8000-0000000000${number}`;
	return {
		organizationId,
		seed: {
			organizationId,
			users: [
				{ userId: alice, userName: "alice", apiKeys: [{ publicKey: keys.alice.publicKey }] },
				{ userId: bob, userName: "bob", apiKeys: [{ publicKey: keys.bob.publicKey }] },
			],
			userTags: [{ tagId: tags.oncall, tagName: "oncall" }],
		},
		/** With another name, the tag is renamed. */
		document: (name = "oncall") =>
			`organizationId: ${organizationId}\nuserTags: [{ name: ${name}, id: ${tags.oncall} }]\n`,
	};
});
