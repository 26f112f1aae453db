import { describe, expect, it } from "vitest";
import { AuthenticationError, ServiceError } from "../../../src/common/errors.ts";
import { readWholeOrganization } from "../../../src/sync/read/read-whole.ts";
import type { Reader } from "../../../src/wire/client.ts";
import { id, organizationId } from "../../plan/support-organizations.ts";

type Answers = Readonly<Record<string, Readonly<Record<string, unknown>> | Error>>;

const nothing: Answers = {
	list_user_tags: { userTags: [] },
	list_users: { users: [] },
	list_policies: { policies: [] },
	list_tvc_apps: { tvcApps: [] },
	get_session_profiles: { sessionProfiles: [] },
};

/** A reader with these answers, and what was asked of it. */
function readerOf(answers: Answers): { reader: Reader; asked: string[] } {
	const asked: string[] = [];
	const reader = {
		query: async ({ name }: { name: string }, fields: Readonly<Record<string, unknown>>) => {
			asked.push(fields.userId === undefined ? name : `${name} ${String(fields.userId)}`);
			const answer = answers[name];
			if (answer instanceof Error) throw answer;
			return { value: answer, serverTimeMs: undefined };
		},
	};
	return { reader: reader as unknown as Reader, asked };
}

describe("reading the whole organization", () => {
	it("reads a user's MFA policies only if list_users does not show them", async () => {
		const users = [
			{ userId: id("user", 1).toUpperCase(), userName: null, mfaPolicies: [{ mfaPolicyId: id("other", 1) }] },
			{ userId: id("user", 2), userName: "bob" },
		];
		const { reader, asked } = readerOf({
			...nothing,
			list_users: { users },
			get_mfa_policies: { mfaPolicies: [{ mfaPolicyId: id("other", 2) }] },
		});
		const { live, users: found } = await readWholeOrganization(organizationId, reader, "auto");
		expect(asked).toEqual([
			"list_user_tags",
			"list_users",
			"list_policies",
			"list_tvc_apps",
			"get_session_profiles",
			`get_mfa_policies ${id("user", 2)}`,
		]);
		expect(live.records.mfaPolicy).toEqual({
			[id("user", 1)]: { known: true, value: [{ mfaPolicyId: id("other", 1) }] },
			[id("user", 2)]: { known: true, value: [{ mfaPolicyId: id("other", 2) }] },
		});
		expect(found).toEqual({
			known: true,
			value: [
				{ id: id("user", 1), name: "" },
				{ id: id("user", 2), name: "bob" },
			],
		});
	});

	it("has each session profile by its id, in lower case", async () => {
		const profile = { sessionProfileId: id("other", 1).toUpperCase(), sessionProfileName: "one" };
		const { reader } = readerOf({ ...nothing, get_session_profiles: { sessionProfiles: [profile] } });
		const { live } = await readWholeOrganization(organizationId, reader, "auto");
		expect(live.records.sessionProfile).toEqual({ [id("other", 1)]: { known: true, value: [profile] } });
	});

	it("leaves each part unknown that is denied or missing", async () => {
		const { reader } = readerOf({
			...nothing,
			list_users: { users: [{ userId: id("user", 1) }] },
			get_mfa_policies: new ServiceError("no", 403, 7),
			list_policies: new ServiceError("no", 404, 5),
			get_session_profiles: new ServiceError("no", 501, 12),
		});
		const { live, sessionProfilesKnown } = await readWholeOrganization(organizationId, reader, "auto");
		expect(live.records.mfaPolicy?.[id("user", 1)]).toMatchObject({ known: false });
		expect(live.removables.policy).toMatchObject({ known: false });
		expect(sessionProfilesKnown).toMatchObject({ known: false });
		expect(live.removables.tvcApp).toEqual({ known: true, value: [] });
	});

	it("throws any other error", async () => {
		for (const error of [new ServiceError("broken", 400, 3), new AuthenticationError("who?")]) {
			const { reader } = readerOf({ ...nothing, list_tvc_apps: error });
			await expect(readWholeOrganization(organizationId, reader, "auto")).rejects.toBe(error);
		}
	});
});
