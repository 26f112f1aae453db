/** Guards of policies and tags that a document writes: limits, live text that is replaced, tags that policies still name. */
import type { AccessState } from "../../policy/access.ts";
import { type Change, isWritten } from "../change.ts";
import { accessAfter } from "../impact/access-after.ts";
import { idsOfReferences, tagsNamedBy } from "../kinds/references.ts";
import { type DesiredOrganization, type LiveOrganization, policiesOf } from "../organization.ts";
import { isCovered, type Step } from "../step.ts";
import { groupSteps } from "../step-groups.ts";
import { compareText } from "../value.ts";
import { type Guard, guardOf, judgeLimit } from "./guards.ts";

/** What these guards judge. */
interface JudgedWrites {
	readonly changes: readonly Change[];
	readonly steps: readonly Step[];
	/** Left out: it was not read. */
	readonly access: AccessState | undefined;
}

export function judgeWrites(
	desired: DesiredOrganization,
	live: LiveOrganization,
	{ changes, steps, access }: JudgedWrites,
): readonly Guard[] {
	const written = changes.filter(isWritten);
	const updates = written.filter(({ action }) => action === "update");
	// A takeover was judged when it was submitted: one of which every activity is pending is not judged again.
	const { pending, sent } = groupSteps(steps);
	const isPending = (address: string): boolean =>
		pending.some((one) => isCovered(address, one)) && !sent.some((one) => isCovered(address, one));
	const takeovers = written.filter(({ takesOver, address }) => takesOver && !isPending(address));
	const { policyUpdates, takeovers: maxTakeovers } = desired.limits;
	// In the first apply of an organization, nothing was applied from here yet.
	const isFirst = live.lastApplied.policies === undefined;
	return [
		...judgeUnlisted(desired, live, changes),
		...judgeLimit("policyUpdates", updates, policyUpdates, "updates"),
		...judgeLimit("takeovers", takeovers, maxTakeovers ?? (isFirst ? takeovers.length : 0), "takeovers"),
		...judgeDangling(changes, steps, access),
		...judgeRebound(desired, live),
	];
}

/** By default, a complete list removes at most this part of what is live. */
const maxUnlistedPercent = 50;

/** Where a list is complete and no limit is written, more than half of what is live stays. */
function judgeUnlisted(
	{ exactly, limits }: DesiredOrganization,
	live: LiveOrganization,
	changes: readonly Change[],
): readonly Guard[] {
	const all = { policies: live.removables.policy, userTags: live.userTags };
	return (["policies", "userTags"] as const).flatMap((kind): readonly Guard[] => {
		const known = all[kind];
		const name = kind === "policies" ? "policy" : "userTag";
		const removed = changes.filter((change) => change.action === "remove" && change.kind === name);
		const limit = limits[kind];
		if (limit !== undefined) return kind === "policies" ? [] : judgeLimit(kind, removed, limit, "removals");
		const count = known.known ? known.value.length : 0;
		const most = exactly?.[kind] === undefined ? removed.length : Math.floor((count * maxUnlistedPercent) / 100);
		return removed.length <= most ? [] : judgeLimit(kind, removed, most, "removals");
	});
}

/** A policy that names a removed tag stays, and matches no user by it: a deny stops. */
function judgeDangling(
	changes: readonly Change[],
	steps: readonly Step[],
	access: AccessState | undefined,
): readonly Guard[] {
	const removed = changes.filter((change) => change.kind === "userTag").filter(({ action }) => action === "remove");
	const after = access === undefined || removed.length === 0 ? undefined : accessAfter(access, steps).policies;
	const uses = removed.map(({ address, tagId }) => ({
		address,
		policies: after?.known
			? after.value.filter((one) =>
					[one.consensus, one.condition, one.time].some((text) => text.toLowerCase().includes(tagId)),
				)
			: null,
	}));
	const dangling = uses.filter(({ policies }) => policies === null || policies.length > 0);
	const where = dangling.map(({ address }) => address).sort(compareText);
	return guardOf("danglingTags", dangling.length, where, { what: "dangling-tags", uses: dangling });
}

/** A name that a policy uses means another tag than when it was applied: someone deleted the tag and made another one. */
function judgeRebound(desired: DesiredOrganization, live: LiveOrganization): readonly Guard[] {
	const named = new Set(policiesOf(desired).flatMap(tagsNamedBy));
	if (named.size === 0 || !live.userTags.known) return [];
	const { userTags } = idsOfReferences(desired, live);
	const liveTags = new Map(live.userTags.value.map((tag) => [tag.id, tag]));
	const applied = Object.entries(live.lastApplied.userTags);
	const rebound = [...named].flatMap((name) => {
		const id = userTags.get(name);
		const before = applied.filter(([, one]) => one.name === name).map(([tagId]) => tagId);
		const tag = liveTags.get(id ?? "");
		if (tag === undefined || before.length === 0 || before.includes(tag.id)) return [];
		// A tag that was renamed has its own entry: its old name can go to another one.
		const gone = before.filter((tagId) => !liveTags.has(tagId));
		if (gone.length === 0) return [];
		return [{ name, before: gone, now: tag.id, userIds: tag.members.known ? tag.members.value : null }];
	});
	const where = rebound.map(({ name }) => `userTag:${name}`).sort(compareText);
	return guardOf("rebound", rebound.length, where, { what: "rebound", tags: rebound });
}
