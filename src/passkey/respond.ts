/** Answers of the page's server: the page itself, its events, and JSON. Nothing may keep, frame or share any of them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { BoundedBody } from "../common/bounded-body.ts";
import { isRecord, readJson } from "../common/json.ts";
import { hashSource } from "../render/html/html.ts";
import { script } from "./script.ts";
import { pageStyle, renderShell } from "./views.ts";

const policy = [
	"default-src 'none'",
	`style-src ${hashSource(pageStyle)}`,
	`script-src ${hashSource(script)}`,
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

const headers: Readonly<Record<string, string>> = {
	"cache-control": "no-store",
	connection: "close",
	"content-security-policy": policy,
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
	"permissions-policy": "publickey-credentials-get=(self), publickey-credentials-create=(self)",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
	"x-frame-options": "DENY",
};

function send(response: ServerResponse, status: number, type: string, text: string): void {
	if (response.destroyed) return;
	response.writeHead(status, { ...headers, "content-type": type, "content-length": String(Buffer.byteLength(text)) });
	response.end(text);
}

export function sendText(response: ServerResponse, status: number, message: string): void {
	send(response, status, "text/plain; charset=utf-8", `${message}\n`);
}

export function sendJson(response: ServerResponse, status: number, value: object): void {
	send(response, status, "application/json", JSON.stringify(value));
}

/** Sends the page. It is the same for every request: what it shows comes as events, to one tab. */
export function sendPage(response: ServerResponse): void {
	send(response, 200, "text/html; charset=utf-8", renderShell(script));
}

/** How often an idle connection gets a comment, in milliseconds: an SSH tunnel would end it otherwise. */
const heartbeatMs = 15_000;

export function startEvents(response: ServerResponse): void {
	response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
	response.write(": open\n\n");
	const timer = setInterval(() => response.write(":\n\n"), heartbeatMs).unref();
	response.on("close", () => clearInterval(timer));
	// A tab that is gone is noticed when its connection closes.
	response.on("error", () => undefined);
}

/** Returns the JSON object in the body of a request; undefined for any other body, and for one of more than `maxBytes`. */
export async function readMessage(
	request: IncomingMessage,
	maxBytes: number,
): Promise<Readonly<Record<string, unknown>> | undefined> {
	const body = new BoundedBody(maxBytes);
	try {
		// What exceeds the limit is read and discarded, so that the browser gets its answer.
		for await (const chunk of request as AsyncIterable<Buffer>) body.add(chunk);
	} catch {
		return undefined;
	}
	const read = readJson(body.read()?.toString("utf8") ?? "");
	return "value" in read && isRecord(read.value) ? read.value : undefined;
}
