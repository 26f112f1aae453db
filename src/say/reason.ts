/** The words of reasons: why something is denied or unknown. */
import { showNameWithin } from "../common/escape.ts";
import { own } from "../common/own.ts";
import type { NotRead, PlainNotRead } from "../policy/access.ts";
import type { ApprovalVerdict, Assumed, ComplexTask, PlainReason, Reason } from "../policy/powers/reason.ts";
import type { ComplexityLimit } from "../policy/sets/formula.ts";
import { code, listSome, type Phrase, reason } from "./phrase.ts";

export interface ReasonNames {
	/** Policy id to live name. */
	readonly policyNames?: Readonly<Record<string, string>>;
	/** Returns a step by what it changes, for a reader who does not see the ids of steps. */
	readonly nameStep?: (stepId: string) => string;
}

/** Why something is denied or unknown, or was not read. */
type Because = Reason | NotRead;

/** Returns the reason, with the policy that it is about by name; by id where the name is not known. */
export function sayReason(because: Because, names: ReasonNames = {}): Phrase {
	if (because.kind === "assumed") {
		const listed = listSome(namesIn(because, names), code, 10, " and ");
		return [policiesOf(because), ...listed, `: ${assumed[because.what]}`];
	}
	const about = aboutPolicy(because, names);
	if (about === null) return [reason(reasonText(because, names))];
	return ["policy ", code(about.name), ": ", reason(about.rest)];
}

const maxNameLength = 60;

/** Returns the same as a text. It may hold text of others, so it is not safe for a terminal. */
export function reasonText(because: Because, names: ReasonNames = {}): string {
	const about = aboutPolicy(because, names);
	if (about !== null) return `policy ${showNameWithin(about.name, maxNameLength)}: ${about.rest}`;
	return sentenceOf(because, names);
}

export function isReason(value: unknown): value is Because {
	return typeof value === "object" && value !== null && "kind" in value;
}

function aboutPolicy(because: Because, { policyNames = {} }: ReasonNames) {
	if (because.kind !== "policy") return null;
	const name = own(policyNames, because.policyId);
	return name ? { name, rest: reasonText(because.because) } : null;
}

const assumed: Readonly<Record<Assumed["what"], string>> = {
	errors: "a condition that errs neither allows nor denies",
	bools: "`==` compares bools",
	precedence: "operators bind in the usual order",
	negation: "`!` is allowed outside `time`",
};

const policiesOf = ({ policyIds }: Assumed): string => (policyIds.length === 1 ? "policy " : "policies ");

function namesIn({ policyIds }: Assumed, { policyNames = {} }: ReasonNames): readonly string[] {
	return policyIds.map((id) => own(policyNames, id) || id);
}

function sentenceOf(because: Because, names: ReasonNames): string {
	const { nameStep = (id: string) => id } = names;
	switch (because.kind) {
		case "not-read":
			return reasonText(because.why);
		case "policy":
			return `policy ${because.policyId}: ${reasonText(because.because)}`;
		case "assumed":
			return `${policiesOf(because)}${namesIn(because, names).join(", ")}: ${assumed[because.what]}`;
		case "not-understood":
			return `the ${because.clause} is not understood: ${because.message}`;
		case "not-evaluated":
			return typeof because.message === "string" ? because.message : reasonText(because.message);
		case "not-boolean":
			return `the ${because.clause} is neither true nor false`;
		case "unknown-effect":
			return `the effect ${because.effect} is unknown`;
		case "too-complex":
			return `${tasks[because.task]}${limits[because.limit]}`;
		case "open-condition":
			return `it depends on the activity: ${because.condition}`;
		case "submitter-unknown":
			return `it is unknown who submits it: ${reasonText(because.why)}`;
		case "order":
			return orderSentence(because.stepIds.map(nameStep), because.verdicts);
		case "too-many-orders":
			return `${because.steps} other steps that change who can do it can complete first, in too many orders to judge`;
		case "wrong-name":
			return `no ${named[because.of]} is called ${JSON.stringify(because.name)}, or several are`;
		default:
			return because.kind in sentences ? sentences[because.kind as PlainReason] : notReadText(because as NotRead);
	}
}

