/** HTML in which text stays text: a template escapes everything that is put into it but the HTML of another template. */
import { createHash } from "node:crypto";
import { showSpaces, showText } from "../../common/escape.ts";

/** HTML that was made here, by `html` or `trusted`. */
export interface Html {
	readonly html: string;
}

/** Values of a template: text, which is escaped, HTML, or several of them; null is nothing. */
export type Child = string | number | null | Html | readonly Child[];

/** Returns the HTML of a template. Values are escaped for text and for attributes in double quotes, nothing else. */
export function html(parts: TemplateStringsArray, ...children: readonly Child[]): Html {
	let text = parts[0] ?? "";
	for (const [index, child] of children.entries()) text += renderChild(child) + (parts[index + 1] ?? "");
	return { html: text };
}

/** Returns the text as HTML, unescaped: only for constants and for text that was escaped before. */
export function trusted(text: string): Html {
	return { html: text };
}

/** Returns HTML that shows the text, control and direction characters spelled out. */
export function escapeHtml(text: string): string {
	return showText(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Returns a foreign name: right-to-left text in it affects nothing around it, and every blank shows. */
export function bdi(name: string): Html {
	return html`<bdi>${showSpaces(name)}</bdi>`;
}

/** Returns the text with curved quotes for pairs of back quotes, for messages with unescaped names. */
export function curveQuotes(text: string): string {
	return text.replace(/`([^`]*)`/g, "\u201c$1\u201d");
}

/** Returns the source that allows this inline text in a content security policy. */
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
