/** A user id that the organization does not have, in the commands that read a document. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readOutput } from "../run.ts";
import { alice, bob, document, makeWorld, organizationId, tags } from "../world.ts";

const gone = "a0000000-0000-4000-8000-0000000000f9";
const signers = "userTags: [{ name: signers, members: { exactly: [alice, bob] } }]";

test("a wrong id of an alias is a problem at its place, with the user who is probably meant, and nothing is submitted", async () => {
	const world = await makeWorld(document(signers).replace(bob, gone));
	const said = `orgsync.yaml:2:60: the organization has no user ${gone} (\`bob\`); did you mean \`bob\`, whose id is ${bob}?`;
	const plan = await world.run(["plan"]);
	expect(plan.code).toBe(1);
	expect(plan.stdout).toContain(`This organization cannot converge:\n  ${said}\n`);
	expect(plan.stdout).not.toContain("can no longer");
	const apply = await world.run(["apply", "--yes"]);
	expect(apply).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
	expect(world.submits()).toEqual([]);
	const drift = readOutput(await world.run(["drift", "--format", "json"]));
	expect(drift).toMatchObject({
		exitCode: 2,
		plans: [{ problems: [{ code: "user-not-there", line: 2, column: 60 }] }],
	});
	const text = await world.run(["drift"]);
	expect(text.stdout).toContain("to do: correct the user's id in the document, or remove the user from `signers`");
	expect((await world.run(["plan", "--reads", "documented"])).stdout).not.toContain("has no user");
	expect(readOutput(await world.run(["plan", "--only", "userTag/on*", "--format", "json"])).error).toMatchObject({
		code: "configuration",
	});
});

test("a wrong id in a list of organizations is a problem at its place in the list", async () => {
	const text = `organizations: { from: desks.csv }\nuserTags: [{ name: signers, members: { exactly: ["\${each.lead}"] } }]\n`;
	const world = await makeWorld(text);
	world.write("desks.csv", `organizationId,lead\n${organizationId},${gone}\n`);
	expect((await world.run(["plan"])).stdout).toContain(`desks.csv:2:38: the organization has no user ${gone}`);
});

test("grant and revoke refuse an alias whose id does not exist with the user who is probably meant, and write nothing", async () => {
	const own = document(signers).replace(bob, gone);
	const world = await makeWorld(own);
	for (const words of [
		["grant", "bob", "signers", "--for", "4h", "--reason", "page"],
		["revoke", "bob", "signers"],
	]) {
		const answer = await world.run(words);
		expect(answer.code).toBe(3);
		expect(answer.stderr).toContain(
			`error: USER bob: the organization has no user ${gone} (\`bob\`); did you mean \`bob\`, whose id is ${bob}?`,
		);
		expect(readFileSync(join(world.folder, "orgsync.yaml"), "utf8")).toBe(own);
	}
});

test("a member who was deleted after an apply is a problem, and one who was removed from the document too is none", async () => {
	const world = await makeWorld(document(signers));
	expect((await world.run(["apply", "--yes", "--allow", "memberRemovals=1"])).code).toBe(0);
	await world.change({ userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice] }] });
	world.write("orgsync.yaml", document(signers.replace("bob", gone)));
	expect((await world.run(["plan"])).stdout).toContain(`orgsync.yaml:3:57: the organization has no user ${gone}; did`);
	world.write(
		"orgsync.yaml",
		document(`userTags: [{ name: signers, members: { atLeast: [alice], never: [${gone}] } }]`),
	);
	expect((await world.run(["plan", "--detailed-exitcode"])).code).toBe(0);
});
