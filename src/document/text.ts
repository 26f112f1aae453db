/**
 * Bytes of a file to text: size, encoding and characters that no YAML file holds.
 */
import type { Findings } from "./findings.ts";

/** Largest file that is read, in bytes. */
const largestFile = 8 * 1024 * 1024;

/** The text of a file without a byte order mark; nothing when it is unusable, which is then reported. */
export function readText(file: string, content: string | Uint8Array, findings: Findings): string | undefined {
	const begin = { file, line: 1, column: 1 };
	const size = typeof content === "string" ? Buffer.byteLength(content) : content.byteLength;
	if (size > largestFile) {
		findings.add(begin, "", "too-large", "the file is larger than 8 MiB; split it into several files");
		return undefined;
	}
	const decoded = typeof content === "string" ? content : decode(file, content, findings);
	if (decoded === undefined) return undefined;
	const text = decoded.startsWith("\uFEFF") ? decoded.slice(1) : decoded;
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for
	const control = /[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]|\r(?!\n)/.exec(text);
	if (control === null) return text;
	// Some tools display a carriage return alone as a line break, but for YAML a comment goes on behind it.
	const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
	const message = `the control character U+${code} cannot stand in YAML; take it out, or write "\\u${code}" in double quotes`;
	findings.add({ file, ...placeIn(text, control.index) }, "", "not-text", code === "0000" ? nulMessage : message);
	return undefined;
}

const nulMessage = "the file holds a NUL byte, so it is no text; is it the right file?";

function decode(file: string, content: Uint8Array, findings: Findings): string | undefined {
	const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
	const report = (offset: number, code: string, message: string): undefined => {
		const before = bytes.subarray(0, offset).toString("utf8");
		findings.add({ file, ...placeIn(before, before.length) }, "", code, message);
		return undefined;
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
	return report(wrong, "not-utf8", "the byte here is not UTF-8; save the file as UTF-8");
}

function placeIn(text: string, offset: number): { readonly line: number; readonly column: number } {
	const before = text.slice(0, offset);
	return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
