/**
 * The organizations that a command works on: those of the documents, in the share of `--shard`, narrowed by `--only`.
 */
import { ConfigurationError } from "../../errors.ts";
import { showText } from "../../escape.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { isInShard, parseShard } from "../../plan/shard.ts";
import type { Output, Terminal } from "../output.ts";
import { type DocumentFlags, readDesired } from "../sources.ts";

export interface ShareFlags extends DocumentFlags {
	/** `I/N`: only the organizations of this share. */
	readonly shard?: string;
}

export interface SelectionFlags extends ShareFlags {
	/** `KIND` or `KIND/GLOB`. */
	readonly only: readonly string[];
}

/** The organizations of the documents that are in the share of `--shard`; all without it. */
export async function readSharded(
	flags: ShareFlags,
	terminal: Terminal,
	output: Output,
): Promise<readonly DesiredOrganization[]> {
	const isOwn = readShare(flags);
	const organizations = await readDesired(flags, terminal);
	if (flags.shard === undefined) return organizations;
	const own = organizations.filter(isOwn);
	output.note(`Shard ${flags.shard}: ${own.length} of ${organizations.length} organizations.`);
	return own;
}

/** Whether an organization is in the share of `--shard`. Throws ConfigurationError when there is no such share. */
export function readShare({ shard: text }: Pick<ShareFlags, "shard">): (one: DesiredOrganization) => boolean {
	if (text === undefined) return () => true;
	const shard = parseShard(text);
	if (shard !== undefined) return ({ organizationId }) => isInShard(organizationId, shard);
	throw new ConfigurationError(`--shard ${showText(text)}: there is no such share`, {
		hint: "write I/N, for example 2/8: the second of eight; I counts from 1",
	});
}

/** The documents, narrowed to what `--only` names. */
export async function readSelected(
	flags: SelectionFlags,
	terminal: Terminal,
	output: Output,
): Promise<readonly DesiredOrganization[]> {
	const own = await readSharded(flags, terminal, output);
	if (flags.only.length === 0) return own;
	// A share may have nothing of it; all the documents may not.
	const organizations = flags.shard === undefined ? own : await readDesired(flags, terminal);
	const { isEmpty, narrow, parseSelection } = await import("../../plan/only.ts");
	const { kinds } = await import("../../plan/kinds/index.ts");
	const selections = flags.only.map((text) => {
		const selection = parseSelection(text);
		if (selection !== undefined) {
			// A slip in a scheduled job must not look like an organization without drift.
			if (organizations.some((desired) => !isEmpty(narrow(desired, [selection])))) return selection;
			throw new ConfigurationError(`--only ${showText(text)}: the documents have nothing like that`);
		}
		throw new ConfigurationError(`--only ${showText(text)}: there is no such kind`, {
			hint: `write KIND or KIND/GLOB, KIND one of ${kinds.map(({ name }) => name).join(", ")}`,
		});
	});
	return own.map((desired) => narrow(desired, selections));
}
