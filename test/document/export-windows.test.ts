/** Windows in exports: what is still true of live state is kept, and expired access is named where live still has it. */
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { exportDocument } from "../../src/document/export/export.ts";
import { exportProgram } from "../../src/document/export/export-program.ts";
import { keepWindows } from "../../src/document/export/windows.ts";
import { parseDocuments } from "../../src/document/read/parse.ts";
import { makePlan } from "../../src/plan/plan.ts";
import { context, id, known, liveOf, liveTag, organizationId, unknown } from "../plan/support-organizations.ts";

const [alice, bob, carol, dave, erin] = [1, 2, 3, 4, 5].map((number) => id("user", number)) as [
	string,
	string,
	string,
	string,
	string,
];
const live = liveOf({
	userTags: known([
		liveTag(1, "signers", { members: known([alice, bob, carol]) }),
		liveTag(2, "oncall", { members: unknown }),
	]),
});
const users = known([alice, bob, carol, dave, erin].map((one, index) => ({ id: one, name: `user ${index}` })));
const whole = { live, users, sessionProfilesKnown: known(null) };

/** Around the time of the export, 2026-01-01 00:00 UTC; other aliases than live names, and reasons with syntax of all languages. */
const written = 'a: ${B} # "c" */ ` $';
const reason = JSON.stringify(written).replaceAll("${", () => "$${");
const text = `organizationId: ${organizationId}
users: { a: ${alice}, b: ${bob}, c: ${carol}, d: ${dave}, e: ${erin} }
userTags:
  - name: signers
    members:
      atLeast:
        - { user: a, until: 2026-02-01 Europe/Berlin, reason: ${reason} }
        - { user: b, until: 2025-12-31T23:59:59Z }
        - { user: c, from: 2026-01-02 UTC }
        - { user: d, from: 2026-01-02 UTC, until: 2026-03-01 UTC }
        - { user: e, until: 2025-06-01T00:00:00Z }
  - name: oncall
    members: { atLeast: [{ user: a, until: 2026-02-01T00:00:00Z }] }
`;
const { organizations, problems } = parseDocuments([{ file: "d.yaml", content: text }], {});
const [desired] = organizations;
const kept = desired === undefined ? expect.unreachable() : keepWindows(desired, live, context.readAtMs);

const open = { until: "2026-02-01 Europe/Berlin", reason: written };
const later = { from: "2026-01-02 UTC", until: "2026-03-01 UTC" };

describe("an export beside a document with windows", () => {
	test("keeps those that are open and those that begin later, as the document writes them; its plan has no changes", () => {
		expect(problems).toEqual([]);
		const { text: exported } = exportDocument(whole, "", kept);
		const [found] = parseDocuments([{ file: "export.yaml", content: exported }], {}).organizations;
		if (found === undefined) expect.unreachable();
		const again = keepWindows(found, live, context.readAtMs).byTag.get(id("tag", 1));
		expect(again?.map(({ at: _, fromMs: _from, untilMs: _until, ...window }) => window)).toEqual([
			{ userId: alice, ...open },
			{ userId: dave, ...later },
		]);
		expect(makePlan(found, live, context)).toMatchObject({ changes: [], problems: [] });
	});

	test("names members whose access expired, or has not begun: they are written without an end", () => {
		expect(kept.lost.map(({ address, user, isExpired }) => ({ address, user, isExpired }))).toEqual([
			{ address: "userTag:signers", user: "b", isExpired: true },
			{ address: "userTag:signers", user: "c", isExpired: false },
		]);
		expect(exportDocument(whole, "", kept).text).toMatch(/^ {8}- user 1\n {8}- user 2$/m);
	});

	test("has them in programs of Pulumi too", () => {
		const members = [{ user: alice, ...open }, bob, carol, { user: dave, ...later }];
		const yaml = parse(exportProgram(whole, "pulumi-yaml", kept).text);
		const escaped = { ...open, reason: written.replaceAll("$", "$$$$") };
		expect(yaml.resources.signers.properties.members.exactly).toEqual([
			{ user: alice, ...escaped },
			...members.slice(1),
		]);
		const code = exportProgram(whole, "pulumi-typescript", kept).text;
		const [, list = ""] = /exactly: (\[.*?\n\t\t\]),/s.exec(code) ?? [];
		expect(new Function(`return ${list}`)()).toEqual(members);
	});
});
