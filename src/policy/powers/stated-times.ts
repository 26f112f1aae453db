/** What the service says of the times of policies, compared with our own judgement. */
import type { AccessPolicy } from "../access.ts";
import { judgeTime } from "./compile.ts";

/** Returns the policies, those of which the service says otherwise with its word. `activeById`: whether each was in force at `atMs`. */
export function withStatedTimes(
	policies: readonly AccessPolicy[],
	activeById: ReadonlyMap<string, boolean>,
	atMs: number,
): readonly AccessPolicy[] {
	return policies.map((policy) => {
		const isActive = activeById.get(policy.id);
		if (isActive === undefined || policy.time.trim() === "") return policy;
		const isSame = judgeTime(policy, atMs) === (isActive ? "open" : "closed");
		return isSame ? policy : { ...policy, stated: { isActive, atMs } };
	});
}
