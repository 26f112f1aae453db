/** GitHub's REST API for one repository, with the token of the run. */
import { ConfigurationError } from "../errors.ts";
import { showText } from "../escape.ts";
import { isRecord } from "../json.ts";

export interface GithubAccess {
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

export class Github {
	readonly #access: GithubAccess;

	constructor(access: GithubAccess) {
		this.#access = access;
	}

	/** Returns the answer to a GET of a path below the repository. Throws ConfigurationError if GitHub refuses. */
	async get(path: string): Promise<unknown> {
		return (await this.#send("GET", this.#addressOf(path))).json();
	}

	/** Yields the records of a list, page by page. */
	async *list(path: string): AsyncGenerator<Record<string, unknown>> {
		let next: string | undefined = this.#addressOf(path);
		for (let page = 0; next !== undefined && page < maxPages; page++) {
			const answer = await this.#send("GET", next);
			const records: unknown = await answer.json();
			if (!Array.isArray(records)) throw new ConfigurationError(`GitHub answers ${showText(path)} with no list`);
			yield* records.filter(isRecord);
			next = this.#nextOf(answer);
		}
	}

	async write(method: "POST" | "PATCH", path: string, body: object): Promise<unknown> {
		return (await this.#send(method, this.#addressOf(path), body)).json();
	}

	#addressOf(path: string): string {
		return `${this.#access.api}/repos/${this.#access.repository}/${path}`;
	}

	/** The address of the next page. It is followed only at the same host: it gets the token. */
	#nextOf(answer: Response): string | undefined {
		const [, next] = /<([^>]+)>;\s*rel="next"/.exec(answer.headers.get("link") ?? "") ?? [];
		return next !== undefined && new URL(next).origin === new URL(this.#access.api).origin ? next : undefined;
	}

	async #send(method: Method, address: string, body?: object): Promise<Response> {
		const first = await this.#request(method, address, body);
		const canRetry = method !== "POST" && (first === undefined || first.status >= 500);
		if (canRetry) await new Promise((resolve) => setTimeout(resolve, pauseMs));
		const answer = canRetry ? await this.#request(method, address, body) : first;
		if (answer?.ok === true) return answer;
		const { pathname } = new URL(address);
		if (answer === undefined) throw new ConfigurationError(`GitHub does not answer ${method} ${showText(pathname)}`);
		throw new ConfigurationError(`GitHub refuses ${method} ${showText(pathname)}: ${await reasonOf(answer)}`, {
			hint: [401, 403, 404].includes(answer.status)
				? "give the job the permissions that the inputs of the action need, or another `github-token`"
				: "run the job again",
		});
	}

	/** Undefined if there is no answer. */
	async #request(method: Method, address: string, body: object | undefined): Promise<Response | undefined> {
		try {
			return await fetch(address, {
				method,
				redirect: "error",
				headers: {
					accept: "application/vnd.github+json",
					authorization: `Bearer ${this.#access.token}`,
					"user-agent": "orgsync-action",
					"x-github-api-version": "2022-11-28",
				},
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
		} catch {
			return undefined;
		}
	}
}

async function reasonOf(answer: Response): Promise<string> {
	const said: unknown = await answer.json().catch(() => null);
	const message =
		isRecord(said) && typeof said.message === "string" ? ` (${showText(said.message).slice(0, 200)})` : "";
	return `status ${answer.status}${message}`;
}
