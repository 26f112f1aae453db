/** What the plugin answers to an engine about everything but differences, without an engine. */
import {
	Server,
	ServerCredentials,
	type ServerUnaryCall,
	type ServiceError,
	type sendUnaryData,
	status,
} from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type engineMessages from "@pulumi/pulumi/proto/engine_pb.js";
import pluginMessages from "@pulumi/pulumi/proto/plugin_pb.js";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import statusMessages from "@pulumi/pulumi/proto/status_pb.js";
import fc from "fast-check";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLog } from "../../../src/pulumi/plugin/engine.ts";
import { readMessage, readStruct, writeMessage, writeStruct } from "../../../src/pulumi/plugin/structs.ts";
import { readProperties, toProperties, writeProperties } from "../../../src/pulumi/plugin/values.ts";
import { alice, bob, keys, makeWorld, organizationId, tags } from "../../world.ts";
import { configuredPlugin, type Plugin, readDiff, secret, startPlugin, unknown, write } from "./plugin-client.ts";

const unknownNumber = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";
const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", text: "x" };

type LogRequest = InstanceType<typeof engineMessages.LogRequest>;

interface Shown {
	readonly severity: number;
	readonly message: string;
	readonly urn: string;
}

/** An engine that shows what the plugin prints, or fails to, or shows it and never says so. */
async function startEngine(kind: "broken" | "silent" | "working" = "working", wantedPort = 0) {
	const shown: Shown[] = [];
	const server = new Server();
	server.addService(engineService.EngineService, {
		log({ request }: ServerUnaryCall<LogRequest, object>, callback: sendUnaryData<object>) {
			if (kind === "broken") return callback({ code: status.INTERNAL, details: "broken" });
			setTimeout(() => {
				shown.push({ severity: request.getSeverity(), message: request.getMessage(), urn: request.getUrn() });
				if (kind === "working") callback(null, new empty.Empty());
			}, 20);
		},
	} as never);
	const port = await new Promise<number>((resolve, reject) =>
		server.bindAsync(`127.0.0.1:${wantedPort}`, ServerCredentials.createInsecure(), (error, found) =>
			error ? reject(error) : resolve(found),
		),
	);
	onTestFinished(() => server.forceShutdown());
	return { address: `127.0.0.1:${port}`, port, shown, end: () => server.forceShutdown() };
}

