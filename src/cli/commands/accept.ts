/**
 * `drift --accept`: what live has is written into the documents, in place. All files or none: every new text is made and
 * checked before the first is written.
 */
import {
	accessSync,
	chmodSync,
	constants,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { ConfigurationError, explainFileError } from "../../errors.ts";
import type { AcceptedPlace } from "../../plan/accept.ts";
import type { DocumentSource } from "../../plan/document.ts";
import { showText } from "../../plan/render/escape.ts";
import { readSources } from "../sources.ts";
import type { Terminal, Voice } from "../voice.ts";
import type { AllCompared } from "./comparing.ts";

export interface AcceptFlags {
	/** Addresses, or patterns of them. */
	readonly accept: readonly string[];
	readonly file: readonly string[];
}

interface Found {
	readonly all: AllCompared;
	/** Members for the output in JSON; none where nothing was asked to be accepted. */
	readonly accepted: { readonly accepted?: readonly AcceptedPlace[] };
}

/**
 * What `compare` finds, less what `--accept` names: that is in the documents by then. Throws ConfigurationError, and has
 * written nothing, where something named does not differ or cannot be written in place.
 */
export async function acceptFound(
	compare: () => Promise<AllCompared>,
	flags: AcceptFlags,
	terminal: Terminal,
	voice: Voice,
): Promise<Found> {
	if (flags.accept.length === 0) return { all: await compare(), accepted: {} };
	const { acceptLive, addressMistake } = await import("../../plan/accept.ts");
	for (const pattern of flags.accept) {
		const hint = addressMistake(pattern);
		if (hint !== undefined) throw new ConfigurationError(`--accept ${pattern}: this is no address`, { hint });
	}
	if (flags.file.includes("-")) {
		throw new ConfigurationError("--accept changes the documents in place, and standard input has no place", {
			hint: "name the file with -f",
		});
	}
	const sources = await readSources(flags.file, terminal);
	const { compared, unlooked } = await compare();
	const comparisons = compared.map(({ comparison }) => comparison);
	await refuseChanged(sources, flags, terminal);
	const acceptance = acceptLive(sources, terminal.environment, comparisons, flags.accept);
	if ("refusals" in acceptance) {
		throw new ConfigurationError(acceptance.refusals.map(showText).join("\n"), {
			hint: "nothing was written to any document",
		});
	}
	replaceFiles(acceptance.contents, terminal.directory);
	for (const { address, file, line } of acceptance.accepted) {
		voice.note(`accepted ${showText(address)}: ${showText(file)}:${line}`);
	}
	for (const { address, because } of acceptance.leftOut) {
		voice.note(`left out ${showText(address)}: ${showText(because)}`);
	}
	const { makePlan } = await import("../../plan/plan.ts");
	const now = new Map(acceptance.organizations.map((desired) => [desired.organizationId, desired]));
	const again = compared.map(({ comparison, line }) => {
		const { live, context } = comparison;
		const desired = now.get(comparison.desired.organizationId) ?? comparison.desired;
		return { comparison: { ...comparison, desired, plan: makePlan(desired, live, context) }, line };
	});
	return { all: { compared: again, unlooked }, accepted: { accepted: acceptance.accepted } };
}

/** The documents were read twice, and reading live took its time: they have to be the same still. */
async function refuseChanged(
	sources: readonly DocumentSource[],
	flags: AcceptFlags,
	terminal: Terminal,
): Promise<void> {
	const again = await readSources(flags.file, terminal);
	const isSame = (source: DocumentSource, index: number): boolean =>
		source.file === again[index]?.file && Buffer.from(source.content).equals(Buffer.from(again[index].content));
	const other = sources.find((source, index) => !isSame(source, index))?.file ?? again[sources.length]?.file;
	if (other === undefined) return;
	throw new ConfigurationError(`${showText(other)} was changed while the organization was read; run it again`);
}

interface Replacement {
	readonly file: string;
	readonly path: string;
	readonly temporary: string;
	readonly before: Uint8Array;
}

/** Nothing; every file is whole at any time, has its mode and is behind its link still, or none is changed. */
function replaceFiles(contents: ReadonlyMap<string, string>, directory: string): void {
	const prepared: Replacement[] = [];
	const replaced: Replacement[] = [];
	try {
		for (const [file, content] of contents) prepared.push(orRefuse(file, () => prepare(file, content, directory)));
		for (const replacement of prepared) {
			orRefuse(replacement.file, () => renameSync(replacement.temporary, replacement.path));
			replaced.push(replacement);
		}
	} catch (error) {
		for (const { path, before } of replaced) writeFileSync(path, before);
		throw error;
	} finally {
		for (const { temporary } of prepared) rmSync(temporary, { force: true });
	}
}

/** The new text on disk beside the file that it is to replace. */
function prepare(file: string, content: string, directory: string): Replacement {
	const path = realpathSync(resolve(directory, file));
	// A folder that can be written would let a file be replaced that cannot.
	accessSync(path, constants.W_OK);
	const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.orgsync`);
	try {
		writeFileSync(temporary, content, { flag: "wx" });
		chmodSync(temporary, statSync(path).mode & 0o7777);
	} catch (error) {
		rmSync(temporary, { force: true });
		throw error;
	}
	return { file, path, temporary, before: readFileSync(path) };
}

function orRefuse<T>(file: string, write: () => T): T {
	try {
		return write();
	} catch (error) {
		throw new ConfigurationError(`${file} cannot be written: ${explainFileError(error)}`, { cause: error });
	}
}
