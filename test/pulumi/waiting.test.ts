/**
 * Activities that are pending, end badly or get lost: submitted once and joined by every `pulumi up`, on this machine or another, and
 * abandoned only on request.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clockEnvironment } from "../clock.ts";
import { expectSuccess, shown } from "../engine/answer.ts";
import type { RunOptions } from "../engine/harness.ts";
import { alice, apps, bob, carol, organizationId, policies, providers, type World } from "../world.ts";
import { expectNoSecretIn, keptPolicy } from "./checks.ts";
import { adapters, type InProcessWorld, plugin } from "./in-process/adapters.ts";
import type { InProcessStack } from "./in-process/stack.ts";
import type { Program, ProgramResource } from "./program.ts";

const removing = "ACTIVITY_TYPE_DELETE_POLICIES";
const removingApp = "ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS";
const twoHoursMs = 2 * 60 * 60 * 1000;

const removal = (...policyIds: readonly string[]): ProgramResource => ({
	type: "PolicyRemoval",
	properties: { policyIds },
});
const appRemoval: ProgramResource = { type: "TvcAppRemoval", properties: { appId: apps.old } };
const signers: ProgramResource = {
	type: "UserTag",
	properties: { name: "signers", members: { exactly: [alice, bob, carol] } },
};

// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
const ofType = (world: World, type: string): readonly any[] => world.activities().filter((one) => one.type === type);

const policyIdsOf = (world: World): readonly string[] =>
	world.organization().policies.map(({ policyId }: { readonly policyId: string }) => policyId);

interface Ran {
	readonly exitCode: number | null;
	readonly said: string;
	/** What was asked of the service, sorted: resources are worked on side by side. */
	readonly requests: readonly string[];
	readonly submits: readonly string[];
}

/** `pulumi up` that goes on with the other resources when one fails. */
async function up({ world, stack }: InProcessWorld, options?: RunOptions): Promise<Ran> {
	world.clearRequests();
	const answer = await stack.up(["--continue-on-error"], options);
	return {
		exitCode: answer.exitCode,
		said: shown(answer),
		requests: [...world.requests()].sort(),
		submits: [...world.submits()].sort(),
	};
}

/** Leaves nothing but Pulumi's state of what was done before, as on another machine. */
function moveToAnotherMachine({ folder }: InProcessStack): void {
	rmSync(join(folder, ".orgsync"), { recursive: true });
}

/** Two hours pass for the service, and for the commands that get the options which this returns. */
async function waitTwoHours({ world }: InProcessWorld): Promise<RunOptions> {
	await world.moveClock(twoHoursMs);
	return { env: clockEnvironment(twoHoursMs) };
}

// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
async function activitiesInState(stack: InProcessStack): Promise<Record<string, any[]>> {
	const { deployment } = await stack.state();
	const resources = (deployment.resources ?? []).filter(({ outputs }) => outputs?.activities !== undefined);
	// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
	const activities = (outputs: any) => outputs.activities as any[];
	return Object.fromEntries(resources.map(({ urn, outputs }) => [urn.split("::").at(-1), activities(outputs)]));
}

