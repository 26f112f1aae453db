/** `init --fence-credentials`: policies that keep the users of a tag from giving themselves a key, and the access case that tests them. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { defined } from "../../common/defined.ts";
import { ConfigurationError, exitCodes } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { uuid } from "../../common/uuid.ts";
import { commandText } from "../../plan/suggested-command.ts";
import { unreadIn } from "../../policy/access.ts";
import { listUnfenceable, type Unfenceable } from "../../policy/credentials.ts";
import { resultHead } from "../../render/result/head.ts";
import type { InitResult } from "../../render/result/result.ts";
import { reasonText } from "../../say/reason.ts";
import type { AccessReading } from "../../sync/read/read-access.ts";
import { type ServiceFlags, withConnection } from "../connect.ts";
import { writeNewFile } from "../files/write-file.ts";
import { findTagId } from "../flags/power-names.ts";
import { didYouMean } from "../flags/suggest.ts";
import type { Call } from "../output/output.ts";

interface FenceFlags extends Omit<ServiceFlags, "file"> {
	readonly file?: string;
}

/** Writes the document and its access cases. Throws ConfigurationError, before it writes, for users whom the fence would lock out or not hold. */
export async function writeFence(
	{ flags, terminal, output }: Call<FenceFlags>,
	{ organizationId, name }: { readonly organizationId: string; readonly name: string },
): Promise<InitResult> {
	const file = flags.file ?? "fence.yaml";
	const cases = file.replace(/(?:\.ya?ml)?$/, ".access.yaml");
	for (const one of [file, cases]) {
		if (existsSync(resolve(terminal.directory, one)))
			throw new ConfigurationError(`${showText(one)} already exists; init never overwrites`);
	}
	const { readAccessOnly } = await import("../../sync/read/read-access.ts");
	const { file: _, ...others } = flags;
	const reading = await withConnection({ flags: { ...others, file: [] }, terminal, output }, ({ client }) =>
		readAccessOnly(organizationId, client.forOrganization().reader, terminal.now),
	);
	const tagId = findTagId(name, reading, "--fence-credentials");
	if (tagId === undefined) {
		const near = didYouMean(name, Object.values(reading.tagNames));
		refuse(` ${showText(name)}: no such user tag${near}`, "write the name of a user tag or its id");
	}
	// It becomes a part of an expression.
	if (!uuid.test(tagId)) refuse(` ${showText(name)}: the id of the tag is no UUID`, "fence another tag");
	checkMembers(reading, tagId);
	const tag = reading.tagNames[tagId] ?? tagId;
	writeNewFile(file, documentOf(organizationId, tag, tagId), terminal);
	writeNewFile(cases, casesOf(organizationId, tag), terminal);
	const { local = false } = flags;
	const nextCommand = commandText({ command: "test" }, { local, file: [file], ...defined({ url: flags.url }) });
	return { ...resultHead("init", exitCodes.inSync, null), file, casesFile: cases, organizationId, nextCommand };
}

function refuse(why: string, hint: string): never {
	throw new ConfigurationError(`--fence-credentials${why}`, { hint });
}

function checkMembers({ access, credentials, userNames, readAtMs }: AccessReading, tagId: string): void {
	const { users, rootQuorum } = access;
	for (const { because } of unreadIn({ users, credentials, rootQuorum }))
		refuse(`: ${reasonText(because)}`, "use a key that may read users and the root quorum");
	if (!users.known || !credentials.known || !rootQuorum.known) return;
	const isMember = new Set(
		users.value.flatMap(({ id, tagIds }) => (tagIds.known && tagIds.value.includes(tagId) ? id : [])),
	);
	const hidden = users.value.find(({ tagIds }) => !tagIds.known);
	if (hidden !== undefined) refuse(`: the tags of the user ${hidden.id} are unknown`, "use a key that may read them");
	if (isMember.size === users.value.length)
		refuse(": every user has this tag, so no one could give a key", "fence a tag of agents only");
	const name = (id: string): string => showText((userNames.known ? userNames.value[id] : "") || id);
	const { threshold, userIds } = rootQuorum.value;
	const root = userIds.find((id) => threshold === 1 && isMember.has(id));
	if (root !== undefined)
		refuse(`: no policy binds ${name(root)}, who alone is the root quorum`, "take the tag from this user");
	const [first, ...more] = listUnfenceable(
		credentials.value.filter(({ id }) => isMember.has(id)),
		readAtMs,
	);
	if (first === undefined) return;
	const others = more.length === 0 ? "" : `; the same is so of ${more.map(({ userId }) => name(userId)).join(", ")}`;
	refuse(`: ${sayWhy(first, name)}${others}`, "give the user a lasting credential first, such as an authenticator");
}

function sayWhy({ userId, until, because }: Unfenceable, name: (id: string) => string): string {
	if (because !== null) return `it is unknown whether a credential of ${name(userId)} lasts: ${reasonText(because)}`;
	const when = until === null ? "at an unknown time" : new Date(until).toISOString();
	return `the last credential of ${name(userId)} expires ${when}, and behind the fence this user could not renew it`;
}

/**
 * Unverified, chosen: kinds beside resources, because not every version of them is documented with a resource. Removals are denied
 * too, because the service's pages disagree on whether policies about some changes of own credentials leave the others allowed.
 */
const documentOf = (
	organizationId: string,
	tag: string,
	tagId: string,
): string => `# Keeps the users of the tag ${showText(tag)} from giving themselves a credential. Others can still give them one.
organizationId: ${organizationId}
policies:
  - name: ${JSON.stringify(`${tag}: no changes of credentials`)}
    effect: deny
    consensus: approvers.any(user, user.tags.contains('${tagId}'))
    condition: |-
      activity.resource == 'CREDENTIAL'
      || activity.kind in ['CREATE_API_KEYS', 'CREATE_AUTHENTICATORS', 'CREATE_OAUTH_PROVIDERS']
  - name: ${JSON.stringify(`${tag}: no recovery`)}
    effect: deny
    consensus: approvers.any(user, user.tags.contains('${tagId}'))
    condition: |-
      activity.resource == 'RECOVERY'
      || activity.kind in ['INIT_USER_EMAIL_RECOVERY', 'RECOVER_USER']
`;

const casesOf = (organizationId: string, tag: string): string => `organizationId: ${organizationId}
given: { users: { newcomer: [${JSON.stringify(tag)}] } } # a user of the tag who does not exist yet
tests:
  - { name: the fenced change no credentials of their own, power: ownCredentials, never: [newcomer] }
  - { name: the fenced change no credentials of others, power: credentials, never: [newcomer] }
  - { name: the fenced recover no user, power: recovery, never: [newcomer] }
  # A fence holds only if the fenced cannot take it down, or leave it.
  - { name: the fenced change no policies, power: policies, never: [newcomer] }
  - { name: the fenced change no tags and users, power: users, never: [newcomer] }
`;
