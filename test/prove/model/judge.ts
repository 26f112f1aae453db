/** Holds each request of a history to the invariants, as the service sees it, and shows what happened. */
import type { Ended } from "../command.ts";
import { type Duplicate, findBrokenCourse, findDuplicates, readRequests } from "../invariants.ts";
import type { Counts } from "../proof.ts";
import {
	asksFor,
	type Change,
	changesOf,
	hasChange,
	isVote,
	type keys,
	type ListedActivity,
	missingFrom,
	type SmallWorld,
} from "../small-world.ts";
import type { Setting, Trouble } from "./actions.ts";
import { explainEnd } from "./ends.ts";
import type { JournalFile, Machine } from "./machines.ts";
import type { Arrived, Service } from "./service.ts";

/** A command that runs, or a program of Pulumi. */
export interface Running {
	readonly words: readonly string[];
	readonly who: keyof typeof keys;
	readonly machine: Machine;
	/** What it may submit. */
	readonly may: "read" | "change" | "vote";
	readonly door: string;
}

/** A run, as far as the judge follows it. */
interface Followed {
	readonly running: Running;
	readonly beganAt: number;
	readonly beganMs: number;
	/** When it last listed the activities; before: undefined. */
	listedAt: number | undefined;
	removals: number;
	readonly answered: string[];
}

const quarterHourMs = 900_000;
/** The third policy of the limits in a history with limits. */
const limits = { remove: 1, policy: 1, provider: 1, app: 0 } as const;

export class Judge {
	readonly #service: Service;
	readonly #setting: Setting;
	readonly #world: SmallWorld;
	readonly #counts: Counts;
	readonly #followed = new Map<string, Followed>();
	/** The runs that have not ended, the innermost last. */
	readonly #stack: Followed[] = [];
	readonly #lines: string[] = [];
	/** All that the document asks for, done or not. */
	readonly wanted: readonly Change[];
	/** Counts what happens, so that two moments can be compared. */
	#moment = 0;
	#hasLeftOut = false;
	#othersChangedAt = -1;
	/** When each activity was made, and when anything about an object last changed. */
	readonly #madeAt = new Map<string, number>();
	readonly #touchedAt = new Map<string, number>();
	readonly #completedAt = new Map<string, number>();
	readonly #makers = new Map<string, string>();
	/** What the service refused, and has not accepted since, by fingerprint: what a run believes does not count. */
	readonly #refused = new Set<string>();

