/**
 * A saved plan: what `plan --out` writes, `show` prints and `apply --plan` runs. It is JSON that names itself by its
 * digest, so that a later change of the reviewed file shows; schemas/saved-plan.json describes it.
 *
 * The rule it keeps: a file that is not exactly what was saved, or of which this version cannot know the meaning, is
 * refused with its reason, never read as far as it goes.
 */
import { defined } from "../../common/defined.ts";
import { ConfigurationError } from "../../common/errors.ts";
import { clipMiddle, listFirst, showAddress, showText, writeJson } from "../../common/escape.ts";
import { readJson } from "../../common/json.ts";
import { digestOfCases } from "../../plan/access-cases/planned.ts";
import type { ThreeWay } from "../../plan/base/three-way.ts";
import type { Override } from "../../plan/guards/overrides.ts";
import { mentions, narrowToChanged } from "../../plan/only.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { type NamedOrganization, namedIn, showOrganization } from "../../plan/organization-name.ts";
import { namesOfUsers, type Plan, type SavedPlanFacts } from "../../plan/plan.ts";
import { compareText, digestOf } from "../../plan/value.ts";
import type { Reason } from "../../policy/powers/reason.ts";
import { restorePlan, savePlan } from "../../say/published.ts";
import { checkSchema } from "../../schema/schema.ts";
import { validators } from "../../schema/validators/saved-plan.ts";
import { findContradiction } from "./saved-plan-check.ts";
import { temporaryNamesOf, withOwnReasons } from "./saved-plan-steps.ts";

/** The plans of one run of `plan`, as they are kept in a file. */
export interface SavedPlan extends SavedContent {
	readonly formatVersion: 1 | 2;
	readonly command: "plan";
	/** Name and version of the program that made it. */
	readonly generatedBy: string;
	/** Of everything else in the file, whatever it holds; the name by which the saved plan is known. */
	readonly digest: string;
}

/** What a run of `plan` found, as far as it is kept. */
interface SavedContent {
	/** One an organization. */
	readonly plans: readonly Plan[];
	/** Of a plan with a base. */
	readonly threeWay?: readonly ThreeWay[];
	/** Organizations that could not be read, so that there is no plan of them; left out when there is none. */
	readonly unread?: readonly string[];
	/** Overrides of the whole run; left out when there is none. */
	readonly overrides?: readonly Override[];
}

/** Members of a saved plan that only the service or the document can confirm; everything else follows from its changes. */
const statedMembers = [
	"generatedBy",
	"unread",
	"overrides",
	"threeWay",
	"plans[].readAt",
	"plans[].serviceTime",
	"plans[].validUntil",
	"plans[].expiries",
	"plans[].organizationName",
	"plans[].liveOrganizationName",
	"plans[].documentDigest",
	"plans[].userNames",
	"plans[].liveNames",
	"plans[].unread",
	"plans[].problems",
	"plans[].warnings",
	"plans[].changes",
	"plans[].guards",
	"plans[].accessCases",
	"plans[].rules",
	"plans[].waiting",
	"plans[].otherPending",
	"plans[].overrides",
	"plans[].unmanaged",
	"plans[].touched",
	"plans[].impact",
	"plans[].impactVerdict",
	"plans[].impactModel",
	"plans[].impactTimed",
	"plans[].impactAtOtherTimes",
	"plans[].assumptions",
	"plans[].tagNames",
	"plans[].policyNames",
	"plans[].submitterId",
	"plans[].steps[].approval",
	"plans[].steps[].dependsOn",
] as const;

/** The format that this version writes. In format 1, reasons were texts. */
const formatVersion = 2;

/** The format of its plans. */
const planVersion = 1;

export function makeSavedPlan(content: SavedContent, generatedBy: string): SavedPlan {
	const head = { formatVersion, command: "plan", generatedBy } as const;
	return { ...head, digest: digestOf({ ...head, ...content, plans: content.plans.map(savePlan) }), ...content };
}

/** The bytes of the file, ending with a newline; the same plans give the same bytes. */
export function encodeSavedPlan(saved: SavedPlan): string {
	return `${writeJson({ ...saved, plans: saved.plans.map(savePlan) }, 2)}\n`;
}

/** What is said of it beside its plans. */
export function factsOf({ digest, generatedBy, plans, unread, overrides }: SavedPlan): SavedPlanFacts {
	const [readAt = null] = plans.map((plan) => plan.readAt).sort(compareText);
	const [validUntil] = plans.flatMap((plan) => plan.validUntil ?? []).sort(compareText);
	return { digest, readAt, generatedBy, ...defined({ validUntil, unread, overrides }) };
}

/** The same of a saved plan that was read from a file, which anybody can have written. */
export function statedFactsOf(saved: SavedPlan): SavedPlanFacts {
	return { ...factsOf(saved), statedByFile: statedMembers };
}

