/**
 * Who waits for a name that another tag still holds, and whether they wait in a circle.
 */
import { LiveProblemError } from "../errors.ts";
import type { DesiredUserTag } from "../plan/organization.ts";

/** A name is held by a tag that the wish itself does not rename. */
export class NameTakenError extends LiveProblemError {}

export interface Waiter {
	readonly tag: DesiredUserTag & { readonly id: string };
	readonly holderId: string;
	readonly wake: () => void;
}

/** Who waits for a name in one session. */
export class NameQueue {
	/** By organization and tag id. */
	readonly #waiters = new Map<string, Waiter>();
	#version = 0;

	/** How often names may have become free so far. */
	get version(): number {
		return this.#version;
	}

	/** Lets everybody who waits look again. */
	wakeAll(): void {
		this.#version += 1;
		for (const waiter of this.#waiters.values()) waiter.wake();
	}

	/**
	 * The tags that wait for each other in a circle, which nobody but the caller can break; or, once some tag has changed
	 * since `version` or the time is up, an empty list.
	 */
	async wait(
		organizationId: string,
		{ tag, holderId }: Omit<Waiter, "wake">,
		version: number,
		timeoutMs: number,
	): Promise<readonly DesiredUserTag[]> {
		const circle = this.#findCircle(organizationId, tag, holderId);
		if (circle.length > 0 || version !== this.#version) return circle;
		const key = `${organizationId} ${tag.id}`;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, timeoutMs);
			const wake = (): void => {
				clearTimeout(timer);
				resolve();
			};
			this.#waiters.set(key, { tag, holderId, wake });
		});
		this.#waiters.delete(key);
		return [];
	}

	#findCircle(organizationId: string, tag: Waiter["tag"], holderId: string): readonly DesiredUserTag[] {
		const circle = [tag];
		for (let next = holderId; next !== tag.id; ) {
			const waiter = this.#waiters.get(`${organizationId} ${next}`);
			if (waiter === undefined || circle.includes(waiter.tag)) return [];
			circle.push(waiter.tag);
			next = waiter.holderId;
		}
		return circle;
	}
}
