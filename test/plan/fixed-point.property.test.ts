/**
 * What was applied is at rest: the next plan is empty and a further apply submits nothing. And a plan does not depend on
 * the order in which its document lists things.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { parseDocuments } from "../../src/document/read/parse.ts";
import { emptyLastApplied, type LiveOrganization } from "../../src/plan/organization.ts";
import { makePlan, type Plan, type Reads } from "../../src/plan/plan.ts";
import { exitCodeOf } from "../../src/plan/report.ts";
import type { ApplyContext } from "../../src/sync/apply.ts";
import { casesToTry } from "../case-count.ts";
import { Bench, seedOfWorld } from "../sync/support.ts";
import {
	context,
	desiredOfWorld,
	id,
	known,
	liveOfWorld,
	organizationId,
	renameShapeOf,
	type SmallWorld,
	sectionsOf,
	smallWorlds,
	unknown,
	withLive,
} from "./support-organizations.ts";

const settings = casesToTry(35);
const { numRuns } = settings;

describe("an organization that was applied", () => {
	let bench: Bench;
	let shared: Pick<ApplyContext, "reader" | "submitter" | "stats">;
	let number = 100;

	beforeAll(async () => {
		bench = await Bench.start();
		const { reader, submitter, stats } = bench.context();
		shared = { reader, submitter, stats };
	});
	afterAll(() => bench.close());

	async function check(world: SmallWorld, reads: Reads, concurrency: number, count: (steps: number) => void) {
		number += 1;
		const desired = { ...desiredOfWorld(world), organizationId: id("org", number) };
		await bench.emulator.changeState({ organizations: [seedOfWorld(world, desired.organizationId)] });
		bench.emulator.clearRequests();
		const first = await bench.run(desired, { ...shared, concurrency }, reads);
		count(first.report.steps.length);
		expect(first.report.steps.map(({ outcome }) => outcome)).toEqual(first.report.steps.map(() => "completed"));
		expect(exitCodeOf(first.report)).toBe(0);
		expect(bench.requests("submit").length).toBe(first.comparison.plan.steps.length);

		bench.emulator.clearRequests();
		const second = await bench.run(desired, { ...shared, concurrency }, reads);
		expect(second.comparison.plan.changes).toEqual([]);
		expect(second.comparison.plan.steps).toEqual([]);
		expect(second.report.inSync).toBe(true);
		expect(bench.requests("submit")).toEqual([]);
		return bench.emulator.state(desired.organizationId).organization;
	}

	it("has an empty plan, and applying it again submits nothing, where members can be read", async () => {
		let steps = 0;
		await fc.assert(
			fc.asyncProperty(smallWorlds(), fc.integer({ min: 1, max: 8 }), async (world, concurrency) => {
				fc.pre(!renameShapeOf(world).conflict);
				const after = await check(world, "auto", concurrency, (count) => {
					steps += count;
				});
				for (const tag of world.tags) {
					const { tagName } = after.userTags?.find(({ tagId }) => tagId === tag.id) ?? {};
					expect(tagName).toBe(tag.wanted?.name ?? tag.name);
				}
			}),
			settings,
		);
		expect(steps).toBeGreaterThan(numRuns);
	});

	it("has an empty plan, and applying it again submits nothing, where only names can be read", async () => {
		let steps = 0;
		await fc.assert(
			// Absent objects cannot be distinguished from existing ones, and the emulator refuses to remove them.
			fc.asyncProperty(smallWorlds({ withGone: false }), fc.integer({ min: 1, max: 8 }), async (world, concurrency) => {
				fc.pre(!renameShapeOf(world).conflict);
				await check(world, "documented", concurrency, (count) => {
					steps += count;
				});
			}),
			settings,
		);
		expect(steps).toBeGreaterThan(numRuns);
	});
});

describe("a plan", () => {
	/** A YAML document, as the data that it holds. */
	interface DocumentData {
		readonly organizationId: string;
		readonly users: Readonly<Record<string, string>>;
		readonly userTags: readonly Readonly<Record<string, unknown>>[];
		readonly absent: Readonly<Record<string, unknown>>;
		readonly expect: Readonly<Record<string, unknown>>;
		readonly protect: Readonly<Record<string, unknown>>;
		readonly limits: Readonly<Record<string, unknown>>;
	}

	function documentOf(world: SmallWorld): DocumentData {
		const desired = desiredOfWorld(world);
		const aliases = new Map(world.userIds.map((userId, user) => [userId, `user${user}`]));
		const alias = (userId: string): string => aliases.get(userId) ?? userId;
		return {
			organizationId,
			users: Object.fromEntries([...aliases].map(([userId, name]) => [name, userId])),
			userTags: sectionsOf(desired).userTags.map(({ name, id: tagId, previously, members }) => ({
				name,
				...(tagId === undefined ? {} : { id: tagId }),
				...(previously.length === 0 ? {} : { previously: [...previously, `${name} before`, `${name} at first`] }),
				...(members === undefined
					? {}
					: members.mode === "exactly"
						? { members: { exactly: members.exactly.map(alias) } }
						: { members: { atLeast: members.atLeast.map(alias), never: members.never.map(alias) } }),
			})),
			absent: {
				policies: sectionsOf(desired).absent.policyIds,
				oauthProviders: Object.fromEntries(
					sectionsOf(desired).absent.oauthProviders.map(({ userId, providerIds }) => [alias(userId), providerIds]),
				),
				tvcApps: sectionsOf(desired).absent.tvcAppIds,
			},
			expect: {
				sessionProfiles: [
					{ id: id("other", 1), name: "default", scope: "read", expirationSeconds: "900" },
					{ id: id("other", 2), notes: "short" },
				],
				mfaPolicies: {
					user0: [
						{ name: "one", order: 1, notes: "first", condition: "true" },
						{
							name: "two",
							requiredAuthenticationMethods: [
								{ any: [{ type: "AUTHENTICATION_TYPE_PASSKEY" }, { type: "AUTHENTICATION_TYPE_EMAIL_OTP" }] },
							],
							order: 2,
						},
					],
					user1: [{ id: id("other", 3), order: 1, name: "one" }],
				},
				bootProofs: [
					{ app: id("app", 8), deploymentLabel: "prod", enclaveApp: "signer" },
					{ app: id("app", 9), owner: "Acme" },
				],
				supportedAssets: {
					"eip155:1": [
						{ symbol: "USDC", decimals: 6, earnProviders: ["EARN_PROVIDER_MORPHO", "EARN_PROVIDER_AAVE"] },
						{ symbol: "ETH", decimals: 18 },
					],
					"solana:mainnet": [{ symbol: "SOL", decimals: 9, stable: false }],
				},
			},
			protect: { users: [id("user", 50), id("user", 51)], userTags: ["root", "quorum"] },
			limits: { memberRemovals: "25%", policies: 5, oauthProviders: 4, tvcApps: 1 },
		};
	}

	/** The same data with every list and the members of every object in another order. */
	function shuffle(value: unknown, chances: readonly number[], path = 0): unknown {
		const mixed = <T>(items: readonly T[]): T[] =>
			items
				.map((item, index) => ({ item, weight: chances[(path * 7 + index) % chances.length] ?? 0 }))
				.sort((left, right) => left.weight - right.weight)
				.map(({ item }) => item);
		if (Array.isArray(value)) return mixed(value).map((item, index) => shuffle(item, chances, path + index + 1));
		if (value === null || typeof value !== "object") return value;
		return Object.fromEntries(
			mixed(Object.entries(value)).map(([key, item], index) => [key, shuffle(item, chances, path + index + 2)]),
		);
	}

	/** Live with something to report of each kind that can only be read. */
	function withReports(live: LiveOrganization): LiveOrganization {
		const [first, second] = [id("user", 0), id("user", 1)];
		return withLive(live, {
			sessionProfiles: {
				[id("other", 1)]: known({ sessionProfileName: "other", scope: "all", expirationSeconds: "1" }),
				[id("other", 2)]: unknown,
			},
			mfaPolicies: {
				[first]: known([
					{ mfaPolicyName: "one", order: 9, notes: "n", condition: "false" },
					{ mfaPolicyName: "two", order: 8, requiredAuthenticationMethods: [] },
				]),
				[second]: known([{ mfaPolicyId: id("other", 3), order: 2, mfaPolicyName: "uno" }]),
			},
			bootProofs: { [id("app", 8)]: known({ deploymentLabel: "test", enclaveApp: "x" }), [id("app", 9)]: known(null) },
			supportedAssets: {
				"eip155:1": known([{ symbol: "USDC", decimals: 7, earnProviders: [] }]),
				"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": known([{ symbol: "SOL", decimals: 1, stable: true }]),
			},
		});
	}

	function planBytes(data: unknown, live: LiveOrganization): string {
		const { organizations, problems } = parseDocuments([{ file: "document.yaml", content: stringify(data) }], {});
		expect(problems).toEqual([]);
		const [desired] = organizations;
		if (desired === undefined) throw new Error("the document holds no organization");
		const plan = makePlan(desired, live, context);
		// A problem names the line it is about, and lines move with the order. So does a warning.
		const unplaced = (all: Plan["problems"] = []) => all.map((one) => ({ ...one, line: 0, column: 0 }));
		return JSON.stringify({ ...plan, problems: unplaced(plan.problems), warnings: unplaced(plan.warnings) });
	}

	it("has the same bytes in whatever order its document lists things", () => {
		const occurred = { steps: 0, reports: 0, problems: 0, moved: 0 };
		fc.assert(
			fc.property(
				smallWorlds(),
				fc.boolean(),
				fc.array(fc.nat(1000), { minLength: 23, maxLength: 23 }),
				(world, membersKnown, chances) => {
					const data = documentOf(world);
					const live = withReports(
						membersKnown
							? liveOfWorld(world)
							: withLive(liveOfWorld(world), { policies: unknown, lastApplied: emptyLastApplied }),
					);
					const other = shuffle(data, chances);
					const bytes = planBytes(data, live);
					expect(planBytes(other, live)).toBe(bytes);
					const plan = JSON.parse(bytes) as ReturnType<typeof makePlan>;
					if (plan.steps.length > 1) occurred.steps += 1;
					if (plan.changes.filter(({ action }) => action === "report").length > 5) occurred.reports += 1;
					if (plan.problems.length > 0) occurred.problems += 1;
					if (JSON.stringify(other) !== JSON.stringify(data)) occurred.moved += 1;
				},
			),
			casesToTry(120),
		);
		for (const [what, times] of Object.entries(occurred)) expect(times, what).toBeGreaterThan(0);
	});
});
