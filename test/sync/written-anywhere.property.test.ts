/**
 * What others do to policies and tags of the same names before any request of an apply, and the loss of any answer: afterwards
 * each name is one object, orgsync made at most one activity for it, and the next runs end in sync.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseDocuments } from "../../src/document/read/parse.ts";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import type { Report } from "../../src/plan/report.ts";
import { compareLive } from "../../src/sync/converge.ts";
import { settleOpenEntries } from "../../src/sync/settle.ts";
import type { SubmitAnswer } from "../../src/wire/client.ts";
import { id, organizationId } from "../plan/support-organizations.ts";
import { acme, adminId, alice, applyToReport, Bench, minuteMs } from "./support.ts";

const tagged = (name: string): string => `approvers.any(user, user.tags.contains('\${userTags.${name}}'))`;
const clauses = (name: string): string => `effect: allow, consensus: "${tagged(name)}", condition: ""`;
const content = `organizationId: ${organizationId}
users: { alice: ${alice} }
userTags: [{ name: signers }, { name: payers, create: true, members: { exactly: [alice] } }]
policies:
  - { name: pay, ${clauses("payers")} }
  - { name: refund, ${clauses("signers")} }
  - { name: policy 0, ${clauses("payers")} }
`;
const [desired] = parseDocuments([{ file: "orgsync.yaml", content }], {}).organizations as [DesiredOrganization];

let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
afterAll(() => bench.close());

/** What goes wrong at one request of a run. */
interface Trouble {
	readonly at: number;
	readonly happens: () => Promise<unknown>;
	/** Whether the answer to a submit is lost after its effect. */
	readonly losesAnswer?: boolean;
}

interface Ran {
	readonly report: Report;
	readonly requests: number;
	/** Which of the requests were submits. */
	readonly submits: readonly number[];
}

/** One run of `apply` with a trouble. */
async function run(trouble?: Trouble): Promise<Ran> {
	let requests = 0;
	const submits: number[] = [];
	const context = bench.context({ concurrency: 1 });
	const isNext = async (): Promise<boolean> => {
		requests += 1;
		if (requests !== trouble?.at) return false;
		await trouble.happens();
		return trouble.losesAnswer === true;
	};
	const reader: typeof context.reader = {
		query: async (operation, fields) => {
			await isNext();
			return context.reader.query(operation, fields);
		},
	};
	const submitter: typeof context.submitter = {
		submit: async (body) => {
			const isLost = await isNext();
			submits.push(requests);
			const answer = await context.submitter.submit(body);
			const lost: SubmitAnswer = { kind: "unknown", because: "the answer is lost", requests: 1 };
			return isLost ? lost : answer;
		},
	};
	const all = { ...context, reader, submitter };
	const settled = await settleOpenEntries(organizationId, { ...all, reads: "auto" });
	const options = { reads: "auto", now: all.now, journal: bench.journal, readerFreshSinceList: () => reader } as const;
	const comparison = await compareLive(desired, reader, bench.journal.lastApplied(organizationId), options);
	return { report: await applyToReport(comparison, { ...all, settled }), requests, submits };
}

const organization = () => bench.emulator.state(organizationId).organization;
const change = (patch: object) => bench.emulator.changeState({ organizationId, ...patch }).catch(() => undefined);
const policyOf = (name: string) => organization().policies?.find(({ policyName }) => policyName === name);
const tagOf = (name: string) => organization().userTags?.find(({ tagName }) => tagName === name);

