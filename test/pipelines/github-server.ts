/**
 * GitHub's REST API on loopback, as far as the action uses it: comments, issues, pull requests and runs of one repository. It
 * answers only with the token of the run, and keeps what it was sent.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface Thread {
	readonly id: number;
	readonly number: number;
	readonly user: { readonly login: string };
	body: string;
	state?: string;
	readonly labels?: readonly string[];
	readonly title?: string;
}

/** What the repository has; tests add to it and read it. */
export interface GithubServer {
	readonly url: string;
	readonly comments: Thread[];
	readonly issues: Thread[];
	/** Answers to GET requests by path, with its query. */
	readonly answers: [path: RegExp, answer: unknown][];
	/** Method, path and body of each request so far, with the headers that it came with. */
	readonly requests: { readonly line: string; readonly headers: string; readonly body: string }[];
	/** While it has a status, it refuses to write. */
	refusal: number | undefined;
}

export const bot = { login: "github-actions[bot]" };

export async function startGithub(repository: string, token: string): Promise<GithubServer> {
	const github: GithubServer = { url: "", comments: [], issues: [], answers: [], requests: [], refusal: undefined };
	const server = createServer(async (request, response) => {
		const { status, body } = await answer(request, github, `/repos/${repository}/`, token);
		response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	return Object.assign(github, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

interface Reply {
	readonly status: number;
	readonly body: unknown;
}

async function answer(request: IncomingMessage, github: GithubServer, root: string, token: string): Promise<Reply> {
	let text = "";
	for await (const chunk of request.setEncoding("utf8")) text += chunk;
	const { method = "", url = "" } = request;
	github.requests.push({ line: `${method} ${url}`, headers: JSON.stringify(request.headers), body: text });
	if (request.headers.authorization !== `Bearer ${token}`) return { status: 401, body: { message: "Bad credentials" } };
	if (!url.startsWith(root)) return notFound;
	const path = url.slice(root.length);
	if (method === "GET") return read(path, github);
	if (github.refusal !== undefined) return { status: github.refusal, body: { message: "Resource not accessible" } };
	return write(method, path, JSON.parse(text), github);
}

const notFound: Reply = { status: 404, body: { message: "Not Found" } };

function read(path: string, github: GithubServer): Reply {
	const [, found] = github.answers.find(([pattern]) => pattern.test(path)) ?? [];
	if (found !== undefined) return { status: 200, body: found };
	if (/^issues\/7\/comments\?/.test(path)) return { status: 200, body: github.comments };
	if (!path.startsWith("issues?")) return notFound;
	const label = new URLSearchParams(path.slice("issues?".length)).get("labels") ?? "";
	const open = github.issues.filter(({ state, labels }) => state === "open" && labels?.includes(label));
	return { status: 200, body: open };
}

function write(method: string, path: string, sent: Partial<Thread>, github: GithubServer): Reply {
	const [, kind, id] = /^(?:issues\/)?(comments|issues)\/(\d+)$/.exec(path) ?? [];
	if (method === "PATCH" && (kind === "comments" || kind === "issues")) {
		const thread = github[kind].find((one) => one[kind === "comments" ? "id" : "number"] === Number(id));
		return thread === undefined ? notFound : { status: 200, body: Object.assign(thread, sent) };
	}
	if (method !== "POST") return notFound;
	const number = 100 + github.comments.length + github.issues.length;
	const made: Thread = { id: number, number, user: bot, body: "", ...sent };
	if (path === "labels") return { status: 201, body: {} };
	if (path === "issues") github.issues.push({ ...made, state: "open" });
	else if (/^issues\/\d+\/comments$/.test(path)) github.comments.push(made);
	else return notFound;
	return { status: 201, body: made };
}