	constructor(service: Service, given: Setting, world: SmallWorld, counts: Counts) {
		this.#service = service;
		this.#setting = given;
		this.#world = world;
		this.#counts = counts;
		const names = [...world.document.matchAll(/- { id: ([\w-]+), name: ([\w-]+)/g)];
		this.wanted = [...new Set([...names.map(([, id, name]) => `name ${id} ${name}`), ...world.asked])];
		service.onArrival = (arrived) => this.#judgeArrival(arrived);
		service.onAnswered = (door, fingerprint) => this.#followed.get(door)?.answered.push(fingerprint);
	}

	get lines(): readonly string[] {
		return this.#lines;
	}

	asksFor(change: Change): boolean {
		return this.wanted.includes(change) || asksFor(this.#world, change);
	}

	get isRunning(): boolean {
		return this.#stack.length > 0;
	}

	/** How many runs that have not ended use this journal. */
	openOf(journal: JournalFile): number {
		return this.#stack.filter(({ running }) => running.machine.journal === journal).length;
	}

	say(line: string): void {
		this.#moment += 1;
		const time = new Date(this.#service.nowMs).toISOString().slice(11, 19);
		this.#lines.push(`${time} ${"  ".repeat(this.#stack.length)}${line}`);
	}

	fail(what: string): never {
		throw new Error(what);
	}

	/** Others changed the organization, or submitted something. */
	othersChanged(what: string): void {
		// What completed by a vote before this, without a request that was judged, came first.
		this.#followCompletions(this.#service.look().activities);
		this.say(what);
		this.#othersChangedAt = this.#moment;
		this.#touchAll();
	}

	#touchAll(): void {
		for (const change of this.wanted) this.#touchedAt.set(objectOf(change), this.#moment);
	}

	begin(running: Running, name: string, trouble: Trouble): void {
		this.say(`${name}${describe(trouble)}`);
		const beganMs = this.#service.nowMs;
		const followed: Followed = {
			running,
			beganMs,
			beganAt: this.#moment,
			listedAt: undefined,
			removals: 0,
			answered: [],
		};
		this.#followed.set(running.door, followed);
		if (running.words.includes("--retry-rejected")) running.machine.journal.retriedAt = this.#moment;
		this.#stack.push(followed);
	}

	/** Judges how a run ended. */
	end({ door, words, machine }: Running, ended: Ended, wasKilled: boolean): void {
		const followed = this.#followed.get(door);
		this.#stack.splice(this.#stack.indexOf(followed as Followed), 1);
		this.say(wasKilled ? "it was killed" : `exit ${ended.code}`);
		if (wasKilled) return;
		const text = ended.stdout + ended.stderr;
		const slip = /\n\s+at .*\(|unexpected error|\bundefined\b|\[object|\bNaN\b/.exec(text);
		if (slip !== null) this.fail(`${words[0]} printed ${JSON.stringify(slip[0])}:\n${text}`);
		if (followed === undefined || followed.running.may !== "change") return;
		const known = new Map(
			followed.answered.length === 0 ? [] : readRequests(machine.journal.path).map((row) => [row.fingerprint, row]),
		);
		for (const fingerprint of followed.answered) {
			const row = known.get(fingerprint);
			if (row === undefined) this.fail(`the journal has nothing of an answered request: ${fingerprint}\n${text}`);
			if (row.activityId === null)
				this.fail(`the journal has no activity of an answered request: ${fingerprint} (${row.outcome})\n${text}`);
		}
	}

	#judgeArrival({ door, name, isSubmit, before, after, fingerprint, status }: Arrived): void {
		this.#moment += 1;
		if (isSubmit && status === 200) this.#refused.delete(fingerprint);
		else if (isSubmit) this.#refused.add(fingerprint);
		const followed = this.#followed.get(door);
		if (followed === undefined) return;
		if (name === "list_activities") followed.listedAt = this.#moment;
		if (!isSubmit || before === undefined || after === undefined) return;
		this.#counts.add("submits");
		const { may, machine, words } = followed.running;
		const isBallot = name === "approve_activity" || name === "reject_activity";
		if (may === "read") this.fail(`${words[0]} submitted ${name}`);
		if ((may === "vote") !== isBallot) this.fail(`${words[0]} submitted ${name}`);
		const broken = findBrokenCourse(before, after, this.#setting.approvals);
		if (broken !== undefined) this.fail(broken);
		this.#followCompletions(after.activities);
		const made = after.activities.filter(({ id }) => !before.activities.some((one) => one.id === id));
		for (const one of made) {
			if (isVote(one)) continue;
			this.#counts.add("activities");
			this.say(`  ${one.id} ${one.status}: ${changesOf(one).join(", ")}`);
			this.#judgeMade(one, followed, before);
			this.#madeAt.set(one.id, this.#moment);
			this.#makers.set(one.id, door);
		}
		const { known, refused } = machine.journal;
		if (status === 200) refused.delete(fingerprint);
		else if (!known.has(fingerprint)) refused.add(fingerprint);
		known.add(fingerprint);
	}

	/** Notes which activities are completed now, and what they changed. */
	#followCompletions(activities: readonly ListedActivity[]): void {
		for (const one of activities) {
			if (one.status !== "ACTIVITY_STATUS_COMPLETED" || isVote(one) || this.#completedAt.has(one.id)) continue;
			this.#completedAt.set(one.id, this.#moment);
			for (const change of changesOf(one)) this.#touchedAt.set(objectOf(change), this.#moment);
		}
	}

	#judgeMade(made: ListedActivity, followed: Followed, before: NonNullable<Arrived["before"]>): void {
		for (const change of changesOf(made)) {
			if (!this.asksFor(change)) this.fail(`the document does not ask for: ${change}`);
		}
		this.#judgeLimits(made, followed);
		const duplicates = findDuplicates(made, before).filter((one) => !this.#isAllowed(one, made, followed));
		const [first] = duplicates;
		if (first !== undefined) this.fail(`one change twice: ${first.change}: ${made.id}, although ${first.why}`);
		this.#judgeRejected(made, followed, before.activities);
	}

	/** Removals of one run, against the limits of the document. */
	#judgeLimits(made: ListedActivity, followed: Followed): void {
		if (!this.#setting.isLimited) return;
		const changes = changesOf(made);
		const removed = changes.filter((change) => change.startsWith("remove ")).length;
		followed.removals += removed;
		const over = Object.entries(limits).find(([kind, limit]) =>
			kind === "remove"
				? followed.removals > limit
				: changes.filter((change) => change.startsWith(`no ${kind} `)).length > limit,
		);
		if (over !== undefined)
			this.fail(`a guard was passed: more than ${over[1]} of "${over[0]}" in one run: ${changes.join(", ")}`);
	}

	/** A change that was rejected is not submitted again. */
	#judgeRejected(made: ListedActivity, { running }: Followed, earlier: readonly ListedActivity[]): void {
		if (running.words.includes("--retry-rejected")) return;
		const { journal } = running.machine;
		const changes = [...changesOf(made)].sort().join();
		// An imitated refusal hides the activity that there is.
		const answered = readRequests(journal.path).filter(({ activityId }) => activityId !== null);
		// One that was asked again since, and failed, is a question that is open again.
		const last = earlier.findLast(
			(one) =>
				answered.some(({ activityId }) => activityId === one.id) && [...changesOf(one)].sort().join() === changes,
		);
		const rejected = last?.status === "ACTIVITY_STATUS_REJECTED" ? last : undefined;
		const rejectedAt = this.#madeAt.get(rejected?.id ?? "") ?? 0;
		// What others did since can make it a new question. So does an operator who asks it again, even in a run that was killed.
		if (rejected === undefined || Math.max(this.#othersChangedAt, journal.retriedAt) > rejectedAt) return;
		this.fail(`a rejected change was submitted again: ${changes}: ${rejected.id}, then ${made.id}`);
	}

	/** Whether this duplicate is one that no run could know of. Counts those that are left out, by name. */
	#isAllowed({ change, earlier }: Duplicate, made: ListedActivity, followed: Followed): boolean {
		const { journal } = followed.running.machine;
		const isUnread = this.#setting.reads === "documented";
		const cannotList = isUnread || this.#setting.deniedReads.includes("list_activities");
		if (this.#othersChangedAt >= followed.beganAt && (earlier === undefined || !this.#makers.has(earlier.id)))
			return true;
		if (earlier !== undefined && this.#makers.get(earlier.id) !== followed.running.door) {
			if (cannotList && endedAtMs(earlier) >= followed.beganMs)
				return this.#leaveOut("an activity ended while a run read, activities unreadable");
			if ((this.#madeAt.get(earlier.id) ?? 0) > followed.beganAt)
				return this.#leaveOut("another run submitted other bytes about the same object meanwhile");
		}
		const isKnown =
			earlier !== undefined && journal.known.has(earlier.fingerprint) && !journal.refused.has(earlier.fingerprint);
		if (isUnread && (earlier === undefined || this.#wasTouchedSince(earlier, change))) return true;
		if (isKnown || earlier === undefined) return false;
		const isAnotherQuarter = quarterOf(earlier) !== quarterOf(made);
		if (cannotList && journal.hasForgotten && isAnotherQuarter)
			return this.#leaveOut("journal lost, activities unreadable, another quarter of an hour");
		if (cannotList && !this.#makers.has(earlier.id))
			return this.#leaveOut("another tool submitted it, activities unreadable");
		const isOther = [...changesOf(earlier)].sort().join() !== [...changesOf(made)].sort().join();
		const hasChangedSince = (this.#touchedAt.get(objectOf(change)) ?? 0) > (this.#madeAt.get(earlier.id) ?? 0);
		if (cannotList && (isOther || hasChangedSince))
			return this.#leaveOut("two runners without a shared journal saw other live state, activities unreadable");
		if (cannotList && [...journal.known].some((one) => this.#refused.has(one)))
			return this.#leaveOut("two runners without a shared journal, one was refused before, activities unreadable");
		const couldSee = !cannotList && (followed.listedAt ?? followed.beganAt) > (this.#madeAt.get(earlier.id) ?? 0);
		if (!couldSee && isAnotherQuarter)
			return this.#leaveOut("two runners without a shared journal in different quarter-hours");
		const hidesByRename = changesOf(earlier).some((one) => one.startsWith("name "));
		if (isUnread && /^(add|remove) /.test(change) && hidesByRename)
			return this.#leaveOut("members unreadable, and the rename of the same request completed");
		return false;
	}

	#leaveOut(name: string): true {
		this.#hasLeftOut = true;
		this.#counts.add(`left out: ${name}`);
		return true;
	}

	/** Whether something else happened to the object since the activity completed, which a run without extended reads cannot distinguish. */
	#wasTouchedSince({ id }: ListedActivity, change: Change): boolean {
		const completedAt = this.#completedAt.get(id);
		return completedAt !== undefined && (this.#touchedAt.get(objectOf(change)) ?? 0) > completedAt;
	}

	/** Whether the next apply can go on after a run of the last phase that ended like this. Throws for an end that nothing explains. */
	mayEnd(ended: Ended, { journal }: Machine): boolean {
		const { activities } = this.#service.look();
		const why = explainEnd(ended, {
			...this.#setting,
			hasAll: this.#setting.isShared && !journal.hasForgotten,
			hasLeftOut: this.#hasLeftOut,
			removedByOthers: activities.some(({ id }) => !this.#makers.has(id) && this.#completedAt.has(id)),
		});
		if (why === null)
			this.fail(`after the last fault, one more apply ends with ${ended.code}:\n${ended.stdout}${ended.stderr}`);
		if (why === "next") return true;
		this.#counts.add(why.name);
		return false;
	}

	/** Judges what is left in the end. */
	judgeEnd(machines: readonly Machine[]): void {
		const seen = this.#service.look();
		this.#counts.add("converged");
		if (this.#setting.reads === "documented") return;
		const missing = [
			...missingFrom(this.#world, seen.organization),
			...this.wanted.filter((one) => !hasChange(seen.organization, one)),
		];
		if (missing.length > 0) this.fail(`apply says in sync, and the organization does not have: ${missing.join(", ")}`);
		for (const { journal } of machines) {
			if (journal.known.size === 0) continue;
			const known = new Set(readRequests(journal.path).map(({ fingerprint }) => fingerprint));
			const lost = [...journal.known].filter((fingerprint) => !known.has(fingerprint));
			const ofActivities = lost.filter((fingerprint) => seen.activities.some((one) => one.fingerprint === fingerprint));
			if (ofActivities.length > 0) this.fail(`the journal has lost: ${ofActivities.join(", ")}`);
		}
	}
}

/** The quarter of an hour in which its bytes were made: a request in doubt is sent with the same bytes later. */
function quarterOf({ votes }: ListedActivity): number {
	const { timestampMs } = JSON.parse(votes[0]?.message ?? "{}") as { timestampMs?: string };
	return Math.floor(Number(timestampMs) / quarterHourMs);
}

/** When a completed activity ended, in milliseconds since 1970; before all time for others. */
function endedAtMs(activity: ListedActivity): number {
	const { updatedAt } = activity as unknown as { updatedAt: { seconds: string; nanos: string } };
	return activity.status === "ACTIVITY_STATUS_COMPLETED"
		? Number(updatedAt.seconds) * 1000 + Number(updatedAt.nanos) / 1e6
		: 0;
}

/** The object that a change is about: a tag, or what is removed. */
function objectOf(change: Change): string {
	const [, first = "", second = ""] = change.split(" ");
	return /^(no|create) /.test(change) ? second : first;
}

function describe({ mishaps, queryMishaps, kill, meanwhile }: Trouble): string {
	const parts = [
		...(mishaps.length === 0 ? [] : [`submits: ${mishaps.join(", ")}`]),
		...(queryMishaps.length === 0 ? [] : [`queries: ${queryMishaps.join(", ")}`]),
		...(kill === undefined ? [] : [`killed ${kill.when} request ${kill.at}`]),
		...(meanwhile === undefined ? [] : [`interrupted ${meanwhile.when} request ${meanwhile.at}`]),
	];
	return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}
