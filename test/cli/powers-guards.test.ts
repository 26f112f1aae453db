/** Lockouts and escalations that people really make, each found before anything is submitted. */
import { describe, expect, test } from "vitest";
import { alice, bob, document, makeWorld, policies, tags, type World } from "../world.ts";

const has = (tag: string): string => `user.tags.contains('${tag}')`;
const signing = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
const exporting = "activity.resource == 'WALLET' && activity.action == 'EXPORT'";
const tagging = "activity.resource == 'USER' && activity.action == 'UPDATE'";
const allow = { effect: "EFFECT_ALLOW", consensus: "", condition: "", time: "" };

/** What apply says of this plan in an organization with these policies, in place of the three that are seeded. */
async function tryApply(
	sections: readonly string[],
	found: readonly object[],
): Promise<{ world: World; stderr: string; code: number | null }> {
	const world = await makeWorld(document(...sections));
	const padded = policies.map((policyId, at) => ({
		...{ ...allow, policyId, policyName: `policy ${at + 1}`, consensus: "false" },
		...found[at],
	}));
	await world.change({ policies: padded, rootQuorum: { threshold: 2, userIds: [alice, bob] } });
	const { code, stderr } = await world.run(["apply", "--yes", "--quiet"]);
	return { world, code, stderr };
}

async function expectBlocked(sections: readonly string[], found: readonly object[], message: string): Promise<void> {
	const { world, code, stderr } = await tryApply(sections, found);
	expect(stderr.split("\n")[0]).toBe(`error: blocked by a guard, nothing was submitted: ${message}`);
	expect(code).toBe(5);
	expect(world.submits()).toEqual([]);
}

const twoSigners = {
	...allow,
	consensus: `approvers.filter(user, ${has(tags.signers)}).count() >= 2`,
	condition: signing,
};
const removal = [`absent: { policies: [${policies[0]}] }`];

describe("a plan is blocked that", () => {
	test("leaves one member of a tag of which a consensus needs two", async () => {
		await expectBlocked(
			["userTags: [{ name: signers, members: { exactly: [alice] } }]"],
			[twoSigners],
			"no one could sign with any wallet or key (PRIVATE_KEY/SIGN) any more, except the root quorum (allowed: at most 0)",
		);
	});

	test("removes the deny policy that kept users from exporting alone", async () => {
		await expectBlocked(
			removal,
			[
				{ effect: "EFFECT_DENY", condition: "activity.action == 'EXPORT'", consensus: "" },
				{ consensus: `approvers.any(user, ${has(tags.oncall)})`, condition: exporting },
			],
			"bob could export wallets (WALLET/EXPORT) alone, where two or more were needed (allowed: at most 0)",
		);
	});

	test("adds its submitter to the tag of those who have to approve", async () => {
		const consensus = `approvers.any(user, user.id == '${alice}') && approvers.any(user, ${has(tags.oncall)})`;
		await expectBlocked(
			["userTags: [{ name: oncall, members: { exactly: [alice, bob] } }]"],
			[{ consensus, condition: tagging }],
			"alice could change users and their tags (USER/UPDATE) alone, where two or more were needed (allowed: at most 0)",
		);
	});

	test("removes an allow policy beside which another is no longer in force", async () => {
		const until = (year: number) => ({
			...{ consensus: `approvers.any(user, ${has(tags.oncall)})`, condition: signing },
			time: `time.now < Timestamp('${year}-01-01T00:00:00Z')`,
		});
		await expectBlocked(
			removal,
			[twoSigners, until(2020)],
			"no one could sign with any wallet or key (PRIVATE_KEY/SIGN) any more, except the root quorum (allowed: at most 0)",
		);
		const { stderr } = await tryApply(removal, [twoSigners, until(2099)]);
		expect(stderr).not.toContain("blocked by a guard");
	});
});

test("a plan is not blocked by either guard that leaves enough members, and gives no one more alone", async () => {
	const { stderr } = await tryApply(
		["userTags: [{ name: signers, members: { exactly: [bob, carol] } }]", "limits: { memberRemovals: 100% }"],
		[twoSigners],
	);
	expect(stderr).not.toMatch(/alone, where|any more/);
});
