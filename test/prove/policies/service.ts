/**
 * The emulator in this process, without HTTP: a request is a call. A run has a door of its own, which can lose requests and answers,
 * let something else happen in the middle, and end the run as `kill -9` does: then no answer comes any more.
 */
import { ServiceError } from "../../../src/common/errors.ts";
import { describeActivity, type ForcedEnd, submitActivity } from "../../../src/emulator/activities.ts";
import { makeClock, makeControl } from "../../../src/emulator/control/control.ts";
import { activityFaults, makeFaultQueue } from "../../../src/emulator/control/faults.ts";
import { makeRateLimitBuckets } from "../../../src/emulator/control/rate-limit.ts";
import { makeRequestLog } from "../../../src/emulator/control/request-log.ts";
import { policies } from "../../../src/emulator/kinds/policy.ts";
import { userTags } from "../../../src/emulator/kinds/user-tag.ts";
import { queryHandlers } from "../../../src/emulator/queries.ts";
import { denied, RequestError } from "../../../src/emulator/request-error.ts";
import { servedSubmits } from "../../../src/emulator/served-submits.ts";
import { makeContext } from "../../../src/emulator/service.ts";
import type { ActivityRecord } from "../../../src/emulator/state.ts";
import type { Store } from "../../../src/emulator/store.ts";
import { voteHandlers } from "../../../src/emulator/voting.ts";
import { readActivity } from "../../../src/wire/activity.ts";
import type { Reader, SubmitAnswer, Submitter } from "../../../src/wire/client.ts";
import { approvals, extendedReads, queries } from "../../../src/wire/operations.ts";
import { encodeQuery, type RequestBody } from "../../../src/wire/request-body.ts";
import { keys } from "../small-world.ts";
import { type Kind, users } from "./world.ts";

/** What becomes of a submit: `late` arrives when others have come. */
export type Loss = "none" | "lost-before" | "lost-after" | "late";

export interface Point {
	readonly at: number;
	readonly when: "before" | "after";
}

/** What happens to the requests of one run; requests count from 1. */
export interface Script {
	readonly losses: Loss[];
	readonly kill: Point | undefined;
	readonly meanwhile: (Point & { readonly happen: () => Promise<void> }) | undefined;
}

/** One object as it is live. */
export interface Live {
	readonly kind: Kind;
	readonly id: string;
	readonly name: string;
	/** Of a policy. */
	readonly text: Readonly<Record<"effect" | "consensus" | "condition" | "notes", string>>;
	readonly members: readonly string[];
}

/** What a run asked, as the service has it. */
export interface Arrived {
	readonly door: Door;
	/** Whether other requests came before it that were sent later. */
	readonly isLate: boolean;
	readonly name: string;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly fingerprint: string;
	readonly status: number;
	/** The activity that it made; undefined where it made none. */
	readonly made: ActivityRecord | undefined;
	/** Before it. */
	readonly before: readonly Live[];
	readonly activities: readonly ActivityRecord[];
}

/** Resolves never: a run that was killed goes nowhere. */
const never = (): Promise<never> => new Promise(() => undefined);

export class Door {
	readonly name: string;
	readonly script: Script;
	readonly #kill: () => void;
	/** Resolves when the run is killed. */
	readonly killed: Promise<"killed">;
	/** What happens while one of its requests is held, once it began. */
	meanwhile: Promise<void> | undefined;
	count = 0;
	isDead = false;
	/** When it last listed these, by the service's moments; and when it did before it last made a plan. */
	readonly listedAt = new Map<string, number>();
	planned: ReadonlyMap<string, number> = new Map();
	/** The policies that it listed last, and before it last made a plan, by id: each as text. */
	readonly listed = new Map<string, string>();
	plannedPolicies: ReadonlyMap<string, string> = new Map();
	plannedAt = 0;

	constructor(name: string, script: Script) {
		this.name = name;
		this.script = script;
		const { promise, resolve } = Promise.withResolvers<"killed">();
		this.killed = promise;
		this.#kill = () => resolve("killed");
	}

	async die(): Promise<never> {
		this.isDead = true;
		await this.meanwhile;
		this.#kill();
		return never();
	}
}

type Answer = Readonly<Record<string, unknown>>;

const reads = { ...queries, ...extendedReads } as const;
const submits = { ...servedSubmits, ...approvals } as const;

