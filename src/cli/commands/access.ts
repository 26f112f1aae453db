/** `grant` and `revoke`: edit the document and show the plan. They have a Reader, so they cannot submit. The file is written last. */

import { defined } from "../../common/defined.ts";
import { ConfigurationError, exitCodes } from "../../common/errors.ts";
import { showAddress, showName, showText } from "../../common/escape.ts";
import type { AccessEdit, AccessRequest } from "../../document/edit/access-edit.ts";
import { describeTime } from "../../plan/access-window.ts";
import { parseAddress, printAddress } from "../../plan/address.ts";
import { describeMissing } from "../../plan/missing-users.ts";
import { type DesiredOrganization, type DesiredUserTag, tagsOf } from "../../plan/organization.ts";
import { namesOfUsers, type Plan } from "../../plan/plan.ts";
import { commandText } from "../../plan/suggested-command.ts";
import { phraseText } from "../../render/print/text.ts";
import { type AccessResult, resultHead } from "../../render/result/result.ts";
import { namePerson } from "../../say/powers.ts";
import type { MemberReading } from "../../sync/read/read-members.ts";
import type { Reader } from "../../wire/client.ts";
import { findOrganizationId } from "../../wire/credentials.ts";
import { type Connection, type ConnectionFlags, viewJournal, withConnection } from "../connect.ts";
import { refuseChanged, replaceDocuments } from "../files/replace-documents.ts";
import { type DocumentFlags, findListsOf, type ReadDocument, readFleet, readSources } from "../files/sources.ts";
import type { Flags } from "../flags/given-flags.ts";
import { privateKeyPattern } from "../flags/hide-keys.ts";
import { findTagId, findUserId } from "../flags/power-names.ts";
import { didYouMean } from "../flags/suggest.ts";
import type { Call } from "../output/output.ts";
import { isImpossible } from "./apply/consent.ts";
import { refuseUnknownLocal } from "./comparing.ts";
import { checkOrganizationId } from "./selection.ts";

type RevokeFlags = DocumentFlags & ConnectionFlags & Flags<"organization">;

type GrantFlags = RevokeFlags & Flags<"for" | "until" | "reason">;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Longer access is a matter of the document, not of a command. */
const maxGrantMs = 366 * dayMs;

/** When the access ends. Times are milliseconds since 1970 by the service's clock. */
type End = Pick<AccessRequest, "untilMs" | "until">;

/** Returns the plan of the document with the grant, which it writes. Exit codes are those of `plan`. */
export async function grant(words: readonly string[], call: Call<GrantFlags>): Promise<AccessResult> {
	const { flags } = call;
	if ((flags.for === undefined) === (flags.until === undefined)) {
		throw new ConfigurationError("grant takes one of --for and --until", { hint: "for example --for 4h" });
	}
	const reason = await readReason(flags.reason);
	const { readMoment } = await import("../../document/read/moment.ts");
	const findEnd = (nowMs: number): End => {
		if (flags.until === undefined) {
			const lengthMs = flags.for ?? 0;
			checkLength(lengthMs, { for: lengthMs });
			// At a full minute: a second call in the same minute gives the same document.
			return toEnd(Math.ceil((nowMs + lengthMs) / minuteMs) * minuteMs);
		}
		const until = flags.until.trim();
		const moment = readMoment(until);
		if ("mistake" in moment) throw new ConfigurationError(`--until ${showText(until)} ${moment.mistake}`);
		return { until, untilMs: moment.ms };
	};
	// What is wrong with a flag costs no request.
	findEnd(call.terminal.now());
	return editDocument(words, call, {
		...{ command: "grant", reason },
		findEnd: (nowMs) => {
			const end = findEnd(nowMs);
			checkLength(end.untilMs - nowMs, flags);
			return end;
		},
	});
}

/** Returns the plan of the document without the access, which it writes. Exit codes are those of `plan`. */
export async function revoke(words: readonly string[], call: Call<RevokeFlags>): Promise<AccessResult> {
	const findEnd = (nowMs: number): End => toEnd(Math.floor(nowMs / minuteMs) * minuteMs);
	return editDocument(words, call, { command: "revoke", reason: undefined, findEnd });
}

/** Throws ConfigurationError for a reason that a document cannot have. */
async function readReason(text: string): Promise<string> {
	const { reasonMistake } = await import("../../document/read/member-list.ts");
	const reason = text.trim();
	if (privateKeyPattern.test(reason)) {
		throw new ConfigurationError("--reason contains a private key", {
			hint: "everyone who reads the document sees it",
		});
	}
	if (reason === "") {
		throw new ConfigurationError("--reason is empty", { hint: "write why, for the reviewers of the document" });
	}
	const mistake = reasonMistake(reason);
	if (mistake !== undefined) throw new ConfigurationError(`--reason ${mistake}`);
	return reason;
}

