/** `powers`: who can do what in the live organizations of the documents, and why. It has a Reader, so it cannot submit. */

import { defined, nonEmpty } from "../../common/defined.ts";
import { ConfigurationError, combineExitCodes, DocumentError, exitCodes } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { readRequest } from "../../document/read/request.ts";
import { namesOfUsers } from "../../plan/plan.ts";
import { compareText } from "../../plan/value.ts";
import { policyNamesIn, unreadIn } from "../../policy/access.ts";
import { findNamedTags } from "../../policy/lint/named-tags.ts";
import { withExamples } from "../../policy/powers/example.ts";
import { explainActivity, explainPower } from "../../policy/powers/explain-power.ts";
import type { Fields } from "../../policy/powers/fields.ts";
import { namedPowers } from "../../policy/powers/groups.ts";
import { findPowers, type GroupPower } from "../../policy/powers/powers.ts";
import { narrowToTag, narrowToUser } from "../../policy/powers/select-powers.ts";
import { resultHead } from "../../render/result/head.ts";
import type { OrganizationPowers, PowersResult } from "../../render/result/organization-powers.ts";
import type { AccessReading } from "../../sync/read/read-access.ts";
import type { ServiceFlags } from "../connect.ts";
import { readInputFile } from "../files/sources.ts";
import type { Flags } from "../flags/given-flags.ts";
import {
	findTagId,
	findUserId,
	type GroupSelection,
	groupsIn,
	isInSelection,
	parseGroup,
	parseGroupWhere,
} from "../flags/power-names.ts";
import { didYouMean } from "../flags/suggest.ts";
import type { Call } from "../output/output.ts";
import { readEach } from "./read-each.ts";
import { findNamed, type NamingFlags } from "./selection.ts";

/** Flags of every question about powers. */
export type AskingFlags = NamingFlags & ServiceFlags & Flags<"at" | "concurrency">;

type PowersFlags = AskingFlags & Flags<"group" | "user" | "tag" | "why" | "activity">;

/** What the flags ask for. */
interface PowersQuestion {
	readonly group: GroupSelection | undefined;
	readonly user: string | undefined;
	readonly tag: string | undefined;
	readonly why: boolean;
	/** What is known of the one activity that is asked about. */
	readonly fields: Fields | undefined;
	/** The user whose credentials that activity changes, if it does. */
	readonly ownerId?: string | undefined;
	/** Null where the request of `--activity` names none. */
	readonly organizationId: string | null;
}

/** Returns the powers of every organization; with `--why` how one user has one of them, with `--activity` who can do one activity. Exit 0, whatever they are, where each could be read. */
export async function powers(words: readonly string[], call: Call<PowersFlags>): Promise<PowersResult> {
	const { flags } = call;
	const question = flags.activity === undefined ? readQuestion(words, flags) : await readActivity(words, call);
	const { organizations, exitCode } = await askPowers(question, call);
	return { ...resultHead("powers", exitCode, null), organizations };
}

/**
 * Reads the organizations, and returns the answer of each that the question is about, with the exit code of those that cannot be read.
 * Throws ConfigurationError for none, and with `mustRead` the error of one that cannot be read.
 */
export async function askPowers(question: PowersQuestion, call: Call<AskingFlags>, mustRead?: true) {
	const { at } = call.flags;
	const { readAccessOnly } = await import("../../sync/read/read-access.ts");
	const { organizationId = null } = question;
	const documents = (await findNamed(call)).filter(
		(one) => one.organizationId === (organizationId ?? one.organizationId),
	);
	if (documents.length === 0) {
		const message = `the request: no document is of the organization ${showText(organizationId ?? "")}`;
		const hint = "name it with -f or --organization, or leave organizationId out of the request";
		throw new ConfigurationError(message, { hint });
	}
	const readAt: typeof readAccessOnly = (id, reader, now) => readAccessOnly(id, reader, now, at !== undefined);
	const read = (await readEach(documents, call, readAt, mustRead)).map(
		({ organizationId, organizationName, desired, reading, error }) => {
			const aliases = namesOfUsers(desired);
			const names = { ...defined({ organizationName }), ...namesIn(reading, aliases) };
			return { organizationId, reading, aliases, names, error };
		},
	);
	return {
		organizations: selectAll(read, question).map((one) => describeOrganization(one, question, at)),
		exitCode: combineExitCodes(read.map(({ error }) => error?.exitCode ?? exitCodes.inSync)),
	};
}

