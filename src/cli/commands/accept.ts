/**
 * `drift --accept`: writes live values into the documents, in place. It changes all files or none: every new text is made and
 * checked before the first is written.
 */
import { accessSync, constants, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { AcceptedPlace } from "../../document/accept.ts";
import type { DocumentSource } from "../../document/parse.ts";
import { ConfigurationError } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { findListsOf } from "../list-files.ts";
import type { Call, Terminal } from "../output.ts";
import { type DocumentFlags, type ReadDocument, readSources } from "../sources.ts";
import { writeOrRefuse, writeTemporaryFile } from "../write-file.ts";
import type { ComparedOrganizations } from "./comparing.ts";

export interface AcceptFlags extends DocumentFlags {
	/** Addresses, or patterns of them. */
	readonly accept: readonly string[];
}

/** What was compared, and where documents were changed; without `accepted` if no value was to be accepted. */
export interface AcceptResult extends ComparedOrganizations {
	readonly accepted?: readonly AcceptedPlace[];
}

/**
 * Returns what `compare` finds, without the values that `--accept` names: it writes these into the documents. Throws
 * ConfigurationError, and writes nothing, for an address that does not differ or cannot be written in place.
 */
export async function acceptFound(
	compare: () => Promise<ComparedOrganizations>,
	{ flags, terminal, output }: Call<AcceptFlags>,
): Promise<AcceptResult> {
	if (flags.accept.length === 0) return compare();
	const { acceptLive, addressMistake } = await import("../../document/accept.ts");
	for (const pattern of flags.accept) {
		const hint = addressMistake(pattern);
		if (hint !== undefined) throw new ConfigurationError(`--accept ${pattern}: it is not an address`, { hint });
	}
	if (flags.file.includes("-")) {
		throw new ConfigurationError("--accept changes documents in place, but standard input is not a file", {
			hint: "name the file with -f",
		});
	}
	const sources = await readSources(flags.file, terminal);
	const { compared, failed } = await compare();
	const comparisons = compared.map(({ comparison }) => comparison);
	await refuseChanged(sources, flags, terminal);
	const options = { env: flags.env, findList: findListsOf(sources, terminal.directory) };
	const acceptance = acceptLive(sources, terminal.environment, comparisons, flags.accept, options);
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

/** Throws ConfigurationError if a document was changed while live state was read. */
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
	/** A temporary file beside it, with the new text. */
	readonly part: string;
	readonly mode: number;
	readonly before: Uint8Array;
}

/** Replaces all files or none. Each is complete at any time, and keeps its mode and the link to it. */
function replaceFiles(contents: ReadonlyMap<string, string>, sources: readonly ReadDocument[]): void {
	const prepared: Replacement[] = [];
	const replaced: Replacement[] = [];
	try {
		for (const source of sources) {
			const content = contents.get(source.name);
			if (content !== undefined) prepared.push(writeOrRefuse(failureFor(source.name), () => prepare(source, content)));
		}
		for (const replacement of prepared) {
			writeOrRefuse(failureFor(replacement.file), () => renameSync(replacement.part, replacement.path));
			replaced.push(replacement);
		}
	} catch (error) {
		for (const { path, before, mode } of replaced) renameSync(writeTemporaryFile(dirname(path), before, mode), path);
		throw error;
	} finally {
		for (const { part } of prepared) rmSync(part, { force: true });
	}
}

function failureFor(file: string): string {
	return `${showText(file)} cannot be written`;
}

/** Writes the new text beside the file that it will replace. Throws for a link that points outside its folder. */
function prepare({ name, path, isForeign, content: before }: ReadDocument, content: string): Replacement {
	if (isForeign) {
		const message = `${showText(name)} is a link that points outside its folder; --accept does not write there`;
		throw new ConfigurationError(message, { hint: "name the target file with -f" });
	}
	// A rename needs only a writable folder, so it would replace a read-only file.
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
