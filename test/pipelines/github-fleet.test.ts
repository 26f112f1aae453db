/**
 * A fleet looked at in shares, run from the workflow as it is written.
 */
import { expect, test } from "vitest";
import { expectNoSecret } from "../run.ts";
import { document } from "../world.ts";
import { fleet, makeRepository } from "./repository.ts";

test("the shards cover the whole fleet, and one summary lists every organization", async () => {
	const documents = fleet.map(({ document }, index) => [
		`fleet/${index}.yaml`,
		document(index === 4 ? "duty" : "oncall"),
	]);
	const { actions, onMain, addOrganization, submits } = await makeRepository(document(), Object.fromEntries(documents));
	for (const { seed } of fleet) await addOrganization(seed);
	const { results, summary, log } = await actions.run("orgsync-fleet", onMain());
	const shares = Object.keys(results).filter((name) => name.startsWith("look"));
	expect(shares).toEqual(["look (1)", "look (2)", "look (3)", "look (4)"]);
	for (const share of shares) expect(results[share], log).toBe("success");
	expect(results.summary).toBe("failure");
	expect(
		summary
			.match(/^- \d-of-4: .*$/gm)
			?.map((line) => line.replace(/^- \d-of-4: /, ""))
			.sort(),
	).toEqual(["drift (exit code 2)", "in sync (exit code 0)", "in sync (exit code 0)", "in sync (exit code 0)"]);
	const counted = [...log.matchAll(/^Shard \d\/4: (\d) of 6 organizations\.$/gm)].map(([, count]) => Number(count));
	expect(counted.reduce((sum, count) => sum + count)).toBe(6);
	for (const { organizationId } of fleet) expect(summary.split(organizationId)).toHaveLength(2);
	expect(submits()).toEqual([]);
});

test("no secret is in what was printed, recorded or saved", () => expectNoSecret());
