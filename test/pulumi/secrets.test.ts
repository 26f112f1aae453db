/**
 * Secret inputs: wherever they flow, in any form, they are a secret of Pulumi. Searched for with the real engine in the
 * state, in its history, in what each command prints, and in the event logs.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { namesOfSecrets, SecretValues, seal } from "../../src/pulumi/secrets.ts";
import { type Answer, expectSuccess, shown } from "../engine/answer.ts";
import type { Stack } from "../engine/harness.ts";
import { alice, apps, bob, carol, organizationId, policies, providers, tags } from "../world.ts";
import { type Adapter, adapters, dynamicResources, plugin } from "./adapters.ts";
import { call, outputOf, type Program, type ProgramResource, secret } from "./program.ts";

const missing = "50000000-0000-4000-8000-000000000009";
const updating = "ACTIVITY_TYPE_UPDATE_USER_TAG";
const removing = "ACTIVITY_TYPE_DELETE_POLICIES";

/** A stack whose commands write event logs, and all that can be seen of it outside the program. */
async function makeWatched(adapter: Adapter, program: Program) {
	const { world, stack } = await adapter.makeWorld(program, {
		env: { PULUMI_DEBUG_COMMANDS: "true" },
		recordCalls: adapter === plugin,
	});
	const seen: { place: string; text: string }[] = [];
	const run = async (...words: readonly string[]): Promise<Answer> => {
		const log = join(stack.folder, "..", `events-${seen.length}.json`);
		const answer = await stack.pulumi([...words, "--event-log", log]);
		const command = words.join(" ");
		seen.push({ place: `output of ${command}`, text: shown(answer) });
		seen.push({ place: `event log of ${command}`, text: withoutDebug(readFileSync(log, "utf8")) });
		seen.push({ place: `state after ${command}`, text: JSON.stringify(await stack.state()) });
		if (adapter === plugin) seen.push({ place: `answers of the plugin to ${command}`, text: answersIn(stack.calls()) });
		return answer;
	};
	/** Where any of the values is in plain text. */
	const leaks = (values: readonly string[]): readonly string[] =>
		[...seen, ...stack.stateFiles()].flatMap(({ place, text }) =>
			values.filter((value) => text.includes(value)).map((value) => `${value} in ${place}`),
		);
	return { world, stack, run, leaks };
}

/** An event log without what the SDK logs for its own debugging: it logs every answer of the engine in full. */
function withoutDebug(log: string): string {
	const lines = log.split("\n").filter((line) => !line.includes('"severity":"debug"'));
	expect(lines.length).toBeGreaterThan(5);
	return lines.join("\n");
}

/**
 * All that a plugin answered and logged, without the values that it marks as secrets. The engine does not say in CheckConfig
 * which settings are secrets, and marks them in the answer.
 */
function answersIn(calls: ReturnType<Stack["calls"]>): string {
	const own = calls.filter(({ method }) => /^\/pulumirpc\.ResourceProvider\/(?!CheckConfig$)/.test(method));
	const logged = calls.filter(({ method }) => method === "/pulumirpc.Engine/Log");
	expect(own.length).toBeGreaterThan(2);
	const said = [...own.flatMap(({ response, errors }) => [response, errors]), ...logged.map(({ request }) => request)];
	return JSON.stringify(said, (_name, value) =>
		typeof value === "object" && value !== null && secretMark in value ? "[secret]" : value,
	);
}

/** Marks a value as a secret in the engine's protocol. */
const secretMark = "4dabf18193072939515e22adb298388d";

