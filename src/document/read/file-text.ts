/** Decodes the bytes of a file: checks its size, its encoding, and characters that YAML does not allow. */
import type { Problems } from "../problems.ts";

/** Largest file that is read, in bytes. */
const maxFileBytes = 8 * 1024 * 1024;

/** Which text is expected: a document by default, or a list. */
interface TextOptions {
	readonly maxBytes?: number;
	readonly isYaml?: boolean;
}

/** Returns the text of a file without a byte order mark, or undefined after reporting a problem. */
export function readText(
	file: string,
	content: string | Uint8Array,
	problems: Problems,
	{ maxBytes = maxFileBytes, isYaml = true }: TextOptions = {},
): string | undefined {
	const begin = { file, line: 1, column: 1 };
	const size = typeof content === "string" ? Buffer.byteLength(content) : content.byteLength;
	if (size > maxBytes) {
		const max = maxBytes / 1024 / 1024;
		return problems.add(begin, "", "too-large", `the file is larger than ${max} MiB; split it into several files`);
	}
	const decoded = typeof content === "string" ? content : decode(file, content, problems);
	if (decoded === undefined) return undefined;
	const text = decoded.startsWith("\uFEFF") ? decoded.slice(1) : decoded;
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for
	const control = /[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]|\r(?!\n)/.exec(text);
	if (control === null) return text;
	// Some tools display a lone carriage return as a line break, but in YAML a comment continues after it.
	const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
	const instead = isYaml ? `in YAML; remove it, or write "\\u${code}" in double quotes` : "in a list; remove it";
	const message = `the control character U+${code} is not allowed ${instead}`;
	const at = { file, ...positionIn(text, control.index) };
	return problems.add(at, "", "not-text", code === "0000" ? nulMessage : message);
}

const nulMessage = "the file is not text: it contains a NUL byte; is it the right file?";

function decode(file: string, content: Uint8Array, problems: Problems): string | undefined {
	const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
	const report = (offset: number, code: string, message: string): undefined => {
		const before = bytes.subarray(0, offset).toString("utf8");
		return problems.add({ file, ...positionIn(before, before.length) }, "", code, message);
	};
	if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
		return report(0, "not-utf8", "the file is UTF-16; save it as UTF-8");
	}
	const nul = bytes.indexOf(0);
	if (nul >= 0) return report(nul, "not-text", nulMessage);
	const text = bytes.toString("utf8");
	const again = Buffer.from(text, "utf8");
	if (bytes.equals(again)) return text;
	let wrong = 0;
	while (bytes[wrong] === again[wrong]) wrong++;
	return report(wrong, "not-utf8", "invalid UTF-8; save the file as UTF-8");
}

function positionIn(text: string, offset: number): { readonly line: number; readonly column: number } {
	const before = text.slice(0, offset);
	return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
