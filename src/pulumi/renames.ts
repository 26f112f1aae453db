/**
 * Tags that take each other's names. Names are unique, and each resource is updated by itself: one whose new name another
 * tag still holds waits until that tag's resource has given it up, and where they wait in a circle, the one that closes it
 * makes a single plan for all of them (plan/steps.ts: one tag passes through a temporary name).
 */
import { tagsOf } from "../plan/organization.ts";
import { NameTakenError, type Waiter } from "./name-queue.ts";
import type { Converged, Session, Wanted } from "./session.ts";

/**
 * How long a resource waits, without any tag changing meanwhile, for another one to give up a name: the engine may begin
 * with that one only a little later.
 */
const patienceMs = 15_000;

/** What becomes of the wish, once the name that it wants is free. Throws what converge throws. */
export async function convergeInTurn(wanted: Wanted, session: Session): Promise<Converged> {
	for (let attempt = 1, waited = false; ; attempt += 1) {
		const { version } = session.names;
		try {
			return await session.converge(wanted);
		} catch (error) {
			if (!(error instanceof NameTakenError) || waited) throw error;
			// The first reading is shared and may be older than what has become free since.
			const held = attempt === 1 ? undefined : await findHolder(wanted, session);
			if (held !== undefined) {
				const { organizationId } = wanted.desired;
				const circle = await session.names.wait(organizationId, held, version, patienceMs);
				waited = circle.length === 0 && version === session.names.version;
				if (circle.length > 0) {
					const desired = { ...wanted.desired, userTags: circle };
					// Each of them was judged by its own limits before it waited.
					const converged = await session.converge({ ...wanted, desired }, { isJudged: false });
					if (converged.report?.converged !== true) return converged;
				}
			}
			session.forget(wanted.resource);
		}
	}
}

async function findHolder(wanted: Wanted, session: Session): Promise<Pick<Waiter, "tag" | "holderId"> | undefined> {
	const { userTags } = await session.read(wanted);
	const [tag] = tagsOf(wanted.desired);
	if (!userTags.known || tag === undefined) return undefined;
	const holder = userTags.value.find(({ name }) => name === tag.name);
	const own = userTags.value.find(({ id, name }) =>
		tag.id === undefined ? tag.previously.includes(name) : id === tag.id,
	);
	return holder === undefined || own === undefined ? undefined : { tag: { ...tag, id: own.id }, holderId: holder.id };
}
