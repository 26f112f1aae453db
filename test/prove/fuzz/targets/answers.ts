/** Single answers of the service: as its operations have them, and as gateways, proxies and broken connections make them. */
import { ServiceError } from "../../../../src/common/errors.ts";
import { bundleSchema } from "../../../../src/schema/bundle.ts";
import { readActivity } from "../../../../src/wire/activity.ts";
import { type ClassifiedAnswer, classifyAnswer } from "../../../../src/wire/answer.ts";
import {
	approvals,
	extendedReads,
	extendedSubmits,
	type Operation,
	operations,
} from "../../../../src/wire/operations.ts";
import { printError } from "../command.ts";
import type { Dice } from "../dice.ts";
import { makeValue } from "../from-schema.ts";
import { texts } from "../hostile.ts";
import { isObject, type Json, type JsonObject, type Outcome, type Target, textAt } from "../input.ts";
import { mutateText, mutateTree, type Words, wordsOf } from "../mutate.ts";

const all: Readonly<Record<string, Operation>> = {
	...operations,
	...extendedReads,
	...extendedSubmits,
	...approvals,
};
const names = Object.keys(all);
const schemas = new Map<string, Json>();

const stamp = "canary-of-the-stamp";

const errors: readonly Json[] = [
	{ code: 3, message: "invalid field: name", details: [], turnkeyErrorCode: "INVALID" },
	{ code: 16, message: `no key for ${stamp}`, details: [] },
	{
		code: 7,
		message: "denied",
		details: [{ policyEvaluations: [{ policyId: "p", outcome: "OUTCOME_DENY_EXPLICIT" }] }],
	},
	{ code: 8, message: "quota exceeded", details: [] },
	{ error: { code: 500, message: "upstream" } },
	{ message: "canary-of-the-stamp\u001b[2J\n\nat Object.read (server.js:1:2)" },
];

const pages = [
	"",
	"<html><title>502</title></html>",
	"upstream connect error",
	"{",
	'{"activity":',
	"null",
	"[]",
	'"x"',
	"\ufeff{}",
];
const statuses = [
	200, 200, 200, 200, 201, 204, 301, 307, 400, 401, 403, 404, 407, 408, 413, 418, 425, 429, 429, 499, 500, 501, 502,
	503, 599, 0, 999,
];
const headerValues: Readonly<Record<string, readonly string[]>> = {
	"content-type": ["application/json", "application/json; charset=utf-8", "text/html", "\u001b[31m", ""],
	date: ["Sun, 22 Nov 2026 21:53:24 GMT", "yesterday", "0", "99999999999999"],
	"retry-after": ["1", "0", "-1", "999999999", "9999999999999", "Sun, 22 Nov 2026 21:54:24 GMT", "soon", "1e3"],
	location: [
		"https://elsewhere.test/a?token=canary-of-the-stamp",
		"/login",
		"http://[",
		"javascript:alert(1)",
		"\u202e",
	],
	"ratelimit-limit": ["1", stamp, "\u0007"],
	"ratelimit-remaining": ["0", "1", "x"],
};

let words: Words = wordsOf([]);

function make(dice: Dice): Json {
	const operation = dice.pick(names);
	const schema = schemas.get(operation) ?? null;
	const isError = dice.chance(0.3);
	const value = isError ? dice.pick(errors) : makeValue(schema, { $ref: "#/$defs/response" }, dice);
	const body = JSON.stringify(mutateTree(value, dice, words, dice.small(4)));
	const text = dice.chance(0.1)
		? dice.pick(pages)
		: dice.chance(0.2)
			? mutateText(body, dice, words, 1 + dice.small(3))
			: body;
	const headers = Object.entries(headerValues).filter(() => dice.chance(0.4));
	const changed = headers.map(([name, choices]) => [name, dice.chance(0.1) ? dice.pick(texts) : dice.pick(choices)]);
	return {
		operation,
		status: dice.pick(isError ? statuses : [200, 200, 200, 200, dice.pick(statuses)]),
		headers: Object.fromEntries(changed),
		text,
	};
}

async function read(input: Json): Promise<Outcome> {
	const operation = all[textAt(input, "operation")] ?? operations.list_user_tags;
	const { headers = {}, status = 200 } = isObject(input) ? input : {};
	const answer = classifyAnswer(
		operation,
		{ kind: "answer", httpStatus: Number(status), headers: textsOf(headers), text: textAt(input, "text") },
		{
			url: "https://service.test",
			organizationId: "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11",
			publicKey: undefined,
			stampHeaderValue: stamp,
			nowMs: 1_764_000_000_000,
		},
	);
	checkNumbers(answer);
	if (answer.kind !== "valid") {
		const options = answer.hint === undefined ? {} : { hint: answer.hint };
		return printError("plan", new ServiceError(answer.message, answer.httpStatus ?? 0, answer.grpcCode, options));
	}
	if (operation.family === "submit") readActivity(operation, answer.value);
	return { accepted: true, printed: "" };
}

/** Times and waits that are no numbers would stop a run for ever, or not at all. */
function checkNumbers(answer: ClassifiedAnswer): void {
	const { waitMs, serverTimeMs } = answer as { readonly waitMs?: number; readonly serverTimeMs?: number };
	const wrong = [waitMs, serverTimeMs].find((number) => number !== undefined && !Number.isFinite(number));
	if (wrong !== undefined) throw new Error(`a time of the answer is ${wrong}`);
	if (waitMs !== undefined && waitMs < 0) throw new Error(`the wait is ${waitMs} ms`);
}

function textsOf(headers: Json): Readonly<Record<string, string>> {
	const entries = Object.entries(isObject(headers) ? (headers as JsonObject) : {});
	return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

export const answers: Target = {
	name: "answers",
	share: 150,
	begin() {
		for (const name of names) schemas.set(name, bundleSchema(`operations/${name}.json`) as Json);
		words = wordsOf(errors, [JSON.stringify(errors)]);
	},
	make,
	read,
};
