/** One history: a world, machines, and what happens in order. */
import { join } from "node:path";
import type { Ended } from "../command.ts";
import { isOpen } from "../invariants.ts";
import type { Counts } from "../proof.ts";
import { randomFrom } from "../proof.ts";
import { changesOf, drawWorld, isVote, keys, type ListedActivity, type SmallWorld, users } from "../small-world.ts";
import type { Action, Machine as MachineNumber, Setting, Trouble, Voter } from "./actions.ts";
import { isRebound } from "./ends.ts";
import { Judge, type Running } from "./judge.ts";
import { type Clock, Machine } from "./machines.ts";
import { changeOutside, submitOutside } from "./outside.ts";
import type { Script, Service } from "./service.ts";

/** The beginning of a quarter of an hour, long after any key of these worlds was made. */
const baseMs = Date.UTC(2026, 8, 1, 12);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const crowdSize = 101;

export class History {
	readonly #service: Service;
	readonly #setting: Setting;
	readonly #world: SmallWorld;
	readonly #counts: Counts;
	readonly #machines: readonly [Machine, Machine];
	readonly #voters: Readonly<Record<Voter, Machine>>;
	readonly #judge: Judge;
	#doors = 0;
	#outside = 0;
	#isCrowded = false;

	private constructor(service: Service, given: Setting, world: SmallWorld, folder: string, counts: Counts) {
		this.#service = service;
		this.#setting = given;
		this.#world = world;
		this.#counts = counts;
		const first = new Machine(join(folder, "machine-0"), world.document);
		const second = new Machine(join(folder, "machine-1"), world.document, given.isShared ? first.journal : undefined);
		this.#machines = [first, second];
		this.#voters = {
			bob: new Machine(join(folder, "bob"), world.document),
			carol: new Machine(join(folder, "carol"), world.document),
		};
		this.#judge = new Judge(service, given, world, counts);
	}

	static async begin(service: Service, given: Setting, folder: string, counts: Counts): Promise<History> {
		const { approvals, pendingMs, deniedReads, isLimited, reads } = given;
		const writes = given.writes && reads === "all" && !isLimited;
		const drawn = drawWorld(randomFrom(given.world), { approvals, pendingMs, writes });
		if (writes) counts.add("documents that write policies and tags");
		const limits = "limits: { memberRemovals: 1, policies: 1, oauthProviders: 1, tvcApps: 0 }";
		const document = isLimited ? drawn.document.replace(/^limits: .*$/m, limits) : drawn.document;
		const world = { ...drawn, document };
		await service.begin(world.seed, reads, baseMs + given.startMs);
		const { rules } = world.seed as unknown as { rules: object };
		if (deniedReads.length > 0) await service.setRules({ ...rules, denyReads: [...deniedReads] });
		service.cursor = given.cursor;
		return new History(service, given, world, folder, counts);
	}

	/** What was done so far, for people. */
	get lines(): readonly string[] {
		return this.#judge.lines;
	}

	async take(action: Action): Promise<void> {
		this.#counts.add("commands");
		await this.#happen(action);
		if (this.#service.broken !== undefined) throw this.#service.broken;
		this.#service.nowMs += 1000;
	}

	async #happen(action: Action): Promise<void> {
		switch (action.kind) {
			case "apply":
			case "up":
			case "apply-and-wait":
				return this.#apply(action);
			case "read":
				return this.#read(action.command, action.machine, action.trouble);
			case "vote-command": {
				const words = [
					action.command,
					"--yes",
					...(action.command === "reject"
						? this.#pendingOf(3)
								.slice(0, 1)
								.map(({ id }) => id)
						: []),
				];
				if (action.command === "reject" && words.length === 2) return;
				await this.#run({ words, who: action.who, machine: this.#voters[action.who], may: "vote" }, action.trouble);
				return;
			}
			default:
				return this.#event(action);
		}
	}

	async #event(action: Action): Promise<void> {
		const service = this.#service;
		switch (action.kind) {
			case "vote": {
				const pending = this.#pendingOf(action.which + 1);
				const target = pending[action.which % Math.max(1, pending.length)];
				if (target !== undefined) this.#vote(target, action.who, action.how);
				return;
			}
			case "pass":
				this.#judge.say(`${action.ms / 1000} s pass`);
				service.nowMs += action.ms;
				return;
			case "set-clock":
				this.#judge.say(`the clock of machine ${action.machine} is ${action.minutes} minutes ahead`);
				this.#machines[action.machine].aheadMs = action.minutes * minuteMs;
				return;
			case "outside-state":
				this.#judge.othersChanged(await changeOutside(service, this.#world, action.which));
				return;
			case "outside-activity":
				this.#outside += 1;
				this.#judge.othersChanged(submitOutside(service, this.#judge.wanted, action.which, this.#outside));
				return;
			case "next-outcome":
				this.#judge.say(`the next activity will ${action.outcome}`);
				service.addOutcome(action.outcome);
				return;
			case "journal":
				return this.#changeJournal(action.what, action.machine);
			default:
				return this.#crowd();
		}
	}

	#changeJournal(what: "lose" | "back-up" | "restore", number: MachineNumber): void {
		const { journal } = this.#machines[number];
		// A journal is not exchanged under a run; that run warns (test/sync/journal/journal-file.test.ts).
		if (this.#judge.isRunning) return;
		this.#judge.say(`machine ${number}: journal: ${what}`);
		if (what === "lose") journal.lose();
		else if (what === "restore") journal.restore();
		else journal.backUp();
	}

	/** Activities of others, more than a page shows, about a policy that the document does not name. Once. */
	#crowd(): void {
		if (this.#setting.approvals === 1 || this.#isCrowded) return;
		this.#isCrowded = true;
		this.#counts.add("crowds of more than 100 pending activities");
		this.#judge.say(`bob submits ${crowdSize} activities about another policy`);
		const policyIds = ["90000000-0000-4000-8000-000000000004"];
		for (let count = 1; count <= crowdSize; count += 1) {
			this.#service.submitAs(keys.bob, "delete_policies", { policyIds }, this.#service.nowMs - count);
		}
	}

	/** The pending activities about objects of the document, oldest first. */
	#pendingOf(count: number): readonly ListedActivity[] {
		return this.#service
			.look()
			.activities.filter(
				(one) => !isVote(one) && isOpen(one) && changesOf(one).some((change) => this.#judge.asksFor(change)),
			)
			.slice(0, count);
	}

	#vote(target: ListedActivity, who: keyof typeof keys, how: "approve_activity" | "reject_activity"): void {
		const { fingerprint, id, votes, status } = target;
		const isActive = (vote: object) =>
			this.#service.nowMs - Number((vote as Dated).createdAt.seconds) * 1000 < 24 * hourMs;
		const hasVoted = votes.some((vote) => vote.userId === users[who] && isActive(vote));
		if (status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED" || hasVoted) return;
		this.#judge.say(`${who}: ${how} ${id}`);
		// The same bytes of two users would be one vote.
		const atMs = this.#service.nowMs - Object.keys(users).indexOf(who);
		this.#service.submitAs(keys[who], how, { fingerprint }, atMs);
		this.#counts.add("votes");
	}

	async #apply(action: Extract<Action, { kind: "apply" | "up" | "apply-and-wait" }>): Promise<void> {
		const machine = this.#machines[action.machine];
		if (action.kind === "up") {
			this.#counts.add("pulumi runs");
			await this.#run({ words: ["up"], who: "alice", machine, may: "change" }, action.trouble);
			return;
		}
		const words = ["apply", "--yes", "--concurrency", String(this.#setting.concurrency)];
		if (action.kind === "apply") {
			const more = action.retryRejected ? ["--retry-rejected"] : [];
			await this.#run({ words: [...words, ...more], who: "alice", machine, may: "change" }, action.trouble);
			return;
		}
		const events = [...action.inPauses];
		const onPause = async () => {
			const next = events.shift();
			if (next !== undefined) await this.#event(next);
		};
		await this.#run(
			{ words: [...words, "--wait-for-approval", "5m"], who: "alice", machine, may: "change" },
			action.trouble,
			onPause,
		);
	}

	async #read(command: string, machine: MachineNumber, trouble: Trouble): Promise<void> {
		this.#counts.add("readings");
		const more = command === "wait" ? ["--wait", "60"] : [];
		await this.#run(
			{ words: [command, ...more], who: "alice", machine: this.#machines[machine], may: "read" },
			trouble,
		);
	}

	/** Runs one command behind a door of its own. */
	async #run(run: Omit<Running, "door">, trouble: Trouble, onPause = async (): Promise<void> => {}): Promise<Ended> {
		this.#doors += 1;
		const door = `door-${this.#doors}`;
		const { machine, words } = run;
		const running: Running = { ...run, door };
		const isOuter = !this.#judge.isRunning;
		const script = this.#scriptOf(trouble, running);
		const url = this.#service.open(door, script);
		this.#judge.begin(running, this.#nameOf(running), trouble);
		const clock: Clock = {
			now: () => this.#service.nowMs,
			sleep: async (ms) => {
				this.#service.nowMs += ms;
				await onPause();
			},
		};
		const ended = /^(up|preview)$/.test(words[0] ?? "")
			? await machine.pulumi(words[0] as "up" | "preview", url, clock)
			: await machine.command(words, running.who, url, clock);
		const wasKilled = this.#service.wasKilled(door);
		if (wasKilled) {
			machine.journal.putKilledBack();
			this.#counts.add("kills");
		}
		this.#judge.end(running, ended, wasKilled);
		if (isOuter && this.#service.broken !== undefined) throw this.#service.broken;
		return ended;
	}

	#nameOf({ machine, words, who }: Running): string {
		const number = this.#machines.indexOf(machine);
		return `${number < 0 ? who : `machine ${number}`}: ${words.join(" ")}`;
	}

	#scriptOf({ mishaps, queryMishaps, kill, meanwhile }: Trouble, { machine, may }: Running): Script {
		return {
			mishaps: [...mishaps],
			queryMishaps: [...queryMishaps],
			knows: (fingerprint) => machine.journal.known.has(fingerprint),
			// What a killed run wrote is taken back by putting the file back, so no other run may have it open.
			kill: this.#judge.openOf(machine.journal) > 0 ? undefined : kill,
			// A reading writes nothing, and another run may have the file open.
			onKill: () => {
				if (may !== "read" && this.#judge.openOf(machine.journal) === 1) machine.journal.keepAsKilled();
			},
			meanwhile: meanwhile && {
				...meanwhile,
				happen: async () => {
					this.#judge.say(`  ${meanwhile.when} request ${meanwhile.at} of it:`);
					for (const action of meanwhile.happens) await this.#happen(action);
					this.#judge.say("  and it goes on");
				},
			},
		};
	}

	/** After the last fault: approvals come, and one more apply on each machine is in sync. */
	async end(): Promise<void> {
		const service = this.#service;
		this.#judge.say("the faults end");
		service.clearOutcomes();
		service.cursor = "as-documented";
		const { rules } = this.#world.seed as unknown as { rules: object };
		await service.setRules({ ...rules, denyReads: [] });
		for (const machine of this.#machines) machine.aheadMs = 0;
		const maxRounds = 6;
		const words = ["apply", "--yes", "--retry-rejected"];
		const [machine] = this.#machines;
		let last = "";
		for (let round = 0; round < maxRounds; round += 1) {
			const ended = await this.#run({ words, who: "alice", machine, may: "change" }, calm);
			last = ended.stdout + ended.stderr;
			if (ended.code === 0) return this.#judge.judgeEnd(this.#machines);
			if (!this.#judge.mayEnd(ended, machine)) return;
			if (isRebound(ended)) words.push("--allow", "rebound=1");
			// A request in doubt may still arrive for an hour.
			if (ended.code !== 8) service.nowMs += 75 * minuteMs;
			if (ended.code !== 8) continue;
			for (const one of this.#pendingOf(Number.POSITIVE_INFINITY)) {
				for (const who of ["alice", "bob", "carol"] as const) {
					const now = service.look().activities.find(({ id }) => id === one.id);
					if (now !== undefined) this.#vote(now, who, "approve_activity");
				}
			}
			service.nowMs += 5 * minuteMs;
		}
		if (this.#setting.reads === "documented") return this.#counts.add("ended pending: activities unreadable");
		this.#judge.fail(`${maxRounds} more applies with approvals in between are not enough:\n${last}`);
	}
}

interface Dated {
	readonly createdAt: { readonly seconds: string };
}

const calm: Trouble = { mishaps: [], queryMishaps: [], kill: undefined, meanwhile: undefined };
