/** A page at a loopback address on which a person signs requests with a passkey, one by one, until the command ends. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type OrgsyncError, PasskeyError } from "../common/errors.ts";
import { admit, type PageAddress } from "./guard.ts";
import { type Loopback, listenOnLoopback } from "./loopback.ts";
import { readMessage, sendJson, sendPage, sendText, startEvents } from "./respond.ts";
import { type DoneWords, doneView, endedView, idleView, secondTabView, type View } from "./views.ts";

/** What the page asks the browser for, as its script gets it. */
type BrowserRequest =
	| { readonly kind: "sign"; readonly body: string; readonly credentialIds: readonly string[] }
	| { readonly kind: "create"; readonly challenge: string; readonly userName: string };

export interface PageTask<T> {
	/** Returns what the browser is asked for; called whenever the request is shown. */
	browser(): BrowserRequest;
	/** Returns what the page shows. `untilMs` is when the request expires; `done` requests were answered before it. */
	view(untilMs: number, done: number): View;
	/** Returns what the browser's answer gives, or what is wrong with it: a sentence without a full stop. An error ends the page. */
	check(answer: unknown): { readonly value: T } | { readonly problem: string } | { readonly error: OrgsyncError };
}

interface PageOptions {
	/** Any free port when left out. */
	readonly port: number | undefined;
	/** How long one request is open, in milliseconds. */
	readonly limitMs: number;
	/** Called with the address of the page when there is something to do on it. */
	readonly onFirstTask: (url: string) => void;
	readonly doneWords: DoneWords;
	/** Gets lines about what happened on the page. */
	readonly note: (text: string) => void;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

interface OpenTask {
	/** Random: only the tab that shows the request knows it. */
	readonly id: string;
	readonly task: PageTask<unknown>;
	readonly resolve: (value: unknown) => void;
	readonly reject: (error: OrgsyncError) => void;
}

/** Max size of an answer in bytes. Real ones have less than 4 KiB. */
const maxAnswerBytes = 65_536;

const randomText = (): string => randomBytes(24).toString("base64url");

export class PasskeyPage {
	readonly #options: PageOptions;
	readonly #loopback: Loopback;
	readonly #address: PageAddress;
	/** The first is the one that the page shows. */
	readonly #tasks: OpenTask[] = [];
	/** Tabs in which the page is open; only the first shows requests. */
	readonly #tabs: ServerResponse[] = [];
	#timer: NodeJS.Timeout | undefined;
	#untilMs = 0;
	#done = 0;
	#isAnnounced = false;
	/** Why nothing is signed any more. */
	#ended: OrgsyncError | undefined;

	private constructor(options: PageOptions, loopback: Loopback, token: string) {
		this.#options = options;
		this.#loopback = loopback;
		this.#address = { host: `localhost:${loopback.port}`, token };
	}

	/** Opens the page. Throws ConfigurationError if the port cannot be used. */
	static async open(options: PageOptions): Promise<PasskeyPage> {
		const opened: { page?: PasskeyPage } = {};
		const loopback = await listenOnLoopback(options.port, (request, response) => {
			void opened.page?.answer(request, response);
		});
		opened.page = new PasskeyPage(options, loopback, randomText());
		return opened.page;
	}

	get origin(): string {
		return `http://${this.#address.host}`;
	}

	get url(): string {
		return `${this.origin}/${this.#address.token}`;
	}

	/** How many requests were answered. */
	get done(): number {
		return this.#done;
	}

	/** Shows the request in its turn and returns the first valid answer. Throws PasskeyError, InterruptedError, and then always. */
	ask<T>(task: PageTask<T>): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			if (this.#ended !== undefined) return reject(this.#ended);
			const settle = resolve as (value: unknown) => void;
			this.#tasks.push({ id: randomText(), task, resolve: settle, reject });
			if (this.#tasks.length === 1) this.#begin();
		});
	}

