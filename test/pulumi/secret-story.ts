/** What happens to secret inputs, as stories for a stack: none of their values is in plain text outside the program. */
import { expect } from "vitest";
import { type Answer, expectSuccess, shown } from "../engine/answer.ts";
import type { Stack } from "../engine/harness.ts";
import { alice, apps, bob, carol, organizationId, policies, providers, tags, type World } from "../world.ts";
import { call, outputOf, type Program, type ProgramResource, secret } from "./program.ts";

const missing = "50000000-0000-4000-8000-000000000009";
const updating = "ACTIVITY_TYPE_UPDATE_USER_TAG";
const removing = "ACTIVITY_TYPE_DELETE_POLICIES";

/** A stack, and all that can be seen of it outside the program. */
export interface Watched {
	readonly world: World;
	readonly stack: Pick<Stack, "configure" | "outputs" | "resource">;
	/** Runs a command of the engine and keeps what it prints and leaves. */
	run(...words: readonly string[]): Promise<Answer>;
	/** Replaces the program. */
	write(program: Program): void;
	/** Where any of the values is in plain text. */
	leaks(values: readonly string[]): readonly string[];
}

export type Watch = (program: Program) => Promise<Watched>;

const apply = ["up", "--yes", "--skip-preview", "--diff", "--continue-on-error"] as const;

const removals: Program["resources"] = {
	policies: { type: "PolicyRemoval", properties: { policyIds: secret([policies[0], policies[1]]) } },
	providers: {
		type: "OauthProviderRemoval",
		properties: { userId: secret(bob), providerIds: [secret(providers.bob[0])] },
	},
	app: { type: "TvcAppRemoval", properties: { appId: secret(apps.old) } },
};

/** Resources of every kind with secret inputs. */
const program = (name: string, more = {}): Program => ({
	resources: {
		...removals,
		a: {
			type: "UserTag",
			properties: {
				name: secret(name),
				previously: [secret("dawn-watch")],
				members: { exactly: [alice, secret(bob)] },
				onDestroy: "removeMembers",
				...more,
			},
		},
		b: { type: "UserTag", properties: { name: "oncall", tagId: secret(tags.oncall) } },
	},
	outputs: { members: outputOf("a", "members"), onDestroy: outputOf("a", "onDestroy") },
});

const secretValues = [
	...["night-watch", "dawn-watch", bob, tags.oncall],
	...[policies[0], policies[1], providers.bob[0], apps.old],
];

/** A stack of the program, in which tags and removals take two approvals. */
async function begin(watch: Watch): Promise<Watched> {
	const watched = await watch(program("night-watch"));
	const { world } = watched;
	await world.change({ userTags: [{ tagId: tags.signers, tagName: "dawn-watch", userIds: [carol] }] });
	// The one who applies keeps a tag, so that no guard minds.
	await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
	await world.setRules({ approvals: { [updating]: 2, [removing]: 2 } });
	return watched;
}

async function approveAll(world: World): Promise<void> {
	const pending = world.activities().filter(({ type }) => type === updating || type === removing);
	expect(pending).toHaveLength(2);
	for (const { fingerprint } of pending) await world.submitAsBob("approve_activity", { fingerprint });
	await world.setRules({ approvals: {} });
}