/** The saved plan that this text is. `file` is what it is called in the ConfigurationError that refuses anything else. */
export function decodeSavedPlan(text: string, file: string): SavedPlan {
	const name = file === "-" ? "standard input" : showText(file);
	const value = parse(text, name);
	if (typeof value !== "object" || value === null || Array.isArray(value)) throw noSavedPlan(name, "it is no object");
	const { digest, ...content } = value as Readonly<Record<string, unknown>>;
	refuseNewer(content, name);
	if (typeof digest !== "string" || !Array.isArray(content.plans)) {
		const isAnswer = content.command !== undefined && content.exitCode !== undefined;
		throw noSavedPlan(
			name,
			isAnswer ? "it is what a command prints with --format json" : "it has no digest or no plans",
		);
	}
	const found = digestOf(content);
	if (found !== digest) {
		throw new ConfigurationError(
			`${name} was changed after it was saved: it says that its digest is ${showText(digest)}, and it is ${found}`,
			{ hint: "a saved plan is not edited: change the document, plan again, and have that reviewed" },
		);
	}
	const [mistake] = checkSchema(validators, "saved-plan.json", value);
	if (mistake !== undefined) {
		throw notFromHere(name, `${showText(mistake.instancePath || "the whole")} ${mistake.message ?? "is wrong"}`);
	}
	const stated = value as SavedPlan;
	const saved = { ...stated, plans: stated.plans.map((plan) => restorePlan(withReasons(plan))) };
	refuseContradictions(saved, name);
	return { ...saved, plans: saved.plans.map(withOwnReasons) };
}

/** Returns the plan with reasons as data, where its file has texts. */
function withReasons(plan: Plan): Plan {
	return Object.fromEntries(
		Object.entries(plan).map(([name, value]) => [name, withReason.has(name) ? replaceTexts(value) : value]),
	) as unknown as Plan;
}

const withReason: ReadonlySet<string> = new Set([
	"unread",
	"impact",
	"impactAtOtherTimes",
	"rules",
	"steps",
] satisfies (keyof Plan)[]);

function replaceTexts(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(replaceTexts);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, own]) => {
			const isText = (name === "because" || name === "unknown" || name === "why") && typeof own === "string";
			return [name, isText ? ({ kind: "stated", text: own } satisfies Reason) : replaceTexts(own)];
		}),
	);
}

/** Refuses what orgsync cannot have written, although the digest fits: a writer of the file can write that too. */
function refuseContradictions({ plans, threeWay = [], unread = [] }: SavedPlan, name: string): void {
	const digests = new Map(plans.map(({ organizationId, documentDigest }) => [organizationId, documentDigest]));
	const twice = findTwice([...plans.map(({ organizationId }) => organizationId), ...unread]);
	const twiceInBase = findTwice(threeWay.map(({ organizationId }) => organizationId));
	const other = plans.find(({ reads }) => reads !== plans[0]?.reads);
	const stranger = threeWay.find((one) => one.head?.documentDigest !== digests.get(one.organizationId));
	const because = [
		...(twice === undefined ? [] : [`organization ${twice} is in it twice`]),
		...(twiceInBase === undefined ? [] : [`organization ${twiceInBase} is compared with its base twice`]),
		...(stranger === undefined ? [] : [`the base of organization ${stranger.organizationId} is of no plan in it`]),
		...(other === undefined ? [] : [`organization ${other.organizationId} was read with other reads than the first`]),
		...plans.flatMap((plan) => {
			const found = findContradiction(plan);
			return found === undefined ? [] : [`organization ${plan.organizationId}: ${found}`];
		}),
	][0];
	if (because === undefined) return;
	throw notFromHere(name, because);
}

/** Max characters of a reason, and of the name of a program: both are texts of the file. */
const [maxReasonLength, maxProgramLength] = [1000, 100];

function notFromHere(name: string, because: string): ConfigurationError {
	return new ConfigurationError(`${name} was not made by this orgsync: ${clipMiddle(because, maxReasonLength)}`, {
		hint: "plan again: the file was edited, or another version of orgsync made it",
	});
}

function findTwice(ids: readonly string[]): string | undefined {
	const seen = new Set<string>();
	return ids.find((id) => seen.has(id) || !seen.add(id));
}

function parse(text: string, name: string): unknown {
	const read = readJson(text);
	if ("value" in read) return read.value;
	throw noSavedPlan(name, `it is ${read.mistake}`);
}

function noSavedPlan(name: string, because: string): ConfigurationError {
	return new ConfigurationError(`${name} is no saved plan: ${because}`, { hint: "plan saves one with --out" });
}

/** The format is looked at before anything else: in a newer one digest and members may mean something else. */
function refuseNewer(content: Readonly<Record<string, unknown>>, name: string): void {
	const plans: readonly unknown[] = Array.isArray(content.plans) ? content.plans : [];
	const all = [[content, formatVersion] as const, ...plans.map((plan) => [plan, planVersion] as const)];
	const [newer] = all.flatMap(([one, read]) => {
		const version = (one as { formatVersion?: unknown } | null)?.formatVersion;
		return typeof version === "number" && version > read ? [{ version, read }] : [];
	});
	if (newer === undefined) return;
	const by =
		typeof content.generatedBy === "string" && content.generatedBy.trim() !== ""
			? ` (${showText(clipMiddle(content.generatedBy, maxProgramLength))})`
			: "";
	throw new ConfigurationError(
		`${name} was made by a newer orgsync${by}: it has formatVersion ${newer.version}, and this one reads ${newer.read}`,
		{ hint: "update orgsync, or plan again with this one" },
	);
}

