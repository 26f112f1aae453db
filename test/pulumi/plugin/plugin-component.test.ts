/** What the plugin registers for an Organization, and when it registers nothing, without an engine. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import aliasMessages from "@pulumi/pulumi/proto/alias_pb.js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { makeFolder } from "../../run.ts";
import {
	alice,
	apps,
	bob,
	carol,
	document,
	makeWorld,
	organizationId,
	policies,
	providers,
	tags,
} from "../../world.ts";
import { configuredPlugin, secret, unknown } from "./plugin-client.ts";
import { constructAcme, startMonitor, urnOf } from "./plugin-monitor.ts";

const component = "urn:pulumi:test::probe::orgsync:index:Organization::acme";
const isSecret = (value: unknown): boolean => JSON.stringify(value).startsWith('{"4dabf18193072939515e22adb298388d"');

/** What the plugin printed for the engine to show. */
let printed: readonly string[] = [];
let folder = "";

beforeEach(() => {
	const lines: string[] = [];
	printed = lines;
	vi.spyOn(console, "error").mockImplementation((line) => lines.push(String(line)));
	folder = makeFolder();
	writeFileSync(join(folder, "Pulumi.yaml"), "name: probe\nruntime: yaml\n");
	const before = process.cwd();
	process.chdir(folder);
	onTestFinished(() => {
		vi.restoreAllMocks();
		process.chdir(before);
	});
});

const whole = {
	organizationId,
	users: { alice, bob, carol },
	userTags: [{ name: "signers", previously: ["keepers"], members: { exactly: ["alice", "bob"] } }, { name: "oncall" }],
	absent: { policies: [policies[0]], oauthProviders: { bob: [providers.bob[0]] }, tvcApps: [apps.old] },
};

