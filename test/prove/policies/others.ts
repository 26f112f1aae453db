/** What others do to an object that the document names, or to its name. */
import type { Service } from "./service.ts";
import type { Kind } from "./world.ts";

export const othersDo = [
	"create",
	"delete",
	"rename-away",
	"rename-into",
	"change",
	"submit",
	"submit-removal",
] as const;

export type OthersDo = (typeof othersDo)[number];

interface Target {
	readonly kind: Kind;
	readonly name: string;
	/** What the document wants of a policy. */
	readonly text: Readonly<Record<string, string>> | undefined;
}

/** Returns whether it was possible. */
export async function changeByOthers(
	service: Service,
	what: OthersDo,
	which: number,
	{ kind, name, text }: Target,
): Promise<boolean> {
	const ofKind = service.live().filter((one) => one.kind === kind);
	const holder = ofKind.find((one) => one.name === name);
	const other = ofKind.find((one) => one.name !== name);
	const isPolicy = kind === "policy";
	const give = (id: string, given: string, more: object = {}) =>
		service.change(
			isPolicy
				? { policies: [{ policyId: id, policyName: given, ...more }] }
				: { userTags: [{ tagId: id, tagName: given, ...more }] },
		);
	const written = { effect: "EFFECT_ALLOW", condition: "false", consensus: "", notes: "", ...text };
	if (what === "submit") {
		const policies = [{ policyName: name, ...written, ...(which % 2 === 0 ? { notes: "by bob" } : {}) }];
		return isPolicy
			? service.submitAs("bob", "create_policies", { policies }) === 200
			: service.submitAs("bob", "create_user_tag", { userTagName: name, userIds: [] }) === 200;
	}
	if (what === "create") {
		const newId = `f0000000-0000-4000-8000-${String(service.moment).padStart(12, "0")}`;
		return holder === undefined && give(newId, name, isPolicy && which % 3 > 0 ? written : {});
	}
	if (what === "rename-into") return holder === undefined && other !== undefined && give(other.id, name);
	if (holder === undefined) return false;
	if (what === "delete")
		return service.change({ remove: isPolicy ? { policies: [holder.id] } : { userTags: [holder.id] } });
	if (what === "rename-away") return give(holder.id, `moved ${name}`);
	if (what === "change") return give(holder.id, name, isPolicy ? { notes: `by others ${which}` } : { userIds: [] });
	return isPolicy
		? service.submitAs("bob", "delete_policies", { policyIds: [holder.id] }) === 200
		: service.submitAs("bob", "delete_user_tags", { userTagIds: [holder.id] }) === 200;
}
