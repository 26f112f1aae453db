/** Guards in the comparison with a base: one change must not both widen access and loosen the limit that would stop it. */
import type { Guard } from "../guards/guards.ts";
import type { DesiredOrganization } from "../organization.ts";

/** What a base document limits, protects and asks for. */
export type BaseLimits = Pick<DesiredOrganization, "limits" | "protect" | "rules"> &
	Partial<Pick<DesiredOrganization, "users" | "cases" | "accessTests">>;

/** Returns the guards by the limits of both documents: of each kind, the one that blocks, or else finds more. Both protect. */
export function judgeByStricter(
	desired: DesiredOrganization,
	base: BaseLimits | undefined,
	judge: (desired: DesiredOrganization) => readonly Guard[],
): readonly Guard[] {
	if (base === undefined) return judge(desired);
	const protect = uniteProtection(desired.protect, base.protect);
	const own = judge({ ...desired, protect });
	const byBase = judge({ ...desired, protect, limits: base.limits }).map((guard) => ({
		...guard,
		isOfBase: true as const,
	}));
	const stricter = own.map((guard) => {
		const other = byBase.find(({ kind }) => kind === guard.kind);
		return other !== undefined && isStricter(other, guard) ? other : guard;
	});
	const added = byBase.filter(({ kind, refuses }) => refuses && !own.some((guard) => guard.kind === kind));
	return [...stricter, ...added];
}

function isStricter(one: Guard, other: Guard): boolean {
	return one.refuses === other.refuses ? one.refuses && one.found > other.found : one.refuses;
}

function uniteProtection(
	one: DesiredOrganization["protect"],
	other: DesiredOrganization["protect"],
): DesiredOrganization["protect"] {
	const both = (key: "userIds" | "userTags" | "policies"): readonly string[] =>
		[...new Set([...(one[key] ?? []), ...(other[key] ?? [])])].sort();
	return { userIds: both("userIds"), userTags: both("userTags"), policies: both("policies") };
}
