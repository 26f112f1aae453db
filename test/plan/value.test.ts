/** Order, equality and text of plain values; and times and names of organizations as every format shows them. */
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/common/errors.ts";
import { maxJsonDepth } from "../../src/common/json.ts";
import { describeTime } from "../../src/plan/access-window.ts";
import { showOrganization, showOrganizationName } from "../../src/plan/organization-name.ts";
import { canonicalJson, compareText, digestOf, sameValue } from "../../src/plan/value.ts";
import { id, organizationId } from "./support-organizations.ts";

describe("two texts", () => {
	it.each([
		["a", "b", -1],
		["b", "a", 1],
		["a", "a", 0],
		["", "a", -1],
		["Z", "a", -1],
		["\u{1f600}", "\uff12", -1],
	])("%j and %j are in the order of their code units: %d", (left, right, order) => {
		expect(compareText(left, right)).toBe(order);
		expect(compareText(right, left)).toBe(order === 0 ? 0 : -order);
	});
});

describe("the canonical JSON of a value", () => {
	it("has sorted members at every depth, and lists in their order", () => {
		expect(canonicalJson({ b: [{ d: 1, c: null }, 2, 1], a: "x" })).toBe('{"a":"x","b":[{"c":null,"d":1},2,1]}');
		expect(digestOf({ a: 1, b: 2 })).toBe(digestOf({ b: 2, a: 1 }));
		expect(digestOf([1, 2])).not.toBe(digestOf([2, 1]));
		expect(digestOf(null)).toMatch(/^sha256:[0-9a-f]{64}$/);
		expect([sameValue({ a: 1, b: 2 }, { b: 2, a: 1 }), sameValue([1, 2], [2, 1])]).toEqual([true, false]);
	});

	it("is an error of the configuration where the value is nested too deep", () => {
		const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
		expect(() => canonicalJson(nested(maxJsonDepth))).not.toThrow();
		expect(() => canonicalJson(nested(maxJsonDepth + 1))).toThrow(ConfigurationError);
	});
});

describe("a time", () => {
	it.each([
		["2026-12-01T09:00:00.000Z", "2026-12-01 09:00 UTC"],
		["2026-12-01T09:00:30.000Z", "2026-12-01 09:00:30 UTC"],
		["2026-12-01T09:10:09.500Z", "2026-12-01 09:10:09 UTC"],
	])("%s is shown as %s", (iso, shown) => {
		expect(describeTime(iso)).toBe(shown);
	});
});

describe("the name of an organization", () => {
	it.each([
		["Acme", "Acme"],
		["prod-cafe", "prod-cafe"],
		["12345678-a", "12345678-a"],
		["12345678-abcd", '"12345678-abcd"'],
		["The 1234ABCD-EF01 fund", '"The 1234ABCD-EF01 fund"'],
		["1234567-abcd", "1234567-abcd"],
	])("%j is shown as %s: in quotes where it could be taken for an id", (name, shown) => {
		expect(showOrganizationName(name)).toBe(shown);
	});

	it("is that of the document before the live one, and the id is always there", () => {
		const [organizationName, liveOrganizationName] = ["Written", "Live"];
		expect(showOrganization({ organizationId })).toBe(organizationId);
		expect(showOrganization({ organizationId, liveOrganizationName })).toBe(`Live (${organizationId})`);
		expect(showOrganization({ organizationId: id("org", 2), organizationName, liveOrganizationName })).toBe(
			`Written (${id("org", 2)})`,
		);
	});
});
