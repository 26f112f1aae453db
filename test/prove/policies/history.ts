/** One history: a world, two machines, and what happens in order. */
import { OrgsyncError } from "../../../src/common/errors.ts";
import { remember } from "../../../src/common/remember.ts";
import { parseDocuments } from "../../../src/document/read/parse.ts";
import type { Store } from "../../../src/emulator/store.ts";
import type { DesiredOrganization } from "../../../src/plan/organization.ts";
import { exitCodeOf, type Report } from "../../../src/plan/report.ts";
import { applyPlan } from "../../../src/sync/apply.ts";
import { converge } from "../../../src/sync/converge.ts";
import { openJournal } from "../../../src/sync/journal/file.ts";
import type { Journal } from "../../../src/sync/journal/journal.ts";
import { settleOpenEntries } from "../../../src/sync/settle.ts";
import type { Submitter } from "../../../src/wire/client.ts";
import { parametersOf } from "../../../src/wire/request-body.ts";
import type { Counts } from "../proof.ts";
import { keys } from "../small-world.ts";
import type { Action, Setting, Trouble } from "./actions.ts";
import { createdNames, Judge } from "./judge.ts";
import { changeByOthers, type OthersDo } from "./others.ts";
import { Door, Service } from "./service.ts";
import type { Wanted, World } from "./world.ts";

const minuteMs = 60_000;
const calm: Trouble = { losses: [], kill: undefined, meanwhile: undefined };

/** What many histories share: making it takes longer than a history. */
export interface Shared {
	readonly store: Store;
	/** Two, which know nothing of the organization. */
	readonly journals: readonly [Journal, Journal];
	/** Of an organization that no history had. */
	readonly organizationId: string;
}

const parsed = new WeakMap<World, DesiredOrganization>();

function desiredOf(world: World, organizationId: string): DesiredOrganization {
	return { ...remember(parsed, world, () => parse({ organizationId, ...world.document })), organizationId };
}

function parse(document: object): DesiredOrganization {
	const content = JSON.stringify(document);
	const { organizations, problems } = parseDocuments([{ file: "orgsync.yaml", content }], {});
	const [desired] = organizations;
	if (desired !== undefined) return desired;
	throw new Error(`the proof's own document has problems: ${JSON.stringify(problems)}\n${content}`);
}

/** What one apply led to: its report, or why it submitted nothing. */
type Ended = Report | "killed" | "blocked" | "impossible" | { readonly error: string };

interface Run {
	readonly machine: 0 | 1;
	readonly trouble: Trouble;
	readonly retryRejected?: boolean;
	/** Whether guards are allowed. */
	readonly isAllowed?: boolean;
}

export class History {
	readonly #service: Service;
	readonly #setting: Setting;
	readonly #world: World;
	readonly #desired: DesiredOrganization;
	readonly #counts: Counts;
	#journals: readonly [Journal, Journal];
	/** Those that only this history has. */
	readonly #own: Journal[] = [];
	readonly #judge: Judge;
	#doors = 0;

	private constructor(
		service: Service,
		[first, second]: Shared["journals"],
		given: Setting,
		world: World,
		counts: Counts,
	) {
		this.#service = service;
		this.#setting = given;
		this.#world = world;
		this.#desired = desiredOf(world, service.organizationId);
		this.#journals = [first, given.isShared ? first : second];
		this.#counts = counts;
		this.#judge = new Judge(service, world, given.concurrency, counts);
	}

	static async begin(shared: Shared, given: Setting, world: World, counts: Counts): Promise<History> {
		const { store, journals, organizationId } = shared;
		const service = await Service.open(store, { ...world.seed, organizationId }, given);
		return new History(service, journals, given, world, counts);
	}

	get lines(): readonly string[] {
		return this.#judge.lines;
	}

	async take(action: Action): Promise<void> {
		this.#counts.add("commands");
		await this.#happen(action);
		this.#service.nowMs += 1000;
	}

