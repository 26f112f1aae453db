/** `explain policy:NAME`: which activities created, changed and removed a policy. It reads, and submits nothing. */
import { exitCodes, ifAvailable } from "../../common/errors.ts";
import { showName } from "../../common/escape.ts";
import { isRecord } from "../../common/json.ts";
import { uuid } from "../../common/uuid.ts";
import { historyOf, type PolicyActivity, type PolicyEvent } from "../../plan/activities/policy-history.ts";
import { resultHead } from "../../render/result/head.ts";
import type { ExplainPolicyResult } from "../../render/result/policy-history.ts";
import { completionTime, recordedActivity, submitterOf } from "../../sync/attribute.ts";
import { type ActivityRecord, listPages } from "../../sync/read/list-activities.ts";
import { toId } from "../../sync/read/live-objects.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads } from "../../wire/operations.ts";
import type { ServiceFlags } from "../connect.ts";
import { withConnection } from "../connect.ts";
import type { Call } from "../output/output.ts";
import { readNamesOf } from "./activity-names.ts";

/** Pages of 100 activities: what was before is said to be unknown. */
const maxPages = 50;

/** What a call asks: a name or an id, and the aliases of the document. */
interface PolicyQuestion {
	readonly organizationId: string;
	readonly label: string;
	readonly userNames: Readonly<Record<string, string>>;
}

export async function explainPolicy(
	{ organizationId, label: written, userNames }: PolicyQuestion,
	call: Call<ServiceFlags>,
): Promise<ExplainPolicyResult> {
	const isId = uuid.test(written);
	return withConnection(call, async ({ client: { reader } }) => {
		const live = await readLive(reader, organizationId, written);
		const { listed, isComplete } = await listAll(reader, organizationId);
		const livePolicyIds = live?.map(({ policyId }) => toId(policyId)) ?? null;
		const label = isId ? written : String(live?.[0]?.policyName ?? written);
		const ids = [...(livePolicyIds ?? []), ...(isId ? [label.toLowerCase()] : [])];
		const history = historyOf(listed, { name: isId ? null : label, ids });
		return {
			...resultHead("explain", exitCodes.inSync, null),
			...{ organizationId, address: `policy:${label}`, livePolicyIds, userNames, isComplete, history },
			...(await readNames(reader, organizationId, history)),
		};
	});
}

/** Returns the live names of users and tags whose ids the texts of the history have; what cannot be read has none. */
async function readNames(reader: Reader, organizationId: string, history: readonly PolicyEvent[]) {
	const texts = JSON.stringify(history.map(({ fields }) => fields)).toLowerCase();
	if (!uuidWithin.test(texts)) return { liveNames: {}, tagNames: {} };
	const isShown = (id: string): boolean => texts.includes(id);
	return {
		liveNames: await readNamesOf(reader, organizationId, "users", isShown),
		tagNames: await readNamesOf(reader, organizationId, "tags", isShown),
	};
}

const uuidWithin = /[0-9a-f]{8}-[0-9a-f-]{27}/;

/** Returns the live policies with this id, or this name as it is or as plans show it; null if policies cannot be read. */
async function readLive(reader: Reader, organizationId: string, label: string) {
	const answer = await ifAvailable(reader.query(extendedReads.list_policies, { organizationId }));
	if (!Array.isArray(answer?.value.policies)) return null;
	const policies = answer.value.policies.filter(isRecord);
	const named = policies.filter(
		({ policyId, policyName }) => policyName === label || toId(policyId) === label.toLowerCase(),
	);
	return named.length > 0 ? named : policies.filter(({ policyName }) => showName(String(policyName)) === label);
}

async function listAll(reader: Reader, organizationId: string) {
	const listed: PolicyActivity[] = [];
	let isComplete = false;
	for await (const { activities, isLast } of listPages(reader, { organizationId }, { max: maxPages })) {
		listed.push(...activities.map(toPolicyActivity));
		isComplete = isLast;
	}
	return { listed, isComplete };
}

function toPolicyActivity(record: ActivityRecord): PolicyActivity {
	const atMs = completionTime(record);
	const at = atMs === undefined || Number.isNaN(new Date(atMs).getTime()) ? null : new Date(atMs).toISOString();
	return {
		...recordedActivity(record),
		...{ activityId: String(record.id), status: String(record.status), at },
		...submitterOf(record),
	};
}
