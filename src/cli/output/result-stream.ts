/** A result that comes in parts, and the whole result of them. */
import { combineExitCodes, type ExitCode } from "../../common/errors.ts";
import type { CommandContext } from "../../plan/suggested-command.ts";
import { type PositionOf, positionsOf } from "../../render/positions.ts";
import { errorsOfFailed } from "../../render/result/errors.ts";
import type { OrganizationPart } from "../../render/result/part.ts";
import { publish } from "../../render/result/published.ts";
import {
	type ApplyResult,
	type CommandResult,
	type DriftResult,
	type ErrorDescription,
	type FailedOrganization,
	type FailureResult,
	type PlanResult,
	type ResumableRun,
	resultHead,
} from "../../render/result/result.ts";

/** A result, and the positions of its objects in the documents. */
export interface LocatedResult {
	readonly result: CommandResult;
	readonly positionOf: PositionOf;
	readonly commands?: CommandContext | undefined;
}

type StreamedResult = PlanResult | DriftResult | ApplyResult;

/** What the result says besides its organizations. */
export interface ResultEnd
	extends Pick<PlanResult, "threeWay" | "savedPlan">,
		Pick<DriftResult, "accepted">,
		Pick<ApplyResult, "outdated"> {
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
	readonly parts: AsyncGenerator<OrganizationPart, ResultEnd>;
	/** Which run of `apply` it is, where it can be resumed. */
	readonly run?: ResumableRun;
	/** What suggested commands repeat of the call; left out, its flags. */
	readonly commands?: CommandContext;
	/** Returns the result when this error ended the call; left out, it is that of every command. */
	readonly failure?: (error: unknown) => FailureResult;
}

/** Reads the parts one after the other. Holds the failures, and nothing else of an organization. */
export class PartReader {
	readonly #stream: ResultStream;
	readonly #codes = new Set<ExitCode>();
	readonly #failed: (OrganizationPart & { readonly failed: FailedOrganization })[] = [];
	#error: ErrorDescription | null = null;

	constructor(stream: ResultStream) {
		this.#stream = stream;
	}

	/** Calls `show` for each part, and returns the result without the organizations that did not fail. */
	async read(show: (part: OrganizationPart) => void | Promise<void>): Promise<StreamedResult> {
		for (;;) {
			const next = await this.#stream.parts.next();
			if (next.done === true) return this.#finish(this.#failed, next.value);
			this.#add(next.value);
			await show(next.value);
		}
	}

	/** Returns the whole result, for a format that is one document. */
	async collect(): Promise<LocatedResult> {
		const parts: OrganizationPart[] = [];
		for (;;) {
			const next = await this.#stream.parts.next();
			if (next.done === true) {
				const positionOf = positionsOf(parts.flatMap(({ desired }) => desired ?? []));
				return { result: this.#finish(parts, next.value), positionOf, commands: this.#stream.commands };
			}
			this.#add(next.value);
			parts.push(next.value);
		}
	}

	/** Why the command did not do its work; null if it did, or the work in organizations failed. */
	get error(): ErrorDescription | null {
		return this.#error;
	}

	/** That error, and those of organizations that failed, one for each message. */
	get errors(): readonly ErrorDescription[] {
		const failed = this.#failed.map((part) => part.failed);
		const inside = errorsOfFailed(failed, this.#stream.size > 1);
		return this.#error === null ? inside : [this.#error, ...inside];
	}

	#add({ organizationId, exitCode, failed }: OrganizationPart): void {
		this.#codes.add(exitCode);
		if (failed !== undefined) this.#failed.push({ organizationId, exitCode, failed });
	}

	#finish(parts: readonly OrganizationPart[], given: ResultEnd): StreamedResult {
		const { threeWay = [], error: ended = null, exitCode, ...end } = given;
		const { command, run } = this.#stream;
		this.#error = ended;
		if (exitCode !== undefined) this.#codes.add(exitCode);
		const [error = null] = this.errors;
		const head = resultHead(command, combineExitCodes([...this.#codes]), error);
		const facts = command === "apply" && run !== undefined ? { run } : {};
		return { ...head, ...publish(command, parts, threeWay), ...facts, ...end } as StreamedResult;
	}
}