	async #loseJournal(machine: 0 | 1): Promise<void> {
		const journal = await openJournal(":memory:");
		this.#own.push(journal);
		const [first, second] = this.#journals;
		const { isShared } = this.#setting;
		this.#journals = [machine === 0 || isShared ? journal : first, machine === 1 || isShared ? journal : second];
	}

	async #happen(action: Action): Promise<void> {
		const service = this.#service;
		switch (action.kind) {
			case "apply":
				await this.#run(action);
				break;
			case "others":
				await this.#others(action.what, action.which);
				break;
			case "vote":
				this.#vote(action.how, action.which);
				break;
			case "pass":
				this.#judge.say(`${action.ms / 1000} s pass`);
				service.nowMs += action.ms;
				break;
			case "fault":
				this.#judge.say(`the next ${action.operation}: ${action.fault}`);
				service.addFault(action.operation, action.fault);
				break;
			case "deliver":
				this.#judge.say("late requests arrive");
				service.deliver();
				break;
			default:
				// A run keeps the journal that it has open.
				this.#judge.say(`machine ${action.machine} loses its journal`);
				await this.#loseJournal(action.machine);
		}
		this.#judge.note();
	}

	#open() {
		return this.#service.activities().filter(({ status }) => status === "ACTIVITY_STATUS_CONSENSUS_NEEDED");
	}

	#vote(how: "approve_activity" | "reject_activity", which: number): void {
		const open = this.#open();
		const target = open[which % Math.max(1, open.length)];
		if (target === undefined) return;
		for (const who of which % 2 === 0 ? (["bob", "carol"] as const) : (["bob"] as const)) {
			const { fingerprint } = target;
			this.#service.submitAs(who, how, { fingerprint });
		}
		const now = this.#service.activities().find(({ id }) => id === target.id)?.status;
		this.#judge.say(`${how} ${target.operation} ${target.id}: ${now}`);
		this.#counts.add("votes");
	}

	/** Another user changes what the document names, or takes its name. */
	async #others(what: OthersDo, which: number): Promise<void> {
		const { wanted, absent } = this.#world;
		const names: readonly Pick<Wanted, "kind" | "name">[] = [...wanted, ...absent];
		const target = names[which % Math.max(1, names.length)];
		if (target === undefined) return;
		const text = wanted.find(({ kind, name }) => kind === "policy" && name === target.name)?.text;
		const done = await changeByOthers(this.#service, what, which, {
			...target,
			// As far as its tag is there.
			text: text && { ...text, consensus: this.#judge.consensusNow(text.consensus) },
		});
		this.#judge.say(`somebody: ${what} ${target.kind} ${target.name}: ${done ? "done" : "not possible"}`);
		if (done) this.#counts.add(`others: ${what}`);
	}

	/** Runs `apply` to its end, or until it is killed. */
	async #run(run: Run): Promise<Ended> {
		const { machine, trouble, isAllowed = false, retryRejected = false } = run;
		this.#doors += 1;
		const judge = this.#judge;
		let hasHappened = false;
		const { meanwhile } = trouble;
		const door: Door = new Door(`run ${this.#doors}`, {
			losses: [...trouble.losses],
			kill: trouble.kill,
			meanwhile: meanwhile && {
				...meanwhile,
				happen: async () => {
					hasHappened = true;
					judge.say(`  ${meanwhile.when} request ${meanwhile.at} of ${door.name}:`);
					for (const action of meanwhile.happens) await this.#happen(action);
					judge.say(`  ${door.name} goes on`);
				},
			},
		});
		judge.say(`${door.name}: machine ${machine} applies ${JSON.stringify({ ...trouble, meanwhile: undefined })}`);
		const ended = await Promise.race([this.#converge(door, { machine, isAllowed, retryRejected }), door.killed]);
		judge.note();
		this.#counts.add(
			typeof ended === "string" ? `${ended} applies` : "error" in ended ? "applies with an error" : "applies",
		);
		if (typeof ended === "string" || "error" in ended) judge.say(`  ${door.name} ends: ${JSON.stringify(ended)}`);
		else {
			judge.judgeReport(ended, door, !hasHappened);
			judge.say(`  ${door.name} ends with ${exitCodeOf(ended)}`);
		}
		return ended;
	}

	async #converge(door: Door, { machine, isAllowed, retryRejected }: Required<Omit<Run, "trouble">>): Promise<Ended> {
		const service = this.#service;
		const journal = this.#journals[machine];
		const reader = service.readerOf(door);
		const now = () => service.nowMs;
		const plain = service.submitterOf(door);
		const submitter: Submitter = {
			submit: (body) => {
				this.#judge.sending(body, createdNames(parametersOf(body)), journal);
				return plain.submit(body);
			},
		};
		try {
			const { comparison, compareAgain, settled } = await converge(this.#desired, {
				...{ reader, reads: "auto", now, steadyNow: now, journal, retryRejected },
				publicKey: () => keys.alice.publicKey,
				lastApplied: () => journal.lastApplied(service.organizationId),
				settle: () => settleOpenEntries(service.organizationId, { reader, reads: "auto", now, journal }),
				readerFreshSinceList: () => reader,
			});
			const { plan } = comparison;
			const notePlan = (): void => {
				door.planned = new Map(door.listedAt);
				door.plannedPolicies = new Map(door.listed);
				door.plannedAt = service.moment;
			};
			notePlan();
			if (plan.problems.length > 0) return "impossible";
			if (!isAllowed && plan.guards.some(({ refuses }) => refuses)) return "blocked";
			const again = async () => {
				const later = await compareAgain();
				notePlan();
				return later;
			};
			const applied = await applyPlan(comparison, {
				...{ reader, submitter, journal, settled, now, waitMs: 0, verify: true, retryRejected, compareAgain: again },
				sleep: async (ms) => {
					service.nowMs += ms;
				},
				concurrency: this.#setting.concurrency,
				stats: () => ({ queries: 0, submits: 0, retries: 0, throttledMs: 0 }),
			});
			if ("error" in applied) throw applied.error;
			return applied.report;
		} catch (error) {
			if (!(error instanceof OrgsyncError)) throw error;
			return { error: error.message };
		}
	}

	/** After the last fault: approvals come, and one more apply is in sync. */
	async end(): Promise<void> {
		const service = this.#service;
		this.#judge.say("the faults end");
		service.clearFaults();
		service.deliver();
		this.#judge.note();
		const maxRounds = 6;
		let last = "";
		for (let round = 0; round < maxRounds; round += 1) {
			const ended = await this.#run({ machine: 0, trouble: calm, isAllowed: true, retryRejected: true });
			if (ended === "impossible") return this.#counts.add("ended with a problem in live state");
			if (typeof ended === "string" || "error" in ended)
				throw new Error(`the last apply ends: ${JSON.stringify(ended)}`);
			if (ended.inSync) {
				this.#counts.add("converged");
				if (round > 3) this.#counts.add("converged after more than four applies");
				const missing = this.#judge.missing();
				if (missing.length > 0) throw new Error(`in sync, and it lacks ${missing.join(", ")}`);
				return;
			}
			last = ended.steps.map(({ step, outcome }) => `${step.operation} ${outcome}`).join(", ");
			const isInDoubt = this.#judge.isHeldInDoubt(ended);
			for (let open = this.#open().length; open > 0; open -= 1) this.#vote("approve_activity", 0);
			// A request in doubt may still arrive for an hour.
			if (isInDoubt) this.#counts.add("applies that wait for a request in doubt");
			service.nowMs += (isInDoubt ? 75 : 5) * minuteMs;
			this.#judge.note();
		}
		throw new Error(`${maxRounds} more applies are not enough: ${last}`);
	}

	close(): void {
		for (const journal of this.#own) journal.close();
	}
}