describe.each(adapters)("an activity of $title that needs two approvals", (adapter) => {
	it("is created by the first up, continued by the next ones, also elsewhere and hours later, and completed after the approval", async () => {
		const made = await adapter.makeWorld({ resources: { old: removal(policies[0]) } });
		const { world, stack } = made;
		await world.setRules({ approvals: { [removing]: 2 } });

		const first = await up(made);
		expect({ code: first.exitCode, submits: first.submits }).toEqual({ code: 1, submits: ["delete_policies"] });
		const [{ id, fingerprint }] = ofType(world, removing);
		expect(first.said).toContain(`remove a policy: pending approval
      activity ${id}, fingerprint ${fingerprint}
      the next run continues with this activity and submits no other`);
		const kept = (await activitiesInState(stack)).old?.[0];
		expect(kept).toMatchObject({ activityId: id, fingerprint, outcome: "awaiting-approval" });
		expect(JSON.parse(kept.body)).toMatchObject({ type: removing, organizationId: expect.any(String) });

		const second = await up(made);
		expect({ ...second, said: "" }).toEqual({
			exitCode: 1,
			said: "",
			requests: [
				"get_activity",
				"get_organization_configs",
				"list_activities",
				"list_policies",
				"list_users",
				"whoami",
			],
			submits: [],
		});
		expect(second.said).toContain(id);

		moveToAnotherMachine(stack);
		const later = await waitTwoHours(made);
		const elsewhere = await up(made, later);
		expect({ code: elsewhere.exitCode, submits: elsewhere.submits }).toEqual({ code: 1, submits: [] });
		expect(elsewhere.said).toContain(id);
		expect((await activitiesInState(stack)).old).toEqual([kept]);

		await world.submitAsBob("approve_activity", { fingerprint });
		const last = await up(made, later);
		expect({ code: last.exitCode, submits: last.submits }).toEqual({ code: 0, submits: [] });
		expect(ofType(world, removing)).toMatchObject([{ id, status: "ACTIVITY_STATUS_COMPLETED" }]);
		expect(await activitiesInState(stack)).toEqual({});
		expect((await stack.resource("old")).initErrors).toBeUndefined();
		expectNoSecretIn(stack);
	});
});

/** One resource for each way in which an activity can end, or not end. */
const endings = (secondPolicies: readonly string[]): Program => ({
	resources: {
		first: removal(policies[0]),
		second: removal(...secondPolicies),
		providers: { type: "OauthProviderRemoval", properties: { userId: bob, providerIds: [providers.bob[0]] } },
		app: appRemoval,
		signers,
	},
});

