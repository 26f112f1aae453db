/** The history of a policy: the activities that created, changed and removed it, as far as they are listed. */
import { compareText } from "../value.ts";
import { createdBy, idOf, idsOfName, policyWrites, type RecordedActivity } from "./named-writes.ts";

/** An activity with what a reader wants to know of it. */
export interface PolicyActivity extends RecordedActivity {
	readonly activityId: string;
	readonly status: string;
	/** The submitter; null where the service does not say. */
	readonly userId: string | null;
	readonly userName: string | null;
	/** When it was last updated, ISO 8601 in UTC; null where the service does not say. */
	readonly at: string | null;
}

export interface PolicyEvent extends Omit<PolicyActivity, "type" | "intent" | "result"> {
	readonly what: "create" | "update" | "remove";
	/** Null of a policy that is not created yet. */
	readonly policyId: string | null;
	/** By the words of documents, what it sets to another value than completed activities before it. */
	readonly fields: Readonly<Record<string, string>>;
}

const fieldNames: ReadonlyMap<string, readonly string[]> = new Map([
	["name", ["policyName"]],
	["effect", ["effect", "policyEffect"]],
	["consensus", ["consensus", "policyConsensus"]],
	["condition", ["condition", "policyCondition"]],
	["time", ["time"]],
	["notes", ["notes", "policyNotes"]],
]);

const effectWords: ReadonlyMap<string, string> = new Map([
	["EFFECT_ALLOW", "allow"],
	["EFFECT_DENY", "deny"],
]);

/** Returns the events of policies with one of these ids, or that had this name at a time; the oldest first. */
export function historyOf(
	all: readonly PolicyActivity[],
	{ name, ids }: { readonly name: string | null; readonly ids: readonly string[] },
): readonly PolicyEvent[] {
	const wanted = new Set([...ids, ...(name === null ? [] : idsOfName(name, policyWrites, all))]);
	const known = new Map<string, Readonly<Record<string, string>>>();
	return all
		.flatMap((activity) => eventsOf(activity, wanted, name))
		.sort((left, right) => compareText(left.at ?? "", right.at ?? ""))
		.map((event) => {
			const before = known.get(event.policyId ?? "") ?? {};
			const fields = Object.fromEntries(
				Object.entries(event.fields).filter(
					([field, value]) => (before[field] ?? (event.what === "create" ? "" : null)) !== value,
				),
			);
			if (event.status === "ACTIVITY_STATUS_COMPLETED" && event.policyId !== null)
				known.set(event.policyId, { ...before, ...event.fields });
			return { ...event, fields };
		});
}

function eventsOf(activity: PolicyActivity, ids: ReadonlySet<string>, name: string | null): readonly PolicyEvent[] {
	const { type, intent, result: _result, ...about } = activity;
	const { creates, updates, removes } = policyWrites;
	if (creates.test(type)) {
		return createdBy(activity)
			.filter(({ id, content }) => (id === null ? name !== null && content.policyName === name : ids.has(id)))
			.map(({ id, content }) => ({ ...about, what: "create", policyId: id, fields: fieldsOf(content) }));
	}
	if (updates.test(type)) {
		const id = idOf(intent.policyId);
		return id !== null && ids.has(id) ? [{ ...about, what: "update", policyId: id, fields: fieldsOf(intent) }] : [];
	}
	if (!removes.test(type)) return [];
	const removed = [intent.policyId, ...(Array.isArray(intent.policyIds) ? intent.policyIds : [])].flatMap(
		(id) => idOf(id) ?? [],
	);
	return removed.filter((id) => ids.has(id)).map((id) => ({ ...about, what: "remove", policyId: id, fields: {} }));
}

function fieldsOf(content: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
	const entries = [...fieldNames].flatMap(([field, names]) => {
		const value = names.map((name) => content[name]).find((one) => typeof one === "string");
		if (typeof value !== "string") return [];
		return [[field, field === "effect" ? (effectWords.get(value) ?? value) : value] as const];
	});
	return Object.fromEntries(entries);
}
