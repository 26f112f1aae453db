/**
 * docs/emulator.md and docs/internals/emulator.md describe the emulator: their tables are compared with the code, and the requests
 * are sent in their order.
 * With ORGSYNC_WRITE_README=1 the answers on the page are written instead.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localSeed } from "../../src/cli/local-seed.ts";
import { maxJsonDepth } from "../../src/common/json.ts";
import * as assumptions from "../../src/emulator/assumptions.ts";
import { endpoints } from "../../src/emulator/control/endpoints.ts";
import { faultKinds } from "../../src/emulator/control/faults.ts";
import { fieldsByEndpoint } from "../../src/emulator/control/schema.ts";
import { type Emulator, parseSeed, startEmulator } from "../../src/emulator/server.ts";
import { readSchema } from "../../src/schema/bundle.ts";
import { keys } from "./world.ts";

const file = new URL("../../docs/emulator.md", import.meta.url);
const page = readFileSync(file, "utf8");
const decisions = readFileSync(new URL("../../docs/internals/emulator.md", import.meta.url), "utf8");
const sections = new Map(
	`${page}\n${decisions}`
		.split(/^#{2,3} /m)
		.slice(1)
		.map((text) => [text.split("\n", 1)[0] ?? "", text]),
);

/** Returns the words in code in the first column of the tables of a section, table by table. */
function tablesOf(section: string): readonly (readonly string[])[] {
	const tables = (sections.get(section) ?? "").matchAll(/^\|.*\|\n\|[-|]+\|\n((?:\|.*\n)+)/gm);
	return [...tables].map(([, rows = ""]) =>
		rows
			.trimEnd()
			.split("\n")
			.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word)),
	);
}

const schemaOf = (name: string) =>
	(readSchema("seed.json").$defs as Record<string, { properties: Record<string, unknown> }>)[name]?.properties ?? {};

/** The fields of a kind in the schema, without its times. */
const fieldsOf = (name: string): readonly string[] =>
	Object.keys(schemaOf(name)).filter((field) => !["createdAt", "updatedAt"].includes(field));

/** The fields that an organization of a seed has, and those of its first entity of each kind. */
function fieldsOfSeed(one: unknown) {
	type Entity = Readonly<Record<string, readonly object[] | undefined>>;
	const organization = one as Entity & { readonly supportedAssets?: Readonly<Record<string, readonly object[]>> };
	const [user] = (organization.users ?? []) as readonly Entity[];
	const entities = {
		user,
		oauthProvider: user?.oauthProviders?.[0],
		mfaPolicy: user?.mfaPolicies?.[0],
		userTag: organization.userTags?.[0],
		policy: organization.policies?.[0],
		tvcApp: organization.tvcApps?.[0],
		sessionProfile: organization.sessionProfiles?.[0],
		asset: Object.values(organization.supportedAssets ?? {})[0]?.[0],
	};
	const kinds = Object.entries(entities).map(([name, entity]) => [name, Object.keys(entity ?? {})] as const);
	return { organization: Object.keys(organization), kinds: Object.fromEntries(kinds) };
}

