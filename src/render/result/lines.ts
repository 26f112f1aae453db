/**
 * A result as lines of JSON: the first names the format, then one line for each organization when it is its turn, and the
 * summary at the end. schemas/line.json describes them.
 */
import { writeJson } from "../../common/escape.ts";
import { inWords } from "../../say/published.ts";
import type { FoundOrganization } from "./found.ts";
import { assessFound, type StreamOptions } from "./organizations.ts";
import { publish, publishDrift } from "./published.ts";
import { type CommandResult, isCompared, type ResumableRun } from "./result.ts";
import { stateOfFound, Tally } from "./summary.ts";

export class LineStream {
	readonly #command: string;
	readonly #size: number;
	readonly #resumable: ResumableRun | undefined;
	readonly #tally = new Tally();

	constructor({ command, size, resumable }: StreamOptions) {
		this.#command = command;
		this.#size = size;
		this.#resumable = resumable;
	}

	/** Returns the first line. As many lines of organizations follow, unless an error ends the call. */
	begin(): string {
		return toLine({
			type: "start",
			formatVersion: 1,
			command: this.#command,
			organizations: this.#size,
			run: this.#resumable,
		});
	}

	/** Returns the line of the next organization. */
	add(found: FoundOrganization): string {
		const { organizationId, exitCode, readAt, plan, threeWay, drift, report, failed } = found;
		const one = assessFound(this.#command, found);
		this.#tally.add(found, one);
		return toLine({
			type: "organization",
			organizationId,
			exitCode,
			state: stateOfFound(found, one),
			error: failed?.error ?? null,
			...{ readAt, plan, threeWay, drift: drift && publishDrift(drift), report },
			...(failed === undefined || failed.steps.length === 0 ? {} : { steps: failed.steps }),
		});
	}

	/** Returns the last line; `result` is that of the call, or of the error that ended it. */
	end(result: CommandResult): string {
		// Without organizations, what an error kept of the last report is all there is.
		const others = isCompared(result) ? ofOrganizations : ofStart;
		const own = Object.entries(publish(result)).filter(([name]) => !others.has(name));
		return toLine({ type: "summary", ...Object.fromEntries(own), states: this.#tally.states });
	}
}

/** Members of a result that are in the first line. */
const ofStart: ReadonlySet<string> = new Set(["formatVersion", "command"]);

/** Members of a result that are in the first line, or in the lines of its organizations. */
const ofOrganizations = new Set([...ofStart, "plans", "failed", "drift", "reports", "run", "notRead"]);

function toLine(value: object): string {
	return `${writeJson(value, undefined, inWords)}\n`;
}