/** What others do; `undoes` where it makes an object of ours vanish, so that it is made again. */
const events: readonly (readonly [name: string, undoes: boolean, happens: () => Promise<unknown>])[] = [
	["create the policy pay", false, () => change({ policies: [{ policyId: id("policy", 90), policyName: "pay" }] })],
	["create the tag payers", false, () => change({ userTags: [{ tagId: id("tag", 90), tagName: "payers" }] })],
	["change the policy 0", false, () => change({ policies: [{ ...policyOf("policy 0"), condition: "false" }] })],
	["delete the policy 0", true, () => change({ remove: { policies: [policyOf("policy 0")?.policyId] } })],
	["delete the policy pay", true, () => change({ remove: { policies: [policyOf("pay")?.policyId] } })],
	["delete the tag payers", true, () => change({ remove: { userTags: [tagOf("payers")?.tagId] } })],
	["rename the policy pay", true, () => change({ policies: [{ ...policyOf("pay"), policyName: "paid" }] })],
	["rename the tag payers", true, () => change({ userTags: [{ ...tagOf("payers"), tagName: "paid" }] })],
];

/** Names for which our activities that took effect are more than one. */
function madeTwice(): readonly string[] {
	const created = bench.activities().flatMap((activity): readonly string[] => {
		const { type, status, intent, votes } = activity as unknown as {
			readonly type: string;
			readonly status: string;
			readonly intent: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
			readonly votes: readonly { readonly userId: string }[];
		};
		if (status !== "ACTIVITY_STATUS_COMPLETED" || votes[0]?.userId !== adminId) return [];
		const [parameters = {}] = Object.values(intent);
		if (type === "ACTIVITY_TYPE_CREATE_USER_TAG") return [`tag ${String(parameters.userTagName)}`];
		const policies = (parameters.policies ?? []) as readonly { readonly policyName: string }[];
		return type === "ACTIVITY_TYPE_CREATE_POLICIES" ? policies.map(({ policyName }) => `policy ${policyName}`) : [];
	});
	return created.filter((name, index) => created.indexOf(name) !== index);
}

async function expectOneOfEach(undoes: boolean, what: string): Promise<void> {
	if (!undoes) expect(madeTwice(), what).toEqual([]);
	let last: Report | undefined;
	for (let round = 0; round < 4 && last?.inSync !== true; round += 1) {
		// A request in doubt can still arrive for an hour.
		bench.nowMs += round < 2 ? minuteMs : 75 * minuteMs;
		last = (await run()).report;
	}
	const ends = last?.steps.map(({ step, outcome, message }) => `${step.operation} ${outcome} ${String(message)}`);
	expect(last?.inSync, `${what}: ${ends?.join("; ")}`).toBe(true);
	if (!undoes) expect(madeTwice(), what).toEqual([]);
	const names = organization().policies?.map(({ policyName }) => policyName) ?? [];
	expect(
		names.filter((name, index) => names.indexOf(name) !== index),
		what,
	).toEqual([]);
	expect(
		organization().userTags?.filter(({ tagName }) => tagName === "payers"),
		what,
	).toHaveLength(1);
	const consensus = `approvers.any(user, user.tags.contains('${tagOf("payers")?.tagId}'))`;
	expect([policyOf("pay")?.consensus, policyOf("policy 0")?.consensus], what).toEqual([consensus, consensus]);
}

describe("an apply that creates a tag, creates and changes policies", () => {
	let total = 0;
	let submits: readonly number[] = [];
	beforeAll(async () => {
		await bench.reset(acme());
		({ requests: total, submits } = await run());
		await expectOneOfEach(false, "without trouble");
	});

	test.each(
		events,
	)("makes one object of each name if others %s before any of its requests", async (name, undoes, happens) => {
		for (let at = 1; at <= total; at += 1) {
			await bench.reset(acme());
			await run({ at, happens });
			await expectOneOfEach(undoes, `${name} before request ${at}`);
		}
	});

	test("makes one object of each name if the answer to any submit is lost, whatever others do then", async () => {
		for (const [name, , happens] of [["nothing", false, async () => undefined] as const, ...events.slice(0, 3)]) {
			for (const at of submits) {
				await bench.reset(acme());
				await run({ at, happens, losesAnswer: true });
				await expectOneOfEach(false, `${name}, answer ${at} lost`);
			}
		}
	});
});
