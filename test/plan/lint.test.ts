/** Which policies and tags `lint` judges of a document and its live organization, and where it shows what it finds. */
import { describe, expect, it } from "vitest";
import { LintPlaces } from "../../src/document/read/lint.ts";
import { parseDocuments } from "../../src/document/read/parse.ts";
import { type LintReading, lintOrganization } from "../../src/plan/lint.ts";

const organizationId = "00000000-0000-4000-8000-000000000001";
const signers = "70000000-0000-4000-8000-000000000001";
const old = "70000000-0000-4000-8000-000000000002";
const atMs = Date.parse("2026-06-01T00:00:00Z");

const sign = (name: string, tag: string): string =>
	`  - { name: ${name}, effect: allow, consensus: "approvers.any(u, u.tags.contains('${tag}'))", condition: "activity.action == 'SIGN'" }`;

const live = (name: string, tag: string) => ({
	...{ id: `live ${name}`, name, effect: "EFFECT_ALLOW", time: "" },
	...{ consensus: `approvers.any(u, u.tags.contains('${tag}'))`, condition: "activity.action == 'SIGN'" },
});

const readingOf = (...policies: readonly ReturnType<typeof live>[]): LintReading => ({
	access: {
		users: { known: true, value: [] },
		policies: { known: true, value: policies },
		rootQuorum: { known: true, value: { threshold: 1, userIds: [] } },
	},
	userNames: { known: true, value: {} },
	tagNames: { [signers]: "signers", [old]: "old" },
});

/** Returns `LINE RULE NAME` of each finding, and of each that is ignored with its reason. */
function lint(lines: readonly string[], reading: LintReading | null) {
	const places = new LintPlaces();
	const content = [`organizationId: ${organizationId}`, ...lines].join("\n");
	const options = { visit: places.note.bind(places) };
	const { organizations, problems } = parseDocuments([{ file: "a.yaml", content }], {}, options);
	expect(problems).toEqual([]);
	const [desired] = organizations;
	if (desired === undefined) throw new Error("no organization");
	const { findings, ignored, unread, notCompared, isLive } = lintOrganization(desired, reading, places, atMs);
	expect(isLive).toBe(reading !== null);
	return {
		...(notCompared.length === 0 ? {} : { notCompared }),
		...(findings.some((one) => one.isLiveOnly)
			? { liveOnly: findings.flatMap((one) => (one.isLiveOnly ? one.name : [])) }
			: {}),
		...(findings.some((one) => one.others) ? { others: findings.flatMap((one) => one.others ?? []) } : {}),
		findings: findings.map(({ at, rule, name }) => `${at.line} ${rule} ${name}`),
		ignored: ignored.map(({ rule, name, reason }) => `${rule} ${name}: ${reason}`),
		unread: unread.map(({ what }) => what),
	};
}

const tags = "userTags: [{ name: signers }]";

describe("What lint judges", () => {
	it("is a written policy in the place of the live one of its name, with the tags' live ids", () => {
		const written = [tags, "policies:", sign("one", "${userTags.signers}")];
		expect(lint(written, readingOf(live("one", old), live("two", signers))).findings).toEqual([
			"1 unused-tag old",
			"1 repeats-another two",
		]);
		expect(lint(written, readingOf(live("one", signers))).findings).toEqual(["1 unused-tag old"]);
	});

	it("is no policy and no tag that the document wants gone", () => {
		const absent = ["absent: { policies: [two], userTags: [old] }"];
		const written = [tags, "policies:", sign("one", "${userTags.signers}"), ...absent];
		expect(lint(written, readingOf(live("two", old))).findings).toEqual([]);
	});

	it("is what the document writes alone, and all policies only where its list is complete", () => {
		const written = [tags, "policies: []"];
		expect(lint(written, null).findings).toEqual([]);
		expect(lint([...written, "exactly: { policies: { except: [a] } }"], null).findings).toEqual([]);
		expect(lint([...written, "exactly: { policies: {} }"], null).findings).toEqual(["2 unused-tag signers"]);
	});

	it("is less where something could not be read, which is named", () => {
		const because = { kind: "not-asked" } as const;
		const reading = readingOf(live("one", "signers"));
		const unread = { ...reading, userNames: { known: false, because } as const };
		expect(lint([tags], unread)).toMatchObject({ unread: ["users"] });
		const none = { ...reading, access: { ...reading.access, policies: { known: false, because } as const } };
		expect(lint([tags], none)).toEqual({ findings: [], ignored: [], unread: ["policies"] });
	});
});

