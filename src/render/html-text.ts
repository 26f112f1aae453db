/**
 * HTML in which text stays text. A template escapes everything that is put into it but what another template made, so
 * nobody has to remember to.
 */
import { createHash } from "node:crypto";
import { showSpaces, showText } from "../escape.ts";

/** HTML that was made here, by `html` or `trusted`. */
export interface Html {
	readonly html: string;
}

/** What may stand in a template: text, which is escaped, HTML, or several of them; null is nothing. */
export type Child = string | number | null | Html | readonly Child[];

/** HTML of the template. What is put in is escaped for text and for attributes in double quotes, and for nowhere else. */
export function html(parts: TemplateStringsArray, ...children: readonly Child[]): Html {
	let text = parts[0] ?? "";
	for (const [index, child] of children.entries()) text += renderChild(child) + (parts[index + 1] ?? "");
	return { html: text };
}

/** The text as HTML, unescaped. Only for our own constants and for what was escaped piece by piece. */
export function trusted(text: string): Html {
	return { html: text };
}

/** The text as HTML that shows it, control and direction characters spelled out. */
export function escapeHtml(text: string): string {
	return showText(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A name of others: what is written from right to left turns nothing around it, and no blank in it goes unseen. */
export function bdi(name: string): Html {
	return html`<bdi>${showSpaces(name)}</bdi>`;
}

/**
 * A sentence of ours as HTML: what stands in it between back quotes, a command or a name as `showName` shows it, is code. Only
 * for sentences in which every name is shown so: a back quote in any other would move the code.
 */
export function sentence(text: string): Html {
	const parts: Child[] = [];
	let at = 0;
	for (const match of text.matchAll(nameOrCode)) {
		const [whole, code] = match;
		if (code === undefined) continue;
		parts.push(text.slice(at, match.index), html`<code>${code}</code>`);
		at = match.index + whole.length;
	}
	return html`${parts}${text.slice(at)}`;
}

/** A name in quotes, in which back quotes mean nothing, or something between back quotes. */
const nameOrCode = /"(?:[^"\\]|\\.)*"|`("(?:[^"\\]|\\.)*"|[^"`][^`]*)`/g;

/** The text with curved quotes for pairs of back quotes, for messages that hold names as they are: no element comes of it. */
export function curveQuotes(text: string): string {
	return text.replace(/`([^`]*)`/g, "\u201c$1\u201d");
}

/** The source that a content security policy allows this inline text by. */
export function hashSource(text: string): string {
	return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}

function renderChild(child: Child): string {
	if (child === null) return "";
	if (typeof child === "number") return String(child);
	if (typeof child === "string") return escapeHtml(child);
	if ("html" in child) return child.html;
	return child.map(renderChild).join("");
}
