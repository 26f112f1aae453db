/** What a status, headers and a text mean, one answer at a time: the borders between success, refusal and doubt. */

import { describe, expect, it } from "vitest";
import { flag, say } from "../../src/common/said.ts";
import { type AnswerContext, type ClassifiedAnswer, classifyAnswer } from "../../src/wire/answer.ts";
import { queries, submits } from "../../src/wire/operations.ts";

const nowMs = 1767225600000;
const date = "Thu, 01 Jan 2026 00:00:00 GMT";
const context: AnswerContext = {
	url: "https://api.example.com",
	organizationId: "organization",
	publicKey: "02ab",
	stampHeaderValue: "a-stamp",
	nowMs,
};
const both = { userTags: [], code: 3, message: "why" };

function classify(
	httpStatus: number,
	body: unknown = both,
	headers: Readonly<Record<string, string>> = {},
	asked: Partial<AnswerContext> = {},
): ClassifiedAnswer {
	const text = typeof body === "string" ? body : JSON.stringify(body);
	const answer = {
		kind: "answer",
		httpStatus,
		headers: { "content-type": "application/json", ...headers },
		text,
	} as const;
	return classifyAnswer(queries.list_user_tags, answer, { ...context, ...asked });
}

/** `depth` objects around a value. */
const nest = (depth: number, value: unknown): unknown => (depth === 0 ? value : { inner: nest(depth - 1, value) });

describe("a status", () => {
	it.each([
		[200, "valid"],
		[299, "valid"],
		[300, "refused"],
		[399, "refused"],
		[400, "refused"],
		[407, "refused"],
		[408, "inconclusive"],
		[409, "refused"],
		[425, "inconclusive"],
		[426, "refused"],
		[429, "inconclusive"],
		[498, "refused"],
		[499, "inconclusive"],
		[500, "inconclusive"],
		[501, "refused"],
		[502, "inconclusive"],
		[599, "inconclusive"],
	])("of %i is %s, and is worth a retry only if it settles nothing", (httpStatus, kind) => {
		const answer = classify(httpStatus);
		expect(answer.kind).toBe(kind);
		if (answer.kind === "inconclusive")
			expect(answer).toMatchObject({ httpStatus, sent: "maybe", retry: "yes", grpcCode: 3 });
	});

	it("of a redirect is one whatever the text is, and the text names neither a code nor a policy", () => {
		expect(classify(300)).toMatchObject({
			message: "the service answered with a redirect (300), which is not followed",
			grpcCode: undefined,
			policyEvaluations: [],
		});
		expect(classify(307, both, { location: "https://other.example/a?token=b" })).toMatchObject({
			message: "the service answered with a redirect (307) to https://other.example/a, which is not followed",
		});
	});

	it("with a text that nests too deeply is inconclusive, if the text would decide", () => {
		const deep = "[".repeat(200_000);
		for (const httpStatus of [200, 299, 400, 401, 404, 499 - 1, 501]) {
			expect(classify(httpStatus, deep)).toMatchObject({ kind: "inconclusive", retry: "no", httpStatus });
		}
		for (const httpStatus of [408, 425, 429, 499, 500, 503]) {
			expect(classify(httpStatus, deep)).toMatchObject({ kind: "inconclusive", retry: "yes", httpStatus });
		}
		for (const httpStatus of [300, 302, 399]) expect(classify(httpStatus, deep)).toMatchObject({ kind: "refused" });
	});
});

describe("a success", () => {
	it("is the whole answer of a query, and the activity of a submit, with the service's clock", () => {
		expect(classify(200, both, { date })).toEqual({ kind: "valid", value: both, serverTimeMs: nowMs });
		expect(classify(200)).toMatchObject({ serverTimeMs: undefined });
		const activity = { id: "i", organizationId: "o", status: "s", type: "t", fingerprint: "f" };
		const answer = { kind: "answer", httpStatus: 200, headers: {}, text: JSON.stringify({ activity }) } as const;
		expect(classifyAnswer(submits.delete_policies, answer, context)).toMatchObject({ kind: "valid", value: activity });
	});

	it.each([
		["application/json", "yes", "the answer was cut short"],
		["application/problem+json; charset=utf-8", "yes", "the answer was cut short"],
		["text/plain", "no", "not an answer of this service: 200 with text/plain"],
		["application/jsonp", "no", "not an answer of this service: 200 with application/jsonp"],
		[` text/plain ;q=1`, "no", "not an answer of this service: 200 with text/plain"],
		["x".repeat(100), "no", `not an answer of this service: 200 with ${"x".repeat(100)}`],
		["x".repeat(101), "no", "not an answer of this service: 200 with no content type"],
		["text/<b>", "no", "not an answer of this service: 200 with no content type"],
		["<b>text", "no", "not an answer of this service: 200 with no content type"],
	])("that is no JSON, with the content type %s, has the retry %s", (type, retry, message) => {
		expect(classify(200, "{", { "content-type": type })).toMatchObject({ kind: "inconclusive", retry, message });
	});

	it("that does not fit names the first field that is wrong, and how many more are", () => {
		const tag = { tagId: "t", tagName: "n", tagType: "TAG_TYPE_USER" };
		const because = (value: unknown): string => (classify(200, value) as { message: string }).message;
		expect(because({})).toBe("the answer is not one of list_user_tags: userTags is missing");
		expect(because([])).toBe("the answer is not one of list_user_tags: it must be object");
		expect(because({ userTags: [tag, 7] })).toBe("the answer is not one of list_user_tags: userTags[1] must be object");
		expect(because({ userTags: [tag, { ...tag, tagName: 7 }] })).toMatch(/: userTags\[1\]\.tagName must be [^,]*$/);
		expect(because({ userTags: [{ ...tag, tagId: 7, tagName: 7 }] })).toMatch(/, and 1 more$/);
	});
});

