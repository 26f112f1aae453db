/** What no source documents of policies: said once where a plan, drift or powers rest on it, in every format. */
import { describe, expect, test } from "vitest";
import { readOutput } from "../../run.ts";
import { alice, document, makeWorld, policies, tags } from "../../world.ts";

const ofTag = `approvers.any(user, user.tags.contains('${tags.signers}'))`;
const written: readonly {
	readonly name: string;
	readonly effect: string;
	readonly consensus: string;
	readonly condition: string;
}[] = [
	{
		name: "sign",
		effect: "EFFECT_ALLOW",
		consensus: ofTag,
		condition: "activity.action == 'SIGN' && wallet.exported == false",
	},
	{
		name: "no hash",
		effect: "EFFECT_DENY",
		consensus: "",
		condition: "!(wallet.id == 'x') && activity.action != 'SIGN'",
	},
	{
		name: "mixed",
		effect: "EFFECT_ALLOW",
		consensus: ofTag,
		condition: "activity.action == 'SIGN' && wallet.id == 'a' || wallet.id == 'b'",
	},
	{ name: "only wallets", effect: "EFFECT_DENY", consensus: "", condition: "wallet.id == 'x'" },
];

async function makeOrganization(sections: string) {
	const world = await makeWorld(document(sections));
	const all = written.map(({ name, ...more }, index) => ({
		...{ policyId: policies[index] ?? `90000000-0000-4000-8000-00000000000${index + 1}`, policyName: name, ...more },
	}));
	await world.change({ policies: all });
	return world;
}

const bools = /policy .?sign.?: .?==.? compares bools/;
const precedence = /policy .?mixed.?: operators bind in the usual order/;

describe("What is assumed of policies", () => {
	const gains = `userTags: [{ name: signers, members: { exactly: [${alice}] } }]`;

	test.each(["text", "markdown", "html", "github"])("is said once in a plan, in %s", async (format) => {
		const world = await makeOrganization(gains);
		const { stdout } = await world.run(["plan", "--format", format]);
		const shown = stdout.replaceAll(/<[^>]+>/g, "").replaceAll("&amp;", "&");
		for (const sentence of [bools, precedence]) {
			expect(shown).toMatch(sentence);
			expect(shown.match(new RegExp(sentence, "g"))).toHaveLength(format === "github" ? 2 : 1);
		}
	});

	test("is in the JSON of a plan, of drift and of a saved plan, which runs", async () => {
		const world = await makeOrganization(gains);
		for (const command of ["plan", "drift"]) {
			const [{ assumptions, policyNames }] = readOutput(await world.run([command, "--format", "json"])).plans;
			expect(assumptions).toEqual(expect.arrayContaining([expect.stringMatching(/^policy \S+: `==` compares bools$/)]));
			expect(Object.values(policyNames)).toEqual(expect.arrayContaining(["sign", "mixed"]));
		}
		await world.run(["plan", "--out", "plan.json"]);
		expect((await world.run(["show", "plan.json"])).stdout).toMatch(bools);
		// The policies deny the key that applies it: the file is accepted.
		expect((await world.run(["apply", "--plan", "plan.json", "--yes"])).code).toBe(9);
	});

	test("is said once by powers, with what errs and what is negated", async () => {
		const world = await makeOrganization("");
		const { stdout } = await world.run(["powers"]);
		expect(stdout.match(/only wallets.?: a condition that errs neither allows nor denies/g)).toHaveLength(1);
		expect(stdout).toMatch(bools);
		expect(stdout).toMatch(/policy .?no hash.?: `!` is allowed outside `time`/);
		expect((await world.run(["powers", "--format", "github"])).stdout).toMatch(bools);
	});

	test("is not said of policies without it", async () => {
		const world = await makeWorld(document(gains));
		const { stdout } = await world.run(["plan"]);
		expect(stdout).not.toContain("not documented");
		expect(readOutput(await world.run(["plan", "--format", "json"])).plans[0]).not.toHaveProperty("assumptions");
	});
});