describe("properties of the plugin", () => {
	const values = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue());

	it("are the same to the library of protobuf, which reads what the plugin writes and writes what it reads", () => {
		// The library's own map loses one name, which no property has.
		const named = values.filter((one) => !JSON.stringify(one).includes("__proto__"));
		fc.assert(
			fc.property(named, (properties) => {
				const plain = JSON.parse(JSON.stringify(properties));
				expect(writeProperties(plain).toJavaScript()).toEqual(plain);
				expect(readProperties(struct.Struct.fromJavaScript(plain)).properties).toEqual(plain);
			}),
			{ numRuns: 200 },
		);
	});

	it("are the same after they were written and read, whatever their names and their sizes are", () => {
		const large = fc.constant({ ["n".repeat(200)]: ["x".repeat(20_000), { deep: "ü".repeat(5000) }] });
		fc.assert(
			fc.property(fc.oneof(values, large), (properties) => {
				const plain = JSON.parse(JSON.stringify(properties));
				expect(readStruct(writeStruct({ ...plain, left: undefined }))).toEqual(plain);
			}),
			{ numRuns: 200 },
		);
	});

	it("are read beside fields of every type that a later protocol may have", () => {
		const later = Buffer.from([0x50, 0x81, 0x01, 0x59, 1, 2, 3, 4, 5, 6, 7, 8, 0x65, 1, 2, 3, 4]);
		const found: number[] = [];
		readMessage(Buffer.concat([later, writeMessage([[1, "urn"]])]), (field) => found.push(field));
		expect(found).toEqual([10, 11, 12, 1]);
	});

	it("are refused where their bytes end early", () => {
		const bytes = writeStruct({ members: [1, true, null, { name: "signers" }] });
		for (let length = 1; length < bytes.length; length += 1)
			expect(() => readStruct(bytes.subarray(0, length)), String(length)).toThrow();
	});

	it("are of no use where they are nested too deeply, whatever their depth is, and are read up to there", () => {
		/** A list in a list, so many times, as a value of the protocol. */
		const nest = (levels: number): Buffer => {
			let value = writeMessage([[3, "x"]]);
			for (let level = 0; level < levels; level += 1) value = writeMessage([[6, writeMessage([[1, value]])]]);
			return writeMessage([
				[
					1,
					writeMessage([
						[1, "name"],
						[2, value],
					]),
				],
			]);
		};
		expect(toProperties(readStruct(nest(100))).unusable).toEqual([]);
		for (const levels of [101, 2000]) {
			const { properties, unusable } = toProperties(readStruct(nest(levels)));
			expect(unusable).toEqual([{ name: "name", what: "values nested more than 100 levels deep" }]);
			expect(JSON.stringify(properties.name)).toBe(`${"[".repeat(100)}null${"]".repeat(100)}`);
		}
	});

	it("recognize nested secrets and outputs, and have one placeholder for everything unknown", () => {
		const output = (more: object) => ({
			"4dabf18193072939515e22adb298388d": "d0e6a833031e9bbcd3f4e8bde6ca49a4",
			...more,
		});
		const { properties, secretNames, unusable } = readProperties(
			write({
				plain: ["x"],
				listed: ["x", secret("y")],
				nested: { one: { two: secret([1]) } },
				known: output({ value: "z", secret: true, dependencies: [] }),
				later: output({}),
				number: unknownNumber,
				files: { one: [asset] },
			}),
		);
		expect(properties).toEqual({
			plain: ["x"],
			listed: ["x", "y"],
			nested: { one: { two: [1] } },
			known: "z",
			later: unknown,
			number: unknown,
			files: { one: [null] },
		});
		expect(secretNames).toEqual(["known", "listed", "nested"]);
		expect(unusable).toEqual([{ name: "files", what: "an asset" }]);
	});
});

