/** The path of the service and the credentials of a proxy do not stay in texts that gateways and proxies repeat. */
import { describe, expect, it } from "vitest";
import { withoutCredentials, withoutPath } from "../../src/wire/hide-path.ts";

describe("a text with the path of the service", () => {
	it.each<[text: string, path: string, shown: string]>([
		["no route for /v1/secret-token here", "/v1/secret-token", "no route for [path] here"],
		["secret-token is v1", "/v1/secret-token", "[path] is v1"],
		["12345678 and 1234567", "/12345678/1234567", "[path] and 1234567"],
		["see a secret token", "/a%20secret%20token", "see [path]"],
		["nothing of it", "", "nothing of it"],
	])("lacks the path, and its parts that may be tokens: %s, %s", (text, path, shown) => {
		expect(withoutPath(text, path)).toBe(shown);
	});
});

describe("a text with the credentials of a proxy", () => {
	const basic = (pair: string) => Buffer.from(pair, "utf8").toString("base64");
	const pair = "user:long:password";
	it.each<[text: string, pair: string, shown: string]>([
		[`got Basic ${basic(pair)}`, pair, "got Basic [proxy credentials]"],
		[`got ${pair}`, pair, "got [proxy credentials]"],
		["long:password, user", pair, "[proxy credentials], user"],
		["12345678 is wrong", "u:12345678", "[proxy credentials] is wrong"],
		["1234567 is wrong", "u:1234567", "1234567 is wrong"],
	])("lacks them, encoded or not, and a long password: %s", (text, credentials, shown) => {
		expect(withoutCredentials(text, `Basic ${basic(credentials)}`)).toBe(shown);
	});

	it("is as it was without credentials", () => {
		expect(withoutCredentials("Basic", "")).toBe("Basic");
		expect(withoutCredentials("Basic", "Basic ")).toBe("Basic");
	});
});
