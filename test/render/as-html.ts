/** Markdown as a forge shows it. */
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

/** Returns the HTML that a CommonMark and GFM library makes of the Markdown, raw HTML let through. */
export function toHtml(markdown: string): string {
	return micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
}
