/**
 * What a server answered, kept apart from it: it has to be there after every kill. Each text with versions has one client that
 * writes it, so that at most one version of it is in flight.
 */
import { createHash } from "node:crypto";

/** An activity as the service shows it. */
export interface ShownActivity {
	readonly id: string;
	readonly status: string;
	readonly fingerprint: string;
	readonly votes: readonly unknown[];
	readonly [name: string]: unknown;
}

/** A text that grows by versions: the name of a tag, or the notes of a policy. */
export class Versioned {
	readonly label: string;
	/** The version of the last change that was answered. */
	answered = 0;
	/** The version of the last change that was sent. */
	sent = 0;
	/** The newest version in any answer. */
	seen = 0;
	/** The bytes that make the version `sent`, by their fingerprint; undefined where no activity makes it. */
	fingerprint: string | undefined;

	constructor(label: string) {
		this.label = label;
	}

	textOf(version: number): string {
		return `${this.label} v${version}`;
	}

	/** What an answer may show at least. Take it before the request. */
	floor(): number {
		return Math.max(this.answered, this.seen);
	}

	/** Notes the version that an answer showed. Throws if it is older than `floor`, or was never sent. */
	see(text: unknown, floor: number, where: string): number {
		const version = Number(/ v(\d+)$/.exec(String(text))?.[1] ?? Number.NaN);
		if (!(version >= floor && version <= this.sent)) {
			const expected = floor === this.sent ? `${floor}` : `${floor} to ${this.sent}`;
			throw new Error(
				`${where}: shown is "${String(text)}" of ${this.label}; answered or shown before, or sent: v${expected}`,
			);
		}
		this.seen = Math.max(this.seen, version);
		return version;
	}
}

interface Known {
	readonly id: string;
	/** Of all that may not change any more; undefined while the activity can change. */
	digest: string | undefined;
	statuses: readonly string[];
	readonly label: string;
}

const finalStatuses = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_FAILED", "ACTIVITY_STATUS_REJECTED"];

function digestOf({
	id,
	status,
	fingerprint,
	votes,
	type,
	intent,
	result,
	createdAt,
	updatedAt,
}: ShownActivity): string {
	const parts = [id, status, fingerprint, votes, type, intent, result, createdAt, updatedAt];
	return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}

/** The activities of one organization that were answered, by fingerprint. */
export class Ledger {
	readonly #known = new Map<string, Known>();
	readonly #sent = new Set<string>();

	get size(): number {
		return this.#known.size;
	}

	/** Notes bytes before they are sent: only such bytes may be an activity. */
	sending(fingerprint: string): void {
		this.#sent.add(fingerprint);
	}

	/** Notes an activity of an answer. Throws if it contradicts what was answered before. `end` is how it can end on its own. */
	answer(activity: ShownActivity, label: string, end?: "COMPLETED"): void {
		const { fingerprint } = activity;
		if (!this.#sent.has(fingerprint)) throw new Error(`${label}: answered an activity whose bytes were never sent`);
		const known = this.#known.get(fingerprint);
		if (known !== undefined) {
			this.#compare(known, activity, label);
			return;
		}
		const isFinal = finalStatuses.includes(activity.status);
		const open = end === undefined ? ["CONSENSUS_NEEDED"] : ["CREATED", "PENDING", end];
		const statuses = isFinal ? [activity.status] : open.map((status) => `ACTIVITY_STATUS_${status}`);
		const digest = isFinal ? digestOf(activity) : undefined;
		if (!statuses.includes(activity.status)) throw new Error(`${label}: answered the status ${activity.status}`);
		this.#known.set(fingerprint, { id: activity.id, digest, statuses, label });
	}

	/** Allows these statuses: a vote that can end the activity is sent, or was answered. */
	allow(fingerprint: string, statuses: readonly string[]): void {
		const known = this.#known.get(fingerprint);
		if (known !== undefined) known.statuses = statuses.map((status) => `ACTIVITY_STATUS_${status}`);
	}

	#compare(known: Known, activity: ShownActivity, where: string): void {
		if (known.id !== activity.id) {
			throw new Error(`${where}: the bytes of ${known.label} are activity ${known.id} and now ${activity.id}`);
		}
		if (!known.statuses.includes(activity.status)) {
			throw new Error(
				`${where}: activity ${known.id} of ${known.label} is ${activity.status}, expected ${known.statuses.join(" or ")}`,
			);
		}
		if (!finalStatuses.includes(activity.status)) return;
		const digest = digestOf(activity);
		known.digest ??= digest;
		if (known.digest !== digest) {
			throw new Error(
				`${where}: activity ${known.id} of ${known.label} changed after it had ended: ${JSON.stringify(activity)}`,
			);
		}
	}

	/** Throws unless the activities are those that were answered, and others whose bytes were sent. Returns their number. */
	check(activities: readonly ShownActivity[], where: string): ReadonlySet<string> {
		const byFingerprint = new Map(activities.map((activity) => [activity.fingerprint, activity]));
		if (byFingerprint.size !== activities.length) throw new Error(`${where}: two activities have the same fingerprint`);
		for (const [fingerprint, known] of this.#known) {
			const activity = byFingerprint.get(fingerprint);
			if (activity === undefined) {
				throw new Error(`${where}: activity ${known.id} of ${known.label} was answered, and it is gone`);
			}
			this.#compare(known, activity, where);
		}
		for (const fingerprint of byFingerprint.keys()) {
			if (!this.#sent.has(fingerprint))
				throw new Error(`${where}: an activity has bytes that were never sent: ${fingerprint}`);
		}
		return new Set(byFingerprint.keys());
	}
}
