/**
 * A fleet looked at in shares, run from the workflow as it is written.
 */
import { expect, test } from "vitest";
import { document, keys } from "../world.ts";
import { fleet, makeRepository } from "./repository.ts";

test("the shards cover the whole fleet, and the summaries of the run list every organization", async () => {
	const documents = fleet.map(({ document }, index) => [
		`fleet/${index}.yaml`,
		document(index === 4 ? "duty" : "oncall"),
	]);
	const { actions, onMain, addOrganization, submits, clearRequests } = await makeRepository(
		document(),
		Object.fromEntries(documents),
	);
	for (const { seed } of fleet) await addOrganization(seed);
	const { results, summary, log, artifacts } = await actions.run("orgsync-fleet", onMain());
	expect(Object.keys(results), log).toEqual(["drift (1)", "drift (2)", "drift (3)", "drift (4)"]);
	expect(Object.values(results).toSorted()).toEqual(["failure", "success", "success", "success"]);
	expect(log.match(/::error title=orgsync::orgsync drift ended with exit code 2/g)).toHaveLength(1);
	const shares = ["orgsync-1-of-4-drift", "orgsync-2-of-4-drift", "orgsync-3-of-4-drift", "orgsync-4-of-4-drift"];
	expect(Object.keys(artifacts)).toEqual(shares);
	const counted = [...log.matchAll(/^Shard \d\/4: (\d) of 6 organizations\.$/gm)].map(([, count]) => Number(count));
	expect(counted.reduce((sum, count) => sum + count)).toBe(6);
	// A suggested command names the organization once more.
	const listed = summary.replaceAll(/--organization \S+/g, "");
	for (const { organizationId } of fleet) expect(listed.split(organizationId)).toHaveLength(2);
	expect(submits()).toEqual([]);

	// The same matrix applies the fleet, each share with a journal of its own.
	const context = { ...onMain(), secretsOf: { "": { ORGSYNC_READ_KEY: keys.alice.privateKey } } };
	const moreInputs = { command: "apply", "auto-approve": "true" };
	for (const sent of [1, 0]) {
		clearRequests();
		const applied = await actions.run("orgsync-fleet", { ...context, moreInputs });
		expect(Object.values(applied.results), applied.log).toEqual(["success", "success", "success", "success"]);
		expect(submits()).toHaveLength(sent);
	}
});
