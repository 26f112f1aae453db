/**
 * No two activities for one request. Histories are made at random: runs of one process or two, a gateway that loses requests
 * and answers and imitates the service, clocks that are wrong, kills between any two effects, approvals, rejections, changes
 * by others, and more pending activities than one page shows.
 *
 * What is allowed is said here by a model apart from the code: it looks only at what the service has.
 *
 * `ORGSYNC_HISTORIES=2000 npx vitest run test/sync/histories` runs more of them. A history that fails prints its seed.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { refusingGuards } from "../../src/plan/guards/guards.ts";
import { compareLive } from "../../src/sync/converge.ts";
import { openJournal } from "../../src/sync/journal/file.ts";
import type { Journal } from "../../src/sync/journal/journal.ts";
import { settleOpenEntries } from "../../src/sync/settle.ts";
import { approvals, type SubmitName, submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { casesToTry } from "../case-count.ts";
import { desiredOf, organizationId, wantTag } from "../plan/support-organizations.ts";
import {
	type Cursor,
	type Fate,
	type Gateway,
	Killed,
	type Mishap,
	mishaps,
	startGateway,
	withCursor,
	withFate,
} from "./gateway.ts";
import {
	acme,
	alice,
	applyToReport,
	approverStamper,
	Bench,
	bob,
	carol,
	minuteMs,
	oncall,
	policies,
	providers,
	signers,
} from "./support.ts";

const asked = process.env.ORGSYNC_HISTORIES;
const settings = asked === undefined ? casesToTry(100, 30) : { numRuns: Number(asked) };
const { numRuns } = settings;

const desired = desiredOf({
	userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [alice, bob] } })],
	absent: {
		policyIds: [policies[0], policies[1]],
		oauthProviders: [{ userId: bob, providerIds: [providers[2]] }],
		tvcAppIds: [],
	},
});

/** The requests of the document, each by the type of its activity. */
const requests = [
	"ACTIVITY_TYPE_UPDATE_USER_TAG",
	"ACTIVITY_TYPE_DELETE_POLICIES",
	"ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS",
];

interface Setting {
	readonly reads: "auto" | "documented";
	readonly needsApproval: boolean;
	readonly deniedReads: readonly string[];
	readonly cursor: Cursor;
	/** Whether the second process has a journal of its own. Then they run one after the other, and all can be read. */
	readonly isApart: boolean;
}

type Action =
	| { readonly kind: "run"; readonly process: 0 | 1; readonly mishaps: readonly Mishap[]; readonly fate: Fate }
	| { readonly kind: "run-both"; readonly mishaps: readonly Mishap[]; readonly fate: Fate }
	| { readonly kind: "set-clock"; readonly process: 0 | 1; readonly minutes: number }
	| { readonly kind: "pass"; readonly ms: number }
	| { readonly kind: "vote"; readonly how: "approve_activity" | "reject_activity" }
	| { readonly kind: "revert"; readonly request: number }
	/** More pending activities of others than a page shows. */
	| { readonly kind: "crowd" };

const fate: fc.Arbitrary<Fate> = fc.record({
	effect: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined, freq: 2 }),
	when: fc.constantFrom("before", "after"),
});
const someMishaps = fc.array(fc.constantFrom<Mishap>("none", ...mishaps), { maxLength: 8 });
const runner = fc.constantFrom<0 | 1>(0, 1);
const minutes = fc.constantFrom(-60, -40, -20, -15, -1, 0, 0, 3, 20, 61, 120);
const action: fc.Arbitrary<Action> = fc.oneof(
	{ weight: 6, arbitrary: fc.record({ kind: fc.constant("run"), process: runner, mishaps: someMishaps, fate }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant("run-both"), mishaps: someMishaps, fate }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("set-clock"), process: runner, minutes }) },
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant("pass"),
			ms: fc.constantFrom(1000, 180_000, 900_000, 2_400_000, 7_200_000),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant("vote"),
			how: fc.constantFrom("approve_activity", "approve_activity", "reject_activity"),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("revert"), request: fc.nat(2) }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant("crowd") }) },
) as fc.Arbitrary<Action>;
const setting: fc.Arbitrary<Setting> = fc.record({
	reads: fc.constantFrom("auto", "auto", "documented"),
	needsApproval: fc.boolean(),
	deniedReads: fc.constantFrom(
		[],
		[],
		[],
		["list_activities"],
		["get_activity"],
		["list_activities", "get_activity"],
		["list_users"],
	),
	cursor: fc.constantFrom<Cursor>("as-documented", "other-direction", "ignored", "ignored"),
	isApart: fc.integer({ min: 0, max: 2 }).map((number) => number === 0),
});

/** Two runners without a common journal know of each other only by what they can read. */
const readable: Pick<Setting, "reads" | "deniedReads"> = { reads: "auto", deniedReads: [] };

