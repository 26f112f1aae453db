/** The bytes of requests: only those that orgsync makes are read as one. */
import { describe, expect, it } from "vitest";
import {
	approvals,
	extendedReads,
	extendedSubmits,
	operations,
	submits,
	writeOfType,
} from "../../src/wire/operations.ts";
import { decodeSubmit, decodeVote, encodeQuery, encodeSubmit } from "../../src/wire/request-body.ts";

const organizationId = "0a1b2c3d-0000-4000-8000-000000000001";
const timestampMs = 1767225600000;
const body = encodeSubmit(submits.delete_policies, organizationId, { policyIds: ["p"] }, timestampMs);
const vote = encodeSubmit(approvals.approve_activity, organizationId, { fingerprint: "sha256:a" }, timestampMs);

/** The bytes of the request with these members in place of its own. */
const withMembers = (members: object): string => JSON.stringify({ ...JSON.parse(body.bytes), ...members });

describe("the bytes of a request", () => {
	it("are read as the request that they are", () => {
		expect(decodeSubmit(body.bytes)).toEqual(body);
		expect(decodeVote(vote.bytes)).toEqual(vote);
	});

	it.each([
		["a vote", vote.bytes],
		["an unknown type", withMembers({ type: "ACTIVITY_TYPE_CREATE_POLICY" })],
		["no type", withMembers({ type: undefined })],
		["another order", withMembers({}).replace(/^\{("type":"[^"]+"),(.*)\}$/, "{$2,$1}")],
		["a blank", ` ${body.bytes}`],
		["an additional member", withMembers({ more: 1 })],
		["a repeated member", body.bytes.replace("{", '{"type":"ACTIVITY_TYPE_DELETE_POLICIES",')],
		["an additional parameter", withMembers({ parameters: { policyIds: ["p"], more: 1 } })],
		["no parameters", withMembers({ parameters: undefined })],
		["a timestamp that is a number", withMembers({ timestampMs })],
		["a timestamp with a sign", withMembers({ timestampMs: `+${timestampMs}` })],
		["an organization that is no text", withMembers({ organizationId: 7 })],
		["no object", "null"],
		["no JSON", body.bytes.slice(1)],
		["nothing", ""],
	])("are none of orgsync's with %s", (_what, bytes) => {
		expect(decodeSubmit(bytes)).toBeUndefined();
	});

	it("of a submit are no vote", () => {
		expect(decodeVote(body.bytes)).toBeUndefined();
	});
});

describe("a field that the operation does not have", () => {
	it("is refused, in a submit and in a query", () => {
		expect(() => encodeSubmit(submits.delete_policies, organizationId, { userId: "u" }, 1)).toThrow(
			new TypeError("delete_policies has no field userId"),
		);
		expect(() => encodeQuery(extendedReads.whoami, { organizationId, userId: "u" })).toThrow(
			new TypeError("whoami has no field userId"),
		);
	});
});

describe("an extended submit", () => {
	it("has the type and the keys of the vendor's types, with the version where they have one", () => {
		const keys = Object.values(extendedSubmits).map(({ type, intentKey, resultKey }) => [type, intentKey, resultKey]);
		expect(keys).toEqual([
			["ACTIVITY_TYPE_CREATE_POLICIES", "createPoliciesIntent", "createPoliciesResult"],
			["ACTIVITY_TYPE_UPDATE_POLICY_V2", "updatePolicyIntentV2", "updatePolicyResultV2"],
			["ACTIVITY_TYPE_CREATE_USER_TAG", "createUserTagIntent", "createUserTagResult"],
			["ACTIVITY_TYPE_DELETE_USER_TAGS", "deleteUserTagsIntent", "deleteUserTagsResult"],
		]);
		const { path } = extendedSubmits.update_policy;
		expect(path).toBe("/public/v1/submit/update_policy");
	});

	it("is none of the 13 operations", () => {
		for (const name of Object.keys(extendedSubmits)) expect(Object.keys(operations)).not.toContain(name);
	});
});

describe("the type of an activity", () => {
	it("leads to its operation, if orgsync submits it", () => {
		for (const operation of Object.values(submits)) expect(writeOfType(operation.type)).toBe(operation);
		for (const type of [approvals.approve_activity.type, "", undefined, null])
			expect(writeOfType(type)).toBeUndefined();
	});
});
