/** What can happen in a history of policies and tags, drawn from numbers. */
import { type OthersDo, othersDo } from "./others.ts";
import type { Loss, Point } from "./service.ts";

export interface Trouble {
	readonly losses: readonly Loss[];
	readonly kill: Point | undefined;
	/** What happens in the middle of the run. */
	readonly meanwhile: (Point & { readonly happens: readonly Action[] }) | undefined;
}

export type Action =
	| {
			readonly kind: "apply";
			readonly machine: 0 | 1;
			readonly retryRejected: boolean;
			readonly trouble: Trouble;
	  }
	/** Another user does this to an object that the document names, or to its name. */
	| { readonly kind: "others"; readonly what: OthersDo; readonly which: number }
	| { readonly kind: "vote"; readonly how: "approve_activity" | "reject_activity"; readonly which: number }
	| { readonly kind: "pass"; readonly ms: number }
	| {
			readonly kind: "fault";
			readonly operation: string;
			readonly fault: "fail" | "reject" | "fewer-ids" | "fewer-policies";
	  }
	| { readonly kind: "deliver" }
	| { readonly kind: "lose-journal"; readonly machine: 0 | 1 };

export interface Setting {
	readonly isShared: boolean;
	readonly concurrency: number;
	/** How long a request takes, in milliseconds. */
	readonly stepMs: number;
	readonly startMs: number;
	readonly actions: readonly Action[];
}

const quarterHourMs = 900_000;
/** The beginning of a quarter of an hour, long after any key of these worlds was made. */
const baseMs = Date.UTC(2026, 8, 1, 12);

export function drawSetting(random: () => number): Setting {
	const draw = new Draw(random);
	return {
		isShared: random() < 0.5,
		concurrency: draw.of([1, 1, 4]),
		stepMs: draw.of([0, 10, 400, 1500]),
		startMs: baseMs + draw.of([0, 60_000, quarterHourMs / 2, quarterHourMs - 3000]),
		actions: Array.from({ length: 1 + Math.floor(random() * 6) }, () => draw.action(true)),
	};
}

class Draw {
	readonly #random: () => number;

	constructor(random: () => number) {
		this.#random = random;
	}

	of<T>(list: readonly T[]): T {
		return list[Math.floor(this.#random() * list.length)] as T;
	}

	action(mayRun: boolean): Action {
		const luck = this.#random();
		if (luck < 0.45) {
			if (mayRun) return this.#apply(true);
			return luck < 0.1 ? this.#apply(false) : this.#others();
		}
		if (luck < 0.62) return this.#others();
		if (luck < 0.8) {
			const how = this.of(["approve_activity", "approve_activity", "approve_activity", "reject_activity"] as const);
			return { kind: "vote", how, which: Math.floor(this.#random() * 8) };
		}
		if (luck < 0.88) return { kind: "pass", ms: this.of([1000, 180_000, 900_000, 2_400_000, 7_200_000, 90_000_000]) };
		if (luck < 0.95) return this.#fault();
		return luck < 0.98 ? { kind: "deliver" } : { kind: "lose-journal", machine: this.of([0, 1]) };
	}

	#others(): Action {
		return { kind: "others", what: this.of(othersDo), which: Math.floor(this.#random() * 1000) };
	}

	#fault(): Action {
		const isOfCreation = this.#random() < 0.6;
		return isOfCreation
			? { kind: "fault", operation: "create_policies", fault: this.of(["fewer-ids", "fewer-policies"]) }
			: { kind: "fault", operation: "*", fault: this.of(["fail", "reject"]) };
	}

	#apply(mayNest: boolean): Action {
		const luck = this.#random();
		const point = (): Point => ({ at: 1 + Math.floor(this.#random() * 18), when: this.of(["before", "after"]) });
		const losses = (): readonly Loss[] =>
			Array.from({ length: 3 }, () => this.of<Loss>(["none", "lost-before", "lost-after", "late"]));
		return {
			...{ kind: "apply", machine: this.of([0, 1]), retryRejected: this.#random() < 0.1 },
			trouble: {
				losses: luck < 0.3 ? losses() : [],
				kill: luck > 0.25 && luck < 0.45 ? point() : undefined,
				meanwhile:
					mayNest && luck > 0.35 && luck < 0.85
						? {
								...point(),
								happens: Array.from({ length: 1 + Math.floor(this.#random() * 2) }, () => this.action(false)),
							}
						: undefined,
			},
		};
	}
}