describe("docs/emulator.md", () => {
	it("has a section for every endpoint, in their order, and for no other", () => {
		const named = [...sections.keys()].filter((name) => /^[A-Z]+ \/emulator\//.test(name));
		expect(named).toEqual(Object.keys(endpoints));
	});

	it.each(Object.entries(fieldsByEndpoint))("lists the fields of %s, in their order", (endpoint, fields) => {
		const [first = [], second = []] = tablesOf(endpoint);
		// The form of a state change has a table for a seed and one for a patch.
		const listed = endpoint === "POST /emulator/state" ? [...first, ...second] : first;
		expect(listed).toEqual(fields);
	});

	it("describes and shows every endpoint in a section of its own", () => {
		for (const name of Object.keys(endpoints)) {
			const [method, path] = name.split(" ");
			expect(sections.get(name)).toContain(`\n\`\`\`http\n${method} ${path}`);
		}
		expect(Object.keys(fieldsByEndpoint)).toEqual(Object.keys(endpoints).filter((name) => name.startsWith("POST ")));
	});

	it("lists every kind of fault and every rule", () => {
		expect(tablesOf("POST /emulator/faults")[1]).toEqual(faultKinds);
		expect(tablesOf("POST /emulator/rules")[1]).toEqual(Object.keys(schemaOf("rules")));
	});

	it("has a seed that is read as it is shown, with every field of a seed", () => {
		const [, text = ""] = /```yaml\n([^`]*)```/.exec(sections.get("The seed") ?? "") ?? [];
		const { organizations } = parseSeed(text, "seed.yaml");
		expect(organizations).toMatchObject([{ organizationName: "Example" }]);
		const { organization, kinds } = fieldsOfSeed(organizations[0]);
		expect(organization).toEqual(fieldsOf("organization"));
		expect(kinds).toEqual(Object.fromEntries(Object.keys(kinds).map((name) => [name, fieldsOf(name)])));
		expect(Object.keys(kinds)).toHaveLength(8);
	});

	it("lists what a seed can say of a passkey, but for its name", () => {
		const { authenticators } = schemaOf("user") as Record<string, { items: { properties: object } }>;
		const fields = Object.keys(authenticators?.items.properties ?? {}).filter((name) => name !== "authenticatorName");
		expect(tablesOf("Passkeys").flat()).toEqual(fields);
	});

	it("has the limits and defaults of the emulator", () => {
		const under = sections.get("Under /emulator/") ?? "";
		const { maxControlBodyBytes, maxLoggedRequests, maxQueuedFaults, maxFaultDelayMs } = assumptions;
		expect(under).toContain(`at most ${maxControlBodyBytes / 1024 / 1024} MiB and ${maxJsonDepth} levels`);
		const log = sections.get("GET /emulator/requests") ?? "";
		expect(log).toContain(`the last ${maxLoggedRequests.toLocaleString("en")} requests`);
		const faults = sections.get("POST /emulator/faults") ?? "";
		expect(faults).toContain(`At most ${maxQueuedFaults.toLocaleString("en")} faults are queued`);
		expect(faults).toContain(`at most ${maxFaultDelayMs}; for`);
		const { delayMs, failureStatus, htmlStatus } = assumptions.faultDefaults;
		expect(faults).toContain(`${delayMs} when left out`);
		expect(faults).toContain(`\`5xx\` (${failureStatus} when left out) and \`html\` (${htmlStatus} when left out)`);
		const { rpId, userVerification } = assumptions.passkeyDefaults;
		expect(sections.get("Passkeys")).toMatch(new RegExp(`\`rpId\` .*\\| \`${rpId}\` \\|\n`));
		expect(sections.get("Passkeys")).toMatch(new RegExp(`\`userVerification\` .*\\| \`${userVerification}\` \\|\n`));
		const { sets, randomTries } = assumptions.policyLimits;
		const decided = sections.get("How activities are decided") ?? "";
		expect(decided).toContain(
			`looks at ${sets.toLocaleString("en")} sets: all of them for ${Math.floor(Math.log2(sets))} users`,
		);
		expect(decided).toContain(`tries ${randomTries} sets at random`);
		const { users, userTags, policies, oauthProvidersPerUser } = assumptions.organizationLimits;
		for (const [section, max] of Object.entries({ users, userTags, policies, oauthProviders: oauthProvidersPerUser }))
			expect(sections.get("The seed")).toMatch(new RegExp(` ${section}: # at most ${max}\\b`));
		expect(tablesOf("Who reaches it").flat()).toEqual(expect.arrayContaining([...assumptions.loopbackHosts]));
	});
});

describe("the requests of docs/emulator.md", () => {
	/** A fixed clock makes the answers the same on every run. */
	const nowMs = Date.UTC(2026, 0, 1);
	let emulator: Emulator;
	beforeAll(async () => {
		const seed = parseSeed(localSeed(keys.alice.publicKey), "local");
		emulator = await startEmulator({ seed, now: () => nowMs });
	});
	afterAll(() => emulator.close());

	const pattern = /```http\n(\w+) (\S+)\n\n?([^`]*)```\n\n```json\n([^`]*)```\n/g;
	const blocks = [...page.matchAll(pattern)].map(([, method = "", path = "", body = "", answer = ""]) => ({
		method,
		path,
		body,
		answer,
	}));
	const answers: string[] = [];
	const isWriting = process.env.ORGSYNC_WRITE_README === "1";

	it("are all read, each with its answer", () => {
		expect(blocks).toHaveLength(page.match(/^```http$/gm)?.length ?? 0);
		expect(blocks).toHaveLength(page.match(/^```json$/gm)?.length ?? 0);
	});

	it.each(blocks)("are answered as the page says: $method $path $body", async ({ method, path, body, answer }) => {
		const response = await fetch(emulator.url + path, { method, ...(body === "" ? {} : { body }) });
		const value = (await response.json()) as { code?: number };
		answers.push(`${JSON.stringify(value, null, 2)}\n`);
		expect([response.status, response.ok]).toEqual([response.status, value.code === undefined]);
		if (!isWriting) expect(value).toEqual(JSON.parse(answer));
	});

	it.runIf(isWriting)("are written with their answers", () => {
		let index = 0;
		writeFileSync(
			file,
			page.replace(pattern, (block, ...[, , , answer]: string[]) => {
				const start = block.length - `${answer}\`\`\`\n`.length;
				return `${block.slice(0, start)}${answers[index++]}\`\`\`\n`;
			}),
		);
	});
});
