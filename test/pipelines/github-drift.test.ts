/**
 * The story of drift, run from the workflow as it is written: an issue is opened, brought up to date, and closed.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectNoSecret } from "../run.ts";
import { agreeing, alice, bob, document, keys, tags } from "../world.ts";
import { makeRepository } from "./repository.ts";

const text = document(agreeing.userTags);
const listed = (...numbers: readonly number[]) => ({
	when: /issue list --app github-actions --label orgsync-drift --state open/,
	stdout: numbers.map((number) => ({ number })),
});
const anything = { when: /^gh (?:issue|label) (?:create|edit|close)/ };
const drifted = { userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [alice, bob] }] };
const agreed = { userTags: [{ tagId: tags.oncall, tagName: "oncall", userIds: [bob] }] };

test("drift opens an issue, the next run updates it, and a run without drift closes it", async () => {
	const { actions, recorders, onMain, change, submits } = await makeRepository(text);
	recorders.prepare(listed(), anything);
	await change(drifted);
	const opening = await actions.run("orgsync-drift", onMain());
	expect(opening.results, opening.log).toEqual({ look: "success", issue: "success" });
	const [, label, created] = recorders.calls("gh");
	expect(label?.words.slice(0, 3)).toEqual(["label", "create", "orgsync-drift"]);
	expect(created?.words.slice(0, 2)).toEqual(["issue", "create"]);
	expect(created?.bodies[0]).toMatch(/^<!-- orgsync: drift -->\n[\s\S]*oncall/);

	recorders.prepare(listed(12), anything);
	await actions.run("orgsync-drift", onMain());
	expect(recorders.calls("gh")[1]?.words.slice(0, 3)).toEqual(["issue", "edit", "12"]);

	await change(agreed);
	await actions.run("orgsync-drift", onMain());
	const [, closed] = recorders.calls("gh");
	expect(closed?.words.slice(0, 4)).toEqual(["issue", "close", "12", "--comment"]);
	expect(submits()).toEqual([]);
});

test("a failed run is red and closes no issue, and a pending activity neither opens nor closes one", async () => {
	const { actions, recorders, onMain, change, setRules, run, checkout } = await makeRepository(text);
	recorders.prepare(listed(12), anything);
	const refused = { ...onMain(), secretsOf: { "": { ORGSYNC_READ_KEY: keys.stranger.privateKey } } };
	const failed = await actions.run("orgsync-drift", refused);
	expect(failed.results).toEqual({ look: "failure", issue: "skipped" });
	expect(failed.log).toContain("::error title=orgsync::orgsync drift ended with exit code 4");
	expect(recorders.calls("gh")).toEqual([]);

	await change(drifted);
	await setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
	expect((await run(["apply", "-f", "organization", "--yes"], { cwd: checkout })).code).toBe(8);
	const waiting = await actions.run("orgsync-drift", onMain());
	expect(waiting.results, waiting.log).toEqual({ look: "success", issue: "success" });
	expect(waiting.log).toContain("::notice title=orgsync::All differences are pending approval");
	expect(recorders.calls("gh").map(({ words }) => words.slice(0, 3))).toEqual([
		["issue", "list", "--app"],
		["issue", "edit", "12"],
	]);
});

test("a run that reads only a part is red, opens an issue for its findings, keeps them, and closes nothing", async () => {
	const unknown = "f0000000-0000-4000-8000-000000000099";
	const other = `organizationId: ${unknown}\nuserTags: [{ name: oncall }]\n`;
	const repository = await makeRepository(text, { "organization/other.yaml": other });
	const { actions, recorders, onMain, change, submits } = repository;
	await change(drifted);
	recorders.prepare(listed(), anything);
	const opening = await actions.run("orgsync-drift", onMain());
	expect(opening.results, opening.log).toEqual({ look: "failure", issue: "success" });
	expect(opening.log).toContain("ended with exit code 1: the check failed, for all or for a part");
	const created = recorders.calls("gh").at(-1);
	expect(created?.words.slice(0, 2)).toEqual(["issue", "create"]);
	expect(created?.bodies[0]).toMatch(/oncall/);
	expect(created?.bodies[0]).toContain(unknown);

	recorders.prepare(listed(12), anything);
	const blind = { ...onMain(), secretsOf: { "": { ORGSYNC_READ_KEY: keys.stranger.privateKey } } };
	const lost = await actions.run("orgsync-drift", blind);
	expect(lost.results, lost.log).toEqual({ look: "failure", issue: "skipped" });
	const again = await actions.run("orgsync-drift", onMain());
	expect(again.results, again.log).toEqual({ look: "failure", issue: "success" });
	expect(recorders.calls("gh").at(-1)?.words.slice(0, 3)).toEqual(["issue", "edit", "12"]);
	const kept = JSON.parse(readFileSync(join(again.artifacts["orgsync-drift"] ?? "", "last.json"), "utf8"));
	const states = kept.drift.flatMap(({ findings }: { findings: { state: string }[] }) =>
		findings.map((one) => one.state),
	);
	expect(states).toEqual(["still-there"]);

	await change(agreed);
	const over = await actions.run("orgsync-drift", onMain());
	expect(over.results, over.log).toEqual({ look: "failure", issue: "skipped" });
	expect(recorders.calls("gh")).toEqual([]);
	expect(submits()).toEqual([]);
});

test("no secret is in what was printed, recorded or saved", () => expectNoSecret());
