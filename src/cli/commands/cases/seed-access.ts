/** Who can do what in an organization of a seed file. What the seed leaves out is unknown, not empty. */
import { defined } from "../../../common/defined.ts";
import type { Seed } from "../../../emulator/server.ts";
import type { AccessState, Known } from "../../../policy/access.ts";
import { toAccessPolicies, toAccessUsers } from "../../../sync/read/access-objects.ts";

export function accessOfSeed({
	organizationName,
	users,
	userTags,
	policies,
	rootQuorum,
}: Seed["organizations"][number]) {
	const lower = (id: string): string => id.toLowerCase();
	const tagsOf = (userId: string): readonly string[] =>
		(userTags ?? [])
			.filter(({ userIds = [] }) => userIds.some((id) => lower(id) === lower(userId)))
			.map(({ tagId }) => tagId);
	const access: AccessState = {
		users:
			users === undefined || userTags === undefined
				? lacks(users === undefined ? "users" : "userTags")
				: toAccessUsers({ users: users.map((user) => ({ ...user, userTags: tagsOf(user.userId) })) }),
		policies:
			policies === undefined
				? lacks("policies")
				: toAccessPolicies({ policies: policies.map((one) => ({ effect: "EFFECT_ALLOW", ...one })) }),
		rootQuorum:
			rootQuorum === undefined
				? lacks("rootQuorum")
				: { known: true, value: { ...rootQuorum, userIds: rootQuorum.userIds.map(lower).sort() } },
	};
	return {
		...defined({ organizationName }),
		access,
		liveNames: Object.fromEntries((users ?? []).map(({ userId, userName }) => [lower(userId), userName])),
		tagNames: Object.fromEntries((userTags ?? []).map(({ tagId, tagName }) => [lower(tagId), tagName])),
	};
}

const lacks = (section: string): Known<never> => ({
	known: false,
	because: { kind: "stated", text: `the seed has no \`${section}\`` },
});