/** How an activity is followed is decided in the same code for both adapters, so one of them shows the rest of it. */
describe("an activity of the plugin, as of the dynamic resources,", () => {
	it("with documented reads is continued by its request body, in doubt once that is too old, and created again once it is abandoned", async () => {
		const made = await plugin.makeWorld(
			{ resources: { approved: removal(policies[0]), waiting: appRemoval } },
			{ serves: "documented", env: { ORGSYNC_READS: "documented" } },
		);
		const { world, stack } = made;
		await world.setRules({ approvals: { [removing]: 2, [removingApp]: 2 } });
		const both = ["delete_policies", "delete_tvc_app_and_deployments"];
		// Asked once a command, for the service's clock: nothing that can be read is at stake.
		const clock = "list_user_tags";
		expect((await up(made)).submits).toEqual(both);
		const [approved] = ofType(world, removing);
		const [waiting] = ofType(world, removingApp);

		moveToAnotherMachine(stack);
		await world.submitAsBob("approve_activity", { fingerprint: approved.fingerprint });
		const second = await up(made);
		expect({ code: second.exitCode, requests: second.requests }).toEqual({ code: 1, requests: [...both, clock] });
		expect(ofType(world, removing)).toMatchObject([{ id: approved.id, status: "ACTIVITY_STATUS_COMPLETED" }]);
		expect(ofType(world, removingApp)).toMatchObject([{ id: waiting.id, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" }]);
		expect(Object.keys(await activitiesInState(stack))).toEqual(["waiting"]);

		// A refresh forgets that the resource failed, and must not make the stack look as if all were done.
		expectSuccess(await stack.refresh());
		moveToAnotherMachine(stack);
		const later = await waitTwoHours(made);
		const third = await up(made, later);
		expect({ code: third.exitCode, requests: third.requests }).toEqual({ code: 1, requests: [clock] });
		expect(third.said).toContain(
			`it was pending when it was last read, and its request is too old to send again; once you know that it has ended, \`pulumi config set orgsync:abandon ${waiting.id}\` lets orgsync submit another`,
		);
		expect(third.said).not.toContain("joins this activity");

		await stack.configure({ "orgsync:abandon": waiting.id });
		const fourth = await up(made, later);
		expect({ code: fourth.exitCode, requests: fourth.requests }).toEqual({
			code: 1,
			requests: [...both.slice(1), clock],
		});
		const [, another] = ofType(world, removingApp);
		expect(ofType(world, removingApp).length).toBe(2);
		expect((await activitiesInState(stack)).waiting).toMatchObject([{ activityId: another.id }]);
	});

	it("that did not complete is explained, and is followed by the same request, a new one or none, also from another machine", async () => {
		const made = await plugin.makeWorld(endings([policies[1]]), { env: { ORGSYNC_TIMEOUT: "1" } });
		const { world, stack } = made;
		// Without it, the removal of the last policy would be a lockout.
		await world.change({ policies: [keptPolicy] });
		const rules = { approvals: { [removing]: 2 }, authenticators: ["ACTIVITY_TYPE_UPDATE_USER_TAG"] };
		await world.setRules(rules);
		await world.addFault({ operation: "delete_oauth_providers", fault: "fail" });
		await world.addFault({ operation: "delete_tvc_app_and_deployments", fault: "drop-after", count: 20 });
		const one = await up(made);
		expect(one.exitCode).toBe(1);
		expect(one.said).toContain("change who has `signers`: waiting for an authenticator\n");
		expect(one.said).toContain("remove an OAuth provider: failed (");
		expect(one.said).toContain(
			"remove a TVC app and all its deployments: in doubt: submitted, and no answer arrived (",
		);
		expect(one.said).toContain("the next run resubmits the same request, so there is no second activity");
		const kept = await activitiesInState(stack);
		expect(Object.fromEntries(Object.entries(kept).map(([name, [activity]]) => [name, activity.outcome]))).toEqual({
			first: "awaiting-approval",
			second: "awaiting-approval",
			providers: "failed",
			app: "unknown",
			signers: "awaiting-authenticator",
		});
		const [signers] = ofType(world, "ACTIVITY_TYPE_UPDATE_USER_TAG");
		expect(one.said).toContain(
			`\`orgsync explain --organization ${organizationId} ${signers.id}\` shows what is missing`,
		);
		const [failed] = ofType(world, "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS");

		for (const { fingerprint } of ofType(world, removing)) await world.submitAsBob("reject_activity", { fingerprint });
		await world.setRules({ ...rules, deny: [{ type: "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS" }] });
		await fetch(`${world.url}/emulator/faults`, { method: "DELETE" });
		moveToAnotherMachine(stack);
		const two = await up(made);
		expect({ code: two.exitCode, submits: two.submits }).toEqual({ code: 1, submits: ["delete_oauth_providers"] });
		expect(two.said.match(/remove a policy: rejected/g)?.length).toBeGreaterThanOrEqual(2);
		expect(two.said).toMatch(/remove an OAuth provider: denied \(.*\)\n {6}policy [0-9a-f-]{36}: OUTCOME_DENY_/);
		expect(Object.keys(await activitiesInState(stack)).sort()).toEqual(["first", "second", "signers"]);

		await world.setRules({ authenticators: rules.authenticators });
		plugin.write(stack, endings([policies[1], policies[2]]));
		const three = await up(made);
		expect({ code: three.exitCode, submits: three.submits }).toEqual({
			code: 1,
			submits: ["delete_oauth_providers", "delete_policies"],
		});
		expect(three.said).toContain(
			"remove a policy: rejected (it was rejected before, so it was not submitted again; `ORGSYNC_RETRY_REJECTED=true` submits it)",
		);
		expect(policyIdsOf(world)).toEqual([policies[0], keptPolicy.policyId]);
		expect(ofType(world, "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS")).toMatchObject([
			{ id: failed.id, status: "ACTIVITY_STATUS_FAILED" },
			{ status: "ACTIVITY_STATUS_COMPLETED" },
		]);

		const four = await up(made, { env: { ORGSYNC_RETRY_REJECTED: "true" } });
		expect({ code: four.exitCode, submits: four.submits }).toEqual({ code: 1, submits: ["delete_policies"] });
		expect(policyIdsOf(world)).toEqual([keptPolicy.policyId]);
		expect(Object.keys(await activitiesInState(stack))).toEqual(["signers"]);
		expect(ofType(world, "ACTIVITY_TYPE_UPDATE_USER_TAG").length).toBe(1);
		expect(ofType(world, removingApp).length).toBe(1);
	});
});
