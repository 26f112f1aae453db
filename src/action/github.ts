/** GitHub's REST API for one repository, with the token of the run. */
import { BoundedBody } from "../common/bounded-body.ts";
import { ConfigurationError } from "../common/errors.ts";
import { showText } from "../common/escape.ts";
import { isRecord, readJson } from "../common/json.ts";

interface GithubAccess {
	/** For example `https://api.github.com`. */
	readonly api: string;
	/** `owner/name`. */
	readonly repository: string;
	readonly token: string;
}

type Method = "GET" | "POST" | "PATCH";

/** Requests that GitHub could not answer are sent once more after this long: creating twice is not possible with GET and PATCH. */
const pauseMs = 2_000;

const maxPages = 100;

/** An answer that takes longer as a whole, or is larger, counts as none. A page of a list has less than a megabyte. */
const maxAnswerMs = 30_000;
const maxAnswerBytes = 16 * 1024 * 1024;

/** An answer that was read to its end. `body` is undefined where it is not JSON. */
interface GithubAnswer {
	readonly status: number;
	/** The header `link`. */
	readonly link: string;
	readonly body: unknown;
}

export class Github {
	readonly #access: GithubAccess;

	constructor(access: GithubAccess) {
		this.#access = access;
	}

	/** Returns the answer to a GET of a path below the repository. Throws ConfigurationError if GitHub refuses. */
	async get(path: string): Promise<unknown> {
		return (await this.#send("GET", this.#addressOf(path))).body;
	}

	async *list(path: string): AsyncGenerator<Record<string, unknown>> {
		let next: string | undefined = this.#addressOf(path);
		for (let page = 0; next !== undefined && page < maxPages; page++) {
			const answer = await this.#send("GET", next);
			if (!Array.isArray(answer.body)) throw new ConfigurationError(`GitHub answers ${showText(path)} with no list`);
			yield* answer.body.filter(isRecord);
			next = this.#nextOf(answer);
		}
	}

	async write(method: "POST" | "PATCH", path: string, body: object): Promise<unknown> {
		return (await this.#send(method, this.#addressOf(path), body)).body;
	}

	#addressOf(path: string): string {
		return `${this.#access.api}/repos/${this.#access.repository}/${path}`;
	}

	/** The address of the next page. It is followed only at the same host: it gets the token. */
	#nextOf({ link }: GithubAnswer): string | undefined {
		const [, next] = /<([^>]+)>;\s*rel="next"/.exec(link) ?? [];
		return next !== undefined && new URL(next).origin === new URL(this.#access.api).origin ? next : undefined;
	}

	async #send(method: Method, address: string, body?: object): Promise<GithubAnswer> {
		const first = await this.#request(method, address, body);
		const canRetry = method !== "POST" && (first === undefined || first.status >= 500);
		if (canRetry) await new Promise((resolve) => setTimeout(resolve, pauseMs));
		const answer = canRetry ? await this.#request(method, address, body) : first;
		if (answer !== undefined && answer.status >= 200 && answer.status < 300) return answer;
		const { pathname } = new URL(address);
		if (answer === undefined) throw new ConfigurationError(`GitHub does not answer ${method} ${showText(pathname)}`);
		throw new ConfigurationError(`GitHub refuses ${method} ${showText(pathname)}: ${reasonOf(answer)}`, {
			hint: [401, 403, 404].includes(answer.status)
				? "give the job the permissions that the inputs of the action need, or another `github-token`"
				: "run the job again",
		});
	}

	/** Undefined if there is no answer. */
	async #request(method: Method, address: string, body: object | undefined): Promise<GithubAnswer | undefined> {
		try {
			const answer = await fetch(address, {
				method,
				redirect: "error",
				signal: AbortSignal.timeout(maxAnswerMs),
				headers: {
					accept: "application/vnd.github+json",
					authorization: `Bearer ${this.#access.token}`,
					"user-agent": "orgsync-action",
					"x-github-api-version": "2022-11-28",
				},
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
			const { status, headers } = answer;
			return { status, link: headers.get("link") ?? "", body: await readBody(answer) };
		} catch {
			return undefined;
		}
	}
}

/** Returns the JSON of an answer, also of a compressed one; undefined for anything else. Throws for what is too large. */
async function readBody(answer: Response): Promise<unknown> {
	const body = new BoundedBody(maxAnswerBytes);
	for await (const chunk of answer.body ?? []) {
		if (!body.add(chunk)) throw new RangeError("the answer is too large");
	}
	const read = readJson(body.read()?.toString("utf8") ?? "");
	return "value" in read ? read.value : undefined;
}

function reasonOf({ status, body }: GithubAnswer): string {
	const message =
		isRecord(body) && typeof body.message === "string" ? ` (${showText(body.message).slice(0, 200)})` : "";
	return `status ${status}${message}`;
}
