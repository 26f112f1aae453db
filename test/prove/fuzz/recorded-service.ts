/** A service that answers as one was recorded (corpus/service.json), with the answers that an input changes. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject, type Json, type JsonObject } from "./input.ts";
import { secrets } from "./judge.ts";
import { readCorpus } from "./sources.ts";

export class RecordedService {
	/** The answer of each operation. */
	readonly recorded: JsonObject;
	/** In place of those: the status and the body of an operation's answer. */
	changed: JsonObject = {};
	readonly #server: Server;

	private constructor() {
		this.recorded = JSON.parse(readCorpus("", "service.json")[0] ?? "{}") as JsonObject;
		this.#server = createServer((request, response) => this.#answer(request, response));
	}

	static async start(): Promise<RecordedService> {
		const service = new RecordedService();
		await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve));
		return service;
	}

	/** The environment of commands that use it. */
	get environment(): Readonly<Record<string, string>> {
		const { port } = this.#server.address() as AddressInfo;
		return { ORGSYNC_URL: `http://127.0.0.1:${port}`, ORGSYNC_API_PRIVATE_KEY: secrets[1] ?? "" };
	}

	/** The document that was compared with it. */
	get document(): string {
		return readCorpus("", "service.yaml")[0] ?? "";
	}

	close(): Promise<void> {
		return new Promise((resolve) => this.#server.close(() => resolve()));
	}

	#answer(request: IncomingMessage, response: ServerResponse): void {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const raw = Buffer.concat(chunks);
			const name = request.url?.split("/").at(-1) ?? "";
			const own = this.changed[name];
			const { status = 200, body = null } = isObject(own) ? own : { body: this.recorded[name] ?? null };
			const isKnown = Object.hasOwn(this.recorded, name);
			const answer = isKnown ? follow(body, raw) : { code: 5, message: "Not Found", details: [] };
			const headers = { "content-type": "application/json", date: "Sun, 22 Nov 2026 22:00:05 GMT" };
			response.writeHead(isKnown ? Number(status) : 404, headers);
			response.end(JSON.stringify(answer));
		});
	}
}

/** Returns the answer with the fingerprint and the parameters of the request where it still has those that were recorded. */
function follow(body: Json, raw: Buffer): Json {
	const { activity } = isObject(body) ? body : {};
	const { parameters, type } = JSON.parse(raw.toString()) as { parameters?: JsonObject; type?: string };
	if (!isObject(activity) || parameters === undefined || activity.type !== type) return body;
	const fingerprint = `sha256:${createHash("sha256").update(raw).digest("hex")}`;
	const intent = isObject(activity.intent)
		? { intent: Object.fromEntries(Object.keys(activity.intent).map((key) => [key, parameters])) }
		: {};
	return { activity: { ...activity, ...(activity.fingerprint === undefined ? {} : { fingerprint }), ...intent } };
}