/** Names, members and ids: pending, drifted, blocked, misspelled, replaced or deleted. */
export async function playSecretInputs(watch: Watch, urnOf: (type: string, name: string) => string): Promise<void> {
	const { world, stack, run, write, leaks } = await begin(watch);
	const preview = await run("preview", "--diff");
	expect(shown(preview)).toContain("a: adopts the user tag [secret], renames it to [secret], adds 2 members");
	const waiting = await run(...apply);
	expect(shown(waiting)).toContain("pending approval");
	const kept = (await stack.resource("a")).outputs ?? {};
	expect(Object.keys(kept)).toEqual(expect.arrayContaining(["activities", "managed"]));
	expect((await stack.resource("a")).initErrors).toEqual([expect.stringContaining("rename `[secret]` to `[secret]`")]);
	await approveAll(world);
	expectSuccess(await run(...apply));
	expect((await stack.resource("a")).outputs).toMatchObject({ onDestroy: "removeMembers" });
	expect((await stack.resource("app")).id).toMatch(/^sha256:[0-9a-f]{64}$/);
	expect(await stack.outputs()).toMatchObject({ members: "[secret]", onDestroy: "removeMembers" });
	expectSuccess(await run("preview", "--refresh", "--diff", "--expect-no-changes"));

	await world.change({
		userTags: [{ tagId: tags.signers, tagName: "dawn-watch", userIds: [alice] }],
		policies: [{ policyId: policies[0], policyName: "policy 1" }],
		tvcApps: [{ id: apps.old, name: "old" }],
	});
	expectSuccess(await run("refresh", "--yes", "--skip-preview", "--diff"));
	expect((await run("preview", "--diff", "--expect-no-changes")).exitCode).toBe(7);
	expectSuccess(await run(...apply));
	expect(world.organization().policies).toMatchObject([{ policyId: policies[2] }]);

	write(program("night-watch", { limits: { memberRemovals: 0 } }));
	await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice, bob, carol] }] });
	expect(shown(await run("up", "--yes", "--skip-preview", "--refresh", "--diff"))).toContain(
		"blocked by a guard, nothing was submitted",
	);
	write({ resources: { c: { type: "UserTag", properties: { name: secret("night-wacht") } } } });
	const misspelt = await run("preview", "--diff");
	expect(shown(misspelt)).toContain("no user tag is called `[secret]`");

	write(program("night-watch"));
	expectSuccess(await run("up", "--yes", "--skip-preview", "--replace", urnOf("UserTag", "a")));
	expectSuccess(await run("destroy", "--yes", "--skip-preview", "--diff"));
	expect(leaks([...secretValues, "night-wacht"])).toEqual([]);
}

/** The organization, and an input that becomes secret. */
export async function playSecretOrganization(watch: Watch, isDynamic: boolean): Promise<void> {
	const tag = (properties: ProgramResource["properties"], options?: ProgramResource["options"]): ProgramResource => ({
		type: "UserTag",
		properties: { name: "signers", ...properties },
		...(options === undefined ? {} : { options }),
	});
	const { stack, run, write, leaks } = await watch({
		resources: { a: tag({}), policies: { type: "PolicyRemoval", properties: { policyIds: [] } } },
	});
	await stack.configure({ "orgsync:organizationId": { secret: organizationId } });
	expectSuccess(await run(...apply));
	const own: ProgramResource = { type: "Provider", properties: { organizationId: secret(organizationId) } };
	write({
		resources: {
			own,
			a: tag({}, { provider: "own" }),
			gone: { type: "UserTag", get: carol, options: { provider: "own" } },
		},
	});
	const gone = await run("preview", "--diff");
	expect(shown(gone)).toContain("the organization [secret] has no user tag with the id");
	// The host of YAML passes the arguments of functions as plain values, so no plugin can know that one is a secret.
	if (isDynamic) {
		const profile = call("getSessionProfile", { sessionProfileId: secret(missing) }, "sessionProfile");
		write({ outputs: { profile } });
		expect(shown(await run("preview", "--diff"))).toContain("no session profile found with id [secret]");
	}
	expect(leaks([organizationId, missing])).toEqual([]);

	write({
		resources: { b: tag({ organizationId, members: { atLeast: [carol] } }, { aliases: [{ name: "a" }] }) },
	});
	expectSuccess(await run(...apply));
	const plain = await stack.resource("b");
	expect(plain.outputs).toMatchObject({ organizationId, managed: { atLeast: [carol] } });
	write({ resources: { b: tag({ organizationId, members: { atLeast: [secret(carol)] } }) } });
	expect(shown(await run(...apply))).toContain("1 updated");
	expect(JSON.stringify(await stack.resource("b"))).not.toContain(carol);
}
