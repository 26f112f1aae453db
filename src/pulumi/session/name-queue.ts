/** Tags and policies that wait for a name that another one still has, and whether they wait in a circle. */
import { LiveProblemError } from "../../common/errors.ts";
import type { DesiredPolicy, DesiredUserTag } from "../../plan/organization.ts";

/** The name is taken by an object that the target does not rename. */
export class NameTakenError extends LiveProblemError {}

export type Named = DesiredUserTag | DesiredPolicy;

export interface Waiter {
	readonly wanted: Named & { readonly id: string };
	readonly holderId: string;
	readonly wake: () => void;
}

/** The objects of one session that wait for a name. */
export class NameQueue {
	/** By organization and id. */
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

	/** Waits until one has changed since `version`, or the time is up. Returns a circle at once if this one closes it. */
	async wait(
		organizationId: string,
		{ wanted, holderId }: Omit<Waiter, "wake">,
		version: number,
		timeoutMs: number,
	): Promise<readonly Named[]> {
		const circle = this.#findCircle(organizationId, wanted, holderId);
		if (circle.length > 0 || version !== this.#version) return circle;
		const key = `${organizationId} ${wanted.id}`;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, timeoutMs);
			const wake = (): void => {
				clearTimeout(timer);
				resolve();
			};
			this.#waiters.set(key, { wanted, holderId, wake });
		});
		this.#waiters.delete(key);
		return [];
	}

	#findCircle(organizationId: string, wanted: Waiter["wanted"], holderId: string): readonly Named[] {
		const circle = [wanted];
		for (let next = holderId; next !== wanted.id; ) {
			const waiter = this.#waiters.get(`${organizationId} ${next}`);
			if (waiter === undefined || circle.includes(waiter.wanted)) return [];
			circle.push(waiter.wanted);
			next = waiter.holderId;
		}
		return circle;
	}
}
