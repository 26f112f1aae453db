/**
 * The story of drift, run from the workflow as it is written: an issue is opened, brought up to date, and closed.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agreeing, alice, bob, document, keys, tags } from "../world.ts";
import { bot, type GithubServer } from "./github-server.ts";
import { home, makeRepository } from "./repository.ts";

const text = document(agreeing.userTags);
const open = (number: number) => ({
	id: number,
	number,
	user: bot,
	body: "",
	state: "open",
	labels: ["orgsync-drift"],
});
const drifted = { userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [alice, bob] }] };
const agreed = { userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [bob] }] };

/** What was written to GitHub since the last time that this was asked. */
function writesTo(github: GithubServer): readonly string[] {
	const writes = github.requests.filter(({ line }) => !line.startsWith("GET "));
	github.requests.splice(0);
	return writes.map(({ line }) => line.replace(`/repos/${home}/`, ""));
}

test("drift opens an issue, the next run updates it, and a run without drift closes it", async () => {
	const { actions, github, onMain, change, submits } = await makeRepository(text);
	const mallory = { ...open(11), user: { login: "mallory" } };
	github.issues.push(mallory);
	await change(drifted);
	const opening = await actions.run("orgsync-drift", onMain());
	expect(opening.results, opening.log).toEqual({ drift: "success" });
	expect(writesTo(github)).toEqual(["POST labels", "POST issues"]);
	const created = github.issues[1];
	expect(created).toMatchObject({ state: "open", labels: ["orgsync-drift"] });
	expect(created?.body).toMatch(/^<!-- orgsync: drift -->\n[\s\S]*oncall/);

	const again = await actions.run("orgsync-drift", onMain());
	expect(writesTo(github)).toEqual([`PATCH issues/${created?.number}`]);
	expect(again.log).toContain("1 from before");

	await change(agreed);
	await actions.run("orgsync-drift", onMain());
	expect(writesTo(github)).toEqual([`POST issues/${created?.number}/comments`, `PATCH issues/${created?.number}`]);
	expect(github.issues.map(({ state }) => state)).toEqual(["open", "closed"]);
	expect(github.issues[0]).toEqual(mallory);
	expect(submits()).toEqual([]);
});

test("a failed run is red and closes no issue, and a pending activity neither opens nor closes one", async () => {
	const { actions, github, onMain, change, setRules, run, checkout } = await makeRepository(text);
	github.issues.push(open(12));
	const refused = { ...onMain(), secretsOf: { "": { ORGSYNC_READ_KEY: keys.stranger.privateKey } } };
	const failed = await actions.run("orgsync-drift", refused);
	expect(failed.results).toEqual({ drift: "failure" });
	expect(failed.log).toContain("::error title=orgsync::orgsync drift ended with exit code 4");
	expect(writesTo(github)).toEqual([]);

	await change(drifted);
	await setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
	expect((await run(["apply", "-f", "organization", "--yes"], { cwd: checkout })).code).toBe(8);
	const waiting = await actions.run("orgsync-drift", onMain());
	expect(waiting.results, waiting.log).toEqual({ drift: "success" });
	expect(waiting.log).toContain("::notice title=orgsync::All differences are pending approval");
	expect(writesTo(github)).toEqual(["PATCH issues/12"]);
	expect(github.issues[0]?.state).toBe("open");
});

test("a run that reads only a part is red, opens an issue for its findings, keeps them, and closes nothing", async () => {
	const unknown = "f0000000-0000-4000-8000-000000000099";
	const other = `organizationId: ${unknown}\nuserTags: [{ name: oncall }]\n`;
	const repository = await makeRepository(text, { "organization/other.yaml": other });
	const { actions, github, onMain, change, submits } = repository;
	await change(drifted);
	const opening = await actions.run("orgsync-drift", onMain());
	expect(opening.results, opening.log).toEqual({ drift: "failure" });
	expect(opening.log).toContain("ended with exit code 1");
	expect(writesTo(github)).toEqual(["POST labels", "POST issues"]);
	expect(github.issues[0]?.body).toMatch(/oncall/);
	expect(github.issues[0]?.body).toContain(unknown);

	const blind = { ...onMain(), secretsOf: { "": { ORGSYNC_READ_KEY: keys.stranger.privateKey } } };
	const lost = await actions.run("orgsync-drift", blind);
	expect(lost.results, lost.log).toEqual({ drift: "failure" });
	expect(writesTo(github)).toEqual([]);
	const again = await actions.run("orgsync-drift", onMain());
	expect(again.results, again.log).toEqual({ drift: "failure" });
	expect(writesTo(github)).toEqual([`PATCH issues/${github.issues[0]?.number}`]);
	const kept = JSON.parse(readFileSync(join(again.artifacts["orgsync-drift"] ?? "", "result.json"), "utf8"));
	const states = kept.drift.flatMap(({ findings }: { findings: { state: string }[] }) =>
		findings.map((one) => one.state),
	);
	expect(states).toEqual(["still-there"]);

	await change(agreed);
	const over = await actions.run("orgsync-drift", onMain());
	expect(over.results, over.log).toEqual({ drift: "failure" });
	expect(writesTo(github)).toEqual([]);
	expect(github.issues[0]?.state).toBe("open");
	expect(submits()).toEqual([]);
});
