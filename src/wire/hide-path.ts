/** Keeps the path of the service's base address, which may hold a token, and the proxy's password out of texts. Pure. */

import { decodePercent } from "../common/hide-secrets.ts";

/** Shorter parts of a path are words of their own, and no token. */
const shortestToken = 8;

/** Returns the text without the path of the service and without each part of it that may be a token, as gateways repeat them. */
export function withoutPath(text: string, path: string): string {
	const parts = path.split("/").filter((part) => part.length >= shortestToken);
	const hidden = [...(path === "" ? [] : [path]), ...parts, ...parts.map(decodePercent)];
	return hidden.reduce((line, part) => line.replaceAll(part, "[path]"), text);
}

/** Returns the text without the credentials of a value of `Proxy-Authorization`, encoded or not, as a proxy may repeat them. */
export function withoutCredentials(text: string, authorization: string): string {
	const encoded = authorization.replace(/^Basic /, "");
	if (encoded === "") return text;
	const pair = Buffer.from(encoded, "base64").toString("utf8");
	const password = pair.slice(pair.indexOf(":") + 1);
	const hidden = [encoded, pair, ...(password.length < shortestToken ? [] : [password])];
	return hidden.reduce((line, one) => line.replaceAll(one, "[proxy credentials]"), text);
}
