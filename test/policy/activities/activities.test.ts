import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { typesIn } from "../../../scripts/activities.ts";
import { namesOfType, powersByName } from "../../../src/policy/activities/named-powers.ts";
import { activityTypes, findType, typesOfKind } from "../../../src/policy/activities/types.ts";

const declarations = new URL(
	"../../../node_modules/@turnkey/http/dist/__generated__/services/coordinator/public/v1/public_api.types.d.ts",
	import.meta.url,
);

describe("the table of activity types", () => {
	it("classifies every type of the installed @turnkey/http", () => {
		const installed = typesIn(readFileSync(declarations, "utf8"));
		expect(installed.length).toBeGreaterThan(160);
		expect(installed.filter((type) => findType(type) === undefined)).toEqual([]);
		expect(activityTypes.filter(({ type }) => !installed.includes(type))).toEqual([]);
	});

	it("has 118 types with a documented resource and action, and 51 without", () => {
		expect(activityTypes.filter(({ resource }) => resource !== null)).toHaveLength(118);
		expect(activityTypes.filter(({ resource }) => resource === null)).toHaveLength(51);
		expect(activityTypes.every(({ resource, action }) => (resource === null) === (action === null))).toBe(true);
	});

	it("is sorted, with each type once", () => {
		const names = activityTypes.map(({ type }) => type);
		expect(names).toEqual([...new Set(names)].sort());
	});

	it("reads the row of a type", () => {
		expect(findType("ACTIVITY_TYPE_OTP_LOGIN_V2")).toEqual({
			type: "ACTIVITY_TYPE_OTP_LOGIN_V2",
			kind: "OTP_LOGIN",
			resource: "AUTH",
			action: "CREATE",
			rootQuorumOnly: false,
			params: ["session_profile_id"],
		});
		expect(findType("ACTIVITY_TYPE_UPDATE_ROOT_QUORUM")).toMatchObject({ resource: null, rootQuorumOnly: true });
		expect(findType("ACTIVITY_TYPE_NONE")).toBeUndefined();
	});

	it("has each type among the versions of its kind, of which some are documented", () => {
		const kinds = [...new Set(activityTypes.map(({ kind }) => kind))];
		expect(kinds.flatMap((kind) => typesOfKind(kind).map(({ type }) => type)).sort()).toEqual(
			activityTypes.map(({ type }) => type),
		);
		expect(typesOfKind("SOL_SEND_TRANSACTION").map(({ action }) => action)).toEqual(["SIGN", null]);
		expect(typesOfKind("NONE")).toEqual([]);
	});
});

describe("named powers", () => {
	it("hold every type at least once", () => {
		expect(activityTypes.filter(({ type }) => namesOfType(type).length === 0)).toEqual([]);
	});

	it("overlap: signing is in sign and moveFunds, a credential in credentials and ownCredentials", () => {
		expect(namesOfType("ACTIVITY_TYPE_SIGN_TRANSACTION_V2")).toEqual(["sign", "moveFunds"]);
		expect(namesOfType("ACTIVITY_TYPE_EXECUTE_SWAP_V3")).toEqual(["moveFunds"]);
		expect(namesOfType("ACTIVITY_TYPE_CREATE_API_KEYS_V2")).toEqual(["credentials", "ownCredentials"]);
	});

	it("have secrets, logins, recovery and settings apart, and all else under otherActivities", () => {
		expect(namesOfType("ACTIVITY_TYPE_EXPORT_SECRETS")).toEqual(["secrets"]);
		expect(namesOfType("ACTIVITY_TYPE_OAUTH_LOGIN")).toEqual(["logins"]);
		expect(namesOfType("ACTIVITY_TYPE_RECOVER_USER")).toEqual(["recovery"]);
		expect(namesOfType("ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE")).toEqual(["organizationSettings"]);
		expect(namesOfType("ACTIVITY_TYPE_SET_IP_ALLOWLIST")).toEqual(["otherActivities"]);
	});

	it("have as many types and documented pairs", () => {
		const counts = powersByName.map(({ name, types, pairs }) => [name, `${types.size} types, ${pairs.length} pairs`]);
		expect(Object.fromEntries(counts)).toEqual({
			...{ sign: "8 types, 1 pairs", export: "3 types, 2 pairs", policies: "8 types, 3 pairs" },
			...{ users: "13 types, 3 pairs", credentials: "9 types, 2 pairs", wallets: "2 types, 1 pairs" },
			...{ organizations: "10 types, 2 pairs", imports: "2 types, 1 pairs", apps: "1 types, 1 pairs" },
			...{ moveFunds: "24 types, 1 pairs", secrets: "4 types, 0 pairs", logins: "24 types, 5 pairs" },
			...{ ownCredentials: "9 types, 2 pairs", recovery: "3 types, 1 pairs" },
			...{ organizationSettings: "4 types, 0 pairs", otherActivities: "62 types, 0 pairs" },
		});
	});

	it("are sensitive where one person must not get them", () => {
		expect(powersByName.filter(({ isSensitive }) => isSensitive).map(({ name }) => name)).toEqual([
			...["sign", "export", "policies", "users", "credentials", "moveFunds", "secrets", "recovery"],
		]);
	});
});
