/** docs/emulator.md says what the emulator does: its tables are held against the code, and its requests are sent. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localSeed } from "../../src/cli/local-seed.ts";
import * as choices from "../../src/emulator/assumptions.ts";
import { endpoints } from "../../src/emulator/control-endpoints.ts";
import { fieldsByEndpoint } from "../../src/emulator/control-schema.ts";
import { faultKinds } from "../../src/emulator/faults.ts";
import { type Emulator, parseSeed, startEmulator } from "../../src/emulator/server.ts";
import { maxJsonDepth } from "../../src/json.ts";
import { readSchema } from "../../src/schema.ts";
import { keys } from "./world.ts";

const page = readFileSync(new URL("../../docs/emulator.md", import.meta.url), "utf8");
const sections = new Map(
	page
		.split(/^#{2,3} /m)
		.slice(1)
		.map((text) => [text.split("\n", 1)[0] ?? "", text]),
);

/** The words in code in the first column of the tables of a section, table by table. */
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

describe("docs/emulator.md", () => {
	it("lists every endpoint, and no other", () => {
		expect(tablesOf("Under /emulator/").flat()).toEqual(Object.keys(endpoints));
	});

	it.each(Object.entries(fieldsByEndpoint))("lists the fields of %s, in their order", (endpoint, fields) => {
		const [first = [], second = []] = tablesOf(endpoint);
		// The form of a state change has a table for a seed and one for a patch.
		const listed = endpoint === "POST /emulator/state" ? [...first, ...second] : first;
		expect(listed).toEqual(fields);
	});

	it("has a section for every endpoint that takes a body", () => {
		const taking = Object.keys(endpoints).filter((name) => name.startsWith("POST "));
		expect(Object.keys(fieldsByEndpoint)).toEqual(taking);
		for (const name of taking) expect([...sections.keys()]).toContain(name);
	});

	it("lists every kind of fault and every rule", () => {
		expect(tablesOf("POST /emulator/faults")[1]).toEqual(faultKinds);
		expect(tablesOf("POST /emulator/rules")[1]).toEqual(Object.keys(schemaOf("rules")));
	});

	it("lists what a seed can say of a passkey, but for its name", () => {
		const { authenticators } = schemaOf("user") as Record<string, { items: { properties: object } }>;
		const fields = Object.keys(authenticators?.items.properties ?? {}).filter((name) => name !== "authenticatorName");
		expect(tablesOf("Passkeys").flat()).toEqual(fields);
	});

	it("names the limits and defaults that the emulator has", () => {
		const under = sections.get("Under /emulator/") ?? "";
		expect(under).toContain(`at most ${choices.maxControlBodyBytes / 1024 / 1024} MiB and ${maxJsonDepth} levels`);
		expect(under).toContain(`the last ${choices.maxLoggedRequests.toLocaleString("en")} requests`);
		const faults = sections.get("POST /emulator/faults") ?? "";
		expect(faults).toContain(`At\nmost ${choices.maxQueuedFaults.toLocaleString("en")} orders wait`);
		expect(faults).toContain(`at most ${choices.maxFaultDelayMs}; for`);
		const { delayMs, failureStatus, htmlStatus } = choices.faultDefaults;
		expect(faults).toContain(`${delayMs} when left out`);
		expect(faults).toContain(`\`5xx\` (${failureStatus} when left out) and \`html\` (${htmlStatus} when left out)`);
		const { rpId, userVerification } = choices.passkeyDefaults;
		expect(sections.get("Passkeys")).toMatch(new RegExp(`\`rpId\` .*\\| \`${rpId}\` \\|\n`));
		expect(sections.get("Passkeys")).toMatch(new RegExp(`\`userVerification\` .*\\| \`${userVerification}\` \\|\n`));
		expect(tablesOf("Who reaches it").flat()).toEqual(expect.arrayContaining([...choices.loopbackHosts]));
	});
});

describe("the requests of docs/emulator.md", () => {
	let emulator: Emulator;
	beforeAll(async () => {
		emulator = await startEmulator({ seed: parseSeed(localSeed(keys.alice.publicKey), "local") });
	});
	afterAll(() => emulator.close());

	const blocks = [...page.matchAll(/```http\n(\w+) (\S+)\n\n([^`]*)```\n(?:\n```json\n([^`]*)```\n)?/g)].map(
		([, method = "", path = "", body = "", answer]) => ({ method, path, body, answer }),
	);

	it("are all read", () => {
		expect(blocks).toHaveLength(page.match(/^```http$/gm)?.length ?? 0);
		expect(blocks.filter(({ answer }) => answer !== undefined)).toHaveLength(page.match(/^```json$/gm)?.length ?? 0);
	});

	it.each(blocks)("$method $path $body is answered as the page says", async ({ method, path, body, answer }) => {
		const response = await fetch(emulator.url + path, { method, body });
		const text = await response.text();
		expect([response.status, text]).toEqual([answer === undefined ? 200 : 400, text]);
		if (answer !== undefined) expect(JSON.parse(text)).toEqual(JSON.parse(answer));
	});
});