describe("inputs of the plugin", () => {
	it("cannot be an asset, nor have the name of what only an adapter adds", async () => {
		const signers = (await configuredPlugin(await makeWorld())).resource("UserTag", "signers");
		const { failures } = await signers.check({ name: "signers", partOf: "acme", outOfSync: true, previously: [asset] });
		expect(failures.map((failure) => failure.split(";")[0])).toEqual([
			": outOfSync: unknown property",
			": partOf: unknown property",
			"previously: must not be or contain an asset",
			"previously: previously[0] is null",
		]);
	});

	it("are refused with the value that the engine prints, and without one if they are missing", async () => {
		const signers = (await configuredPlugin(await makeWorld())).resource("UserTag", "signers");
		const { failures } = await signers.check({ members: { exactly: ["alice"] }, onDestroy: "remove" });
		expect(failures.map((failure) => failure.split(" such as ")[0])).toEqual([
			": name: is required",
			"members: members.exactly[0] must be a UUID",
			'onDestroy: must be keep, removeMembers or delete, got "remove"',
		]);
	});

	it("stay secrets in checked inputs, previews, states and refreshed ones", async () => {
		const world = await makeWorld();
		const signers = (await configuredPlugin(world)).resource("UserTag", "signers");
		const news = { name: "signers", members: { atLeast: [alice, secret(bob)] } };
		const { inputs } = await signers.check(news);
		const members = secret({ atLeast: [alice, bob] });
		expect(inputs).toMatchObject({ name: "signers", members });
		expect((await signers.create(inputs, true)).outputs).toMatchObject({ members });
		const partly = { ...news, name: unknown, members: { atLeast: [unknown, secret(bob)] } };
		const unknownYet = await signers.check(partly);
		expect(unknownYet.inputs).toMatchObject({ members: secret({ atLeast: [unknown, bob] }) });
		expect((await signers.create(unknownYet.inputs, true)).outputs).toMatchObject({
			members: secret({ atLeast: [unknown, bob] }),
		});
		const { id, outputs } = await signers.create(inputs);
		expect(outputs).toMatchObject({ name: "signers", members, managed: members, lastApplied: secret({}) });
		const refreshed = await signers.read(id, outputs, inputs);
		expect(refreshed).toMatchObject({ id, outputs: { members, managed: members }, inputs: { members } });
		for (const found of [outputs, refreshed.outputs, refreshed.inputs]) {
			expect(JSON.stringify(withoutSecrets(found))).not.toContain(bob);
			expect(Object.keys(found)).not.toEqual(expect.arrayContaining(["secretInputs"]));
		}
	});

	it("stay secrets in the state and the message of a change that is pending", async () => {
		const world = await makeWorld();
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const signers = (await configuredPlugin(world)).resource("UserTag", "signers");
		const { inputs } = await signers.check({ name: "signers", members: secret({ atLeast: [bob] }), limits: {} });
		const failure = await signers.create(inputs).then(
			() => expect.unreachable(),
			(error: ServiceError) => error,
		);
		expect(failure.details).toMatch(/pending approval/);
		expect(failure.details).not.toContain(bob);
		const [bytes] = failure.metadata.get("grpc-status-details-bin");
		const [detail] = statusMessages.Status.deserializeBinary(bytes as Buffer).getDetailsList();
		const stored = providerMessages.ErrorResourceInitFailed.deserializeBinary(
			detail?.getValue_asU8() ?? new Uint8Array(),
		);
		const outputs = stored.getProperties()?.toJavaScript() ?? {};
		expect(outputs).toMatchObject({ name: "signers", activities: secret([{ outcome: "awaiting-approval" }]) });
		expect(Object.keys(outputs)).not.toEqual(expect.arrayContaining(["limits"]));
		expect(JSON.stringify(withoutSecrets(outputs))).not.toContain(bob);
	});

	it("keep the default organization secret if it is one", async () => {
		const plugin = await configuredPlugin(await makeWorld(), { organizationId: secret(organizationId) });
		const removal = plugin.resource("PolicyRemoval", "old");
		const { inputs } = await removal.check({ policyIds: [] });
		expect(inputs).toMatchObject({ organizationId: secret(organizationId) });
		const { id, outputs } = await removal.create(inputs);
		expect(id).toMatch(/^sha256:/);
		expect(outputs).toMatchObject({ organizationId: secret(organizationId) });
		expect(await removal.diff(id, outputs, inputs)).toMatchObject({ changes: false });
	});

	it("have limits that are in no output, and that a refresh keeps", async () => {
		const signers = (await configuredPlugin(await makeWorld())).resource("UserTag", "signers");
		const { inputs } = await signers.check({ name: "signers", limits: { memberRemovals: 3 } });
		const { id, outputs } = await signers.create(inputs);
		expect(outputs).not.toHaveProperty("limits");
		const refreshed = await signers.read(id, outputs, inputs);
		expect(refreshed.inputs).toEqual(inputs);
		expect(refreshed.outputs).not.toHaveProperty("limits");
	});
});

/** The properties with nothing in place of each secret. */
function withoutSecrets(value: unknown): unknown {
	if (typeof value !== "object" || value === null) return value;
	if ("4dabf18193072939515e22adb298388d" in value) return null;
	if (Array.isArray(value)) return value.map(withoutSecrets);
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutSecrets(item)]));
}

const defaultUrn = "urn:pulumi:test::probe::pulumi:providers:orgsync::default_1_2_3";
const explicitUrn = "urn:pulumi:test::probe::pulumi:providers:orgsync::beta";

