/**
 * Unit tests of the program: `node --test`. With mocks in the place of the engine, nothing is asked of the service.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Output, runtime } from "@pulumi/pulumi";

const bob = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002";
const made = new Map<string, Readonly<Record<string, unknown>>>();
await runtime.setMocks({
	newResource({ name, inputs }) {
		made.set(name, inputs);
		return { id: `${name}-id`, state: { ...inputs, tagId: `${name}-tag` } };
	},
	call({ token }) {
		return token === "orgsync:index:listUserTags" ? { userTags: [{ tagName: "signers" }, { tagName: "oncall" }] } : {};
	},
});
const { signersId, tagNames } = await import("./index.ts");
const promiseOf = <T>(output: Output<T>): Promise<T> => new Promise((resolve) => output.apply(resolve));

test("the stack exports the id of the tag, and the names of all tags in order", async () => {
	assert.equal(await promiseOf(signersId), "signers-tag");
	assert.deepEqual(await promiseOf(tagNames), ["oncall", "signers"]);
});

test("only what destroying may take away is bob's duty", () => {
	const removing = [...made.values()].filter(({ onDestroy }) => onDestroy === "removeMembers");
	assert.deepEqual(
		removing.map(({ members }) => (members as { readonly atLeast: readonly string[] }).atLeast),
		[[bob]],
	);
});
