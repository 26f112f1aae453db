/** What the objects of an activity are called, by the document and the journal. */
import { describe, expect, it } from "vitest";
import { addressesOf, tagNamesOf } from "../../../src/plan/activities/activity-objects.ts";
import { desiredOf, id, wantTag } from "../support-organizations.ts";

const [first, second] = [id("tag", 1), id("tag", 2)];
const alice = id("user", 1);
const rename = (userTagId: unknown, ...covers: string[]) => ({
	operation: "update_user_tag",
	parameters: { userTagId },
	covers,
});
const nothing = { requests: [], userTags: {} };

describe("The names of tags", () => {
	it("are those of the document before those of requests, and those before what was last applied", () => {
		const userTags = { [first]: { name: "applied" }, [second]: { name: "applied" } };
		const requests = [rename(first.toUpperCase(), "userTag:sent"), rename(second, "userTag:sent")];
		const desired = desiredOf({ userTags: [wantTag("written", { id: first }), wantTag("unnamed")] });
		expect([...tagNamesOf(undefined, { requests: [], userTags })]).toEqual([
			[first, "applied"],
			[second, "applied"],
		]);
		expect([...tagNamesOf(undefined, { requests, userTags })].map(([, name]) => name)).toEqual(["sent", "sent"]);
		expect([...tagNamesOf(desired, { requests, userTags })].map(([, name]) => name)).toEqual(["written", "sent"]);
	});

	it("are not taken from requests about other objects, or without an address or an id", () => {
		const requests = [
			rename(first, "policy:one"),
			rename(first),
			rename(7, "userTag:number"),
			{ ...rename(first, "userTag:other"), operation: "delete_policies" },
		];
		expect([...tagNamesOf(undefined, { ...nothing, requests })]).toEqual([]);
	});
});

describe("The addresses of what a request changes", () => {
	const names = { userNames: { [alice]: "alice" }, tagNames: new Map([[first, "admins"]]) };

	it("have the tag's name, or its id where none is known", () => {
		expect(addressesOf(rename(first), names)).toEqual(["userTag:admins"]);
		expect(addressesOf(rename(second), names)).toEqual([`userTag:${second}`]);
	});

	it("have the user's alias before the id of a provider, or the user's id", () => {
		const removal = (userId: string) => {
			return { operation: "delete_oauth_providers", parameters: { userId, providerIds: [id("provider", 1)] } };
		};
		expect(addressesOf(removal(alice), names)).toEqual([`oauthProvider:alice/${id("provider", 1)}`]);
		expect(addressesOf(removal(id("user", 2)), names)).toEqual([`oauthProvider:${id("user", 2)}/${id("provider", 1)}`]);
	});

	it("are the ids of policies, without what is no id", () => {
		const parameters = { policyIds: [id("policy", 1), "no id"] };
		expect(addressesOf({ operation: "delete_policies", parameters }, names)).toEqual([`policy:${id("policy", 1)}`]);
	});

	it("are none for what is no step of a plan", () => {
		expect(addressesOf({ operation: "init_import_private_key", parameters: { userId: alice } }, names)).toEqual([]);
	});
});
