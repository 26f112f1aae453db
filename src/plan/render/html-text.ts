/**
 * HTML in which text stays text. A template escapes everything that is put into it but what another template made, so
 * nobody has to remember to.
 */
import { createHash } from "node:crypto";
import { showText } from "./escape.ts";

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

/** A name of others: what is written from right to left turns nothing around it. */
export function bdi(name: string): Html {
	return html`<bdi>${name}</bdi>`;
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