async function checkConfig(plugin: Plugin, news: object, urn = explicitUrn) {
	const request = new providerMessages.CheckRequest();
	request.setUrn(urn);
	request.setNews(write({ ...news }));
	const response = await plugin.call<InstanceType<typeof providerMessages.CheckResponse>>("checkConfig", request);
	return {
		inputs: response.getInputs()?.toJavaScript(),
		failures: response.getFailuresList().map((one) => `${one.getProperty()}: ${one.getReason()}`),
	};
}

function configure(plugin: Plugin, args: object, urn = explicitUrn): Promise<unknown> {
	const request = new providerMessages.ConfigureRequest();
	request.setUrn(urn);
	request.setArgs(write({ ...args }));
	return plugin.call("configure", request);
}

describe("the settings of the plugin", () => {
	it.each([
		["the values of YAML", { wait: 3, allow: ["policies=1", "lockout=2"], retryRejected: true, reads: "documented" }],
		["the JSON of the SDKs", { wait: "3", allow: '["policies=1","lockout=2"]', retryRejected: "true" }],
		["the text of the configuration", { wait: "3", allow: "policies=1 lockout=2", version: "1.2.3" }],
		["unknown values", { wait: unknownNumber, allow: [unknown], url: unknown, retryRejected: unknown }],
	])("may be %s", async (_what, settings) => {
		const plugin = await startPlugin();
		expect(await checkConfig(plugin, settings)).toMatchObject({ failures: [], inputs: expect.anything() });
	});

	const setBy = (name: string, variable: string) =>
		`it is set by the Provider's \`${name}\`, the stack configuration orgsync:${name}, or ${variable}`;
	it.each([
		[{ organisationId: "x" }, expect.stringMatching(/^organisationId: unknown property; known: organizationId, url, /)],
		[{ organizationId: 5 }, "organizationId: orgsync:organizationId must be text"],
		[
			{ organizationId: "acme; got `x`" },
			`organizationId: orgsync:organizationId must be a UUID; ${setBy("organizationId", "ORGSYNC_ORGANIZATION_ID")}`,
		],
		[{ wait: true }, "wait: orgsync:wait must be a number"],
		[{ wait: "soon" }, `wait: orgsync:wait must be a number of seconds; ${setBy("wait", "ORGSYNC_WAIT")}`],
		[{ allow: [5] }, "allow: orgsync:allow must be a list of text"],
		[{ retryRejected: "yes" }, expect.stringMatching(/^retryRejected: orgsync:retryRejected must be true or false; /)],
		[{ apiPrivateKey: 5 }, ": apiPrivateKey: orgsync:apiPrivateKey must be text"],
	])("are refused by name: %j", async (settings, failure) => {
		expect((await checkConfig(await startPlugin(), settings)).failures).toEqual([failure]);
	});

	it("do not include a project's own settings in the same namespace", async () => {
		const plugin = await startPlugin();
		const urn = "urn:pulumi:test::orgsync::pulumi:providers:orgsync::default";
		expect((await checkConfig(plugin, { document: "x" }, urn)).failures).toEqual([]);
		expect((await checkConfig(plugin, { document: "x" }, defaultUrn)).failures).toHaveLength(1);
	});

	it("never have the private key as plain text, and refuse one that is so in the configuration", async () => {
		const plugin = await startPlugin();
		const key = keys.alice.privateKey;
		expect((await checkConfig(plugin, { apiPrivateKey: key })).inputs).toEqual({ apiPrivateKey: secret(key) });
		const { inputs } = await checkConfig(plugin, { apiPrivateKey: key }, defaultUrn);
		expect(withoutSecrets(inputs)).toEqual({ apiPrivateKey: [null] });
		await expect(configure(plugin, inputs ?? {}, defaultUrn)).rejects.toMatchObject({
			details: expect.stringMatching(/^orgsync:apiPrivateKey is in the stack configuration as plain text: /),
		});
		// What the engine makes of a key that is a secret in the configuration.
		await configure(plugin, { apiPrivateKey: secret([key]) }, defaultUrn);
	});

	it("are used as they are: a key in a list, a list as JSON", async () => {
		const world = await makeWorld();
		const apiPrivateKey = secret([keys.alice.privateKey]);
		const plugin = await configuredPlugin(world, { apiPrivateKey, allow: '["memberRemovals=1"]', wait: 1 });
		const { failures } = await plugin
			.resource("UserTag", "signers")
			.check({ name: "signers", members: { exactly: [alice, bob] }, limits: { memberRemovals: 0 } });
		expect(failures).toEqual([]);
	});

	it("arrive as variables from an engine that has no other way", async () => {
		const world = await makeWorld();
		const plugin = await startPlugin();
		const request = new providerMessages.ConfigureRequest();
		const given = { url: world.url, organizationId, apiPrivateKey: keys.alice.privateKey, journal: ":memory:" };
		for (const [name, value] of Object.entries(given)) request.getVariablesMap().set(`orgsync:config:${name}`, value);
		await plugin.call("configure", request);
		const { inputs } = await plugin.resource("UserTag", "signers").check({ name: "signers" });
		expect(inputs).toMatchObject({ organizationId, tagId: tags.signers });
	});

	it("differ by name, and replace no provider", async () => {
		const plugin = await startPlugin();
		const request = new providerMessages.DiffRequest();
		const olds = { url: "https://a.test", organizationId, allow: ["policies=1"], version: "1.2.3" };
		const news = { url: "https://b.test", organizationId, wait: unknownNumber, version: "1.2.3" };
		request.setOlds(write(olds));
		request.setOldInputs(write(olds));
		request.setNews(write(news));
		expect(readDiff(await plugin.call("diffConfig", request))).toMatchObject({
			changes: true,
			replaces: [],
			details: { url: "UPDATE of inputs", allow: "DELETE of inputs", wait: "ADD of inputs" },
		});
		request.setNews(write(olds));
		expect(readDiff(await plugin.call("diffConfig", request))).toMatchObject({ changes: false, details: {} });
	});
});