	/** Ends the page without an answer: what is open throws the error, and so does every later request. */
	end(error: OrgsyncError, view: View = endedView(error.message, this.#done)): void {
		if (this.#ended !== undefined) return;
		this.#ended = error;
		clearTimeout(this.#timer);
		for (const { reject } of this.#tasks.splice(0)) reject(error);
		this.#show(view);
	}

	/** Shows that the command has ended, and stops listening. */
	async close(): Promise<void> {
		const isDone = this.#tasks.length === 0;
		const over = new PasskeyError("the command has ended");
		this.end(over, isDone ? doneView(this.#done, this.#options.doneWords) : undefined);
		for (const tab of this.#tabs.splice(0)) tab.end();
		await this.#loopback.close();
	}

	/** Begins the time of the first request, and shows it. */
	#begin(): void {
		const { limitMs, now, onFirstTask } = this.#options;
		this.#untilMs = now() + limitMs;
		this.#timer = setTimeout(() => {
			const minutes = Math.round(limitMs / 60_000);
			this.end(new PasskeyError(`no passkey signed within ${minutes === 1 ? "a minute" : `${minutes} minutes`}`));
		}, limitMs);
		if (!this.#isAnnounced) onFirstTask(this.url);
		this.#isAnnounced = true;
		this.#show();
	}

	#view(): View {
		if (this.#ended !== undefined) return endedView(this.#ended.message, this.#done);
		const [first] = this.#tasks;
		return first === undefined
			? idleView(this.#done, this.#options.doneWords)
			: first.task.view(this.#untilMs, this.#done);
	}

	/** Shows every tab what it is to show. */
	#show(view: View = this.#view()): void {
		const [first] = this.#tasks;
		const isOver = this.#ended !== undefined;
		for (const [index, tab] of this.#tabs.entries()) {
			const shown = index === 0 || isOver ? view : secondTabView();
			const task = index === 0 && first !== undefined && !isOver ? { id: first.id, ...first.task.browser() } : null;
			const limitMs = Math.max(0, this.#untilMs - this.#options.now());
			const message = { title: shown.title, html: shown.html.html, task, limitMs, isOver };
			tab.write(`data: ${JSON.stringify(message)}\n\n`);
		}
	}

	async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const admission = admit(request, this.#address);
		if ("status" in admission) return sendText(response, admission.status, admission.message);
		if (admission.part === "page") return sendPage(response);
		if (admission.part === "events") return this.#addTab(response);
		const message = await readMessage(request, maxAnswerBytes);
		if (message === undefined) return sendJson(response, 400, { message: "the browser's answer cannot be read" });
		const problem = this.#take(admission.part, message);
		return problem === undefined ? sendJson(response, 200, {}) : sendJson(response, 409, { message: problem });
	}

	#addTab(response: ServerResponse): void {
		startEvents(response);
		this.#tabs.push(response);
		response.on("close", () => {
			const at = this.#tabs.indexOf(response);
			if (at !== -1) this.#tabs.splice(at, 1);
			// The next tab takes the place of the first.
			if (at === 0) this.#show();
		});
		this.#show();
	}

	/** Takes an answer or a refusal. Returns why it does not count; undefined if it does. */
	#take(part: "answer" | "refuse", message: Readonly<Record<string, unknown>>): string | undefined {
		const [first] = this.#tasks;
		if (first === undefined || message.id !== first.id) {
			return "this request is over: it was answered, or has expired";
		}
		if (part === "refuse") {
			this.end(new PasskeyError("refused on the page: nothing was signed"));
			return undefined;
		}
		const result = first.task.check(message.answer);
		if ("problem" in result) {
			this.#options.note(`The page got an answer that does not count: ${result.problem}.`);
			return result.problem;
		}
		if ("error" in result) {
			this.end(result.error);
			return undefined;
		}
		clearTimeout(this.#timer);
		this.#tasks.shift();
		this.#done += 1;
		first.resolve(result.value);
		if (this.#tasks.length > 0) this.#begin();
		else this.#show();
		return undefined;
	}
}
