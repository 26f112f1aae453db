/** Standard output and standard error without silent losses: Node drops a failed write or ends the process. */
import { fstatSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import { type ExitCode, exitCodes, explainFileError } from "../../common/errors.ts";

type StreamFailure = NodeJS.ErrnoException;

/** Standard output or standard error. It never throws and never emits an error; `failure` returns the first one. */
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
		// Each write gets its own error; without a listener Node would end the process.
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
		// Called before the chunk is written: a process that is killed must have handed over all its output.
		done();
	}

	/** Returns the first failure, if any, after everything written so far succeeded or failed. */
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

/** Writes all bytes, or returns the error. On a full disk `write` may take only a part, and Node loses the rest. */
function writeWhole(descriptor: number, bytes: Uint8Array): StreamFailure | undefined {
	try {
		for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
		return undefined;
	} catch (error) {
		return error as StreamFailure;
	}
}

/** Returns `Outlet.failure`; undefined for any other stream. */
export async function failureOf(stream: NodeJS.WritableStream): Promise<StreamFailure | undefined> {
	return stream instanceof Outlet ? stream.failure() : undefined;
}

/** Returns the message about a stream that failed. */
export function describeStreamFailure(name: "output" | "error", failure: StreamFailure): string {
	return `standard ${name} cannot be written: ${explainFileError(failure)}`;
}

/** Returns `code` after everything is written, or 1 if a stream lost output. A reader may close early, as `head` does. */
export async function settleStreams(code: ExitCode, output: Outlet, error: Outlet): Promise<ExitCode> {
	const tell = (to: Outlet, name: "output" | "error", failure: StreamFailure): void => {
		const own = code === exitCodes.inSync || code === exitCodes.error ? "" : `; the command ended with ${code}`;
		to.write(`error: ${describeStreamFailure(name, failure)}${own}\n`);
	};
	const lostOutput = await output.failure();
	if (lostOutput !== undefined && lostOutput.code !== "EPIPE") tell(error, "output", lostOutput);
	const lostError = await error.failure();
	if (lostError !== undefined && lostOutput === undefined && !error.isReported) tell(output, "error", lostError);
	return (await findLost(output, error)) === undefined ? code : exitCodes.error;
}

/** Returns the message about a stream that lost output, which makes the exit code 1; undefined if none did. */
export async function findLost(
	stdout: NodeJS.WritableStream,
	stderr: NodeJS.WritableStream,
): Promise<string | undefined> {
	const [output, error] = [await failureOf(stdout), await failureOf(stderr)];
	if (output?.code === "EPIPE" && (error === undefined || error.code === "EPIPE")) return undefined;
	if (output !== undefined) return describeStreamFailure("output", output);
	return error === undefined ? undefined : describeStreamFailure("error", error);
}
