/** Finds the plan that was reviewed: that of the last commit of the pull request that brought a commit to its branch. */
import { ConfigurationError } from "../common/errors.ts";
import { showText } from "../common/escape.ts";
import { isRecord } from "../common/json.ts";
import type { Github } from "./github.ts";
import type { Environment } from "./settings.ts";

/**
 * Returns the pull request, and the run that has the plan among its artifacts. Throws ConfigurationError if no plan of this
 * repository belongs to the commit: never takes the artifact of a fork.
 */
export async function findReviewed(github: Github, environment: Environment, workflow: string) {
	const { GITHUB_SHA: commit = "", GITHUB_REF_NAME: branch = "", GITHUB_REPOSITORY: repository = "" } = environment;
	const pullRequest = await findMerged(github, commit);
	if (pullRequest === undefined) {
		throw new ConfigurationError(`no merged pull request belongs to ${commit}, and only a reviewed plan is applied`, {
			hint: "start this workflow by hand, to plan and review now",
		});
	}
	const head = headOf(await github.get(`pulls/${pullRequest}`), branch, repository);
	if (head === undefined) {
		throw new ConfigurationError(
			`#${pullRequest} is not merged into ${showText(branch)}, or comes from a fork, which gets no plan`,
			{ hint: "start this workflow by hand, to plan and review now" },
		);
	}
	const query = `head_sha=${head}&event=pull_request&status=success&per_page=100`;
	const found = await github.get(`actions/workflows/${workflow}/runs?${query}`);
	const runs = isRecord(found) && Array.isArray(found.workflow_runs) ? found.workflow_runs.filter(isRecord) : [];
	const run = runs.find((one) => nameOf(one.head_repository) === repository)?.id;
	if (typeof run === "number") return { pullRequest, run };
	throw new ConfigurationError(`no plan of #${pullRequest} succeeded at its last commit, ${head}`, {
		hint: `it is searched in the runs of ${workflow}; start this workflow by hand, to plan and review now`,
	});
}

/** Returns the number of the pull request whose merge made this commit; undefined if there is none. */
export async function findMerged(github: Github, commit: string): Promise<number | undefined> {
	for await (const one of github.list(`commits/${commit}/pulls?per_page=100`)) {
		if (typeof one.merged_at === "string" && one.merge_commit_sha === commit && typeof one.number === "number") {
			return one.number;
		}
	}
	return undefined;
}

/** The last commit of a pull request that was merged into the branch, from a branch of the same repository. */
function headOf(request: unknown, branch: string, repository: string): string | undefined {
	if (!isRecord(request) || request.merged !== true) return undefined;
	const { base, head } = request;
	if (!isRecord(base) || base.ref !== branch || !isRecord(head) || nameOf(head.repo) !== repository) return undefined;
	return typeof head.sha === "string" && /^[0-9a-f]{40,64}$/.test(head.sha) ? head.sha : undefined;
}

function nameOf(repository: unknown): unknown {
	return isRecord(repository) ? repository.full_name : undefined;
}