export class Service {
	readonly #store: Store;
	readonly #faults = makeFaultQueue();
	readonly #control;
	readonly organizationId: string;
	nowMs: number;
	/** How long a request takes. */
	readonly #stepMs: number;
	/** Counts what happens, so that two moments can be compared. */
	moment = 0;
	/** When each activity was made, by its id. */
	readonly madeAt = new Map<string, number>();
	onArrival: (arrived: Arrived) => void = () => {};
	#late: (() => void)[] = [];

	private constructor(store: Store, organizationId: string, nowMs: number, stepMs: number) {
		this.#store = store;
		this.#control = makeControl({
			...{ store, faults: this.#faults },
			...{ log: makeRequestLog(), limits: makeRateLimitBuckets(), clock: makeClock(() => this.nowMs) },
		});
		this.organizationId = organizationId;
		this.nowMs = nowMs;
		this.#stepMs = stepMs;
	}

	static async open(
		store: Store,
		organization: { readonly organizationId: string },
		{ startMs, stepMs }: { readonly startMs: number; readonly stepMs: number },
	): Promise<Service> {
		const service = new Service(store, organization.organizationId, startMs, stepMs);
		await service.#control.changeState({ organizations: [organization] } as never);
		return service;
	}

	/** Changes the organization behind orgsync's back. Returns whether it could be changed. */
	async change(patch: object): Promise<boolean> {
		this.moment += 1;
		try {
			await this.#control.changeState({ organizationId: this.organizationId, ...patch } as never);
			return true;
		} catch {
			return false;
		}
	}

	addFault(operation: string, fault: "fail" | "reject" | "fewer-ids" | "fewer-policies"): void {
		this.#faults.add({ operation, fault });
	}

	clearFaults(): void {
		this.#faults.clear();
	}

	live(): readonly Live[] {
		const organization = this.#store.organization(this.organizationId);
		if (organization === undefined) throw new Error("the organization is gone");
		return [
			...[...organization.entities(policies).values()].map(
				({ policyId, policyName, effect, consensus, condition, notes }): Live => ({
					...{ kind: "policy", id: policyId, name: policyName, members: [] },
					text: { effect, consensus, condition, notes },
				}),
			),
			...[...organization.entities(userTags).values()].map(
				({ tagId, tagName, userIds }): Live => ({
					...{ kind: "userTag", id: tagId, name: tagName, members: [...userIds].sort() },
					text: { effect: "", consensus: "", condition: "", notes: "" },
				}),
			),
		];
	}

	/** Oldest first, without votes. */
	activities(): readonly ActivityRecord[] {
		const newestFirst = [...this.#store.activitiesNewestFirst(this.organizationId)];
		return newestFirst.reverse().filter(({ operation }) => !/^(approve|reject)_/.test(operation));
	}

	/** Sends a submit of this user without a door, as another tool does. Returns its status. */
	submitAs(who: keyof typeof users, name: string, parameters: object): number {
		this.moment += 1;
		const type = name === "update_policy" ? "UPDATE_POLICY_V2" : name.toUpperCase();
		// Bytes of their own.
		const timestampMs = String(this.nowMs - this.moment);
		const { organizationId } = this;
		const bytes = JSON.stringify({ type: `ACTIVITY_TYPE_${type}`, timestampMs, organizationId, parameters });
		return this.#answer(name, bytes, who).status;
	}

	/** Delivers what is late. */
	deliver(): void {
		for (const arrive of this.#late.splice(0)) arrive();
	}

	readerOf(door: Door): Reader {
		return {
			query: async (operation, fields) => {
				const { status, body } = await this.#pass(door, () => {
					// Without a status, one request in doubt is looked up.
					const isLookup = operation.name === "list_activities" && fields.filterByStatus === undefined;
					if (!isLookup) door.listedAt.set(operation.name, this.moment);
					if (operation.name === "list_policies")
						for (const one of this.live()) door.listed.set(one.id, JSON.stringify([one.name, one.text]));
					return this.#answer(operation.name, encodeQuery(operation, fields), "alice");
				});
				const serverTimeMs = this.#date();
				if (status === 200) return { value: body, serverTimeMs };
				throw new ServiceError(`${operation.name}: ${body.message}`, status, Number(body.code));
			},
		};
	}

	submitterOf(door: Door): Submitter {
		return {
			submit: async (body) => {
				const loss = door.script.losses.shift() ?? "none";
				const arrive = () => this.#arrive(door, body, loss === "late");
				if (loss === "late") this.#late.push(arrive);
				const lost: SubmitAnswer = { kind: "unknown", because: "the connection was reset", requests: 1 };
				const isLost = loss === "late" || loss === "lost-before";
				const answer = await this.#pass(door, () => (isLost ? lost : arrive()));
				return loss === "none" ? answer : lost;
			},
		};
	}

	/** Carries a request through a door. */
	async #pass<T>(door: Door, arrive: () => T): Promise<T> {
		if (door.isDead) return never();
		door.count += 1;
		const number = door.count;
		const { kill, meanwhile } = door.script;
		const isAt = (point: Point | undefined, when: Point["when"]): boolean =>
			point?.at === number && point.when === when;
		const happen = async (when: Point["when"]): Promise<void> => {
			if (!isAt(meanwhile, when)) return;
			door.meanwhile = meanwhile?.happen();
			await door.meanwhile;
		};
		await happen("before");
		if (isAt(kill, "before") || door.isDead) return door.die();
		this.moment += 1;
		this.nowMs += this.#stepMs;
		const answer = arrive();
		await happen("after");
		if (isAt(kill, "after") || door.isDead) return door.die();
		return answer;
	}

	#arrive(door: Door, body: RequestBody, isLate: boolean): SubmitAnswer {
		this.moment += 1;
		const { operation, fingerprint, bytes } = body;
		const before = this.live();
		const activities = operation.name.startsWith("create_") ? this.activities() : [];
		const known = this.#store.findByFingerprint(this.organizationId, fingerprint);
		const { status, body: answered } = this.#answer(operation.name, bytes, "alice");
		const record = status === 200 ? (answered.activity as Readonly<Record<string, unknown>>) : undefined;
		const now = this.#store.findByFingerprint(this.organizationId, fingerprint);
		const made = known === undefined ? now : undefined;
		const { parameters } = JSON.parse(bytes) as { readonly parameters: Readonly<Record<string, unknown>> };
		this.onArrival({
			door,
			isLate,
			name: operation.name,
			parameters,
			fingerprint,
			status,
			made,
			before,
			activities,
		});
		if (record !== undefined) {
			const activity = readActivity(operation, record);
			return { kind: "activity", activity, serverTimeMs: this.#date(), requests: 1 };
		}
		return {
			...{ kind: "refused", httpStatus: status, grpcCode: Number(answered.code), message: String(answered.message) },
			...{ policyEvaluations: [], keyNotAccepted: status === 401, requests: 1 },
		};
	}

	/** Whole seconds, as the header `Date`. */
	#date(): number {
		return this.nowMs - (this.nowMs % 1000);
	}

	/** Answers as the emulator does, but for stamps and the form of bodies: signatures would take longer than all else. */
	#answer(name: string, bytes: string, who: keyof typeof users): { readonly status: number; readonly body: Answer } {
		const rawBody = Buffer.from(bytes);
		const body = JSON.parse(bytes);
		const context = makeContext(this.#store, body.organizationId, this.nowMs);
		const query = queryHandlers.get(name);
		try {
			if (query !== undefined) {
				if (context.organization.rules.denyReads?.includes(name) === true) throw denied();
				const answered = query(context, body, users[who]);
				const { answerKey } = reads[name as keyof typeof reads];
				return { status: 200, body: name === "whoami" ? (answered as Answer) : { [answerKey]: answered } };
			}
			const operation = submits[name as keyof typeof submits];
			const signer = { userId: users[who], publicKey: keys[who].publicKey, signature: "", scheme: "" };
			const takeForced = () => this.#faults.take(name, activityFaults)?.fault as ForcedEnd;
			const request = { body, rawBody, signer };
			const made = submitActivity(operation, request, context, voteHandlers.get(name), takeForced);
			this.#store.write(body.organizationId, made.changes);
			if (!made.replayed) this.madeAt.set(made.activity.id, this.moment);
			return { status: 200, body: { activity: describeActivity(made.activity, users[who], made.replayed) } };
		} catch (error) {
			if (!(error instanceof RequestError)) throw error;
			return { status: error.status, body: error.body() as Answer };
		}
	}
}
