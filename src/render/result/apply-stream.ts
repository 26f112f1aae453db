/**
 * The text of an `apply` in parts: what became of each organization with something to show, when it is its turn, then the
 * summary with failures first. Of an organization that is in sync, or was not read, it holds nothing but a count.
 */

import type { CommandContext } from "../../plan/suggested-command.ts";
import { verdictText } from "../print/text.ts";
import { countFolded, countNotRead, renderOne, renderRun } from "../result-text.ts";
import { notApplied } from "../sections/results.ts";
import type { Style } from "../style.ts";
import { BadNews } from "./bad-news.ts";
import type { FoundOrganization } from "./found.ts";
import { showOrganization } from "./organization-name.ts";
import { assessFound, hasDetails, type StreamOptions } from "./organizations.ts";
import { type CommandResult, type ErrorDescription, isCompared } from "./result.ts";
import { Tally } from "./summary.ts";

export class ApplyTextStream {
	readonly #style: Style;
	readonly #commands: CommandContext | undefined;
	readonly #isAlone: boolean;
	/** Which steps are shown: without progress, also those that completed. */
	readonly #which: "all" | "open";
	readonly #tally = new Tally();
	readonly #badNews = new BadNews();
	#idle = 0;
	#notRead = 0;
	/** Whether there is a plan that was not run. */
	#isWithheld = false;
	#hasRun = false;
	#isEmpty = true;

	constructor({ size, style, quiet, commands }: StreamOptions) {
		this.#commands = commands;
		this.#style = style;
		this.#isAlone = size === 1;
		this.#which = quiet === true ? "all" : "open";
	}

	begin(): string {
		return "";
	}

	/** Returns the text of the next organization; empty where it is only counted. */
	add(found: FoundOrganization): string {
		const { failed, state } = found;
		const one = assessFound("apply", found, this.#commands);
		this.#tally.add(found, one);
		if (one === null) {
			if (failed !== undefined) this.#badNews.addUnplanned(failed);
			if (state === "inSync") this.#idle += 1;
			if (state === "notRead") this.#notRead += 1;
			return "";
		}
		if (one.results === null) {
			this.#isWithheld = true;
			return "";
		}
		this.#hasRun = true;
		if (this.#isAlone) return this.#separate(renderOne(one, this.#style, this.#which));
		this.#badNews.add(one);
		if (!hasDetails(one)) {
			this.#idle += 1;
			return "";
		}
		const heading = this.#style.strong(`Organization ${showOrganization(one.plan)}`);
		return this.#separate(`${heading}\n${renderOne(one, this.#style, this.#which)}`);
	}

	/** Returns the end of the text; `rest` is the result without its organizations, `error` why nothing was submitted. */
	end(rest: CommandResult, error: ErrorDescription | null): string {
		if (!isCompared(rest)) return "";
		return [
			...(error === null ? this.#conclude() : []),
			renderRun(rest, this.#style, error === null ? this.#hasRun : null),
		]
			.map((text) => this.#separate(text))
			.join("");
	}

	#conclude(): readonly string[] {
		if (this.#isWithheld) return [`${verdictText(notApplied)}\n`];
		if (this.#isAlone && !this.#isEmpty) return [];
		return [
			countFolded(this.#idle, "nothing to do"),
			countNotRead(this.#notRead),
			this.#badNews.render(),
			`${verdictText(this.#tally.summarize().verdict)}\n`,
		];
	}

	/** Returns the text with an empty line between it and what came before. */
	#separate(text: string): string {
		if (text === "") return "";
		const separator = this.#isEmpty ? "" : "\n";
		this.#isEmpty = false;
		return `${separator}${text}`;
	}
}
