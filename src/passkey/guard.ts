/** Which requests may reach the page: its own. Other sites, rebound names (DNS) and frames are refused. Pure. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** What requests of the page have to name. */
export interface PageAddress {
	/** `localhost:PORT`. */
	readonly host: string;
	/** The random part of the address. */
	readonly token: string;
}

type PageRequest = "page" | "events" | "answer" | "refuse";

/** Parts of the page below its address, and the method that each takes. */
const parts: ReadonlyMap<string, { readonly part: PageRequest; readonly method: "GET" | "POST" }> = new Map([
	["", { part: "page", method: "GET" }],
	["/events", { part: "events", method: "GET" }],
	["/answer", { part: "answer", method: "POST" }],
	["/refuse", { part: "refuse", method: "POST" }],
]);

/** A request for a part of the page, or why it is refused. */
export type Admission = { readonly part: PageRequest } | { readonly status: number; readonly message: string };

/** Returns the part of the page that a request may have, or why it may not. */
export function admit(request: Pick<IncomingMessage, "method" | "url" | "headers">, address: PageAddress): Admission {
	const { host } = request.headers;
	if (host !== address.host) {
		return {
			status: 421,
			message: `This page answers at http://${address.host} only. With port forwarding, use the same port on both machines.`,
		};
	}
	const [, token = "", rest = ""] = /^\/([^/?#]*)(\/[^?#]*)?$/.exec(request.url ?? "") ?? [];
	const found = isSameText(token, address.token) ? parts.get(rest) : undefined;
	if (found === undefined)
		return { status: 404, message: "There is no such page. Open the address that orgsync printed." };
	const { part, method } = found;
	if (request.method !== method) return { status: 405, message: `This address takes ${method} only.` };
	return findForeign(request, part, `http://${address.host}`) ?? { part };
}

/** Returns why a request does not come from the page or from a person; undefined if it does. */
function findForeign(
	{ headers }: Pick<IncomingMessage, "headers">,
	part: PageRequest,
	origin: string,
): { readonly status: 403; readonly message: string } | undefined {
	const site = headers["sec-fetch-site"];
	const isPage = part === "page";
	// Browsers that do not send these headers are stopped by Origin, and by the token.
	const isOwn = site === undefined || site === "same-origin" || (isPage && site === "none");
	const isDocument = !isPage || (headers["sec-fetch-dest"] ?? "document") === "document";
	if (!isOwn || !isDocument) {
		return { status: 403, message: "Another site opened this page. Paste its address into a new tab." };
	}
	const isPost = part === "answer" || part === "refuse";
	if ((isPost || headers.origin !== undefined) && headers.origin !== origin) {
		return { status: 403, message: "The request comes from another page." };
	}
	return isPost && headers["content-type"] !== "application/json"
		? { status: 403, message: "The request has another type than application/json." }
		: undefined;
}

/** Compares in the same time wherever the texts differ. */
function isSameText(left: string, right: string): boolean {
	const [a, b] = [left, right].map((text) => createHash("sha256").update(text).digest());
	return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
