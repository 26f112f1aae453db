/**
 * The world of every test that runs orgsync against a service: an emulator with one organization that has objects of every
 * kind, the keys of two of its users, and a folder with a document in which commands run.
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Seed } from "../src/emulator/server.ts";
import { startEmulator } from "../src/emulator/server.ts";
import { writes } from "../src/wire/operations.ts";
import { apiKeyStamp, makeKey, type TestKey } from "./keys.ts";
import { type Answer, keepSecret, makeFolder, type RunOptions, run, type Started, start } from "./run.ts";

/** The emulator's clock: that of the test file, also while a command has a later one. */
const { testNow } = createRequire(import.meta.url)("./clock.cjs") as { testNow(): number };

/** A key whose private half must not be seen anywhere. */
function makeSecretKey(): TestKey {
	const key = makeKey();
	keepSecret(key.privateKey);
	return key;
}

export const keys = { alice: makeSecretKey(), bob: makeSecretKey(), stranger: makeSecretKey() };

const id = (kind: string, number: number) => `${kind}0000000-0000-4000-8000-00000000000${number}`;
export const organizationId = id("0", 1);
export const alice = id("a", 1);
export const bob = id("a", 2);
export const carol = id("a", 3);
export const tags = { signers: id("7", 1), oncall: id("7", 2), auditors: id("7", 3) } as const;
export const policies = [id("9", 1), id("9", 2), id("9", 3)] as const;
export const providers = { alice: [id("8", 1), id("8", 2)], bob: [id("8", 3), id("8", 4)] } as const;
export const apps = { signer: id("c", 1), retired: id("c", 2), old: id("c", 3) } as const;
export const profile = id("5", 1);
export const mfaPolicy = id("6", 1);

/** A provider in the seed's shape. */
export function provider(providerId: string, name: string) {
	return { providerId, providerName: name, issuer: "https://login.test", audience: "acme", subject: name };
}

const seed: Seed = {
	organizations: [
		{
			organizationId,
			organizationName: "Acme",
			users: [
				{
					userId: alice,
					userName: "alice",
					apiKeys: [{ publicKey: keys.alice.publicKey }],
					oauthProviders: [provider(providers.alice[0], "alice-one"), provider(providers.alice[1], "alice-two")],
					mfaPolicies: [
						{
							mfaPolicyId: mfaPolicy,
							mfaPolicyName: "passkey-first",
							condition: "true",
							order: 1,
							requiredAuthenticationMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_PASSKEY" }] }],
						},
					],
				},
				{
					userId: bob,
					userName: "bob",
					apiKeys: [{ publicKey: keys.bob.publicKey }],
					oauthProviders: [provider(providers.bob[0], "bob-one"), provider(providers.bob[1], "bob-two")],
				},
				{ userId: carol, userName: "carol" },
			],
			userTags: [
				{ tagId: tags.signers, tagName: "signers", userIds: [alice, carol] },
				{ tagId: tags.oncall, tagName: "oncall", userIds: [bob] },
				{ tagId: tags.auditors, tagName: "auditors" },
			],
			policies: policies.map((policyId, index) => ({ policyId, policyName: `policy ${index + 1}` })),
			tvcApps: [
				{ id: apps.signer, name: "signer", bootProof: { deploymentLabel: "prod-42", enclaveApp: "signer" } },
				{ id: apps.retired, name: "retired" },
				{ id: apps.old, name: "old" },
			],
			sessionProfiles: [
				{ sessionProfileId: profile, sessionProfileName: "default", scope: "sign", expirationSeconds: "900" },
			],
			supportedAssets: { "eip155:1": [{ symbol: "ETH", decimals: 18, name: "Ether" }] },
		},
	],
};

/** The head of every document here; what follows is added as it is. */
export function document(...sections: readonly string[]): string {
	const users = `users: { alice: ${alice}, bob: ${bob}, carol: ${carol} }`;
	return `${[`organizationId: ${organizationId}`, users, ...sections].join("\n")}\n`;
}

/** Sections of a document that agree with the organization as it is seeded. */
export const agreeing = {
	userTags: `userTags:
  - { name: signers, members: { exactly: [alice, carol] } }
  - { name: oncall, members: { atLeast: [bob], never: [alice] } }`,
	sessionProfiles: `expect: { sessionProfiles: [{ id: ${profile}, name: default, expirationSeconds: "900" }] }`,
	mfaPolicies: `expect: { mfaPolicies: { alice: [{ name: passkey-first, order: 1 }] } }`,
	bootProofs: `expect: { bootProofs: [{ app: ${apps.signer}, deploymentLabel: prod-42 }] }`,
	supportedAssets: `expect: { supportedAssets: { "eip155:1": [{ symbol: ETH, decimals: 18 }] } }`,
} as const;

