/**
 * The emulator in this process, with a door for each process that uses it. A door can lose requests and answers, answer in the
 * service's place, let something else happen in the middle of a run, and end a run as `kill -9` does.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { makeClock, makeControl } from "../../../src/emulator/control/control.ts";
import { makeFaultQueue } from "../../../src/emulator/control/faults.ts";
import { makeRateLimitBuckets } from "../../../src/emulator/control/rate-limit.ts";
import { makeRequestLog } from "../../../src/emulator/control/request-log.ts";
import { handleOperation, operationsByPath } from "../../../src/emulator/service.ts";
import { openStore } from "../../../src/emulator/store.ts";
import { apiKeyStamp, type TestKey } from "../../keys.ts";
import type { Seen } from "../invariants.ts";
import { bodyOf, type ListedActivity, organizationId } from "../small-world.ts";

/** What becomes of one request. `…-after`: the service got it all the same. */
export const mishaps = [
	"none",
	"drop-before",
	"drop-after",
	"half-after",
	"html-404-before",
	"html-404-after",
	"html-429-after",
	"html-502-before",
	"html-502-after",
	"html-503-after",
	"redirect-after",
	"429-before",
	// Only of bytes that came before: the first answer is believed if it has the service's shape.
	"imitated-400",
	"imitated-403-after",
	"imitated-401",
	"imitated-404-after",
	"imitated-quota-429-after",
] as const;

export type Mishap = (typeof mishaps)[number];

/** How a service reads the page cursor of `list_activities`. */
export type Cursor = "as-documented" | "other-direction" | "ignored";

/** What happens to the requests of one run; requests count from 1. */
export interface Script {
	/** For its submits, in turn; then nothing. */
	readonly mishaps: Mishap[];
	/** For its queries, in turn. */
	readonly queryMishaps: Mishap[];
	/** Whether its journal has sent these bytes before. */
	readonly knows: (fingerprint: string) => boolean;
	/** Where it is killed. */
	readonly kill: { readonly at: number; readonly when: "before" | "after" } | undefined;
	/** Called when it is killed: what is on disk now stays. */
	readonly onKill: () => void;
	/** What happens while a request is held. */
	readonly meanwhile:
		| { readonly at: number; readonly when: "before" | "after"; readonly happen: () => Promise<void> }
		| undefined;
}

/** One request as the service got it. */
export interface Arrived {
	readonly door: string;
	/** The name of the operation. */
	readonly name: string;
	readonly isSubmit: boolean;
	/** The service before and after it; of submits only. */
	readonly before: Seen | undefined;
	readonly after: Seen | undefined;
	readonly fingerprint: string;
	readonly status: number;
}

class Door {
	readonly script: Script;
	count = 0;
	isDead = false;
	/** What happens while one of its requests is held, once it began. */
	meanwhile: Promise<void> | undefined;

	constructor(script: Script) {
		this.script = script;
	}
}

interface Answer {
	readonly status: number;
	readonly type?: string;
	readonly text: string;
}

const errorBody = (code: number, message: string) =>
	JSON.stringify({ code, message, details: [], turnkeyErrorCode: "" });
const pageOf = (status: number): Answer => ({ status, type: "text/html", text: `<html><h1>${status}</h1></html>` });
const dead: Answer = { status: 401, text: errorBody(16, "this process was killed") };
const standIns: Readonly<Record<string, Answer>> = {
	"redirect-after": pageOf(302),
	"imitated-400": { status: 400, text: errorBody(3, "bad request") },
	"imitated-403-after": { status: 403, text: errorBody(7, "denied") },
	"imitated-401": { status: 401, text: errorBody(16, "unknown key") },
	"imitated-404-after": { status: 404, text: errorBody(5, "no such policy") },
	"imitated-quota-429-after": { status: 429, text: errorBody(8, "organization quota exceeded") },
	"429-before": { status: 429, text: errorBody(8, "too many requests") },
};

export class Service {
	readonly #server: Server;
	readonly #clock: { nowMs: number };
	readonly #faults = makeFaultQueue();
	readonly #store = openStore(undefined);
	readonly #control;
	readonly #doors = new Map<string, Door>();
	readonly #seen = new Set<string>();
	/** Keys by public key, to stamp what a service reads otherwise. */
	readonly #keys: ReadonlyMap<string, TestKey>;
	#paths = operationsByPath("all");
	cursor: Cursor = "as-documented";
	onArrival: (arrived: Arrived) => void = () => {};
	/** Called when a run has the whole answer of a submit that made, or found, an activity. */
	onAnswered: (door: string, fingerprint: string) => void = () => {};

