/** A result that comes in parts, and the whole result of them. */
import { defined } from "../../common/defined.ts";
import { combineExitCodes, type ExitCode } from "../../common/errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { CommandContext } from "../../plan/suggested-command.ts";
import { type PositionOf, positionsOf } from "../../render/positions.ts";
import { errorsOfFailed } from "../../render/result/errors.ts";
import type { FoundOrganization } from "../../render/result/found.ts";
import {
	type CommandResult,
	type ErrorDescription,
	type FailureResult,
	type PlannedResult,
	type ResumableRun,
	resultHead,
} from "../../render/result/result.ts";

type StreamedResult = PlannedResult<"plan" | "drift" | "apply">;

/** What the result says besides its organizations. */
export interface ResultEnd extends Pick<PlannedResult, "dropped" | "savedPlan" | "accepted" | "outdated"> {
	/** Why the command did not do its work; left out if it did. */
	readonly error?: ErrorDescription;
	/** The exit code of that, beside those of the organizations. */
	readonly exitCode?: ExitCode;
}

/** The result of a command that works on one organization after the other. */
export interface ResultStream {
	readonly command: StreamedResult["command"];
	/** How many organizations it is about. */
	readonly size: number;
	/** One part for each organization, in the order of their ids. The work is done while parts are asked for. */
	readonly parts: AsyncGenerator<FoundOrganization, ResultEnd>;
	/** Which run of `apply` it is, where it can be resumed. */
	readonly run?: ResumableRun;
	/** What suggested commands repeat of the call; left out, its flags. */
	readonly commands?: CommandContext;
	/** Returns the result when this error ended the call; left out, it is that of every command. */
	readonly failure?: (error: unknown) => FailureResult;
}

/** Reads the parts one after the other. */
export class PartReader {
	readonly #stream: ResultStream;
	readonly #codes = new Set<ExitCode>();
	readonly #kept: FoundOrganization[] = [];
	#error: ErrorDescription | null = null;

	constructor(stream: ResultStream) {
		this.#stream = stream;
	}

	/** Calls `show` for each part, and returns the result with nothing of its organizations but their failures. */
	async read(show: (part: FoundOrganization) => void | Promise<void>): Promise<StreamedResult> {
		return this.#readAll(async (part) => {
			const { organizationId, exitCode, failed } = part;
			if (failed !== undefined) this.#kept.push({ organizationId, exitCode, failed });
			await show(part);
		});
	}

	/** Returns the whole result, for a format that is one document, and the positions of its objects in the documents. */
	async collect(): Promise<{ readonly result: CommandResult; readonly positionOf: PositionOf }> {
		const documents: DesiredOrganization[] = [];
		const result = await this.#readAll(({ desired, ...part }) => {
			this.#kept.push(part);
			if (desired !== undefined) documents.push(desired);
		});
		return { result, positionOf: positionsOf(documents) };
	}

	/** Why the command did not do its work; null if it did, or the work in organizations failed. */
	get error(): ErrorDescription | null {
		return this.#error;
	}

	/** That error, and those of organizations that failed, one for each message. */
	get errors(): readonly ErrorDescription[] {
		const failed = this.#kept.flatMap((part) => part.failed ?? []);
		const inside = errorsOfFailed(failed, this.#stream.size > 1);
		return this.#error === null ? inside : [this.#error, ...inside];
	}

	async #readAll(use: (part: FoundOrganization) => void | Promise<void>): Promise<StreamedResult> {
		for (;;) {
			const next = await this.#stream.parts.next();
			if (next.done === true) return this.#finish(next.value);
			this.#codes.add(next.value.exitCode);
			await use(next.value);
		}
	}

	#finish(given: ResultEnd): StreamedResult {
		const { error: ended = null, exitCode, ...end } = given;
		const { command, run } = this.#stream;
		this.#error = ended;
		if (exitCode !== undefined) this.#codes.add(exitCode);
		const [error = null] = this.errors;
		const head = resultHead(command, combineExitCodes([...this.#codes]), error);
		return { ...head, organizations: this.#kept, ...defined({ run }), ...end } as StreamedResult;
	}
}
