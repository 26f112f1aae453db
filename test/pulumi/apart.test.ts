/**
 * A removal resource whose activity was refused at once and submitted part by part: the state keeps the activity of each
 * part, and the failure names each.
 */
import { expect, it } from "vitest";
import { converge } from "../../src/pulumi/resources/converge.ts";
import { ResourceFailure } from "../../src/pulumi/resources/failure.ts";
import { policyRemoval } from "../../src/pulumi/resources/removal.ts";
import { Session } from "../../src/pulumi/session/session.ts";
import { readSettings } from "../../src/pulumi/settings/settings.ts";
import { makeFolder } from "../run.ts";
import { keys, makeWorld, organizationId, policies, type World } from "../world.ts";

const stray = "90000000-0000-4000-8000-000000000009";
const [first, second] = policies;

function sessionOf(world: World): Session {
	const given = { organizationId, url: world.url, apiPrivateKey: keys.alice.privateKey, reads: "documented" };
	return new Session(readSettings({ ...given, journal: ":memory:" }, {}), {
		environment: {},
		directory: makeFolder(),
		now: Date.now,
		steadyNow: () => performance.now(),
		sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
	});
}

/** What the resource fails with that removes two policies and one that is not there. */
async function failureIn(world: World): Promise<ResourceFailure> {
	const inputs = { resource: "old", organizationId, policyIds: [first, second, stray] };
	const failure = await converge(policyRemoval, inputs, undefined, sessionOf(world)).catch((error: unknown) => error);
	if (!(failure instanceof ResourceFailure)) throw new Error("the removal did not fail");
	return failure;
}

it("a removal that was submitted in parts stores the activity of each part in the state, and its failure names each", async () => {
	const world = await makeWorld(undefined, { reads: "documented" });
	await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
	const { message, properties } = await failureIn(world);
	const made = world.activities().map(({ id, fingerprint }) => ({ id, fingerprint }));
	expect(made.length).toBe(2);
	expect(properties?.activities).toMatchObject([
		...made.map(({ id, fingerprint }) => ({ activityId: id, fingerprint, outcome: "awaiting-approval" })),
		{ activityId: null, outcome: "failed" },
	]);
	for (const [index, address] of [`policy:${first}`, `policy:${second}`].entries()) {
		const { id, fingerprint } = made[index] ?? {};
		expect(message).toContain(
			`\n  ${address}: pending approval\n    activity ${id}, fingerprint ${fingerprint}\n    \`orgsync explain --organization ${organizationId} ${id}\` shows what is missing\n    the next run continues with this activity and submits no other`,
		);
	}
	expect(message).toContain(`\n  policy:${stray}: failed (`);
});

it("a completed part is not named in the failure, and its id is removed in the state", async () => {
	const world = await makeWorld(undefined, { reads: "documented" });
	const { message, properties } = await failureIn(world);
	expect(properties?.policyIds).toEqual([first, second]);
	expect(message).not.toContain(`\n  policy:${first}`);
	expect(message).toContain(`\n  policy:${stray}: failed (`);
});