describe("an Organization of the plugin", () => {
	it("registers itself with all hooks, and its parts with all timeouts, that the program gave it", async () => {
		const [world, monitor] = [await makeWorld(), await startMonitor()];
		const hooks = new providerMessages.ConstructRequest.ResourceHooksBinding();
		hooks.setBeforeCreateList(["before"]);
		hooks.setAfterDeleteList(["after"]);
		hooks.setOnErrorList(["failed"]);
		const timeouts = new providerMessages.ConstructRequest.CustomTimeouts();
		timeouts.setCreate("1m");
		timeouts.setRead("2m");
		await constructAcme(await configuredPlugin(world), monitor, { document: whole }, (request) => {
			request.setResourceHooks(hooks);
			request.setCustomtimeouts(timeouts);
		});
		const [first, ...parts] = monitor.registered.map(({ request }) => request);
		expect(first?.getHooks()?.toObject()).toEqual(hooks.toObject());
		expect(parts.length).toBeGreaterThan(1);
		for (const part of parts) {
			expect(part.getHooks()).toBeUndefined();
			expect(part.getCustomtimeouts()?.toObject()).toEqual(timeouts.toObject());
		}
	});

	it("registers itself and its parts, with the options of the program and the provider that it was made with", async () => {
		const [world, monitor] = [await makeWorld(), await startMonitor()];
		const plugin = await configuredPlugin(world);
		const outputs = await constructAcme(plugin, monitor, { document: whole }, (request) => {
			request.setParent("urn:pulumi:test::probe::probe:index:Team::team");
			request.setProtect(true);
			request.setRetainondelete(true);
			request.setDependenciesList(["urn:pulumi:test::probe::probe:index:Team::other"]);
			const ofDocument = new providerMessages.ConstructRequest.PropertyDependencies();
			ofDocument.setUrnsList(["urn:pulumi:test::probe::probe:index:Team::source"]);
			request.getInputdependenciesMap().set("document", ofDocument);
			request.getProvidersMap().set("probe", "urn:probe::id");
			const alias = new aliasMessages.Alias();
			alias.setUrn("urn:pulumi:test::probe::probe:index:Old::acme");
			request.addAliases(alias);
		});
		const [first, ...parts] = monitor.registered;
		expect(first).toMatchObject({ type: "orgsync:index:Organization", name: "acme", inputs: { organizationId } });
		expect(first?.request.getParent()).toMatch(/::team$/);
		expect(first?.request.getAliasesList().map((one) => one.getUrn())).toEqual([expect.stringMatching(/:Old::acme$/)]);
		expect([...(first?.request.getProvidersMap().entries() ?? [])]).toEqual([["probe", "urn:probe::id"]]);
		const urn = urnOf("urn:pulumi:test::probe::probe:index:Team::team", "orgsync:index:Organization", "acme");
		for (const { request } of parts) {
			expect(request.getParent()).toBe(urn);
			expect(request.getProvider()).toBe("urn:pulumi:test::probe::pulumi:providers:orgsync::default::1");
			expect([request.getProtect(), request.getRetainondelete(), request.getCustom()]).toEqual([true, true, true]);
			expect(request.getDependenciesList().map((one) => one.split("::").at(-1))).toEqual(["other", "source"]);
		}
		expect(Object.fromEntries(parts.map(({ name, inputs }) => [name, inputs]))).toEqual({
			"acme-signers": {
				organizationId,
				name: "signers",
				previously: ["keepers"],
				members: { exactly: [alice, bob] },
				limits: { memberRemovals: 1 },
			},
			"acme-oncall": { organizationId, name: "oncall", limits: { memberRemovals: 0 } },
			"acme-policies": { organizationId, policyIds: [policies[0]], limits: { policies: 1 } },
			"acme-oauth-providers-bob": {
				organizationId,
				userId: bob,
				providerIds: [providers.bob[0]],
				limits: { oauthProviders: 1 },
			},
			[`acme-tvc-app-${apps.old}`]: { organizationId, appId: apps.old },
		});
		const signers = parts.find(({ name }) => name === "acme-signers");
		expect(
			signers?.request.getAliasesList().map((one) => [one.getSpec()?.getName(), one.getSpec()?.getType()]),
		).toEqual([
			["", "pulumi-nodejs:dynamic/orgsync:UserTag"],
			["acme-keepers", ""],
			["acme-keepers", "pulumi-nodejs:dynamic/orgsync:UserTag"],
		]);
		const summary = { organizationId, differences: [], unmanaged: ["userTag:auditors"] };
		expect(outputs).toMatchObject({ organizationId, summary, activities: 4, impact: [] });
		expect(outputs.changes).toContain("userTag:signers");
		expect(outputs.approvals).toContainEqual({ step: "remove a policy", verdict: "runs", sentence: "runs at once" });
		// What belongs to one run is in no state.
		expect(monitor.outputs).toEqual({ [urn]: { organizationId, summary } });
		expect(printed.join("\n")).toContain("Plan: 4 activities; they run at once.");
		expect(world.submits()).toEqual([]);
	});

	it("gives the diff of a part which of its properties drifted, and nothing of a part that is in sync", async () => {
		const world = await makeWorld();
		const plugin = await configuredPlugin(world);
		const drifting = {
			...whole,
			userTags: [
				{ name: "sentries", id: tags.signers, members: { exactly: ["alice", "bob"] } },
				{ name: "oncall", members: { atLeast: ["carol"], never: ["bob"] } },
				{ name: "auditors" },
			],
		};
		const diffOf = async (type: string, name: string) => {
			const monitor = await startMonitor();
			await constructAcme(plugin, monitor, { document: drifting });
			const inputs = monitor.registered.find((one) => one.name === name)?.inputs ?? {};
			return plugin.resource(`Organization$orgsync:index:${type}`, name).diff("id", inputs, inputs);
		};
		const expectDetails = async (type: string, name: string, details: object) =>
			expect(await diffOf(type, name)).toMatchObject({ changes: Object.keys(details).length > 0, details });
		await expectDetails("UserTag", "acme-sentries", {
			name: "UPDATE",
			"members.exactly[1]": "ADD",
			"members.exactly[2]": "DELETE",
		});
		await expectDetails("UserTag", "acme-oncall", { "members.atLeast[0]": "ADD", "members.never[0]": "ADD" });
		await expectDetails("UserTag", "acme-auditors", {});
		await expectDetails("PolicyRemoval", "acme-policies", { "policyIds[0]": "ADD" });
		await expectDetails("TvcAppRemoval", `acme-tvc-app-${apps.old}`, { appId: "UPDATE" });
	});

	it("repairs without a refresh the access that has ended, and says so in its plan", async () => {
		const world = await makeWorld();
		const window = { user: "carol", until: new Date(Date.now() + 3_600_000).toISOString(), reason: "audit" };
		const userTags = [{ name: "signers", members: { exactly: ["alice", window] } }];
		const diffOf = async () => {
			const [plugin, monitor] = [await configuredPlugin(world), await startMonitor()];
			const outputs = await constructAcme(plugin, monitor, { document: { ...whole, userTags, absent: {} } });
			const inputs = monitor.registered.find(({ name }) => name === "acme-signers")?.inputs ?? {};
			const part = plugin.resource("Organization$orgsync:index:UserTag", "acme-signers");
			return { inputs, details: (await part.diff("id", inputs, inputs)).details, changes: outputs.changes };
		};
		const before = await diffOf();
		const members = { exactly: [alice, { ...window, user: carol }] };
		expect(before).toMatchObject({ inputs: { members, limits: { memberRemovals: 0 } }, details: {}, changes: [] });
		await world.moveClock(2 * 3_600_000);
		const after = await diffOf();
		expect(after.inputs).toMatchObject({ members, limits: { memberRemovals: 1 } });
		expect(after).toMatchObject({ details: { "members.exactly[1]": "DELETE" }, changes: ["userTag:signers"] });
	});

	it("registers nothing if the document, the organization or a guard blocks it, and says why at its place", async () => {
		const [world, monitor] = [await makeWorld(), await startMonitor()];
		const plugin = await configuredPlugin(world);
		const fails = (inputs: object) =>
			constructAcme(plugin, monitor, { document: "orgsync.yaml", ...inputs }).then(
				() => "no failure",
				({ details }) => details,
			);
		const write = (text: string) => writeFileSync(join(folder, "orgsync.yaml"), text);
		expect(await fails({})).toBe("cannot read the document orgsync.yaml: there is no such file or folder");
		write(document("userTags: [{ name: signers, members: { exactly: [alcie] } }]"));
		expect(await fails({})).toBe("orgsync.yaml:3:50: unknown user `alcie`; did you mean `alice`?");
		write(document("userTags: [{ name: signres }]"));
		expect(await fails({})).toMatch(/^orgsync.yaml:3:\d+: no user tag is called `signres`; the nearest: `signers`/);
		write(document(`absent: { policies: [${policies.join(", ")}] }`, "limits: { policies: 2, lockout: 100 }"));
		expect(await fails({})).toBe(
			'blocked by a guard, nothing was submitted: 3 policies would be removed (allowed: at most 2); to override: `pulumi config set orgsync:allow "policies=3"`',
		);
		expect(await fails({ document: 5 })).toBe("document: must be the path of a YAML file, or an object");
		expect(await fails({ organisationId: "x" })).toMatch(/^organisationId: unknown property; known: document, /);
		expect(await fails({ env: ["STAGE", 5] })).toBe("env[1] must be a string, got 5");
		expect(await fails({ env: ["ORGSYNC_API_PRIVATE_KEY"] })).toMatch(/^env: documents cannot use the credential/);
		expect(await fails({ document: { ...whole, userTags: [{ name: "signers", member: [] }] } })).toContain(
			"document.userTags[0].member: unknown key `member`; did you mean `members`?",
		);
		expect(monitor.registered).toEqual([]);
		expect(world.submits()).toEqual([]);
	});

	it("fails if the engine refuses to register a part, and registers no outputs then", async () => {
		const [world, monitor] = [await makeWorld(), await startMonitor({ refuses: "acme-oncall" })];
		const plugin = await configuredPlugin(world);
		await expect(constructAcme(plugin, monitor, { document: whole })).rejects.toThrow(
			"the engine did not register all resources: acme-oncall is refused",
		);
		expect(monitor.registered.map(({ name }) => name)).toContain("acme-policies");
		expect(monitor.outputs).toEqual({});
	});

	it("adds no error when the engine ends the run after a part that failed", async () => {
		const [world, monitor] = [await makeWorld(), await startMonitor({ holds: "acme-oncall" })];
		const plugin = await configuredPlugin(world);
		const constructing = constructAcme(plugin, monitor, { document: whole });
		await expect.poll(() => monitor.registered.length).toBe(6);
		await plugin.call("cancel", new empty.Empty());
		await expect(constructing).resolves.toMatchObject({ organizationId });
		expect(monitor.outputs).toEqual({});
	});

	it("compares nothing while its document is unknown, and says so", async () => {
		const [world, monitor] = [await makeWorld(), await startMonitor()];
		const plugin = await configuredPlugin(world);
		const document = { ...whole, organizationId: unknown };
		const outputs = await constructAcme(plugin, monitor, { document });
		expect(monitor.registered.map(({ name, inputs }) => [name, inputs])).toEqual([["acme", {}]]);
		expect(new Set(Object.values(outputs))).toEqual(new Set([unknown]));
		expect(printed).toEqual([expect.stringMatching(/^not compared yet: document is unknown until `pulumi up`/)]);
		expect(world.requests()).toEqual([]);
	});

	it("accepts outputs in its document once they are known", async () => {
		const [world, monitor] = [await makeWorld(), await startMonitor()];
		const plugin = await configuredPlugin(world);
		const output = { "4dabf18193072939515e22adb298388d": "d0e6a833031e9bbcd3f4e8bde6ca49a4", value: organizationId };
		await constructAcme(plugin, monitor, { document: { ...whole, organizationId: output } });
		expect(monitor.registered).toHaveLength(6);
	});

	it("keeps everything that derives from a secret document a secret, and prints only how much there is to do", async () => {
		const [world, monitor] = [await makeWorld(), await startMonitor()];
		const plugin = await configuredPlugin(world);
		const outputs = await constructAcme(plugin, monitor, { document: secret(whole) });
		expect(Object.entries(outputs).filter(([, value]) => !isSecret(value))).toEqual([]);
		const inputs = monitor.registered.flatMap((one) => Object.values(one.inputs));
		expect(inputs.length).toBeGreaterThan(10);
		expect(inputs.filter((value) => !isSecret(value))).toEqual([]);
		expect(Object.values(monitor.outputs[component] ?? {}).every(isSecret)).toBe(true);
		const parts = monitor.registered.slice(1);
		expect(parts.map(({ name }) => name)).toEqual(parts.map(() => expect.stringMatching(/^acme-[0-9a-f]{16}$/)));
		expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
		// A document that becomes secret has the same parts.
		const aliases = parts.map(({ request }) => request.getAliasesList().map((one) => one.getSpec()?.getName()));
		expect(aliases.flat()).toContain("acme-signers");
		expect(printed).toEqual([
			"Plan: 4 activities; they run at once. 1 user tag to update, 1 OAuth provider to remove, 1 policy to remove, 1 TVC app to remove. The document is secret.",
		]);
		const wrong = { ...whole, userTags: [{ name: "signers", members: { exactly: ["alcie"] } }] };
		await expect(constructAcme(plugin, monitor, { document: secret(wrong) })).rejects.toThrow(
			"unknown user `[secret]`; did you mean `[secret]`?",
		);
	});
});

