/** Activities that give an object its name, and take it away: what they say of which id had which name. */
import { isRecord } from "../../common/json.ts";

/** An activity, as far as it says this: the inner objects of intent and result. */
export interface RecordedActivity {
	readonly type: string;
	readonly intent: Readonly<Record<string, unknown>>;
	readonly result: Readonly<Record<string, unknown>>;
}

/** Activities of one kind of object, whatever the version of their type. */
export interface NamedWrites {
	readonly creates: RegExp;
	readonly removes: RegExp;
	readonly updates: RegExp;
	/** The members of an intent: the name of a new object, a new name, and the id of what is updated. */
	readonly created: string;
	readonly renamed: string;
	readonly updatedId: string;
}

export const policyWrites: NamedWrites = {
	creates: /_CREATE_POLIC(?:Y|IES)(?:_V\d+)?$/,
	removes: /_DELETE_POLIC(?:Y|IES)(?:_V\d+)?$/,
	updates: /_UPDATE_POLICY(?:_V\d+)?$/,
	...{ created: "policyName", renamed: "policyName", updatedId: "policyId" },
};

export const tagWrites: NamedWrites = {
	creates: /_CREATE_USER_TAG(?:_V\d+)?$/,
	removes: /_DELETE_USER_TAGS?(?:_V\d+)?$/,
	updates: /_UPDATE_USER_TAG(?:_V\d+)?$/,
	...{ created: "userTagName", renamed: "newUserTagName", updatedId: "userTagId" },
};

/** One object that an activity created; null where the result does not say its id. */
interface CreatedObject {
	readonly id: string | null;
	readonly content: Readonly<Record<string, unknown>>;
}

/** Returns what an activity creates. Results list ids in the order of the intent (docs/internals/service.md#extended-submits). */
export function createdBy({ intent, result }: RecordedActivity): readonly CreatedObject[] {
	const wanted = Array.isArray(intent.policies) ? intent.policies.filter(isRecord) : [intent];
	const ids: readonly unknown[] = Array.isArray(result.policyIds)
		? result.policyIds
		: [result.policyId ?? result.userTagId];
	const isComplete = wanted.length === ids.length;
	return wanted.map((content, index) => ({ content, id: isComplete ? idOf(ids[index]) : null }));
}

/** Returns the ids of objects that had this name at a time. */
export function idsOfName(
	name: string,
	{ creates, updates, created, renamed, updatedId }: NamedWrites,
	all: readonly RecordedActivity[],
): ReadonlySet<string> {
	return new Set(
		all.flatMap((activity): readonly string[] => {
			const { type, intent } = activity;
			if (creates.test(type))
				return createdBy(activity).flatMap(({ id, content }) => (content[created] === name && id !== null ? id : []));
			return updates.test(type) && intent[renamed] === name ? [idOf(intent[updatedId]) ?? ""] : [];
		}),
	);
}

/** Returns an id in lower case; null for anything else. */
export function idOf(value: unknown): string | null {
	return typeof value === "string" ? value.toLowerCase() : null;
}