function toEnd(untilMs: number): End {
	return { untilMs, until: new Date(untilMs).toISOString().replace(/\.000Z$/, "Z") };
}

function checkLength(lengthMs: number, { until }: Pick<GrantFlags, "for" | "until">): void {
	const subject = until === undefined ? "--for" : `--until ${showText(until)}`;
	if (until !== undefined && lengthMs <= 0) {
		throw new ConfigurationError(`${subject}: it is in the past`, {
			hint: "name a later time, or a duration such as --for 4h",
		});
	}
	if (lengthMs < minuteMs) {
		throw new ConfigurationError(
			until === undefined ? "--for: it is shorter than a minute" : `${subject}: it is less than a minute from now`,
			{ hint: "write a duration such as 30m, 4h or 7d with --for; a plain number is seconds" },
		);
	}
	// The end of --for is at a full minute.
	if (lengthMs <= maxGrantMs + minuteMs) return;
	throw new ConfigurationError(`${subject}: it is more than 366 days`, {
		hint: "for longer access, write `until` into the document by hand",
	});
}

interface Edit {
	readonly command: "grant" | "revoke";
	readonly reason: string | undefined;
	/** Returns the end of the access, given the time now. Throws ConfigurationError. */
	readonly findEnd: (nowMs: number) => End;
}

async function editDocument(
	[user = "", tag = ""]: readonly string[],
	call: Call<RevokeFlags>,
	edit: Edit,
): Promise<AccessResult> {
	const { flags, terminal, output } = call;
	if (flags.file.includes("-")) {
		throw new ConfigurationError(`${edit.command} edits a document in place, but standard input is not a file`, {
			hint: "name the file with -f",
		});
	}
	const sources = await readSources(flags.file, terminal, flags);
	const desired = await findDesired(call);
	const { organizationId } = desired;
	const { edited, address, userId, plan, nowMs } = await withConnection(call, async (connection) => {
		refuseUnknownLocal([organizationId], connection);
		output.progress(`reading organization ${organizationId}`);
		const { askOnce } = await import("../../sync/read/read-access.ts");
		const { readMembers } = await import("../../sync/read/read-members.ts");
		const { refuseUncertainTime } = await import("../../sync/read/service-clock.ts");
		const reader = askOnce(connection.client.forOrganization().reader);
		const reading = await readMembers(organizationId, reader, { reads: flags.reads, now: terminal.now });
		refuseUncertainTime("the end of the access depends on the time, so nothing was written", reading.timeUncertain);
		const found = { userId: findUser(user, desired, reading), tag: findTag(tag, desired, reading) };
		const edited = await makeEdit(sources, { ...found, desired }, reading, edit, call);
		const plan = await planEdited(edited.desired, reader, connection, call);
		const address = printAddress("userTag", found.tag.name);
		const problem = plan.problems.find(({ path }) => path === address);
		if (problem !== undefined) throw new ConfigurationError(problem.message, unwritten);
		const named = withLiveName(plan, found.userId, reading);
		return { edited, address, userId: found.userId, plan: named, nowMs: reading.timeMs };
	});
	output.clear();
	await refuseChanged(sources, flags.file, terminal);
	const { effect, at, window } = edited;
	if (edit.command === "grant" && effect !== "unchanged" && window?.untilMs !== undefined) {
		const [until, now] = [window.untilMs, nowMs].map((ms) => describeTime(new Date(ms).toISOString()));
		const who = phraseText([namePerson(userId, plan)]);
		output.note(`${who} gets ${showAddress(address)} until ${until}; by the service's clock it is ${now} now.`);
	}
	replaceDocuments(edited.contents, sources, edit.command);
	const exitCode = isImpossible(plan) ? exitCodes.error : exitCodes.inSync;
	return {
		...resultHead(edit.command, exitCode, null),
		organizations: [{ organizationId, exitCode, plan }],
		access: {
			...{ organizationId, address, userId, effect, file: at.file, line: at.line },
			...defined({ from: toIso(window?.fromMs), until: toIso(window?.untilMs), reason: window?.reason }),
		},
		nextCommand: commandText({ command: "apply" }, flags),
	};
}

function toIso(ms: number | undefined): string | undefined {
	return ms === undefined ? undefined : new Date(ms).toISOString();
}

const unwritten = { hint: "nothing was written to any document" };

/** Returns the organization whose document is edited. Throws ConfigurationError if it is not clear which one. */
async function findDesired({ flags, terminal }: Call<RevokeFlags>): Promise<DesiredOrganization> {
	checkOrganizationId(flags.organization);
	const fleet = await readFleet(flags, terminal);
	const { organizationIds } = fleet;
	const [only, ...others] = organizationIds;
	const isAlone = only !== undefined && others.length === 0;
	const isDefault = flags.local !== true && flags.file.length === 0;
	const implied = isDefault && !isAlone ? findOrganizationId(terminal.environment) : undefined;
	const named = (flags.organization ?? implied)?.toLowerCase();
	if (named !== undefined) {
		if (organizationIds.includes(named)) return fleet.load(named);
		throw new ConfigurationError(`no document is about organization ${showText(named)}`, {
			hint: "name its document with -f",
		});
	}
	if (isAlone) return fleet.load(only);
	throw new ConfigurationError(`the documents have ${organizationIds.length} organizations`, {
		hint: "select one with --organization ID",
	});
}

