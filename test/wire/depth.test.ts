/** An answer that is nested without end settles nothing: it is no success and no refusal, and it exhausts no stack. */
import { describe, expect, it } from "vitest";
import { ServiceError } from "../../src/common/errors.ts";
import type { Reply } from "./independent-server.ts";
import { client, query, server, submit } from "./watched-client.ts";

const deep = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;
const lists = `${"[".repeat(7000)}${"]".repeat(7000)}`;
const words =
	/^(list_user_tags: )?the answer is not one of (list_user_tags|delete_policies): it is nested more than 200 levels deep$/;

describe("an answer that is nested too deep", () => {
	it.each<[string, Reply]>([
		["a success in whole", { body: deep }],
		["400", { status: 400, body: `{"code":3,"message":"no","details":[${deep}]}` }],
		["403", { status: 403, body: `{"code":7,"message":"no","details":${lists}}` }],
	])("%s: a query throws ServiceError, a submit is in doubt, and neither is retried", async (_case, reply) => {
		server.script(reply, reply);
		const error = (await query()) as ServiceError;
		expect(error).toBeInstanceOf(ServiceError);
		expect(error.message).toMatch(words);
		expect(error.hint).toMatch(/^check --url/);
		expect(await submit()).toMatchObject({ kind: "unknown", because: expect.stringMatching(words), requests: 1 });
		expect(client.stats().retries).toBe(0);
	});

	it("has more levels than are allowed, not as many", async () => {
		const body = `{"userTags":[{"tagId":"t","tagName":"n","tagType":"T","more":${"[".repeat(197)}${"]".repeat(197)}}]}`;
		server.script({ body });
		expect(await query()).toMatchObject({ value: { userTags: [{ tagId: "t" }] } });
	});
});
