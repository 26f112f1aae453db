import type { Tone } from "../../say/outcomes.ts";
import { type Html, html } from "./html.ts";

const badges: Readonly<Record<Tone, readonly [sign: string, word: string]>> = {
	good: ["\u2713", "Good"],
	attention: ["!", "Attention"],
	bad: ["\u00d7", "Stop"],
};

/** Returns the sign of a tone, with its word for screen readers. */
export function badge(tone: Tone): Html {
	const [sign, word] = badges[tone];
	return html`<span class="badge ${tone}"><span aria-hidden="true">${sign}</span><span class="unseen">${word}: </span></span>`;
}