describe("a call that the plugin does not serve", () => {
	it.each([
		["call", new providerMessages.CallRequest(), status.UNIMPLEMENTED, "the resources of orgsync have no methods"],
		[
			"parameterize",
			new providerMessages.ParameterizeRequest(),
			status.UNIMPLEMENTED,
			"the orgsync plugin has no parameters",
		],
	])("is refused in one sentence: %s", async (method, request, code, details) => {
		await expect((await startPlugin()).call(method, request)).rejects.toMatchObject({ code, details });
	});

	it.each([
		["Group", "Group"],
		["Gr\u001boup", "Gr\\u{1b}oup"],
	])("names a type that it does not have, escaped: %j", async (type, shown) => {
		const group = (await startPlugin()).resource(type, "staff");
		const refusal = { code: status.NOT_FOUND, details: `orgsync has no resource type \`orgsync:index:${shown}\`` };
		await expect(group.check({})).rejects.toMatchObject(refusal);
	});

	it("has an empty answer where engines ask every plugin", async () => {
		const plugin = await startPlugin();
		const mapping = await plugin.call<InstanceType<typeof providerMessages.GetMappingResponse>>(
			"getMapping",
			new providerMessages.GetMappingRequest(),
		);
		expect(mapping.getProvider()).toBe("");
		await plugin.call("getMappings", new providerMessages.GetMappingsRequest());
		const info = await plugin.call<InstanceType<typeof pluginMessages.PluginInfo>>("getPluginInfo", new empty.Empty());
		expect(info.getVersion()).toBe("1.2.3");
	});

	it("reports a defect with where it happened, and without a secret", async () => {
		const plugin = await configuredPlugin(await makeWorld(), { journal: secret("hidden") });
		const broken = plugin.resource("PolicyRemoval", "old").read("hidden", { policyIds: "hidden", organizationId: 5 });
		await expect(broken).rejects.toMatchObject({ details: expect.not.stringContaining("hidden") });
	});
});

