/** Keeps the path of the service's base address, which may hold a token, out of texts. Pure. */

/** Shorter parts of a path are words of their own, and no token. */
const shortestToken = 8;

/** Returns the text without the path of the service and without each part of it that may be a token, as gateways repeat them. */
export function withoutPath(text: string, path: string): string {
	const parts = path.split("/").filter((part) => part.length >= shortestToken);
	const hidden = [...(path === "" ? [] : [path]), ...parts, ...parts.map(decodePart)];
	return hidden.reduce((line, part) => line.replaceAll(part, "[path]"), text);
}

function decodePart(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}
