/**
 * Answers of the service as values of the live organization: ids in lower case, times and names in one form.
 */
import type { Known, LiveRecord, LiveUserTag } from "../plan/organization.ts";
import { compareText, digestOf } from "../plan/value.ts";
import { readTime } from "../wire/activity.ts";

/** The tags of `list_user_tags`, sorted by id, with the members that `list_users` shows. */
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

/** The names of users that `list_users` shows. */
export function toUserNames(users: Known<LiveRecord>): Known<Readonly<Record<string, string>>> {
	if (!users.known) return users;
	const entries = ((users.value.users ?? []) as readonly LiveRecord[]).map(
		(user) => [String(user.userId).toLowerCase(), stringOr(user.userName, "")] as const,
	);
	return { known: true, value: Object.fromEntries(entries) };
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

/** The value where it is a text. */
export function stringOr(value: unknown, otherwise: string): string {
	return typeof value === "string" ? value : otherwise;
}

/** Of all that the service says of an object but when it said so: editing it back and forth changes nothing. */
export function digestRecord({ createdAt: _createdAt, updatedAt: _updatedAt, ...record }: LiveRecord): string {
	// Ids are the same in any case.
	const text = JSON.stringify(record).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, (id) => id.toLowerCase());
	return digestOf(JSON.parse(text));
}