describe("what the plugin prints", () => {
	it("is beside its resource, in order, before the answer", async () => {
		const { address, shown } = await startEngine();
		const plugin = await configuredPlugin(await makeWorld(), { allow: "memberRemovals=1" }, address);
		const members = { exactly: [alice, bob] };
		await plugin.resource("UserTag", "signers").check({ name: "signers", members, limits: { memberRemovals: 0 } });
		const urn = expect.stringMatching(/::signers$/);
		expect(shown).toEqual([
			{ severity: 1, urn, message: expect.stringMatching(/^signers: override used: /) },
			{ severity: 1, urn, message: expect.stringMatching(/^signers: adopts the user tag/) },
		]);
	});

	it("goes to an engine that attaches to a plugin which a person started", async () => {
		const { address, shown } = await startEngine();
		const plugin = await configuredPlugin(await makeWorld());
		const request = new pluginMessages.PluginAttach();
		request.setAddress(address);
		await plugin.call("attach", request);
		await plugin.resource("UserTag", "signers").check({ name: "signers", members: { exactly: [alice, bob] } });
		expect(shown.length).toBeGreaterThan(0);
	});

	it("is not lost on a machine that does not let the plugin run for longer than an engine may take", async () => {
		const { address, shown } = await startEngine();
		const log = openLog(address, 200);
		log.print("info", "first");
		log.print("info", "second");
		// The connection begins, and then nothing of this process runs.
		await new Promise((resolve) => setImmediate(resolve));
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
		await log.flush();
		expect(shown.map(({ message }) => message)).toEqual(["first", "second"]);
	});

	it("does not wait for an engine that never answers, and reaches it all the same", async () => {
		const { address, shown } = await startEngine("silent");
		const log = openLog(address, 200);
		log.print("info", "first");
		log.print("info", "second");
		await log.flush();
		await expect.poll(() => shown.map(({ message }) => message)).toEqual(["first", "second"]);
	});

	it("never fails a resource", async () => {
		const { address } = await startEngine("broken");
		const signers = (await configuredPlugin(await makeWorld(), {}, address)).resource("UserTag", "signers");
		const { failures, inputs } = await signers.check({ name: "signers", members: { exactly: [alice, bob] } });
		expect(failures).toEqual([]);
		expect((await signers.create(inputs)).id).toBe(tags.signers);
	});

	it("shows no secret", async () => {
		const { address, shown } = await startEngine();
		const signers = (await configuredPlugin(await makeWorld(), {}, address)).resource("UserTag", "signers");
		await signers.check({ name: "signers", members: secret({ exactly: [alice, bob] }) });
		expect(shown.length).toBeGreaterThan(0);
		expect(JSON.stringify(shown)).not.toContain(bob);
	});
});

describe("an engine that was there", () => {
	it("is known to be gone when its address is closed", async () => {
		const { address, end } = await startEngine();
		const log = openLog(address);
		log.print("info", "here");
		await log.flush();
		end();
		// The connection is closed by then, or while it waits: either has to be noticed.
		await new Promise((resolve) => setTimeout(resolve, 50));
		await log.whenGone();
	});

	it("is known to be gone when another program has its port by then", async () => {
		const { address, port, end } = await startEngine();
		const log = openLog(address);
		log.print("info", "here");
		await log.flush();
		const gone = log.whenGone();
		end();
		// Long enough for one attempt to connect.
		await new Promise((resolve) => setTimeout(resolve, 200));
		await startEngine("working", port);
		await gone;
	});
});

it("refuses a message that is no structure, as any value", () => {
	expect(readProperties(new struct.Struct()).properties).toEqual({});
});