function notReadText(why: NotRead): string {
	switch (why.kind) {
		case "no-answer":
			return why.httpStatus === 403
				? `the service denies ${why.query} to this key`
				: `the service does not answer ${why.query} (HTTP ${why.httpStatus})`;
		case "unusable-answer":
			return `the service's answer cannot be used: ${why.message}`;
		case "no-list":
			return `the answer to ${why.query} has no list of ${why.of} with ids`;
		case "listed-twice":
			return `${why.query} shows ${why.id} more than once`;
		case "credential-part-not-shown":
			return `list_users does not show the ${why.part} of ${why.name} of the user ${why.userId}`;
		case "user-part-not-shown":
			return `list_users does not show the ${why.part} of the user ${why.userId}`;
		case "clause-form-unknown":
			return `list_policies shows ${why.clause} of the policy ${why.id} in an unknown form`;
		case "user-not-listed":
			return `user ${why.userId} gets a tag, and the service does not list that user`;
		case "tags-of-name": {
			const name = JSON.stringify(why.name);
			return why.count === 0
				? `there is no live user tag ${name}`
				: `${why.count} live user tags have the name ${name}`;
		}
		case "clocks-disagree":
			return clocksText(why);
		case "activities-cut-off": {
			const read = `the service lists more pending activities than the ${why.read} that were read`;
			return why.isMost ? `${read}, which is the most that orgsync reads` : read;
		}
		case "caller-unknown":
			return `${notReadText(why.why)}, so the guards could not check that the caller keeps access`;
		case "stated":
			return why.text;
		default:
			return notReadSentences[why.kind];
	}
}

function clocksText(why: NotRead & { readonly kind: "clocks-disagree" }): string {
	const by = why.isByAnswers ? "other answers say" : "the clock of this machine says";
	const times = `an answer of the service says ${toSecond(why.answeredMs)}, and ${by} ${toSecond(why.expectedMs)}`;
	return `the time is not certain: ${times}, which is more than ${why.toleranceMs / 60_000} minutes apart`;
}

function toSecond(timeMs: number): string {
	const time = new Date(timeMs);
	return Number.isNaN(time.getTime()) ? "no time" : `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

const notReadSentences: Readonly<Record<PlainNotRead, string>> = {
	"activities-denied": "the service does not list activities to this key, so only those of this journal are joined",
	"caller-not-shown": "the service does not say whose key it is",
	"credentials-unknown": "the user's credentials are unknown",
	"emails-not-shown": "list_users does not show e-mail addresses",
	"extended-reads-off": "the eight documented queries do not show it, and extended reads are off",
	"no-user-tags-wanted": "the document lists no user tags",
	"not-asked": "it was not requested",
	"not-made-yet": "a user under `given` does not exist yet",
	"not-needed": "the document does not need it",
	"others-unlisted":
		"the service does not list all activities to this key, so others may be pending on policies, user tags and credentials",
	"policies-not-read": "policies were not read",
	"root-quorum-form-unknown": "get_organization_configs shows the root quorum in an unknown form",
	"root-quorum-not-shown": "the service does not say who is in the root quorum",
};

function orderSentence(steps: readonly string[], verdicts: readonly ApprovalVerdict[]): string {
	const which =
		steps.length === 1 ? `on whether ${steps[0]} completes first` : `on which of ${steps.join(", ")} complete first`;
	if (verdicts.length === 0) return `who can complete it depends ${which}`;
	const words = verdicts.map((verdict) => verdictWords[verdict]);
	return `it depends ${which}: ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

const verdictWords = { runs: "runs", pending: "pending approval", denied: "denied", unknown: "unknown" } as const;

const named = { user: "user", tag: "user tag", policy: "policy", given: "new user" } as const;

const tasks: Readonly<Record<ComplexTask, string>> = {
	consensus: "",
	judge: "policies are too complex to judge: ",
	"judge-together": "policies are too complex to judge together: ",
	compare: "policies are too complex to compare: ",
};

const limits: Readonly<Record<ComplexityLimit, string>> = {
	alternatives: "there are too many alternatives",
	"consensus-alternatives": "the consensus has too many alternatives",
	"deny-alternatives": "policies that deny leave too many alternatives",
	"smallest-sets": "there are too many smallest sets",
	steps: "to find who can do it takes too many steps",
};

const sentences: Readonly<Record<PlainReason, string>> = {
	"access-not-read": "who can do what was not read",
	"approvals-lapsed": "approvals count for 24 hours, and all lapsed: its submitter too has to `approve` it again",
	"approvers-unknown": "it is unknown who has approved it so far",
	"awaited-unknown": "it is unknown whose approval is missing",
	"complete-but-pending": "it has all approvals that its policies need, and is pending",
	"credential-policies-unknown": "it is unknown whether a policy is about changes of credentials",
	"denied-by-policy": "a policy denies the submitter's approval",
	"impact-unknown": "the impact is unknown",
	"no-policy": "no policy allows it",
	"not-comparable": "before and after cannot be compared",
	"not-enough-approvals": "no set of approvals that includes the submitter's satisfies the policies that allow it",
	"own-credentials-disputed":
		"Turnkey's pages disagree on whether users may change their own credentials where a policy is about credentials",
	"policies-unknown": "policies are unknown",
	"stamping-credential-unknown": "it depends on the credential that stamps the request",
	"submitter-not-listed": "the submitter is not among the users",
	"too-many-conditions": "policies have too many conditions to compare",
	"too-many-windows": "too many time windows are open at different times: ask about one time with `at`",
	"too-many-sets": "too many sets of users could approve it",
	"undocumented-pair": "no documentation says which resource and action these activities have",
	"user-attributes-unknown": "the users' attributes are not all known",
};