const apply = ["up", "--yes", "--skip-preview", "--diff", "--continue-on-error"] as const;
describe.each(adapters)("secret inputs of $title", { timeout: 300_000 }, (adapter) => {
	it("are never in plain text, also in ids: pending, drifted, blocked, misspelled, replaced or deleted", async () => {
		const removals: Program["resources"] = {
			policies: { type: "PolicyRemoval", properties: { policyIds: secret([policies[0], policies[1]]) } },
			providers: {
				type: "OauthProviderRemoval",
				properties: { userId: secret(bob), providerIds: [secret(providers.bob[0])] },
			},
			app: { type: "TvcAppRemoval", properties: { appId: secret(apps.old) } },
		};
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
		const { world, stack, run, leaks } = await makeWatched(adapter, program("night-watch"));
		await world.change({ userTags: [{ tagId: tags.signers, tagName: "dawn-watch", userIds: [carol] }] });
		// The one who applies keeps a tag, so that no guard minds.
		await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
		await world.setRules({ approvals: { [updating]: 2, [removing]: 2 } });

		const preview = await run("preview", "--diff");
		expect(shown(preview)).toContain("a: adopts the user tag [secret], renames it to [secret], adds 2 members");
		const waiting = await run(...apply);
		expect(shown(waiting)).toContain("pending approval");
		const kept = (await stack.resource("a")).outputs ?? {};
		expect(Object.keys(kept)).toEqual(expect.arrayContaining(["activities", "managed"]));
		expect((await stack.resource("a")).initErrors).toEqual([
			expect.stringContaining("rename `[secret]` to `[secret]`"),
		]);
		const pending = world.activities().filter(({ type }) => type === updating || type === removing);
		expect(pending).toHaveLength(2);
		for (const { fingerprint } of pending) await world.submitAsBob("approve_activity", { fingerprint });
		await world.setRules({ approvals: {} });
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

		adapter.write(stack, program("night-watch", { limits: { memberRemovals: 0 } }));
		await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice, bob, carol] }] });
		expect(shown(await run("up", "--yes", "--skip-preview", "--refresh", "--diff"))).toContain(
			"blocked by a guard, nothing was submitted",
		);
		adapter.write(stack, { resources: { c: { type: "UserTag", properties: { name: secret("night-wacht") } } } });
		const misspelt = await run("preview", "--diff");
		expect(shown(misspelt)).toContain("no user tag is called `[secret]`");

		adapter.write(stack, program("night-watch"));
		expectSuccess(await run("up", "--yes", "--skip-preview", "--replace", adapter.urnOf("UserTag", "a")));
		expectSuccess(await run("destroy", "--yes", "--skip-preview", "--diff"));
		const values = ["night-watch", "dawn-watch", "night-wacht", bob, tags.oncall];
		expect(leaks([...values, policies[0], policies[1], providers.bob[0], apps.old])).toEqual([]);
	});

	it("for the organization are never in plain text, and an input that becomes secret leaves the state", async () => {
		const tag = (properties: ProgramResource["properties"], options?: ProgramResource["options"]): ProgramResource => ({
			type: "UserTag",
			properties: { name: "signers", ...properties },
			...(options === undefined ? {} : { options }),
		});
		const { stack, run, leaks } = await makeWatched(adapter, {
			resources: { a: tag({}), policies: { type: "PolicyRemoval", properties: { policyIds: [] } } },
		});
		await stack.configure({ "orgsync:organizationId": { secret: organizationId } });
		expectSuccess(await run(...apply));
		const own: ProgramResource = { type: "Provider", properties: { organizationId: secret(organizationId) } };
		adapter.write(stack, {
			resources: {
				own,
				a: tag({}, { provider: "own" }),
				gone: { type: "UserTag", get: carol, options: { provider: "own" } },
			},
		});
		const gone = await run("preview", "--diff");
		expect(shown(gone)).toContain("the organization [secret] has no user tag with the id");
		// The host of YAML passes the arguments of functions as plain values, so no plugin can know that one is a secret.
		if (adapter === dynamicResources) {
			const profile = call("getSessionProfile", { sessionProfileId: secret(missing) }, "sessionProfile");
			adapter.write(stack, { outputs: { profile } });
			expect(shown(await run("preview", "--diff"))).toContain("no session profile found with id [secret]");
		}
		expect(leaks([organizationId, missing])).toEqual([]);

		adapter.write(stack, {
			resources: { b: tag({ organizationId, members: { atLeast: [carol] } }, { aliases: [{ name: "a" }] }) },
		});
		expectSuccess(await run(...apply));
		const plain = await stack.resource("b");
		expect(plain.outputs).toMatchObject({ organizationId, managed: { atLeast: [carol] } });
		adapter.write(stack, { resources: { b: tag({ organizationId, members: { atLeast: [secret(carol)] } }) } });
		expect(shown(await run(...apply))).toContain("1 updated");
		expect(JSON.stringify(await stack.resource("b"))).not.toContain(carol);
	});
});

describe("what is printed", () => {
	it("hides a value in upper or lower case, escaped or cut, and does not change longer words", () => {
		const hidden = new SecretValues();
		expect(hidden.redact("nothing is secret")).toBe("nothing is secret");
		const long = "a name that is longer than what a message shows of it";
		hidden.add(["sign", "A0000000-0000-4000-8000-000000000002", 'a\u001b"b', long, "$&.*", "3"]);
		expect(hidden.redact("sign signers `Sign` userTag:sign, 33 of 3")).toBe(
			"[secret] signers `[secret]` userTag:[secret], 33 of [secret]",
		);
		expect(hidden.redact(bob)).toBe("[secret]");
		expect(hidden.redact('`a\\u{1b}"b` `a\\u001b"b` "a\\u001b\\"b"')).toBe('`[secret]` `[secret]` "[secret]"');
		expect(hidden.redact(`is \`${long.slice(0, 40)}…\` long`)).toBe("is `[secret]` long");
		expect(hidden.redact("costs $&.* and .*")).toBe("costs [secret] and .*");
	});

	it("is a secret in the state by name, by repetition and by value, and unknown values are not changed", () => {
		const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
		const marked = (value: unknown) => ({
			"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
			value,
		});
		const properties = { previously: ["old"], name: "old", members: unknown, managed: { exactly: [] }, resource: "it" };
		expect(seal({ ...properties, secretInputs: ["members", "previously"] })).toEqual({
			previously: marked(["old"]),
			name: marked("old"),
			members: unknown,
			managed: marked({ exactly: [] }),
			resource: "it",
			secretInputs: ["members", "previously"],
		});
		expect(seal(properties)).toEqual(properties);
		expect(namesOfSecrets({ secretInputs: "members" })).toEqual([]);
	});
});