/** Returns the id of the user. Throws ConfigurationError if the organization has no such user. */
function findUser(text: string, desired: DesiredOrganization, { userNames }: MemberReading): string {
	const aliases = namesOfUsers(desired);
	const liveNames = userNames.known ? userNames.value : undefined;
	const found = findUserId(text, { aliases, liveNames }, "USER");
	if (found !== undefined && (liveNames === undefined || Object.hasOwn(liveNames, found))) return found;
	const known = [...Object.values(aliases), ...Object.values(liveNames ?? {})].map(showText);
	const mistake =
		found === undefined
			? `no such user${didYouMean(text, [...new Set(known)])}`
			: describeMissing(found, desired, liveNames ?? {});
	throw new ConfigurationError(`USER ${showText(text)}: ${mistake}`, {
		hint: "write an alias of the document, a user id, or a live name that one user has",
	});
}

/** Returns the tag's entry in the document. Throws ConfigurationError if the document, or the organization, has none. */
function findTag(text: string, desired: DesiredOrganization, { userTags }: MemberReading): DesiredUserTag {
	const address = parseAddress(text);
	const name = address?.kind === "userTag" ? address.label : text;
	const tags = tagsOf(desired);
	const own =
		tags.find((tag) => tag.name === name) ??
		tags.find((tag) => tag.id === name.toLowerCase() || showName(tag.name) === name);
	if (own !== undefined) return own;
	const tagNames = Object.fromEntries(userTags.map((tag) => [tag.id, tag.name]));
	const id = findTagId(name, { tagNames }, "TAG");
	const liveName = id === undefined ? undefined : tagNames[id];
	const matching = tags.find((tag) => (tag.id === undefined ? tag.name === liveName : tag.id === id));
	if (matching !== undefined) return matching;
	const known = [...tags.map((tag) => tag.name), ...Object.values(tagNames)].map(showText);
	throw liveName === undefined
		? new ConfigurationError(`TAG ${showText(name)}: no such user tag${didYouMean(name, [...new Set(known)])}`, {
				hint: "write the name of a user tag of the document, or its id",
			})
		: new ConfigurationError(`TAG ${showText(name)}: the document has no entry for this user tag`, {
				hint: `add one to \`userTags\` first: - name: ${showText(liveName)}`,
			});
}

/** Returns the edit of the document. Throws ConfigurationError if it is refused. */
async function makeEdit(
	sources: readonly ReadDocument[],
	about: Pick<AccessRequest, "desired" | "userId" | "tag">,
	reading: MemberReading,
	edit: Edit,
	{ flags, terminal }: Call<RevokeFlags>,
): Promise<AccessEdit> {
	const { editAccess } = await import("../../document/edit/access-edit.ts");
	const { tag, userId } = about;
	const { members } =
		reading.userTags.find(({ id, name }) => (tag.id ?? id) === id && (tag.id ?? tag.name === name)) ?? {};
	const request = {
		...{ ...about, reason: edit.reason, nowMs: reading.timeMs },
		...edit.findEnd(reading.timeMs),
		isMember: members?.known === true ? members.value.includes(userId) : undefined,
	};
	const options = {
		environment: terminal.environment,
		env: flags.env,
		findList: findListsOf(sources, terminal.directory),
	};
	const edited = editAccess(sources, request, options);
	if (!("refusal" in edited)) return edited;
	throw new ConfigurationError(edited.refusal, edited.hint === undefined ? unwritten : { hint: edited.hint });
}

/** Returns the plan with the live name of the user, whom it need not mention: without the name, the user would seem to be missing. */
function withLiveName(plan: Plan, userId: string, { userNames }: MemberReading): Plan {
	const name = userNames.known ? userNames.value[userId] : undefined;
	return plan.liveNames === undefined || name === undefined
		? plan
		: { ...plan, liveNames: { ...plan.liveNames, [userId]: name } };
}

async function planEdited(
	desired: DesiredOrganization,
	reader: Reader,
	{ client }: Connection,
	call: Call<RevokeFlags>,
): Promise<Plan> {
	const { flags, terminal } = call;
	const { converge } = await import("../../sync/converge.ts");
	const journal = await viewJournal([desired.organizationId], call);
	const { comparison } = await converge(desired, {
		...{ reader, reads: flags.reads, now: terminal.now, steadyNow: terminal.steadyNow, journal },
		lastApplied: () => journal.lastApplied(desired.organizationId),
		publicKey: () => client.publicKey(),
	});
	return comparison.plan;
}
