/**
 * Turns answers of the service into live objects: ids in lower case, lists sorted, unknown parts kept unknown. Pure.
 */
import type { Known, LiveRecord, LiveRemovable, LiveUserTag } from "../plan/organization.ts";
import { compareText, digestOf } from "../plan/value.ts";
import { readTime } from "../wire/activity.ts";
import type { QueryOperation } from "../wire/operations.ts";

/** Returns the tags of `list_user_tags`, sorted by id, with the members that `list_users` shows. */
export function toUserTags(answer: LiveRecord, users: Known<LiveRecord>): readonly LiveUserTag[] {
	const members = users.known ? membersByTag(users.value) : undefined;
	return (answer.userTags as readonly LiveRecord[])
		.map((tag): LiveUserTag => {
			const id = String(tag.tagId).toLowerCase();
			return {
				id,
				name: String(tag.tagName),
				type: typeof tag.tagType === "string" ? tag.tagType : "",
				updatedAt: toInstant(tag.updatedAt),
				...timeOf(tag.updatedAt),
				members: members === undefined ? (users as Known<never>) : { known: true, value: members.get(id) ?? [] },
			};
		})
		.sort((left, right) => compareText(left.id, right.id));
}

function membersByTag(answer: LiveRecord): ReadonlyMap<string, readonly string[]> {
	const members = new Map<string, string[]>();
	for (const user of answer.users as readonly LiveRecord[]) {
		for (const tagId of (user.userTags ?? []) as readonly string[]) {
			const id = tagId.toLowerCase();
			const list = members.get(id) ?? [];
			list.push(String(user.userId).toLowerCase());
			members.set(id, list);
		}
	}
	for (const list of members.values()) list.sort(compareText);
	return members;
}

/** Returns the names of users that `list_users` shows. */
export function toUserNames(users: Known<LiveRecord>): Known<Readonly<Record<string, string>>> {
	if (!users.known) return users;
	const entries = ((users.value.users ?? []) as readonly LiveRecord[]).map(
		(user) => [String(user.userId).toLowerCase(), stringOr(user.userName, "")] as const,
	);
	return { known: true, value: Object.fromEntries(entries) };
}

/** Returns the OAuth providers that `list_users` shows. */
export function toOauthProviders(users: Known<LiveRecord>): Known<readonly LiveRemovable[]> {
	if (!users.known) return users;
	const value = (users.value.users as readonly LiveRecord[]).flatMap((user) =>
		((user.oauthProviders ?? []) as readonly LiveRecord[]).map((provider) => ({
			userId: String(user.userId).toLowerCase(),
			id: String(provider.providerId).toLowerCase(),
			name: stringOr(provider.providerName, ""),
			digest: digestRecord(provider),
		})),
	);
	return { known: true, value };
}

/** Returns the digest of an object without its times: it stays the same when a change is reverted. */
function digestRecord({ createdAt: _createdAt, updatedAt: _updatedAt, ...record }: LiveRecord): string {
	// Upper and lower case make the same id.
	const text = JSON.stringify(record).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, (id) => id.toLowerCase());
	return digestOf(JSON.parse(text));
}

/** Returns the objects of an answer's list, each with its id and name. */
export function toNamed(
	answer: Known<LiveRecord>,
	{ answerKey }: QueryOperation,
	idField: string,
	nameField: string,
): Known<readonly LiveRemovable[]> {
	if (!answer.known) return answer;
	const value = (answer.value[answerKey] as readonly LiveRecord[]).map((item) => ({
		id: String(item[idField]).toLowerCase(),
		userId: null,
		name: stringOr(item[nameField], ""),
		digest: digestRecord(item),
	}));
	return { known: true, value };
}

function timeOf(value: unknown): Pick<LiveUserTag, "updatedAtMs"> {
	const updatedAtMs = readTime(value);
	return updatedAtMs === undefined ? {} : { updatedAtMs };
}

/** `{seconds, nanos}` or a plain string, as one text to compare (docs/service.md#times). */
function toInstant(value: unknown): string {
	if (typeof value === "string") return value;
	if (value === null || typeof value !== "object") return "";
	const { seconds, nanos } = value as { seconds?: unknown; nanos?: unknown };
	return `${seconds ?? ""}.${nanos ?? ""}`;
}

/** Returns the value if it is a string. */
export function stringOr(value: unknown, otherwise: string): string {
	return typeof value === "string" ? value : otherwise;
}
