/** What powers, changes, approvals and states between steps of random organizations are, word for word, and how long they are searched. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type AccessState, type AccessUser, mapKnown } from "../../../src/policy/access.ts";
import { findUnsafeStates } from "../../../src/policy/powers/between.ts";
import { withExamples } from "../../../src/policy/powers/example.ts";
import { explainActivity, explainPower } from "../../../src/policy/powers/explain-power.ts";
import { readFields } from "../../../src/policy/powers/fields.ts";
import { forecastApproval } from "../../../src/policy/powers/forecast.ts";
import { printGroup } from "../../../src/policy/powers/groups.ts";
import { compareAccess } from "../../../src/policy/powers/impact.ts";
import { findPowers } from "../../../src/policy/powers/powers.ts";
import { narrowToTag, narrowToUser } from "../../../src/policy/powers/select-powers.ts";
import { brief, counted, withSteps } from "../brief.ts";
import { randomComparison } from "../language/random-expressions.ts";
import { atMs, type ModelOrganization, Random, writeAccess } from "../model.ts";
import { changeOrganization, randomOrganization } from "../random-model.ts";

/** Returns a random organization before and after a change. Some conditions read fields of activities. */
function randomChange(seed: number, change = changeOrganization): readonly [AccessState, AccessState] {
	const random = new Random(seed);
	const before = randomOrganization(random);
	const after = change(random, before);
	const comparisons = new Map<string, string>();
	const withComparison = ({ policies, ...rest }: AccessState): AccessState => ({
		...rest,
		policies: policies.known
			? {
					known: true,
					value: policies.value.map((policy) => {
						if (!comparisons.has(policy.id))
							comparisons.set(policy.id, random.chance(0.4) ? randomComparison(() => random.next()) : "");
						const more = comparisons.get(policy.id) ?? "";
						return { ...policy, condition: [policy.condition, more].filter(Boolean).join(" && ") };
					}),
				}
			: policies,
	});
	return [withComparison(writeAccess(before)), withComparison(writeAccess(after))];
}

/** Returns the organization with other tags, and with two other policies in place of its first two. */
function changeSome(random: Random, before: ModelOrganization): ModelOrganization {
	const others = randomOrganization(random).policies.slice(0, 2);
	const { users } = changeOrganization(random, changeOrganization(random, before));
	return {
		...before,
		users,
		policies: [...before.policies.slice(2), ...others.map((one) => ({ ...one, id: `q${one.id}` }))],
	};
}

/** Returns steps that together change the first access into the second: each one policy, or all users. */
function stepsBetween(before: AccessState, after: AccessState): readonly ((access: AccessState) => AccessState)[] {
	const users = after.users.known ? after.users.value : [];
	const userAfter = (user: AccessUser): AccessUser => users.find(({ id }) => id === user.id) ?? user;
	const [was, is] = [before, after].map(({ policies }) => (policies.known ? policies.value : []));
	const texts = new Set(was?.map((policy) => JSON.stringify(policy)));
	const kept = new Set(is?.map((policy) => JSON.stringify(policy)));
	const changed =
		(change: (policies: NonNullable<typeof was>) => NonNullable<typeof was>) => (access: AccessState) => ({
			...access,
			policies: { known: true, value: change(access.policies.known ? [...access.policies.value] : []) } as const,
		});
	return [
		...(is ?? [])
			.filter((policy) => !texts.has(JSON.stringify(policy)))
			.map((policy) => changed((all) => [...all, policy])),
		...(was ?? [])
			.filter((policy) => !kept.has(JSON.stringify(policy)))
			.map(({ id }) => changed((all) => all.filter((one) => one.id !== id))),
		(access) => ({ ...access, users: mapKnown(access.users, (all) => all.map(userAfter)) }),
	];
}

async function expectGolden(name: string, linesOf: (seed: number) => readonly string[], seeds: number): Promise<void> {
	const lines: string[] = [];
	for (let seed = 1; seed <= seeds; seed += 1) {
		const [found, steps] = withSteps(() => linesOf(seed));
		lines.push(`${seed}: ${steps} steps`, ...counted(found).map((line) => `  ${line}`));
	}
	const file = new URL(`../../golden/policy/${name}.txt`, import.meta.url);
	await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(fileURLToPath(file));
}

describe("Of random organizations", () => {
	it("powers are the same as before", async () => {
		const linesOf = (seed: number): readonly string[] => {
			const [access] = randomChange(seed);
			const powers = findPowers(access, atMs).map((power) => withExamples(power));
			const narrowed = [narrowToUser(powers, "u1"), narrowToTag(powers, "t1", access, atMs)].map((some) =>
				some.map(({ group, alone }) => `${printGroup(group)}${alone.length}`).join(),
			);
			return [...powers.map(({ group: _, ...power }) => brief(power)), ...narrowed];
		};
		await expectGolden("powers", linesOf, 25);
	});

	it("changes are the same as before", async () => {
		const linesOf = (seed: number): readonly string[] => {
			const { verdict, findings } = compareAccess(...randomChange(seed), atMs);
			return [verdict, ...findings.map(({ before: _, after: _after, group: _group, ...finding }) => brief(finding))];
		};
		await expectGolden("changes", linesOf, 40);
	});

	it("states between steps are the same as before", async () => {
		const linesOf = (seed: number): readonly string[] => {
			const [before, after] = randomChange(seed, changeSome);
			const { unsafe, ...rest } = findUnsafeStates(before, stepsBetween(before, after), atMs);
			return [...unsafe.map(({ group: _, ...state }) => brief(state)), brief(rest)];
		};
		await expectGolden("states", linesOf, 40);
	});

	it("approvals and explanations are the same as before", async () => {
		const linesOf = (seed: number): readonly string[] => {
			const [access] = randomChange(seed);
			const users = access.users.known ? access.users.value : [];
			const approvals = ["ACTIVITY_TYPE_DELETE_POLICIES", "ACTIVITY_TYPE_DELETE_AUTHENTICATORS"].flatMap((type) =>
				users.map(({ id, credentials }) => {
					const [first] = credentials.known ? credentials.value : [];
					const submitter = { userId: id, publicKey: first?.publicKey ?? null };
					return brief(forecastApproval(access, { type, ownerId: users[0]?.id ?? null }, submitter, atMs));
				}),
			);
			const group = { resource: "PRIVATE_KEY", action: "SIGN" };
			const { group: _, ...explained } = explainPower({ access, group, atMs }, "u1");
			const read = readFields("wallet.id == 'w1' && eth.tx.to == 'a' && eth.tx.gas == 2");
			if ("mistakes" in read) return ["no fields"];
			const { power, ...activity } = explainActivity({ access, group, atMs, fields: read.fields });
			return [...approvals, brief(explained), brief(activity), brief(power)];
		};
		await expectGolden("approvals", linesOf, 15);
	});
});