/**
 * What the service has of one request. Another activity of it is allowed only while none is open, none was rejected, and what
 * the last one did was reverted by others, or it failed.
 */
interface Model {
	readonly status: Map<string, string>;
	isDone: boolean;
	isRejected: boolean;
}

class History {
	readonly #bench: Bench;
	readonly #gateway: Gateway;
	readonly #setting: Setting;
	readonly #journals: [Journal, Journal];
	readonly #offsets = [0, 0];
	#isCrowded = false;
	readonly #models = new Map(
		requests.map((type): [string, Model] => [type, { status: new Map(), isDone: false, isRejected: false }]),
	);

	private constructor(bench: Bench, gateway: Gateway, given: Setting, other: Journal) {
		this.#bench = bench;
		this.#gateway = gateway;
		this.#setting = given;
		this.#journals = [bench.journal, other];
	}

	static async begin(bench: Bench, gateway: Gateway, given: Setting): Promise<History> {
		await bench.reset(acme());
		const rules = Object.fromEntries(requests.map((type) => [type, 2]));
		await bench.emulator.setRules(organizationId, {
			...(given.needsApproval ? { approvals: rules } : {}),
			denyReads: [...given.deniedReads],
		});
		gateway.forget();
		const file = given.isApart ? ":memory:" : bench.journalFile;
		return new History(bench, gateway, given, await openJournal(file));
	}

	/** Activities of others, about other objects; once, and only where they stay pending. */
	async #crowd(): Promise<void> {
		if (!this.#setting.needsApproval || this.#isCrowded) return;
		this.#isCrowded = true;
		for (let count = 1; count <= 101; count += 1) {
			await this.#submitAsApprover(
				"update_user_tag",
				{ userTagId: oncall, addUserIds: [carol], removeUserIds: [] },
				count,
			);
		}
	}

	async #submitAsApprover(name: string, parameters: Readonly<Record<string, unknown>>, laterMs = 0): Promise<void> {
		const operation = { ...submits, ...approvals }[name as SubmitName];
		const body = encodeSubmit(operation, organizationId, parameters, this.#bench.nowMs + laterMs);
		const { submitter, voter } = this.#bench.client({ stamper: approverStamper });
		await (Object.hasOwn(approvals, name) ? voter.vote(body) : submitter.submit(body));
	}

	async take(one: Action): Promise<void> {
		switch (one.kind) {
			case "run":
				this.#gateway.mishaps = [...one.mishaps];
				await this.#run(one.process, one.fate);
				break;
			case "run-both":
				this.#gateway.mishaps = [...one.mishaps];
				if (this.#setting.isApart) await this.#run(0, one.fate);
				else await Promise.all([this.#run(0, one.fate), this.#run(1, { when: "before" })]);
				break;
			case "set-clock":
				this.#offsets[one.process] = one.minutes * minuteMs;
				break;
			case "pass":
				this.#bench.nowMs += one.ms;
				break;
			case "vote": {
				const [oldest] = this.#ours().filter(({ status }) => status === "ACTIVITY_STATUS_CONSENSUS_NEEDED");
				if (oldest !== undefined) await this.#submitAsApprover(one.how, { fingerprint: oldest.fingerprint });
				break;
			}
			case "revert":
				await this.#revert(one.request);
				break;
			case "crowd":
				await this.#crowd();
		}
		this.#judge();
		this.#bench.nowMs += 1000;
	}

	/** One `orgsync apply` of one process; what is killed begins again with what is on disk. */
	async #run(number: 0 | 1, fateOfRun: Fate): Promise<void> {
		const { reads, isApart } = this.#setting;
		const client = this.#bench.client({ url: this.#gateway.url });
		const { journal, submitter } = withFate(this.#journals[number], client.submitter, fateOfRun);
		const now = () => this.#bench.nowMs + (this.#offsets[number] ?? 0);
		const reader = withCursor(client.reader, this.#setting.cursor);
		try {
			await settleOpenEntries(organizationId, { reader, journal, reads, now });
			const comparison = await compareLive(desired, reader, journal.lastApplied(organizationId), {
				reads,
				now,
				journal,
			});
			if (refusingGuards(comparison.plan.guards, new Map()).length > 0) return;
			await applyToReport(comparison, {
				...this.#bench.context({ journal, submitter, reader, now }, client),
				concurrency: 2,
			});
		} catch (error) {
			if (!(error instanceof Killed)) throw error;
			// A journal in memory ends with its process, and another process knows nothing of it.
			if (isApart && number === 1) return;
			this.#journals[number].close();
			this.#journals[number] = await openJournal(this.#bench.journalFile);
		}
	}

	/** Another user reverts one of the requests. */
	async #revert(request: number): Promise<void> {
		const seed = acme();
		const { userTags = [], policies: policiesOf = [], users = [] } = seed;
		const patch = [
			{ userTags: userTags.filter(({ tagId }) => tagId === signers) },
			{ policies: policiesOf },
			{ users: users.filter(({ userId }) => userId === bob) },
		][request];
		await this.#bench.emulator.changeState({ organizationId, ...patch });
		const model = this.#models.get(requests[request] ?? "");
		if (model !== undefined) model.isDone = false;
	}

	/** The activities that a request of the document made, oldest first. */
	#ours() {
		return this.#bench.activities().filter(({ type, intent }) => {
			const { updateUserTagIntent } = intent as { updateUserTagIntent?: { userTagId: string } };
			return requests.includes(String(type)) && updateUserTagIntent?.userTagId !== oncall;
		});
	}

	/** Holds what the service has now against what was allowed. */
	#judge(): void {
		for (const { id, type, status } of this.#ours()) {
			const model = this.#models.get(String(type)) as Model;
			const before = model.status.get(String(id));
			if (before === undefined) {
				const isOpen = [...model.status.values()].includes("ACTIVITY_STATUS_CONSENSUS_NEEDED");
				expect({ type, isOpen, isDone: model.isDone, isRejected: model.isRejected }).toEqual({
					type,
					isOpen: false,
					isDone: false,
					isRejected: false,
				});
			}
			if (before !== status && status === "ACTIVITY_STATUS_COMPLETED") model.isDone = true;
			// Only the journal that saw a rejection remembers it.
			if (status === "ACTIVITY_STATUS_REJECTED") model.isRejected = !this.#setting.isApart;
			model.status.set(String(id), String(status));
		}
	}

	/** Runs until nothing is left to do: what was in doubt does not stay so for ever. */
	async end(): Promise<void> {
		this.#journals[1].close();
		this.#bench.journal = this.#journals[0];
	}
}