/** Throws ConfigurationError for flags that do not go together, and for an unknown group. */
function readQuestion(words: readonly string[], { why = false, group, user, tag }: PowersFlags): PowersQuestion {
	const common = { why, tag, fields: undefined, organizationId: null };
	if (!why) {
		const [word] = words;
		if (word !== undefined) {
			throw new ConfigurationError(`${showText(word)}: powers takes no argument without --why`, {
				hint: "narrow with --user, --group and --tag, or ask with --why USER GROUP",
			});
		}
		return { ...common, user, group: group === undefined ? undefined : parseGroup(group, "--group") };
	}
	const [who, what, ...more] = words;
	if (who === undefined || what === undefined || more.length > 0) {
		throw new ConfigurationError("--why takes a user and a group", { hint: "for example --why alice sign" });
	}
	if (group !== undefined || user !== undefined || tag !== undefined) {
		throw new ConfigurationError("--why cannot be used with --group, --user or --tag", {
			hint: "name the user and the group behind it: --why alice sign",
		});
	}
	return { ...common, user: who, ...parseGroupWhere(what, "GROUP") };
}

/** Throws ConfigurationError for flags that do not go together, DocumentError for what is wrong in the request. */
async function readActivity(words: readonly string[], call: Call<PowersFlags>): Promise<PowersQuestion> {
	const { activity = "", why = false, group, user, tag } = call.flags;
	if (group !== undefined || user !== undefined || tag !== undefined || words.length !== (why ? 1 : 0)) {
		throw new ConfigurationError("--activity cannot be used with --group, --user, --tag or GROUP", {
			hint: "ask about all users with --activity FILE, or about one with --why USER --activity FILE",
		});
	}
	return { why, user: words[0], tag, ...(await askedIn(activity, call)) };
}

/** Returns what the request in the file asks about; `-` is standard input. Throws DocumentError for what is wrong in it. */
export async function askedIn(name: string, { flags, terminal }: Call<NamingFlags>) {
	if (name === "-" && flags.file.includes("-")) {
		throw new ConfigurationError("the request and -f - cannot both be read from standard input");
	}
	const read = readRequest(name, await readInputFile(name, terminal));
	if ("problems" in read) throw new DocumentError(read.problems, "the request has");
	const { type, ...request } = read.request;
	return { group: { groups: [{ type }] }, ...request } satisfies Partial<PowersQuestion>;
}

interface ReadOrganization {
	readonly organizationId: string;
	readonly reading: AccessReading;
	readonly names: Pick<OrganizationPowers, "organizationName" | "userNames" | "liveNames" | "tagNames" | "policyNames">;
	/** User id to the alias of the document. */
	readonly aliases: Readonly<Record<string, string>>;
}

interface AskedOrganization extends ReadOrganization {
	readonly userId: string | undefined;
	readonly tagId: string | undefined;
}

/** Returns the aliases of the document, and live names for everything else. */
function namesIn(
	{ access, userNames, tagNames }: AccessReading,
	aliases: ReadOrganization["aliases"],
): ReadOrganization["names"] {
	const live = userNames.known ? userNames.value : {};
	const named = Object.entries(live).filter(([, name]) => name !== "");
	return {
		userNames: sortKeys({ ...Object.fromEntries(named), ...aliases }),
		...(userNames.known ? { liveNames: sortKeys(live) } : {}),
		tagNames: sortKeys(tagNames),
		policyNames: policyNamesIn(access),
	};
}

