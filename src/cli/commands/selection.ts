/** The organizations of a command: those of documents, by `--shard` and `--only`, or one that a flag or variable names. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigurationError, OrgsyncError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { uuid } from "../../common/uuid.ts";
import { type DesiredFleet, filterFleet, mapFleet, organizationsIn } from "../../document/read/fleet.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { type NamedOrganization, namedIn } from "../../plan/organization-name.ts";
import { type CommandContext, commandText } from "../../plan/suggested-command.ts";
import { findOrganizationId } from "../../wire/credentials.ts";
import type { ConnectionFlags } from "../connect.ts";
import { type DocumentFlags, defaultDocument, readDesired, readFleet } from "../files/sources.ts";
import type { Flags } from "../flags/given-flags.ts";
import { didYouMean } from "../flags/suggest.ts";
import { localOrganizationId } from "../local-seed.ts";
import type { Call, Terminal } from "../output/output.ts";

export type ShareFlags = DocumentFlags & Flags<"shard">;

export type SelectionFlags = ShareFlags & Flags<"only" | "organization">;

/** Returns the organizations of the fleet that are in the share of `--shard`; all without it. */
export function takeShare(fleet: DesiredFleet, { flags, output }: Call<ShareFlags>): DesiredFleet {
	if (flags.shard === undefined) return fleet;
	const isOwn = readShare({ shard: flags.shard });
	const own = filterFleet(fleet, isOwn);
	const counted = `${own.organizationIds.length} of ${fleet.organizationIds.length}`;
	output.note(`Shard ${flags.shard}: ${counted} organizations.`);
	return own;
}

/** Returns whether `--shard` and `--organization` select an organization. Throws ConfigurationError for an invalid share. */
export function readShare({
	shard: text,
	organization,
}: Pick<SelectionFlags, "shard" | "organization">): (organizationId: string) => boolean {
	const isNamed = (organizationId: string): boolean =>
		organization === undefined || organizationId === organization.toLowerCase();
	if (text === undefined) return isNamed;
	const shard = parseShard(text);
	if (shard !== undefined) return (organizationId) => isNamed(organizationId) && isInShard(organizationId, shard);
	throw new ConfigurationError(`--shard ${showText(text)}: it is not a valid share`, {
		hint: "write I/N, for example 2/8 for the second of eight; I counts from 1",
	});
}

/** Returns the organizations of `--shard` or `--organization`, narrowed by `--only`. Throws ConfigurationError for no match. */
export async function selectFrom(all: DesiredFleet, call: Call<SelectionFlags>): Promise<DesiredFleet> {
	const { flags } = call;
	const fleet = selectOrganization(all, flags);
	const own = takeShare(fleet, call);
	if (flags.only.length === 0) return own;
	const { isEmpty, narrow, parseSelection, selectionsLike } = await import("../../plan/only.ts");
	const { kinds } = await import("../../plan/kinds/index.ts");
	const selections = flags.only.map((text) => {
		const selection = parseSelection(text);
		if (selection === undefined) {
			const [kind = ""] = text.split(/[:/]/);
			const near = didYouMean(
				kind,
				kinds.map(({ name }) => name),
			);
			throw new ConfigurationError(`--only ${showText(text)}: unknown kind${near}`, {
				hint: `write KIND, KIND/GLOB or an address of the plan, KIND one of ${kinds.map(({ name }) => name).join(", ")}`,
			});
		}
		// A typing error in a scheduled job must not look like an organization without drift. A share may have no such object.
		if (fleet.organizationIds.some((id) => !isEmpty(narrow(fleet.load(id), [selection])))) return selection;
		// What a complete list removes is in no document.
		const { kind } = selection;
		const complete = kind === "policy" || kind === "userTag" ? countComplete(fleet, kind) : 0;
		if (complete > 0) return { ...selection, isUnlisted: complete === 1 };
		const hint =
			selection.label?.includes("*") === true
				? "an address has no wildcards: write KIND/GLOB"
				: "write an address as plan prints it, or KIND/GLOB with * for any text: userTag/sign*";
		const near = didYouMean(text, [
			...new Set([...organizationsIn(fleet)].flatMap((one) => selectionsLike(text, one))),
		]);
		throw new ConfigurationError(`--only ${showText(text)}: no object of the documents matches${near}`, { hint });
	});
	return mapFleet(own, (desired) => narrow(desired, selections));
}

/** Returns how many organizations have a complete list of the kind. */
function countComplete(fleet: DesiredFleet, kind: "policy" | "userTag"): number {
	const list = kind === "policy" ? "policies" : "userTags";
	return fleet.organizationIds.filter((id) => fleet.load(id).exactly?.[list] !== undefined).length;
}

/** Returns what suggested commands repeat of a call about this fleet. */
export function commandsOf({ organizationIds }: DesiredFleet, flags: CommandContext): CommandContext {
	return { ...flags, hasSeveral: organizationIds.length > 1 };
}

/** Returns the fleet of one organization; all of it without an id. Throws ConfigurationError for one of no document. */
function selectOrganization(
	fleet: DesiredFleet,
	{ organization: organizationId, file, env }: SelectionFlags,
): DesiredFleet {
	if (organizationId === undefined) return fleet;
	checkOrganizationId(organizationId);
	const named = filterFleet(fleet, (one) => one === organizationId.toLowerCase());
	if (named.organizationIds.length > 0) return named;
	throw new ConfigurationError(`--organization ${showText(organizationId)}: no document is of this organization`, {
		hint: `\`${commandText({ command: "validate" }, { file, env })}\` shows the organizations of the documents`,
	});
}

export type OrganizationFlags = ConnectionFlags & DocumentFlags & Flags<"organization">;

