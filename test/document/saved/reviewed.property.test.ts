/**
 * What was reviewed is what runs. For random organizations and random changes by others between plan and apply, applying a
 * saved plan submits exactly its steps, or refuses and names a touched object that really moved; there is no third thing.
 *
 * What changed is computed here from the two states alone, without the code under test.
 */

import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { StalePlanError } from "../../../src/common/errors.ts";
import { refuseStale } from "../../../src/document/saved/refuse-stale.ts";
import {
	decodeSavedPlan,
	encodeSavedPlan,
	makeSavedPlan,
	matchDocuments,
} from "../../../src/document/saved/saved-plan.ts";
import type { SeedOrganization } from "../../../src/emulator/server.ts";
import { narrow } from "../../../src/plan/only.ts";
import { makePlan, type Plan } from "../../../src/plan/plan.ts";
import { isCovered } from "../../../src/plan/step.ts";
import type { ApplyContext } from "../../../src/sync/apply.ts";
import { casesToTry } from "../../case-count.ts";
import {
	context as at,
	desiredOfWorld,
	id,
	idsIn,
	liveOfWorld,
	parametersOf,
	providerIdsIn,
	renameShapeOf,
	type SmallWorld,
	smallWorlds,
	usersOf,
} from "../../plan/support-organizations.ts";
import { applyToReport, Bench, seedOf } from "../../sync/support.ts";

const settings = casesToTry(120);

/** An organization as the service shows it. Names by id; of providers by `USER/ID`. */
interface State {
	readonly tags: Map<string, { name: string; readonly members: Set<string> }>;
	readonly policies: Map<string, string>;
	readonly providers: Map<string, string>;
	readonly apps: Map<string, string>;
}

function stateOf(world: SmallWorld): State {
	const named = (ids: readonly string[]) => new Map(ids.map((one) => [one, `name of ${one}`]));
	const providers = world.userIds.flatMap((userId, user) =>
		providerIdsIn(world, user, "kept", "removed").map((one) => `${userId}/${one}`),
	);
	return {
		tags: new Map(world.tags.map((tag) => [tag.id, { name: tag.name, members: new Set(usersOf(world, tag.members)) }])),
		policies: named(idsIn("policy", world.policies, "kept", "removed")),
		providers: named(providers),
		apps: named(idsIn("app", world.apps, "kept", "removed")),
	};
}

function seedOfState(state: State, userIds: readonly string[], organizationId: string): SeedOrganization {
	const ofUser = (userId: string) => [...state.providers].filter(([key]) => key.startsWith(userId));
	return {
		...seedOf({
			users: userIds.map((userId) => ({
				userId,
				userName: `name of ${userId}`,
				oauthProviders: ofUser(userId).map(([key, providerName]) => ({
					providerId: key.split("/")[1] ?? "",
					providerName,
				})),
			})),
			userTags: [...state.tags].map(([tagId, { name, members }]) => ({ tagId, tagName: name, userIds: [...members] })),
			policies: [...state.policies, everyone].map(([policyId, policyName]) => ({ policyId, policyName })),
			tvcApps: [...state.apps].map(([appId, name]) => ({ id: appId, name })),
		}),
		organizationId,
	};
}

/** A policy that lets every user do everything, so that no change has an impact: an impact that differs makes a plan stale too. */
const everyone = [id("policy", 99), "everyone"] as const;

/** A change by others to an existing object. */
interface Deed {
	readonly kind: "tag name" | "tag members" | "tag gone" | "tag new" | "removable" | "nothing";
	readonly which: number;
	readonly other: number;
}

const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
	fc.record({
		kind: fc.constantFrom<Deed["kind"]>(
			"tag name",
			"tag members",
			"tag members",
			"tag gone",
			"tag new",
			"removable",
			"removable",
			"nothing",
		),
		which: fc.nat(1000),
		other: fc.nat(1000),
	}),
	{ maxLength: 3 },
);

/** The state after the deed, which is done to it. Names stay unique. */
function act(state: State, { kind, which, other }: Deed, world: SmallWorld, plan: Plan): void {
	const pick = <T>(items: readonly T[], number: number): T | undefined => items[number % Math.max(1, items.length)];
	const taken = new Set([...state.tags.values()].map(({ name }) => name));
	// Names that the plan needs, temporary ones too, are the most interesting to take.
	const needed = plan.steps.map((step) => String(parametersOf(step).newUserTagName ?? "new"));
	const pool = [...needed, ...world.tags.map((tag) => tag.name), `new ${other}`, "new"];
	const free = pick(
		pool.filter((name) => !taken.has(name)),
		other,
	);
	const tag = pick([...state.tags], which);
	if (kind === "tag new" && free !== undefined)
		state.tags.set(id("tag", 900 + state.tags.size), { name: free, members: new Set() });
	if (kind === "tag name" && tag !== undefined && free !== undefined) tag[1].name = free;
	if (kind === "tag gone" && tag !== undefined) state.tags.delete(tag[0]);
	if (kind === "tag members" && tag !== undefined) {
		const userId = pick(world.userIds, other) ?? "";
		if (!tag[1].members.delete(userId)) tag[1].members.add(userId);
	}
	if (kind === "removable") {
		const [map, key] = pick(
			[
				...[...state.policies.keys(), id("policy", 77)].map((one) => [state.policies, one] as const),
				...[...state.providers.keys(), `${world.userIds[0]}/${id("provider", 77)}`].map(
					(one) => [state.providers, one] as const,
				),
				...[...state.apps.keys(), id("app", 77)].map((one) => [state.apps, one] as const),
			],
			which,
		) ?? [state.policies, ""];
		if (!map.has(key)) map.set(key, `new ${key}`);
		else if (other % 2 === 0) map.delete(key);
		else map.set(key, `another name of ${key}`);
	}
}