	private constructor(keys: readonly TestKey[]) {
		this.#clock = { nowMs: 0 };
		this.#keys = new Map(keys.map((key) => [key.publicKey, key]));
		this.#control = makeControl({
			store: this.#store,
			faults: this.#faults,
			log: makeRequestLog(),
			limits: makeRateLimitBuckets(),
			clock: makeClock(() => this.#clock.nowMs),
		});
		this.#server = createServer((request, response) => {
			this.#accept(request, response).catch((error) => {
				// A finding of the judge must not look like an answer.
				this.broken ??= error;
				response.destroy();
			});
		});
	}

	/** What was thrown while a request was answered. */
	broken: unknown;

	static async open(keys: readonly TestKey[]): Promise<Service> {
		const service = new Service(keys);
		await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve));
		return service;
	}

	get nowMs(): number {
		return this.#clock.nowMs;
	}

	set nowMs(nowMs: number) {
		this.#clock.nowMs = nowMs;
	}

	/** Begins a history: a new organization at this time. */
	async begin(seed: object, reads: "all" | "documented", nowMs: number): Promise<void> {
		this.nowMs = nowMs;
		this.cursor = "as-documented";
		this.broken = undefined;
		this.#paths = operationsByPath(reads);
		this.#faults.clear();
		this.#doors.clear();
		this.#seen.clear();
		await this.#control.changeState({ organizations: [seed] } as never);
	}

	change(patch: object): Promise<void> {
		return this.#control.changeState({ organizationId, ...patch } as never);
	}

	setRules(rules: object): Promise<void> {
		return this.#control.setRules(organizationId, rules);
	}

	/** The next activity that is submitted ends like this. */
	addOutcome(fault: "fail" | "reject"): void {
		this.#faults.add({ operation: "*", fault });
	}

	clearOutcomes(): void {
		this.#faults.clear();
	}

	look(): Seen {
		const { organization, activities } = this.#control.state(organizationId);
		return { organization, activities: activities as unknown as readonly ListedActivity[] };
	}

	/** Returns the address of this door. Its requests follow the script, which begins now. */
	open(door: string, script: Script): string {
		this.#doors.set(door, new Door(script));
		const { port } = this.#server.address() as AddressInfo;
		return `http://127.0.0.1:${port}/${door}`;
	}

	wasKilled(door: string): boolean {
		return this.#doors.get(door)?.isDead === true;
	}

	/** Sends a submit of this user without a door, as another tool does. Throws if the service refuses it. */
	submitAs(key: TestKey, name: string, parameters: object, atMs: number): ListedActivity {
		const body = bodyOf(name, parameters, atMs);
		const stamp = apiKeyStamp(body, key)["x-stamp"];
		const answer = this.#answer(`/public/v1/submit/${name}`, Buffer.from(body), stamp);
		if (answer.status !== 200) throw new Error(`the proof's own ${name} was answered ${answer.text}`);
		return JSON.parse(answer.text).activity;
	}

	#answer(path: string, body: Buffer, stamp: string | undefined): Answer {
		const operation = this.#paths.get(path);
		if (operation === undefined) return { status: 404, text: errorBody(5, "Not Found") };
		const [rawBody, apiKey] = this.#asRead(operation.name, body, stamp);
		const answer = handleOperation(this.#store, {
			operation,
			stamps: { apiKey, passkey: undefined },
			rawBody,
			nowMs: this.nowMs,
			takeForcedEnd: () =>
				this.#faults.take(operation.name, ["fail", "reject"])?.fault as "fail" | "reject" | undefined,
		});
		return { status: answer.status, text: JSON.stringify(answer.body) };
	}

	/** Returns a request as a service with another cursor reads it, with a stamp for these bytes. */
	#asRead(name: string, body: Buffer, stamp: string | undefined): readonly [Buffer, string | undefined] {
		if (name !== "list_activities" || this.cursor === "as-documented" || stamp === undefined) return [body, stamp];
		const fields = JSON.parse(body.toString());
		const { before, after, ...rest } = fields.paginationOptions ?? {};
		if (before === undefined && after === undefined) return [body, stamp];
		const swapped = {
			...(before === undefined ? {} : { after: before }),
			...(after === undefined ? {} : { before: after }),
		};
		fields.paginationOptions = this.cursor === "ignored" ? rest : { ...rest, ...swapped };
		const { publicKey } = JSON.parse(Buffer.from(stamp, "base64url").toString());
		const key = this.#keys.get(publicKey);
		const text = JSON.stringify(fields);
		return key === undefined ? [body, stamp] : [Buffer.from(text), apiKeyStamp(text, key)["x-stamp"]];
	}

	async #accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const body = Buffer.concat(chunks);
		const [, name = "", path = "/"] = /^\/([\w-]+)(\/.*)$/.exec(request.url ?? "") ?? [];
		const door = this.#doors.get(name);
		if (door === undefined || door.isDead) return this.#send(response, dead);
		door.count += 1;
		const number = door.count;
		const { meanwhile } = door.script;
		const happen = async (when: "before" | "after"): Promise<void> => {
			if (meanwhile?.at !== number || meanwhile.when !== when) return;
			door.meanwhile = meanwhile.happen();
			await door.meanwhile;
		};
		await happen("before");
		if (await this.#dies(door, number, "before")) return this.#send(response, dead);
		const isSubmit = path.includes("/submit/");
		const fingerprint = `sha256:${createHash("sha256").update(body).digest("hex")}`;
		const mishap = this.#mishapOf(door, name, isSubmit, fingerprint);
		const takesEffect = mishap === "none" || mishap.endsWith("-after");
		const stamp = request.headers["x-stamp"]?.toString();
		const answer = takesEffect ? this.#arrive(name, path, body, stamp, fingerprint) : undefined;
		await happen("after");
		if ((await this.#dies(door, number, "after")) || door.isDead) return this.#send(response, dead);
		if (mishap === "none" && answer !== undefined) {
			if (isSubmit && answer.status === 200) this.onAnswered(name, fingerprint);
			return this.#send(response, answer);
		}
		if (mishap.startsWith("drop")) return void response.socket?.destroy();
		if (mishap === "half-after" && answer !== undefined) return this.#sendHalf(response, answer);
		return this.#send(response, standIns[mishap] ?? pageOf(Number(/\d+/.exec(mishap)?.[0])));
	}

	/**
	 * An imitated refusal answers bytes of which the runner has lost an answer: of a first attempt it believes the service's own
	 * words, and a 429 says that there was no attempt.
	 */
	#mishapOf(door: Door, name: string, isSubmit: boolean, fingerprint: string): Mishap {
		const mishap = (isSubmit ? door.script.mishaps : door.script.queryMishaps).shift() ?? "none";
		const print = `${name} ${fingerprint}`;
		const cameBefore = this.#seen.has(print) || door.script.knows(fingerprint);
		if (mishap !== "429-before") this.#seen.add(print);
		return mishap.startsWith("imitated") && !cameBefore ? "none" : mishap;
	}

	#arrive(door: string, path: string, body: Buffer, stamp: string | undefined, fingerprint: string): Answer {
		const isSubmit = path.includes("/submit/");
		const before = isSubmit ? this.look() : undefined;
		const answer = this.#answer(path, body, stamp);
		const after = isSubmit ? this.look() : undefined;
		const name = path.split("/").at(-1) ?? path;
		this.onArrival({ door, name, isSubmit, before, after, fingerprint, status: answer.status });
		return answer;
	}

	async #dies(door: Door, number: number, when: "before" | "after"): Promise<boolean> {
		const { kill, onKill } = door.script;
		if (kill?.at !== number || kill.when !== when) return false;
		// What another run writes meanwhile is not taken back with what this one wrote.
		await door.meanwhile;
		if (door.isDead) return false;
		onKill();
		door.isDead = true;
		return true;
	}

	#send(response: ServerResponse, { status, type = "application/json", text }: Answer): void {
		const date = new Date(this.nowMs).toUTCString();
		response.writeHead(status, { "content-type": type, date, "content-length": Buffer.byteLength(text) }).end(text);
	}

	#sendHalf(response: ServerResponse, { status, text }: Answer): void {
		const date = new Date(this.nowMs).toUTCString();
		response.writeHead(status, { "content-type": "application/json", date, "content-length": Buffer.byteLength(text) });
		response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
	}

	async close(): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
		this.#store.close();
	}
}
