/** Tags that wait for a name that another tag still has, and whether they wait in a circle. */
import { LiveProblemError } from "../../common/errors.ts";
import type { DesiredUserTag } from "../../plan/organization.ts";

/** The name is taken by a tag that the target does not rename. */
export class NameTakenError extends LiveProblemError {}

export interface Waiter {
	readonly tag: DesiredUserTag & { readonly id: string };
	readonly holderId: string;
	readonly wake: () => void;
}

/** The tags of one session that wait for a name. */
export class NameQueue {
	/** By organization and tag id. */
	readonly #waiters = new Map<string, Waiter>();
	#version = 0;

	/** Increases whenever a name may have become free. */
	get version(): number {
		return this.#version;
	}

	wakeAll(): void {
		this.#version += 1;
		for (const waiter of this.#waiters.values()) waiter.wake();
	}

	/** Waits until a tag has changed since `version`, or the time is up. Returns the tags of a circle at once if this one closes it. */
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
