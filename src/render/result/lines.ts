/**
 * A result as lines of JSON: the first names the format, then one line for each organization when it is its turn, and the
 * summary at the end. schemas/line.json describes them.
 */
import { writeJson } from "../../common/escape.ts";
import { reasonsAsText } from "../../say/reason.ts";
import { driftAsText } from "./json.ts";
import { assessFound } from "./organizations.ts";
import type { OrganizationPart, StreamOptions } from "./part.ts";
import type { CommandResult, ResumableRun } from "./result.ts";
import { stateOfUnplanned, Tally } from "./summary.ts";

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
	add(part: OrganizationPart): string {
		const { organizationId, exitCode, plan, threeWay, drift, report, failed } = part;
		const one = assessFound(this.#command, part);
		if (one !== null) this.#tally.add(one);
		else if (failed !== undefined) this.#tally.addUnplanned(failed);
		else if (part.state !== undefined) this.#tally.addState(part.state, part.endsSoon !== undefined);
		return toLine({
			type: "organization",
			organizationId,
			exitCode,
			state: one?.state ?? (failed === undefined ? part.state : stateOfUnplanned(failed.error)),
			error: failed?.error ?? null,
			...{ readAt: part.readAt, plan, threeWay, drift: drift && driftAsText(drift), report },
			...(failed === undefined || failed.steps.length === 0 ? {} : { steps: failed.steps }),
		});
	}

	/** Returns the last line; `result` is that of the call, or of the error that ended it. */
	end(result: CommandResult): string {
		const { formatVersion: _, command: __, ...members } = result;
		// Without parts, what an error kept of the last report is all there is.
		const isWhole = !("plans" in result);
		const own = Object.entries(members).filter(([name]) => isWhole || !ofOrganizations.has(name));
		return toLine({ type: "summary", ...Object.fromEntries(own), states: this.#tally.states });
	}
}

/** Members of a result that are in the lines of its organizations. */
const ofOrganizations: ReadonlySet<string> = new Set(["plans", "failed", "drift", "reports", "run", "notRead"]);

function toLine(value: object): string {
	return `${writeJson(value, undefined, reasonsAsText)}\n`;
}
