/**
 * `drift --accept`: what live has is written into the documents, in place. All files or none: every new text is made and
 * checked before the first is written.
 */
import { accessSync, constants, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { AcceptedPlace } from "../../document/accept.ts";
import type { DocumentSource } from "../../document/parse.ts";
import { ConfigurationError, explainFileError } from "../../errors.ts";
import { showText } from "../../escape.ts";
import type { Output, Terminal } from "../output.ts";
import { type DocumentFlags, type ReadDocument, readSources } from "../sources.ts";
import { writeTemporaryFile } from "../write-file.ts";
import type { ComparedOrganizations } from "./comparing.ts";

export interface AcceptFlags extends DocumentFlags {
	/** Addresses, or patterns of them. */
	readonly accept: readonly string[];
}

/** What was compared, and where documents were changed; `accepted` is left out where nothing was to be accepted. */
export interface AcceptResult extends ComparedOrganizations {
	readonly accepted?: readonly AcceptedPlace[];
}

/**
 * Returns what `compare` finds, without the values that `--accept` names: they are written into the documents. Throws
 * ConfigurationError, and has written nothing, for an address that does not differ or cannot be written in place.
 */
export async function acceptFound(
	compare: () => Promise<ComparedOrganizations>,
	flags: AcceptFlags,
	terminal: Terminal,
	output: Output,
): Promise<AcceptResult> {
	if (flags.accept.length === 0) return compare();
	const { acceptLive, addressMistake } = await import("../../document/accept.ts");
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
	const { compared, failed } = await compare();
	const comparisons = compared.map(({ comparison }) => comparison);
	await refuseChanged(sources, flags, terminal);
	const acceptance = acceptLive(sources, terminal.environment, comparisons, flags.accept, {
		env: flags.env,
	});
	if ("refusals" in acceptance) {
		throw new ConfigurationError(acceptance.refusals.map(showText).join("\n"), {
			hint: "nothing was written to any document",
		});
	}
	replaceFiles(acceptance.contents, sources);
	for (const { address, file, line } of acceptance.accepted) {
		output.note(`accepted ${showText(address)}: ${showText(file)}:${line}`);
	}
	for (const { address, because } of acceptance.skipped) {
		output.note(`skipped ${showText(address)}: ${showText(because)}`);
	}
	const { makePlan } = await import("../../plan/plan.ts");
	const now = new Map(acceptance.organizations.map((desired) => [desired.organizationId, desired]));
	const again = compared.map(({ comparison, ...others }) => {
		const { live, context } = comparison;
		const desired = now.get(comparison.desired.organizationId) ?? comparison.desired;
		return { comparison: { ...comparison, desired, plan: makePlan(desired, live, context) }, ...others };
	});
	return { compared: again, failed, accepted: acceptance.accepted };
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
	/** The new text, in a file beside it. */
	readonly part: string;
	readonly mode: number;
	readonly before: Uint8Array;
}

/** Nothing; every file is whole at any time, has its mode and is behind its link still, or none is changed. */
function replaceFiles(contents: ReadonlyMap<string, string>, sources: readonly ReadDocument[]): void {
	const prepared: Replacement[] = [];
	const replaced: Replacement[] = [];
	try {
		for (const source of sources) {
			const content = contents.get(source.name);
			if (content !== undefined) prepared.push(readOrRefuse(source.name, () => prepare(source, content)));
		}
		for (const replacement of prepared) {
			readOrRefuse(replacement.file, () => renameSync(replacement.part, replacement.path));
			replaced.push(replacement);
		}
	} catch (error) {
		for (const { path, before, mode } of replaced) renameSync(writeTemporaryFile(dirname(path), before, mode), path);
		throw error;
	} finally {
		for (const { part } of prepared) rmSync(part, { force: true });
	}
}

/** Writes the new text beside the file that it will replace. Throws for a link that points outside its folder. */
function prepare({ name, path, isForeign, content: before }: ReadDocument, content: string): Replacement {
	if (isForeign) {
		throw new ConfigurationError(
			`${showText(name)} is a link that points outside its folder; --accept does not write there`,
			{
				hint: "name the target file with -f",
			},
		);
	}
	// A folder that can be written would let a file be replaced that cannot.
	accessSync(path, constants.W_OK);
	const { mode } = statSync(path);
	return {
		file: name,
		path,
		part: writeTemporaryFile(dirname(path), content, mode),
		mode,
		before: Buffer.from(before),
	};
}

function readOrRefuse<T>(file: string, write: () => T): T {
	try {
		return write();
	} catch (error) {
		if (error instanceof ConfigurationError) throw error;
		throw new ConfigurationError(`${showText(file)} cannot be written: ${explainFileError(error)}`, { cause: error });
	}
}
