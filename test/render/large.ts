/** Plans of any size whose changes can be counted. */
import { makePlan, type Plan } from "../../src/plan/plan.ts";
import { context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../plan/support-organizations.ts";

/**
 * A plan in which every tag gains 15 of a hundred users, loses 15 and keeps 35: with 100 tags and 100 users 3,000 changes.
 * `quiet` users keep what they have.
 */
export function largePlan({ tags = 100, users = 100, quiet = 0 } = {}): Plan {
	const names = Array.from({ length: users }, (_, index) => [`user-${pad(index)}`, id("user", index)] as const);
	const idle = Array.from(
		{ length: quiet },
		(_, index) => [`quiet-${pad(index)}`, id("user", 10_000 + index)] as const,
	);
	const kept = idle.map(([, userId]) => userId);
	// 13 and 100 share no divisor, so every user has each part in some tag.
	const part = (tag: number, user: number): number => ((user * 100) / users + tag * 13) % 100;
	const between = (tag: number, from: number, to: number): readonly string[] => [
		...names.flatMap(([, userId], user) => (part(tag, user) >= from && part(tag, user) < to ? [userId] : [])),
		...kept,
	];
	const each = <T>(make: (tag: number) => T): readonly T[] => Array.from({ length: tags }, (_, tag) => make(tag));
	return makePlan(
		desiredOf({
			users: Object.fromEntries([...names, ...idle]),
			userTags: each((tag) =>
				wantTag(`tag-${pad(tag)}`, { members: { mode: "exactly", exactly: [...between(tag, 15, 65)].sort() } }),
			),
		}),
		liveOf({
			userTags: known(
				each((tag) => liveTag(tag, `tag-${pad(tag)}`, { members: known([...between(tag, 0, 50)].sort()) })),
			),
		}),
		context,
	);
}

function pad(number: number): string {
	return String(number).padStart(2, "0");
}