const plain: Setting = {
	reads: "auto",
	needsApproval: true,
	deniedReads: [],
	cursor: "as-documented",
	isApart: false,
};
const well: Fate = { when: "before" };
const runOf = (number: 0 | 1, ...given: readonly Mishap[]): Action => ({
	kind: "run",
	process: number,
	mishaps: given,
	fate: well,
});
const passOf = (ms: number): Action => ({ kind: "pass", ms });

/** Histories that are always tried: what went wrong once, each as short as it can be. */
const examples: readonly [Setting, Action[]][] = [
	[
		{ ...plain, cursor: "ignored", isApart: true },
		[runOf(0), { kind: "crowd" }, passOf(900_000), runOf(1), passOf(900_000), runOf(0)],
	],
	[{ ...plain, cursor: "other-direction", isApart: true }, [runOf(0), { kind: "crowd" }, passOf(900_000), runOf(1)]],
	[
		{ ...plain, reads: "documented" },
		[runOf(0, "drop-after", "drop-after"), runOf(0, "imitated-400"), passOf(900_000), runOf(0)],
	],
	[{ ...plain, needsApproval: false }, [runOf(0, "drop-after", "imitated-403-after"), passOf(900_000), runOf(0)]],
	[{ ...plain, reads: "documented" }, [runOf(0, ...Array(30).fill("html-404-after")), passOf(2_400_000), runOf(0)]],
	[
		{ ...plain, needsApproval: false, reads: "documented" },
		[
			{ kind: "set-clock", process: 0, minutes: -40 },
			runOf(0, ...Array(30).fill("drop-after")),
			passOf(1_200_000),
			runOf(0),
			{ kind: "set-clock", process: 0, minutes: 120 },
			runOf(0),
		],
	],
	[
		{ ...plain, needsApproval: false, reads: "documented" },
		[1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((effect) =>
			(["before", "after"] as const).map((when) => ({ ...runOf(0), fate: { effect, when } }) as Action),
		),
	],
	[
		{ ...plain, reads: "documented" },
		[{ kind: "run-both", mishaps: ["imitated-400", "imitated-400"], fate: well }, runOf(0)],
	],
	[plain, [runOf(0), { kind: "vote", how: "reject_activity" }, runOf(0), passOf(900_000), runOf(1)]],
];

let bench: Bench;
let gateway: Gateway;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
	gateway = await startGateway(bench.emulator.url);
});
afterAll(async () => {
	await gateway.close();
	await bench.close();
});

it(`one request makes one activity, in ${numRuns} histories`, { timeout: 60_000 + numRuns * 2000 }, async () => {
	await fc.assert(
		fc.asyncProperty(setting, fc.array(action, { minLength: 2, maxLength: 9 }), async (given, actions) => {
			const history = await History.begin(bench, gateway, given.isApart ? { ...given, ...readable } : given);
			try {
				for (const one of actions) await history.take(one);
			} finally {
				await history.end();
			}
		}),
		{ ...settings, examples: [...examples] },
	);
});