describe("What lint finds", () => {
	const [one, two] = [live("one", signers), live("two", signers)];

	it("is in a policy or tag that no document has, or about others, by their names", () => {
		const written = [tags, "policies:", sign("one", "${userTags.signers}")];
		expect(lint(written, readingOf(one, two))).toMatchObject({
			findings: ["1 unused-tag old", "1 repeats-another two"],
			...{ liveOnly: ["old", "two"], others: ["one"] },
		});
		expect(lint([...written, sign("two", "${userTags.signers}")], readingOf(one))).toMatchObject({
			findings: ["1 unused-tag old", "5 repeats-another two"],
			...{ liveOnly: ["old"], others: ["one"] },
		});
		const unnamed = readingOf({ ...one, name: "" }, { ...two, name: "" });
		expect(lint([tags], unnamed)).toMatchObject({ others: [one.id], liveOnly: [two.id, "old"] });
		expect(lint(["userTags: [{ name: signers }, { name: left }]", "exactly: { policies: {} }"], null)).toEqual({
			...{ findings: ["2 unused-tag signers", "2 unused-tag left"], ignored: [], unread: [] },
		});
	});

	it("is in the order of places, then of names", () => {
		const policies = ["policies:", sign("b", "${userTags.signers}"), sign("a", "${userTags.signers}")];
		const found = lint(
			["userTags: [{ name: signers }, { name: x }, { name: w }]", ...policies, "exactly: { policies: {} }"],
			null,
		);
		expect(found.findings).toEqual(["2 unused-tag x", "2 unused-tag w", "4 repeats-another b"]);
		const reading = readingOf(live("d", signers), live("c", signers), live("b", signers));
		expect(lint([tags], reading).findings).toEqual([
			...["1 repeats-another c", "1 repeats-another d", "1 unused-tag old"],
		]);
	});

	it("needs users to be read for what is about their ids, and all policies to be known", () => {
		const stranger = { ...one, consensus: "approvers.any(u, u.id == '10000000-0000-4000-8000-000000000009')" };
		const codes = (reading: LintReading) =>
			lint([tags], reading).findings.filter((text) => text.includes("unknown-id"));
		expect(codes(readingOf(stranger))).toEqual(["1 unknown-id one"]);
		const because = { kind: "not-asked" } as const;
		expect(codes({ ...readingOf(stranger), userNames: { known: false, because } })).toEqual([]);
	});

	it("is not compared where more is to be tried than is, by the names of those policies", () => {
		const crowd = (name: string) => ({ ...live(name, signers), consensus: "approvers.count() >= 19" });
		const found = lint([tags], readingOf(crowd("one"), live("two", signers), { ...crowd("three"), name: "" }));
		expect(found.notCompared).toEqual([{ because: "approvers", policies: ["live three", "one"] }]);
	});
});

describe("An ignored finding", () => {
	const ignore = (rule: string, object: string): string =>
		`lint: { ignore: [{ rule: ${rule}, ${object}, reason: why }] }`;

	it("is one of this rule in this object, and an entry without one is found at its place", () => {
		const reading = readingOf(live("one", signers));
		expect(lint([tags, ignore("unused-tag", "userTag: old")], reading)).toMatchObject({
			findings: [],
			ignored: ["unused-tag old: why"],
		});
		expect(lint([tags, ignore("unused-tag", "policy: old")], reading).findings).toEqual([
			"1 unused-tag old",
			"3 unused-ignore old",
		]);
	});

	it("is sorted like what is found, and leaves the others", () => {
		const reading = { ...readingOf(), tagNames: { [signers]: "signers", [old]: "old", x: "ancient" } };
		const both =
			"lint: { ignore: [{ rule: unused-tag, userTag: old, reason: why }, { rule: unused-tag, userTag: ancient, reason: so }] }";
		expect(lint([tags, both], reading)).toMatchObject({
			findings: ["2 unused-tag signers"],
			ignored: ["unused-tag ancient: so", "unused-tag old: why"],
		});
	});

	it("is not missed by a rule that was not judged", () => {
		expect(lint([tags, ignore("unused-tag", "userTag: old")], null).findings).toEqual([]);
		expect(lint([tags, ignore("versioned-type", "policy: one")], null).findings).toEqual(["3 unused-ignore one"]);
	});
});
