/**
 * A gateway between a client and the service, which loses requests and answers, and answers in the service's place. And a
 * process that can be killed between any two of its effects.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Journal } from "../../src/sync/journal/journal.ts";
import type { Reader, Submitter } from "../../src/wire/client.ts";

/** What becomes of a submit. `…-after` means that the service got the request all the same. */
export const mishaps = [
	"none",
	"drop-before",
	"drop-after",
	"html-404-before",
	"html-404-after",
	"redirect-after",
	"html-429-after",
	"503-after",
	// Only of bytes that were lost before: the first answer is believed when it has the service's shape.
	"imitated-400",
	"imitated-403-after",
	"imitated-404-after",
	"imitated-quota-429-after",
] as const;

export type Mishap = (typeof mishaps)[number];

const html = { "content-type": "text/html" };
const json = { "content-type": "application/json" };
const refusal = (code: number, message: string) => JSON.stringify({ code, message, details: [], turnkeyErrorCode: "" });

const answers: Readonly<Record<Exclude<Mishap, "none" | "drop-before" | "drop-after">, [number, object, string]>> = {
	"html-404-before": [404, html, "<h1>404</h1>"],
	"html-404-after": [404, html, "<h1>404</h1>"],
	"redirect-after": [302, { location: "/login" }, ""],
	"html-429-after": [429, html, "<h1>429</h1>"],
	"503-after": [503, html, "<h1>503</h1>"],
	"imitated-400": [400, json, refusal(3, "bad request")],
	"imitated-403-after": [403, json, refusal(7, "denied")],
	"imitated-404-after": [404, json, refusal(5, "no such policy")],
	"imitated-quota-429-after": [429, json, refusal(8, "organization quota exceeded")],
};

export interface Gateway {
	readonly url: string;
	/** What becomes of the next submits, in turn; then none. */
	mishaps: Mishap[];
	/** From now on nothing was seen before. */
	forget(): void;
	close(): Promise<void>;
}

/** A gateway in front of the service at this address. */
export async function startGateway(service: string): Promise<Gateway> {
	const seen = new Set<string>();
	const gateway: { mishaps: Mishap[] } = { mishaps: [] };

	const pass = async (request: IncomingMessage, body: string): Promise<[number, object, string]> => {
		const headers = { "content-type": "application/json", "x-stamp": String(request.headers["x-stamp"]) };
		const answer = await fetch(service + request.url, { method: "POST", headers, body });
		return [answer.status, { ...json, date: answer.headers.get("date") ?? "" }, await answer.text()];
	};

	const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const body = Buffer.concat(chunks).toString();
		const send = ([status, headers, text]: [number, object, string]) =>
			void response.writeHead(status, { ...headers }).end(text);
		if (request.url?.includes("/submit/") !== true) return send(await pass(request, body));
		const print = createHash("sha256").update(body).digest("hex");
		const mishap = gateway.mishaps.shift() ?? "none";
		const wasSeen = seen.has(print);
		seen.add(print);
		if (mishap === "none" || (mishap.startsWith("imitated") && !wasSeen)) return send(await pass(request, body));
		if (mishap.endsWith("-after")) await pass(request, body);
		if (mishap === "drop-before" || mishap === "drop-after") return void request.socket.destroy();
		send(answers[mishap]);
	};

	const server = createServer((request, response) => {
		handle(request, response).catch(() => response.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return Object.assign(gateway, {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		forget: () => seen.clear(),
		close: () =>
			new Promise<void>((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	});
}

/** How a service reads the page cursor of `list_activities`. */
export type Cursor = "as-documented" | "other-direction" | "ignored";

/** The reader of a service that reads the page cursor like this. */
export function withCursor(reader: Reader, cursor: Cursor): Reader {
	return {
		query(operation, fields) {
			const { paginationOptions: options } = fields as { paginationOptions?: Readonly<Record<string, string>> };
			if (options === undefined || cursor === "as-documented") return reader.query(operation, fields);
			const { before, after, ...rest } = options;
			const swapped = {
				...(before === undefined ? {} : { after: before }),
				...(after === undefined ? {} : { before: after }),
			};
			const paginationOptions = cursor === "ignored" ? rest : { ...rest, ...swapped };
			return reader.query(operation, { ...fields, paginationOptions });
		},
	};
}

/** Thrown where a process was killed. */
export class Killed extends Error {}

/** A process that is killed at an effect: a write of the journal or a request, before it happens or right after it. */
export interface Fate {
	/** Counts from 1; never when it is left out. */
	readonly effect?: number | undefined;
	readonly when: "before" | "after";
}

/** Journal and submitter of a process with this fate. Once it is killed, none of its effects happens any more. */
export function withFate(journal: Journal, submitter: Submitter, { effect, when }: Fate) {
	let count = 0;
	let isDead = false;
	const enter = (): boolean => {
		if (isDead) throw new Killed();
		count += 1;
		if (count !== effect) return false;
		isDead = true;
		if (when === "before") throw new Killed();
		return true;
	};
	const leave = (isLast: boolean): void => {
		if (isLast) throw new Killed();
	};
	const mortal: Journal = {
		...journal,
		async claim(requestDigest, choose) {
			const isLast = enter();
			const choice = await journal.claim(requestDigest, choose);
			leave(isLast);
			if (isDead && !isLast) throw new Killed();
			return choice;
		},
		recordOutcome(...words) {
			const isLast = enter();
			const isNoted = journal.recordOutcome(...words);
			leave(isLast);
			return isNoted;
		},
		recordApplied(...words) {
			const isLast = enter();
			journal.recordApplied(...words);
			leave(isLast);
		},
	};
	const sending: Submitter = {
		async submit(body) {
			const isLast = enter();
			const answer = await submitter.submit(body);
			leave(isLast);
			if (isDead && !isLast) throw new Killed();
			return answer;
		},
	};
	return { journal: mortal, submitter: sending };
}