describe("what else answers", () => {
	const many = `{"message":"why","code":3,"userTags":[${"0,".repeat(700_000)}0]}`;
	it("is not parsed where it has too many values", () => {
		const message = "the answer is not one of list_user_tags: it has more than 700000 values";
		for (const httpStatus of [200, 400]) expect(classify(httpStatus, many)).toMatchObject({ message, retry: "no" });
		expect(classify(500, many)).toMatchObject({
			...{ message: "the service answered 500 with application/json", grpcCode: undefined },
		});
	});

	const zipped = (encoding: string) => `the answer is compressed (${encoding}), unasked`;
	const cut = "the answer was cut short";
	it.each([
		["gzip", zipped("gzip")],
		["identity", cut],
		["Identity", cut],
		["identity-x", zipped("identity-x")],
		["x".repeat(20), zipped("x".repeat(20))],
		["x".repeat(21), cut],
		["gzip, br", cut],
		["", cut],
	])("and encodes its text as %s is no success: %s", (encoding, message) => {
		const answer = classify(200, "\u001f", { "content-encoding": encoding });
		expect(answer).toMatchObject({ kind: "inconclusive", message, retry: message === cut ? "yes" : "no" });
	});

	const html = (httpStatus: number, text = "<html>", type = "text/html; charset=utf-8") =>
		(classify(httpStatus, text, { "content-type": type }) as { readonly message: string }).message;
	it("is named by the type of its content", () => {
		expect(html(200)).toBe("not an answer of this service: 200 with text/html");
		expect(html(200, "x", "x".repeat(101))).toBe("not an answer of this service: 200 with no content type");
		expect(html(200, "x", "a b")).toBe("not an answer of this service: 200 with no content type");
		expect(html(200, "x", " text/plain ;x")).toBe("not an answer of this service: 200 with text/plain");
		expect(html(404)).toBe("not an answer of this service: 404 with text/html");
		expect(html(403)).toBe("the service denies this with text/html");
		expect(html(503)).toBe("the service answered 503 with text/html");
		expect(html(503, "")).toBe("the service answered 503");
	});

	it("is an emulator with a set clock only on this machine", () => {
		const clockOf = (url: string, clock = "set") => {
			const answer = classify(200, both, { "emulator-clock": clock }, { url });
			return "isClockSet" in answer ? answer.isClockSet : "none";
		};
		expect(clockOf("http://127.0.0.1:80")).toBe(true);
		expect(clockOf("http://127.0.0.1:80", "real")).toBe("none");
		expect(clockOf("https://api.example.com")).toBe("none");
	});
});

