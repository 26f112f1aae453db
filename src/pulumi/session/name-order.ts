/**
 * Order of renames. Names are unique, and each resource is updated separately: a tag or a policy whose new name another one still
 * has waits until that one is renamed. Where they wait in a circle, the last of them makes one plan for all (plan/renames.ts:
 * one gets a temporary name).
 */
import { type Named, NameTakenError, type Waiter } from "./name-queue.ts";
import type { ConvergeResult, ResourceTarget, Session } from "./session.ts";

/** How long a resource waits for a name while none changes: the engine may start the other resource a little later. */
const maxWaitMs = 15_000;

/** Brings the target in sync once the name that it needs is free. Throws what converge throws. */
export async function convergeWhenNameIsFree(target: ResourceTarget, session: Session): Promise<ConvergeResult> {
	for (let attempt = 1, hasTimedOut = false; ; attempt += 1) {
		const { version } = session.names;
		try {
			return await session.converge(target);
		} catch (error) {
			if (!(error instanceof NameTakenError) || hasTimedOut) throw error;
			// The first answer is shared, and may be older than a name that has become free.
			const taken = attempt === 1 ? undefined : await findTakenName(target, session);
			if (taken === undefined) {
				session.expireReads(target.resource);
				continue;
			}
			const leftMs = Math.min(maxWaitMs, session.deadline?.leftMs() ?? maxWaitMs);
			const circle = await session.names.wait(target.desired.organizationId, taken, version, leftMs);
			hasTimedOut = circle.length === 0 && version === session.names.version;
			const closed = await closeCircle(target, circle, session);
			if (closed !== undefined) return closed;
			session.expireReads(target.resource);
		}
	}
}

/** Renames a circle in one plan. Returns the result if that did not complete. */
async function closeCircle(
	target: ResourceTarget,
	circle: readonly Named[],
	session: Session,
): Promise<ConvergeResult | undefined> {
	if (circle.length === 0) return undefined;
	const desired = { ...target.desired, objects: circle };
	// The guards have checked each by its own limits before it waited.
	const result = await session.converge({ ...target, desired }, { isGuarded: false });
	return result.report?.inSync === true ? undefined : result;
}

/** The object of the target, and the one that has its new name; undefined if the name is free. */
async function findTakenName(
	target: ResourceTarget,
	session: Session,
): Promise<Pick<Waiter, "wanted" | "holderId"> | undefined> {
	const { userTags, policies } = await session.read(target);
	const [wanted] = target.desired.objects as readonly Named[];
	const all = wanted?.kind === "policy" ? policies : userTags;
	if (all?.known !== true || wanted === undefined) return undefined;
	const holder = all.value.find(({ name }) => name === wanted.name);
	const own = all.value.find(({ id, name }) =>
		wanted.id === undefined ? wanted.previously.includes(name) : id === wanted.id,
	);
	return holder === undefined || own === undefined
		? undefined
		: { wanted: { ...wanted, id: own.id }, holderId: holder.id };
}