function sortKeys(record: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
	return Object.fromEntries(Object.entries(record).sort(([left], [right]) => compareText(left, right)));
}

/** Returns the organizations with the user and the tag that were asked for. Throws ConfigurationError if there is none. */
function selectAll(
	read: readonly ReadOrganization[],
	{ user, tag, why }: PowersQuestion,
): readonly AskedOrganization[] {
	const where = why ? "USER" : "--user";
	const selected = read.map((one) => {
		const users = { aliases: one.aliases, liveNames: one.names.liveNames };
		return {
			...one,
			userId: user === undefined ? undefined : findUserId(user, users, where),
			tagId: tag === undefined ? undefined : findTagId(tag, one.names),
		};
	});
	const refuse = (what: string, word: string, names: "userNames" | "tagNames", hint: string): never => {
		const known = new Set(read.flatMap((one) => Object.values(one.names[names])));
		throw new ConfigurationError(`${what}${showText(didYouMean(word, [...known]))}`, { hint });
	};
	if (user !== undefined && selected.every(({ userId }) => userId === undefined)) {
		const hint = "write an alias of the document, a user id, or a live name that one user has";
		refuse(`${where} ${showText(user)}: no such user`, user, "userNames", hint);
	}
	if (tag !== undefined && selected.every(({ tagId }) => tagId === undefined)) {
		refuse(`--tag ${showText(tag)}: no such user tag`, tag, "tagNames", "write the name of a user tag or its id");
	}
	return selected.filter(
		({ userId, tagId }) => (user === undefined || userId !== undefined) && (tag === undefined || tagId !== undefined),
	);
}

function describeOrganization(
	{ organizationId, reading, names, userId, tagId }: AskedOrganization,
	question: PowersQuestion,
	givenMs: number | undefined,
): OrganizationPowers {
	const { access, readAtMs, serverTimeMs } = reading;
	const atMs = givenMs ?? serverTimeMs ?? readAtMs;
	const groups = question.group === undefined ? Object.values(namedPowers).flat() : groupsIn(question.group);
	const { fields, ownerId } = question;
	const [group] = groups;
	const isOne = fields !== undefined && !question.why && group !== undefined;
	const activity = isOne ? explainActivity({ access, group, fields, ownerId, atMs }) : undefined;
	const all = isOne ? [] : findPowers(access, atMs, groups);
	const found = all.filter((one) => question.group === undefined || isInSelection(one.group, question.group));
	const describe = (powers: readonly GroupPower[]): Pick<OrganizationPowers, "powers" | "why" | "activity"> => {
		if (activity !== undefined) {
			const { power, ...others } = activity;
			return { powers: [power], activity: others };
		}
		if (!question.why) return { powers: powers.map(withExamples) };
		const asked = powers.map((one) => ({ access, group: one.group, fields, ownerId, atMs }));
		return { powers: [], why: asked.map((one) => withExamples(explainPower(one, userId ?? ""))) };
	};
	const ofTag = tagId === undefined ? found : narrowToTag(found, tagId, access, atMs);
	const ofUser = userId === undefined || question.why ? ofTag : narrowToUser(ofTag, userId);
	return {
		organizationId,
		readAt: new Date(readAtMs).toISOString(),
		at: new Date(atMs).toISOString(),
		...names,
		rootQuorum: access.rootQuorum.known ? access.rootQuorum.value : null,
		unread: unreadIn({ users: access.users, policies: access.policies, "root quorum": access.rootQuorum }),
		...defined({
			namedTags: nonEmpty(findNamedTags(access, names.tagNames)),
			statedTimes: nonEmpty(
				(access.policies.known ? access.policies.value : []).flatMap(({ id, stated }) =>
					stated === undefined ? [] : [{ policyId: id, isActive: stated.isActive }],
				),
			),
		}),
		...describe(ofUser),
	};
}