describe("a UserTag that renames its tag", () => {
	const renamed = { name: "signatories", previously: ["signers"] };
	const rules = { organizationId, rules: { members: { signers: { min: 1 } } } };
	const sentence = "signatories: after the rename, no user tag has the name signers, which is used in";
	const warnings = (): readonly string[] => printed.filter((line) => line.includes("after the rename"));

	it.each(["before", "after"])("warns about the old name in a document that is compared %s it", async (when) => {
		const [world, monitor] = [await makeWorld(), await startMonitor()];
		const plugin = await configuredPlugin(world);
		const steps = [
			() => constructAcme(plugin, monitor, { document: rules }),
			() => plugin.resource("UserTag", "signatories").check(renamed),
		];
		for (const step of when === "before" ? steps : steps.toReversed()) await step();
		expect(warnings()).toEqual([expect.stringContaining(`${sentence} rule:members.signers (document:`)]);
	});

	it("warns about the old name in the text of a policy", async () => {
		const world = await makeWorld();
		const plugin = await configuredPlugin(world);
		await plugin.resource("UserTag", "signatories").check(renamed);
		expect(warnings()).toEqual([]);
		const consensus = "approvers.any(user, user.tags.contains('signers'))";
		await world.change({ policies: [{ policyId: policies[0], consensus }] });
		const other = await configuredPlugin(world);
		await other.resource("UserTag", "signatories").check(renamed);
		expect(warnings()).toEqual([expect.stringContaining(`${sentence} policy:${policies[0]} (policy 1)`)]);
	});
});
