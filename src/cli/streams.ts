/**
 * Standard output and standard error, written whole or known to be lost. Node drops a failed write, or ends the process
 * with a stack trace; here the first failure of each stream is kept until the exit code is decided.
 */
import { fstatSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import { type ExitCode, exitCodes, explainFileError } from "../errors.ts";

/** Why a stream did not take all that was written to it. */
export type StreamFailure = NodeJS.ErrnoException;

/** One of the two streams. It never throws and never emits an error: ask `failure`. */
export class Outlet extends Writable {
	/** Whether the failure is already part of the result, for example of its JSON. */
	isReported = false;
	readonly #target: NodeJS.WriteStream;
	/** The descriptor of a file or a device; undefined for pipes and terminals, which Node writes whole. */
	readonly #file: number | undefined;
	#writing = 0;
	#failure: StreamFailure | undefined;
	#drained: (() => void)[] = [];

	constructor(target: NodeJS.WriteStream & { readonly fd: number }) {
		super({ decodeStrings: true });
		this.#target = target;
		this.#file = target.isTTY !== true && isFile(target.fd) ? target.fd : undefined;
		// Each write learns of its own error; without a listener Node would end the process.
		target.on("error", () => {});
	}

	get isTTY(): boolean {
		return this.#target.isTTY === true;
	}

	/** Width of the terminal; undefined without one. */
	get columns(): number | undefined {
		return this.#target.columns;
	}

	override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
		if (this.#file === undefined) {
			this.#writing += 1;
			this.#target.write(chunk, (error) => this.#ended(error ?? undefined));
		} else {
			this.#failure ??= writeWhole(this.#file, chunk);
		}
		// Not held back until the chunk is out: a process that is ended must have handed over all that was said.
		done();
	}

	/** The first failure, if any, once everything written so far is out or lost. */
	async failure(): Promise<StreamFailure | undefined> {
		if (this.#writing > 0) await new Promise<void>((resolve) => this.#drained.push(resolve));
		return this.#failure;
	}

	#ended(error: StreamFailure | undefined): void {
		this.#failure ??= error;
		this.#writing -= 1;
		if (this.#writing === 0) for (const resolve of this.#drained.splice(0)) resolve();
	}
}

function isFile(descriptor: number): boolean {
	try {
		const found = fstatSync(descriptor);
		return found.isFile() || found.isCharacterDevice() || found.isBlockDevice();
	} catch {
		return false;
	}
}

/**
 * Writes all bytes to the descriptor, or returns what kept it from that. One `write` may take only a part, as on a disk
 * that is almost full: Node's own streams for files lose the rest and report nothing.
 */
function writeWhole(descriptor: number, bytes: Uint8Array): StreamFailure | undefined {
	try {
		for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
		return undefined;
	} catch (error) {
		return error as StreamFailure;
	}
}

/** The stream's failure, as `Outlet.failure`; undefined for a stream that is none of ours. */
export async function failureOf(stream: NodeJS.WritableStream): Promise<StreamFailure | undefined> {
	return stream instanceof Outlet ? stream.failure() : undefined;
}

/** The sentence on a stream that failed. */
export function describeStreamFailure(name: "output" | "error", failure: StreamFailure): string {
	return `standard ${name} cannot be written: ${explainFileError(failure)}`;
}

/**
 * The exit code of the process, whose work ended with `code`, after everything is written. A stream that lost something
 * makes it 1, and the other stream tells so in one line. One exception: a reader that stops reading standard output, as
 * `head` does, has what it wanted, so the code of the work stands; also where both streams lead to that reader.
 */
export async function settleStreams(code: ExitCode, output: Outlet, error: Outlet): Promise<ExitCode> {
	const tell = (to: Outlet, name: "output" | "error", failure: StreamFailure): void => {
		const own = code === exitCodes.inSync || code === exitCodes.error ? "" : `; the command ended with ${code}`;
		to.write(`error: ${describeStreamFailure(name, failure)}${own}\n`);
	};
	const lostOutput = await output.failure();
	if (lostOutput !== undefined && lostOutput.code !== "EPIPE") tell(error, "output", lostOutput);
	const lostError = await error.failure();
	if (lostError !== undefined && lostOutput === undefined && !error.isReported) tell(output, "error", lostError);
	const all = [await output.failure(), lostError];
	const [outputCode, errorCode] = all.map((failure) => failure?.code);
	const isUnread = outputCode === "EPIPE" && (errorCode === undefined || errorCode === "EPIPE");
	return all.every((failure) => failure === undefined) || isUnread ? code : exitCodes.error;
}