export type NamingFlags = Pick<OrganizationFlags, "organization" | "file" | "env" | "local">;

/** Returns the id of the organization that a flag or the environment names. Throws ConfigurationError for an invalid one. */
export function findNamedId(organization: string | undefined, { environment }: Terminal): string | undefined {
	checkOrganizationId(organization);
	if (organization !== undefined) return organization.toLowerCase();
	const named = findOrganizationId(environment);
	checkOrganizationId(named, "the environment variable for the organization has an invalid id");
	return named;
}

/** Returns the id of the organization that a flag, the environment or a document names. Throws ConfigurationError without one. */
export async function findOrganization(call: Call<NamingFlags>): Promise<string> {
	const { flags, terminal } = call;
	const isByEnvironment = flags.local !== true && flags.file.length === 0;
	if (flags.organization !== undefined || isByEnvironment) {
		const named = findNamedId(flags.organization, terminal);
		if (named !== undefined) return named;
	}
	const files = flags.local === true ? flags.file : documentsOf(call);
	if (files.length > 0) {
		const { organizationIds } = await readFleet({ file: files, env: flags.env }, terminal);
		const [only, ...others] = organizationIds;
		if (only !== undefined && others.length === 0) return only;
		throw new ConfigurationError(`the documents have ${organizationIds.length} organizations`, {
			hint: "select one with --organization ID",
		});
	}
	if (flags.local === true) return localOrganizationId;
	throw new ConfigurationError("no organization is named", {
		hint: `use --organization ID, set ORGSYNC_ORGANIZATION_ID, or name a document with -f (for example -f ${defaultDocument})`,
	});
}

/** An organization, with its document if there is one. */
export interface FoundDocument extends NamedOrganization {
	readonly desired: DesiredOrganization | undefined;
}

/** Returns the organizations of the documents, or the one that is named. */
export async function findNamed(call: Call<NamingFlags>): Promise<readonly FoundDocument[]> {
	const { flags, terminal } = call;
	const isImplied = flags.local !== true && findOrganizationId(terminal.environment) === undefined;
	const files = isImplied ? documentsOf(call) : flags.file;
	if (flags.organization !== undefined || files.length === 0) {
		return [{ organizationId: await findOrganization(call), desired: undefined }];
	}
	const organizations = await readDesired({ file: files, env: flags.env }, terminal);
	return organizations.map((desired) => ({ ...namedIn(desired), desired }));
}

/** Returns the organizations of the named documents, or of the default document; none if neither exists. */
export async function readNamed(call: Call<NamingFlags>): Promise<readonly DesiredOrganization[]> {
	const file = documentsOf(call);
	return file.length === 0 ? [] : readDesired({ file, env: call.flags.env }, call.terminal);
}

/** Returns what `read` returns of documents; `otherwise` if it throws an error of a default document, which no flag names. */
export async function readOrElse<T>(
	{ flags }: Call<NamingFlags>,
	read: () => Promise<T>,
	otherwise: (error: OrgsyncError) => T,
): Promise<T> {
	try {
		return await read();
	} catch (error) {
		if (flags.file.length > 0 || !(error instanceof OrgsyncError)) throw error;
		return otherwise(error);
	}
}

/** Returns the fleet of the named documents, or of the default document; undefined if neither exists. */
export async function readNamedFleet(call: Call<NamingFlags>): Promise<DesiredFleet | undefined> {
	const file = documentsOf(call);
	return file.length === 0 ? undefined : readFleet({ file, env: call.flags.env }, call.terminal);
}

function documentsOf({ flags, terminal }: Call<NamingFlags>): readonly string[] {
	const hasDefault = existsSync(resolve(terminal.directory, defaultDocument));
	return flags.file.length > 0 || !hasDefault ? flags.file : [defaultDocument];
}

/** Throws ConfigurationError for an invalid organization id, before any request. `hint` is where it comes from. */
export function checkOrganizationId(organizationId: string | undefined, hint?: string): void {
	if (organizationId === undefined) return;
	if (uuid.test(organizationId)) return;
	const message = `\`${showText(organizationId)}\` is not an organization id: it must be a UUID`;
	throw new ConfigurationError(message, hint === undefined ? {} : { hint });
}

/** Returns the user id for an alias of the documents, or for an id. Throws ConfigurationError for any other text. */
export async function findUser(call: Call<NamingFlags & { readonly user: string }>): Promise<string> {
	const { user } = call.flags;
	if (uuid.test(user)) return user.toLowerCase();
	const organizations = await readNamed(call);
	const found = organizations.map(({ users }) => users[user]).find((id) => id !== undefined);
	if (found !== undefined) return found;
	const aliases = organizations.flatMap(({ users }) => Object.keys(users)).map(showText);
	throw new ConfigurationError(`\`${showText(user)}\` is not a user id`, {
		hint:
			aliases.length === 0
				? "use a UUID, or an alias and its document: -f FILE"
				: `use a UUID, or an alias of the documents: ${aliases.join(", ")}`,
	});
}

/** One share of several; `index` counts from 1. */
export interface Shard {
	readonly index: number;
	readonly count: number;
}

const maxShards = 10_000;

/** The share that `I/N` writes, or undefined when it writes none. */
export function parseShard(text: string): Shard | undefined {
	const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(text)?.map(Number) ?? [];
	if (index === undefined || count === undefined || index < 1 || index > count || count > maxShards) return undefined;
	return { index, count };
}

/** Whether this share of all of its count is that of the organization. By the id alone: a new one moves no other to another runner. */
export function isInShard(organizationId: string, { index, count }: Shard): boolean {
	const hash = createHash("sha256").update(organizationId.toLowerCase(), "utf8").digest();
	return (hash.readUInt32BE(0) % count) + 1 === index;
}