/** A plan that was saved, and the document narrowed to what it touches. */
export interface Planned {
	readonly plan: Plan;
	readonly desired: DesiredOrganization;
}

/** Every plan with its document, in the documents' order. Throws ConfigurationError when these are not those of the plan. */
export function matchDocuments(saved: SavedPlan, organizations: readonly DesiredOrganization[]): readonly Planned[] {
	const plans = new Map(saved.plans.map((plan) => [plan.organizationId, plan]));
	const wanted = new Set(organizations.map(({ organizationId }) => organizationId));
	const strangers = [...plans.keys(), ...(saved.unread ?? [])].filter((id) => !wanted.has(id));
	const unplanned = organizations
		.filter(({ organizationId: id }) => !plans.has(id) && saved.unread?.includes(id) !== true)
		.map(namedIn);
	if (strangers.length + unplanned.length > 0) {
		const said = [
			...(strangers.length === 0
				? []
				: [
						`the saved plan is of ${listOrganizations(strangers.map((organizationId) => ({ organizationId })))}, which the documents do not have`,
					]),
			...(unplanned.length === 0
				? []
				: [`the documents have ${listOrganizations(unplanned)}, which the saved plan does not`]),
		];
		throw new ConfigurationError(said.join("; "), { hint: "name with -f the documents that were planned" });
	}
	const planned = organizations.flatMap((desired) => {
		const plan = plans.get(desired.organizationId);
		return plan === undefined ? [] : [{ plan, desired }];
	});
	const other = planned.filter(({ plan, desired }) => plan.documentDigest !== desired.digest);
	if (other.length > 0) {
		const said = other.map(
			({ plan, desired }) =>
				`organization ${showOrganization(namedIn(desired))} was planned from another document: its digest was ${plan.documentDigest}, and that of ${desired.files.map(showText).join(", ")} is ${desired.digest}`,
		);
		throw new ConfigurationError(said.join("; "), {
			hint: "take the document as it was reviewed, with the same variables; or plan again",
		});
	}
	refuseOtherNames(planned);
	refuseOtherCases(planned);
	return planned.map(({ plan, desired }) => {
		const { cases, ...narrowed } = narrowToChanged(desired, plan.changes);
		refuseOthersChanges(plan, narrowed);
		const required = desired.accessTests === undefined ? undefined : cases;
		const reviewed = plan.guards.find(({ kind, refuses }) => kind === "accessCases" && refuses);
		const reviewedCases = reviewed?.finding.what === "stated" ? { ...reviewed.finding, ...reviewed } : undefined;
		return {
			plan,
			desired: { ...narrowed, temporaryNames: temporaryNamesOf(plan), ...defined({ reviewedCases, cases: required }) },
		};
	});
}

/** Refuses a plan with a change of something that its documents do not mention: it was not made from them. */
function refuseOthersChanges({ changes }: Plan, desired: DesiredOrganization): void {
	const other = changes.find((change) => !mentions(desired, change));
	if (other === undefined) return;
	throw new ConfigurationError(
		`the saved plan changes ${showAddress(other.address)} in organization ${showOrganization(namedIn(desired))}, and the documents do not mention it`,
		{ hint: "plan again: the file was edited" },
	);
}

/** Refuses other names for users than those of the documents: the review went by them. */
function refuseOtherNames(planned: readonly Planned[]): void {
	const tell = (name: string | undefined): string =>
		name === undefined ? "do not name" : `call \`${showText(name)}\``;
	for (const { plan, desired } of planned) {
		const names = namesOfUsers(desired);
		const other = Object.keys({ ...plan.userNames, ...names }).find((id) => plan.userNames[id] !== names[id]);
		if (other === undefined) continue;
		const said = `the documents of organization ${showOrganization(namedIn(desired))} ${tell(names[other])} user ${other}`;
		const was = plan.userNames[other];
		throw new ConfigurationError(
			`${said}, whom the saved plan ${was === undefined ? "does not name" : `calls \`${showText(was)}\``}`,
			{ hint: "its reviewers went by its names: plan again, and have that reviewed" },
		);
	}
}

/** Refuses other access cases than those of the plan; a plan without has none, or is of an older orgsync. */
function refuseOtherCases(planned: readonly Planned[]): void {
	for (const { plan, desired } of planned) {
		const { accessCases } = plan;
		if (accessCases === undefined || accessCases.digest === digestOfCases(desired)) continue;
		const said = `organization ${showOrganization(namedIn(desired))} was planned with other access cases`;
		throw new ConfigurationError(said, { hint: "take the *.access.yaml files as they were reviewed; or plan again" });
	}
}

/** At most five organizations, and how many more there are. */
function listOrganizations(all: readonly NamedOrganization[]): string {
	return `${all.length === 1 ? "organization" : "organizations"} ${listFirst(all.map(showOrganization), 5)}`;
}