export interface World {
	readonly url: string;
	/** Where the commands run; the document is `orgsync.yaml` in it. */
	readonly folder: string;
	/** Writes a file into the folder. */
	write(name: string, content: string | Uint8Array): void;
	run(words: readonly string[], options?: RunOptions): Promise<Answer>;
	start(words: readonly string[], options?: RunOptions): Started;
	/** Changes what is there behind orgsync's back, as POST /emulator/state. */
	change(patch: object): Promise<void>;
	addOrganization(seed: object): Promise<void>;
	setRules(rules: object): Promise<void>;
	addFault(fault: object): Promise<void>;
	clearFaults(): void;
	/** Operations that were asked for since the log was cleared, in order; `fullPaths` to see what is no operation. */
	requests(): readonly string[];
	submits(): readonly string[];
	clearRequests(): void;
	// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
	organization(): any;
	// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
	activities(): readonly any[];
	/** Moves the emulator's clock, as POST /emulator/clock; that of the commands stays. */
	moveClock(advanceMs: number): Promise<void>;
	/** An activity of another user, bob, by hand, at the emulator's time or so much later. */
	submitAsBob(name: string, parameters: object, laterMs?: number): Promise<void>;
	/** The same of the user with this key. */
	submitAs(key: TestKey, name: string, parameters: object, laterMs?: number): Promise<void>;
}

/** A running emulator, and a folder with this document, whose commands know the emulator and alice's key. */
export async function makeWorld(
	text?: string,
	options: { readonly reads?: "all" | "documented" } = {},
): Promise<World> {
	const emulator = await startEmulator({ seed, ...options, now: testNow });
	onTestFinished(() => emulator.close());
	const folder = makeFolder();
	const env = { ORGSYNC_URL: emulator.url, ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey };
	const withWorld = ({ env: more, ...rest }: RunOptions = {}) => ({ cwd: folder, ...rest, env: { ...env, ...more } });
	const order = async (path: string, body: object): Promise<void> => {
		const response = await fetch(`${emulator.url}/emulator/${path}`, { method: "POST", body: JSON.stringify(body) });
		expect(await response.json(), path).not.toHaveProperty("message");
	};
	const requests = () => emulator.requests().map(({ operation, path }) => operation ?? path);
	let movedMs = 0;
	const world: World = {
		url: emulator.url,
		folder,
		write: (name, content) => writeFileSync(join(folder, name), content),
		run: (words, more) => run(words, withWorld(more)),
		start: (words, more) => start(words, withWorld(more)),
		change: (patch) => order("state", { organizationId, ...patch }),
		addOrganization: (one) => order("state", { organizations: [one] }),
		setRules: (rules) => order("rules", { organizationId, rules }),
		addFault: (fault) => order("faults", fault),
		clearFaults: () => emulator.clearFaults(),
		requests,
		submits: () =>
			emulator.requests().flatMap(({ path, operation }) => (path.includes("/submit/") ? [operation ?? path] : [])),
		clearRequests: () => emulator.clearRequests(),
		organization: () => emulator.state(organizationId).organization,
		activities: () => emulator.state(organizationId).activities,
		moveClock: (advanceMs) => {
			movedMs += advanceMs;
			return order("clock", { advanceMs });
		},
		submitAsBob: (name, parameters, laterMs) => world.submitAs(keys.bob, name, parameters, laterMs),
		submitAs: (key, name, parameters, laterMs = 0) =>
			submitAs(emulator.url, key, name, parameters, testNow() + movedMs + laterMs),
	};
	if (text !== undefined) world.write("orgsync.yaml", text);
	return world;
}

/** Types of which the name of the operation is only a part. */
const typesBeside: Readonly<Record<string, string>> = {
	update_policy: writes.update_policy.type,
	create_oauth_providers: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2",
};

async function submitAs(url: string, key: TestKey, name: string, parameters: object, nowMs: number): Promise<void> {
	const type = typesBeside[name] ?? `ACTIVITY_TYPE_${name.toUpperCase()}`;
	const body = JSON.stringify({ type, timestampMs: String(nowMs), organizationId, parameters });
	const init = { method: "POST", body, headers: apiKeyStamp(body, key) };
	const response = await fetch(`${url}/public/v1/submit/${name}`, init);
	expect(response.status, await response.text()).toBe(200);
}