/** Addresses that the plan touches and whose objects, or the names that its steps need, are not what they were. */
function reallyMoved(plan: Plan, before: State, after: State): ReadonlySet<string> {
	const holder = (state: State, name: string) => [...state.tags].find(([, tag]) => tag.name === name)?.[0];
	const moved = new Set<string>();
	for (const change of plan.changes) {
		if (change.action === "report") continue;
		if (change.kind === "userTag") {
			const show = (state: State): string => {
				const tag = state.tags.get(change.tagId);
				const names = plan.steps
					.filter((step) => isCovered(change.address, step))
					.map((step) => String(parametersOf(step).newUserTagName ?? ""));
				const holders = [change.after.name, ...names].map((name) => holder(state, name) ?? "nobody");
				// Of a document that manages no members they are not read, and the plan shows its reviewer none.
				const members = change.before.members === null ? null : [...(tag?.members ?? [])].sort();
				return JSON.stringify([tag?.name, members, ...holders]);
			};
			if (show(before) !== show(after)) moved.add(change.address);
		} else {
			const of = { policy: "policies", oauthProvider: "providers", tvcApp: "apps" } as const;
			const key = change.userId === null ? change.id : `${change.userId}/${change.id}`;
			const nameIn = (state: State) => state[of[change.kind]].get(key);
			if (nameIn(before) !== nameIn(after)) moved.add(change.address);
		}
	}
	return moved;
}

let bench: Bench;
let shared: Pick<ApplyContext, "reader" | "submitter" | "stats" | "concurrency">;

async function open(): Promise<void> {
	bench = await Bench.start();
	const { reader, submitter, stats } = bench.context();
	shared = { reader, submitter, stats, concurrency: 1 };
}

beforeAll(open);
afterAll(() => bench.close());

/** So many organizations in one emulator, and every request to it still takes little. */
const mostOrganizations = 200;

const intents = {
	update_user_tag: "updateUserTagIntent",
	delete_oauth_providers: "deleteOauthProvidersIntent",
	delete_policies: "deletePoliciesIntent",
	delete_tvc_app_and_deployments: "deleteTvcAppAndDeploymentsIntent",
} as const;

const only = fc.option(fc.constantFrom("userTag", "policy", "oauthProvider", "tvcApp"), { freq: 4 });

it("a saved plan runs exactly as it was reviewed, or is refused for a touched object that really moved", async () => {
	const occurred = { ran: 0, ranBesideOthers: 0, refused: 0, narrowed: 0 };
	let number = 1000;
	await fc.assert(
		fc.asyncProperty(smallWorlds(), deeds, only, async (world, done, kind) => {
			fc.pre(!renameShapeOf(world).conflict);
			const wanted = kind === null ? desiredOfWorld(world) : narrow(desiredOfWorld(world), [{ kind }]);
			fc.pre(makePlan(wanted, liveOfWorld(world), at).steps.length > 0);
			number += 1;
			if (number % mostOrganizations === 0) {
				await bench.close();
				await open();
			}
			const organizationId = id("org", number);
			const desired = { ...desiredOfWorld(world), organizationId, digest: `sha256:${"0".repeat(64)}` };
			const asked = kind === null ? desired : narrow(desired, [{ kind }]);
			const before = stateOf(world);
			await bench.emulator.changeState({ organizations: [seedOfState(before, world.userIds, organizationId)] });
			const context = bench.context(shared);
			const { plan } = await bench.compare(asked, context);
			expect(plan.problems).toEqual([]);
			const file = encodeSavedPlan(makeSavedPlan({ plans: [plan] }, "orgsync test"));

			const after = stateOf(world);
			for (const deed of done) act(after, deed, world, plan);
			await bench.emulator.changeState({ organizations: [seedOfState(after, world.userIds, organizationId)] });
			const moved = reallyMoved(plan, before, after);

			const [planned] = matchDocuments(decodeSavedPlan(file, "plan.json"), [desired]);
			if (planned === undefined) throw new Error("the saved plan holds no organization");
			const comparison = await bench.compare(planned.desired, context);
			let named: readonly string[] = [];
			try {
				refuseStale([{ saved: planned.plan, fresh: comparison.plan, live: comparison.live }]);
				const { steps } = await applyToReport(comparison, { ...context, verify: false });
				expect(steps.map(({ outcome }) => outcome)).toEqual(steps.map(() => "completed"));
			} catch (error) {
				if (!(error instanceof StalePlanError)) throw error;
				named = error.outdated.map(({ address }) => address);
				expect(named.length).toBeGreaterThan(0);
				for (const address of named) expect(error.message).toContain(address);
			}
			const { activities } = bench.emulator.state(organizationId);
			const submitted = activities.map(({ type, intent }) => [type, intent]);
			const reviewed = plan.steps.map(({ operation, parameters }) => [
				`ACTIVITY_TYPE_${operation.toUpperCase()}`,
				{ [intents[operation as keyof typeof intents]]: parameters },
			]);
			if (moved.size === 0) {
				expect(named).toEqual([]);
				expect(submitted).toEqual(reviewed);
			} else {
				expect(submitted).toEqual([]);
				expect([...moved]).toEqual(expect.arrayContaining([...named]));
				expect(named.length).toBeGreaterThan(0);
			}
			if (kind !== null) occurred.narrowed += 1;
			const changed = JSON.stringify(seedOfState(before, [], "")) !== JSON.stringify(seedOfState(after, [], ""));
			if (named.length > 0) occurred.refused += 1;
			else if (changed) occurred.ranBesideOthers += 1;
			else occurred.ran += 1;
		}),
		settings,
	);
	for (const [what, times] of Object.entries(occurred)) expect(times, what).toBeGreaterThan(settings.numRuns / 10);
});