describe("an error", () => {
	it.each([1, 7, 16])("with the gRPC code %i and a text is the service's own", (code) => {
		expect(classify(400, { code, message: "why" })).toMatchObject({
			grpcCode: code,
			message: "the service answered 400: why",
		});
	});

	it.each([0, -1, 17, 1.5, 404, "3", null, undefined])("with the code %j is not the service's own", (code) => {
		expect(classify(400, { code, message: "why" })).toMatchObject({ kind: "refused", grpcCode: undefined });
	});

	it("without a text is not the service's own", () => {
		for (const message of [undefined, null, 7]) {
			expect(classify(400, { code: 3, message })).toMatchObject({
				grpcCode: undefined,
				message: "the service answered 400",
			});
		}
		expect(classify(400, { code: 3, message: "" })).toMatchObject({ grpcCode: 3, message: "the service answered 400" });
	});

	it("has a hint about ids only for a 404", () => {
		expect(classify(404)).toMatchObject({ hint: say`check the ids, the organization organization and ${flag("url")}` });
		expect(classify(400)).toMatchObject({ hint: undefined });
	});

	it("of a proxy asks for a user name and a password", () => {
		expect(classify(407)).toMatchObject({
			message: "a proxy requires a user name and a password (407)",
			keyNotAccepted: false,
		});
	});

	it.each([
		["the public key", {}, "key", "the public key 02ab"],
		["the key, where its public key is not known", { publicKey: undefined }, "key", "the key"],
		["the passkey", { publicKey: undefined, stampHeaderValue: '{"credentialId":"c"}' }, "passkey", "the passkey"],
	])("about the credential names %s", (_what, asked, word, named) => {
		for (const answer of [classify(401, both, {}, asked), classify(403, { code: 16, message: "why" }, {}, asked)]) {
			expect(answer).toMatchObject({
				message: `the service does not accept this ${word}: why`,
				hint: say`check that ${named} is registered in the organization organization and has not expired, and ${flag("url")}`,
				keyNotAccepted: true,
			});
		}
	});

	it("with 403 is about the credential only with the code for it", () => {
		expect(classify(403, { code: 7, message: "why" })).toMatchObject({ keyNotAccepted: false, hint: undefined });
		expect(classify(400, { code: 16, message: "why" })).toMatchObject({ keyNotAccepted: false });
	});

	it("names the policies that decided, if they are at most four levels down", () => {
		const list = { policyEvaluations: [null, { policyId: "p", outcome: "o" }, "odd", { policyId: 7, outcome: 7 }] };
		const found = (details: unknown): unknown => {
			const answer = classify(403, { code: 7, message: "why", details });
			return "policyEvaluations" in answer ? [answer.policyEvaluations, answer.hint] : answer;
		};
		const denied = [[{ policyId: "p", outcome: "o" }, {}], "a policy of the organization denies this"];
		expect(found(list)).toEqual(denied);
		expect(found(nest(4, list))).toEqual(denied);
		expect(found([{ policyEvaluations: [] }, null, "odd", list])).toEqual(denied);
		for (const details of [nest(5, list), { policyEvaluations: "p" }, null, "odd"])
			expect(found(details)).toEqual([[], undefined]);
	});

	it("shows at most 500 characters of the service's text, in one line, without our stamp", () => {
		const messageOf = (message: string, asked?: Partial<AnswerContext>): string =>
			(classify(400, { code: 3, message }, {}, asked) as { message: string }).message.slice(
				"the service answered 400: ".length,
			);
		expect(messageOf("x".repeat(500))).toBe("x".repeat(500));
		expect(messageOf("x".repeat(501))).toBe(`${"x".repeat(500)}…`);
		expect(messageOf(" a \n\t b\u2028c\u0000 ")).toBe("a b c");
		expect(messageOf("a-stamp and a-stamp")).toBe("[stamp] and [stamp]");
		expect(messageOf("ab", { stampHeaderValue: "" })).toBe("ab");
	});
});

describe("a 429", () => {
	const throttled = (headers: Readonly<Record<string, string>>, message = "slow down"): ClassifiedAnswer =>
		classify(429, { code: 8, message }, headers);

	it.each([
		["5", 5000],
		[" 5 ", 5000],
		["0", 0],
		["999999999", 999999999000],
		["Thu, 01 Jan 2026 00:00:09 GMT", 9000],
		["Wed, 31 Dec 2025 00:00:00 GMT", 0],
		["soon", undefined],
		["", undefined],
	])("with Retry-After %j asks for a delay of %s ms", (text, waitMs) => {
		expect(throttled({ "retry-after": text })).toMatchObject({ kind: "inconclusive", throttled: true, waitMs });
	});

	it("compares a Retry-After that is a date with the answer's own date, if it has one", () => {
		const headers = { "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" };
		expect(throttled({ ...headers, date: "Thu, 01 Jan 2026 00:00:04 GMT" })).toMatchObject({ waitMs: 5000 });
		expect(classify(503, both, { ...headers, date: "?" })).toMatchObject({ waitMs: 9000, throttled: false });
	});

	it.each([
		["0", true],
		[" 0 ", true],
		["1", false],
		["", false],
		["00", false],
	])("with %j requests left is exhausted: %s", (remaining, exhausted) => {
		expect(throttled({ "ratelimit-remaining": remaining })).toMatchObject({ exhausted, throttled: true });
	});

	it("names the limit that the service names", () => {
		expect(throttled({ "ratelimit-limit": "3\n" })).toMatchObject({
			message: "too many requests (limit 3): slow down",
		});
		expect(throttled({})).toMatchObject({
			message: "too many requests: slow down",
			exhausted: false,
			waitMs: undefined,
		});
	});

	it.each(["5 s", "1234567890123"])("with a Retry-After that is neither asks for no time: %s", (after) => {
		expect(classify(429, both, { "retry-after": after })).toMatchObject({ waitMs: undefined });
	});

	it("of a quota that the service does not name itself is a rate", () => {
		expect(classify(429, { message: "quota exceeded" })).toMatchObject({ kind: "inconclusive", throttled: true });
	});

	it.each(["a quota is used up", "Resource limit reached"])("of a quota is refused: %s", (message) => {
		expect(throttled({}, message)).toMatchObject({
			kind: "refused",
			message: `a limit of the organization is reached: ${message}`,
		});
	});

	it.each([
		["with a delay", { "retry-after": "1" }, "quota"],
		["with a delay of nothing", { "retry-after": "0" }, "quota"],
		["with no requests left", { "ratelimit-remaining": "0" }, "quota"],
		["with a longer word", {}, "quotas, overquota and resource limits"],
	])("%s is of a rate, even if its text names a quota", (_what, headers, message) => {
		expect(throttled(headers, message)).toMatchObject({ kind: "inconclusive", throttled: true });
	});
});
