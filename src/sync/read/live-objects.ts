/** Turns answers of the service into live objects: ids in lower case, lists sorted, unknown parts kept unknown. Pure. */
import { defined } from "../../common/defined.ts";
import type { Known, LiveRecord, LiveRemovable, LiveUserTag } from "../../plan/organization.ts";
import { compareText, digestOf } from "../../plan/value.ts";
import { mapKnown } from "../../policy/access.ts";
import { readTime } from "../../wire/activity.ts";

/** Returns the list under this key of an answer or a record; an empty one if it is left out. */
export function recordsOf(record: LiveRecord, key: string): readonly LiveRecord[] {
	return (record[key] ?? []) as readonly LiveRecord[];
}

/** Returns an id as orgsync compares it. */
export function toId(value: unknown): string {
	return String(value).toLowerCase();
}

/** What was read last from an answer of `list_user_tags`, and from which members. */
const read = new WeakMap<LiveRecord, { readonly from: LiveRecord | string; readonly tags: readonly LiveUserTag[] }>();

/** Returns the tags, sorted by id, with the members that `list_users` shows, read once for all resources that share an answer. */
export function toUserTags(answer: LiveRecord, users: Known<LiveRecord>): readonly LiveUserTag[] {
	const from = users.known ? users.value : users.because;
	const known = read.get(answer);
	if (known?.from === from) return known.tags;
	const tags = readUserTags(answer, users);
	read.set(answer, { from, tags });
	return tags;
}

function readUserTags(answer: LiveRecord, users: Known<LiveRecord>): readonly LiveUserTag[] {
	const members = mapKnown(users, membersByTag);
	return recordsOf(answer, "userTags")
		.map((tag): LiveUserTag => {
			const id = toId(tag.tagId);
			return {
				id,
				name: String(tag.tagName),
				type: textOf(tag.tagType),
				updatedAt: toInstant(tag.updatedAt),
				...defined({ updatedAtMs: readTime(tag.updatedAt) }),
				...(isUnchanged(tag) ? { isUnchanged: true } : {}),
				members: mapKnown(members, (ofTag) => (ofTag.get(id) ?? []).map(({ userId }) => userId).sort(compareText)),
			};
		})
		.sort((left, right) => compareText(left.id, right.id));
}

function membersByTag(answer: LiveRecord): ReadonlyMap<string, readonly { readonly userId: string }[]> {
	const pairs = recordsOf(answer, "users").flatMap(({ userId, userTags }) =>
		((userTags ?? []) as readonly string[]).map((tagId) => ({ tagId: toId(tagId), userId: toId(userId) })),
	);
	return Map.groupBy(pairs, ({ tagId }) => tagId);
}

/** Returns the function, which reads each answer once: a thousand resources share one. */
export function onceEach<T>(read: (answer: LiveRecord) => T): (answer: LiveRecord) => T {
	const found = new WeakMap<LiveRecord, { readonly value: T }>();
	return (answer) => {
		const known = found.get(answer) ?? { value: read(answer) };
		found.set(answer, known);
		return known.value;
	};
}

const readUserNames = onceEach(
	(answer): Readonly<Record<string, string>> =>
		Object.fromEntries(recordsOf(answer, "users").map((user) => [toId(user.userId), textOf(user.userName)])),
);

/** Returns the names of users that `list_users` shows, by id. */
export function toUserNames(users: Known<LiveRecord>): Known<Readonly<Record<string, string>>> {
	return mapKnown(users, readUserNames);
}

/** Returns the object of a record whose members `idField` and `nameField` hold its id and its name. */
export function toRemovable(
	record: LiveRecord,
	idField: string,
	nameField: string,
	userId: string | null = null,
): LiveRemovable {
	return { id: toId(record[idField]), userId, name: textOf(record[nameField]), digest: digestRecord(record) };
}

/** Returns the digest of an object without its times: it stays the same when a change is reverted. */
function digestRecord({ createdAt: _createdAt, updatedAt: _updatedAt, ...record }: LiveRecord): string {
	// Upper and lower case make the same id.
	const text = JSON.stringify(record).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, toId);
	return digestOf(JSON.parse(text));
}

function isUnchanged({ createdAt, updatedAt }: LiveRecord): boolean {
	return readTime(updatedAt) !== undefined && toInstant(createdAt) === toInstant(updatedAt);
}

/** `{seconds, nanos}` or a plain string, as one text to compare (docs/internals/service.md#times). */
function toInstant(value: unknown): string {
	if (typeof value === "string") return value;
	if (value === null || typeof value !== "object") return "";
	const { seconds, nanos } = value as { seconds?: unknown; nanos?: unknown };
	return `${seconds ?? ""}.${nanos ?? ""}`;
}

function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}
