/** More organizations than stay in memory, the first of them as full as the limits allow, in one process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { maxLoadedOrganizations } from "../../src/emulator/assumptions.ts";
import { type Emulator, type Seed, startEmulator } from "../../src/emulator/server.ts";
import * as world from "./world.ts";

const count = maxLoadedOrganizations + 10;
const fullCount = 20;
let folder: string;
let emulator: Emulator;

/** A UUID for the entity `index` of organization `organization`; kinds keep them apart. */
function idOf(kind: number, organization: number, index: number): string {
	const head = String(organization).padStart(8, "0");
	return `${head}-${String(kind).padStart(4, "0")}-4000-8000-${String(index).padStart(12, "0")}`;
}

function sizeOf(organization: number): number {
	return organization < fullCount ? 100 : 3;
}

/** Loads every organization but this one: the oldest that were loaded leave the memory. */
function loadOthers(organization: number): void {
	for (let other = 0; other < count; other += 1) if (other !== organization) emulator.state(idOf(0, other, 0));
}

function makeSeed(): Seed {
	const numbers = (organization: number) => Array.from({ length: sizeOf(organization) }, (_, index) => index);
	return {
		organizations: Array.from({ length: count }, (_, organization) => ({
			organizationId: idOf(0, organization, 0),
			users: numbers(organization).map((index) => ({
				userId: idOf(1, organization, index),
				userName: `user ${index}`,
				apiKeys: index === 0 ? [{ publicKey: world.keys.alice.publicKey }] : [],
			})),
			userTags: numbers(organization).map((index) => ({
				tagId: idOf(2, organization, index),
				tagName: `tag ${index}`,
				userIds: [0, 1, 2].map((offset) => idOf(1, organization, (index + offset) % sizeOf(organization))),
			})),
			policies: numbers(organization).map((index) => ({
				policyId: idOf(3, organization, index),
				policyName: `policy ${index}`,
			})),
		})),
	};
}

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "emulator-"));
	emulator = await startEmulator({ dataFile: join(folder, "state.sqlite"), seed: makeSeed() });
}, 120_000);

afterAll(async () => {
	await emulator.close();
	rmSync(folder, { recursive: true, force: true });
});

test("every organization has all its users", () => {
	const { organizations } = emulator;
	expect(organizations.map(({ users }) => users.length)).toEqual(Array.from({ length: count }, (_, n) => sizeOf(n)));
});

test("an organization answers after all others were loaded", async () => {
	for (const organization of [0, 3, fullCount - 1]) {
		loadOthers(organization);
		const organizationId = idOf(0, organization, 0);
		const { body } = await world.query(emulator.url, "list_user_tags", { organizationId });
		expect(body.userTags).toHaveLength(100);
	}
});

test("a change of one organization stays after all others were loaded, and changes no other", async () => {
	const [organizationId, neighbour] = [idOf(0, 3, 0), idOf(0, 4, 0)];
	const before = emulator.state(neighbour);
	const raw = world.submitBody("delete_policies", { policyIds: [idOf(3, 3, 7)] }, Date.now(), { organizationId });
	expect((await world.submitRaw(emulator.url, "delete_policies", raw)).status).toBe(200);
	loadOthers(3);
	expect(emulator.state(organizationId).organization.policies).toHaveLength(99);
	expect(emulator.state(neighbour)).toEqual(before);
});
