/**
 * The text of a result in parts: each organization with something to show in full when it is its turn, then the summary. Of
 * an organization that is in sync it holds nothing but a count.
 */

import { verdictText } from "../print/text.ts";
import { renderOrganization, renderRun } from "../result-text.ts";
import type { Style } from "../style.ts";
import { BadNews } from "./bad-news.ts";
import type { FoundOrganization } from "./found.ts";
import { assessFound, hasDetails, type StreamOptions } from "./organizations.ts";
import { type CommandResult, isCompared } from "./result.ts";
import { Tally } from "./summary.ts";

export class TextStream {
	readonly #command: string;
	readonly #style: Style;
	readonly #isAlone: boolean;
	readonly #tally = new Tally();
	readonly #badNews = new BadNews();
	#isEmpty = true;

	constructor({ command, size, style }: StreamOptions) {
		this.#command = command;
		this.#style = style;
		this.#isAlone = size === 1;
	}

	begin(): string {
		return "";
	}

	/** Returns the text of the next organization; empty where there is only its verdict. */
	add(found: FoundOrganization): string {
		const one = assessFound(this.#command, found);
		this.#tally.add(found, one);
		if (one === null) {
			if (found.failed !== undefined) this.#badNews.addUnplanned(found.failed);
			return "";
		}
		if (!this.#isAlone && !hasDetails(one)) return "";
		this.#badNews.add(one);
		return this.#separate(renderOrganization(one, this.#style));
	}

	/** Returns the end of the text; `rest` is the result without its organizations. */
	end(rest: CommandResult): string {
		if (!isCompared(rest)) return "";
		return [
			...(this.#isAlone ? [] : [this.#badNews.render(), `${verdictText(this.#tally.summarize().verdict)}\n`]),
			renderRun(rest, this.#style),
		]
			.map((text) => this.#separate(text))
			.join("");
	}

	/** Returns the text with an empty line between it and what came before. */
	#separate(text: string): string {
		if (text === "") return "";
		const separator = this.#isEmpty ? "" : "\n";
		this.#isEmpty = false;
		return `${separator}${text}`;
	}
}
