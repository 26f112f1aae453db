/** `getPlan`: what the plan of a document says, as data and as text. Nothing is submitted or written. */
import { defined } from "../../common/defined.ts";
import { showText } from "../../common/escape.ts";
import type { Expiry } from "../../plan/access-window.ts";
import type { Change } from "../../plan/change.ts";
import type { GuardKind } from "../../plan/guards/guards.ts";
import { refusingGuards } from "../../plan/guards/guards.ts";
import { allowsOf, withOverrides } from "../../plan/guards/overrides.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { findsDifference, type Plan } from "../../plan/plan.ts";
import type { ImpactVerdict } from "../../policy/powers/impact.ts";
import { renderMarkdown } from "../../render/markdown.ts";
import { differenceText, phraseText, rowText } from "../../render/print/text.ts";
import { resultHead } from "../../render/result/head.ts";
import { changeRow } from "../../render/sections/changes.ts";
import { rulesSection } from "../../render/sections/problems.ts";
import { describeUnread } from "../../render/sections/unknown.ts";
import { guardText, limitText } from "../../say/guards.ts";
import type { Session } from "../session/session.ts";
import { functionReads } from "../session/shared-reads.ts";
import { pulumiVoice } from "../settings/voice.ts";
import { compareDocument, renderForPulumi } from "./component.ts";
import { findingsOf, type PlannedApproval } from "./organization-fields.ts";

/** A difference that the plan resolves. */
export interface PlannedChange {
	/** The address of the object, for example `userTag:signers`. */
	readonly address: string;
	/** `create`, `update` or `remove`. */
	readonly action: "create" | "update" | "remove";
	/** What changes, in one line. */
	readonly summary: string;
}

/** A guard that blocks the plan. */
export interface BlockingGuard {
	/** The guard, for example `memberRemovals`. */
	readonly kind: GuardKind;
	/** What the guard found. */
	readonly message: string;
	/** What is allowed. */
	readonly limit: string;
	/** What the setting `allow` has to contain to override the guard, for example `policies=3`. */
	readonly override: string;
}

/** A reason why the organization cannot converge, at its position in the document. */
export interface PlanProblem {
	/** The file; `document` for a document that is an object. */
	readonly file: string;
	/** The line, from 1. */
	readonly line: number;
	/** The column in characters, from 1. */
	readonly column: number;
	/** What is wrong, and how to fix it. */
	readonly message: string;
}

/** Access in a window that matters now. */
export interface AccessExpiry {
	/** The address of the tag. */
	readonly address: string;
	/** The user, in lower case. */
	readonly userId: string;
	/** When the access begins, ISO 8601 in UTC, for example `2026-12-01T00:00:00.000Z`. */
	readonly from?: string;
	/** When the access ends, ISO 8601 in UTC, for example `2026-12-01T00:00:00.000Z`. */
	readonly until?: string;
	/** Why the user has the access. */
	readonly reason?: string;
	/** `expired`, `ends-soon`, `not-begun`, or `granted` by the plan. */
	readonly state: Expiry["state"];
}

/** What a plan says. */
export interface DocumentPlan {
	/** The organization, in lower case. */
	readonly organizationId: string;
	/** Whether live state is as the document says, read-only objects and rules included. */
	readonly inSync: boolean;
	/** How many activities the plan needs; some may be pending already. */
	readonly activities: number;
	/** The differences that the plan resolves. */
	readonly changes: readonly PlannedChange[];
	/**
	 * The whole impact in one word: `equivalent`, `more-permissive`, `less-permissive`, `both` or `unknown`. Not set if
	 * policies were not read.
	 */
	readonly impactVerdict?: ImpactVerdict;
	/**
	 * What the plan changes for who can do what, worst first, one sentence each. Each begins with its sign: `!` bad news,
	 * `+` someone gains, `-` someone loses, `?` not known. Not set if policies were not read.
	 */
	readonly impact?: readonly string[];
	/**
	 * What the policies, as they are now, require for each step. Steps that would be denied come first. Not set if
	 * policies were not read.
	 */
	readonly approvals?: readonly PlannedApproval[];
	/** Access that has expired, ends or begins within 14 days, or is granted by the plan. */
	readonly expiries: readonly AccessExpiry[];
	/** The next moment at which the document wants other members, ISO 8601 in UTC. Not set if there is none. */
	readonly validUntil?: string;
	/** The guards that block the plan. */
	readonly guards: readonly BlockingGuard[];
	/** Why the organization cannot converge. With a problem, nothing is submitted. */
	readonly problems: readonly PlanProblem[];
	/** The rules of the document that the live organization breaks. */
	readonly brokenRules: readonly string[];
	/** Addresses of read-only objects that differ from the document. */
	readonly differences: readonly string[];
	/** Addresses of user tags that the document does not mention. */
	readonly unmanaged: readonly string[];
	/** What could not be read, and why. It is unknown, not empty. */
	readonly unread: readonly string[];
	/** The plan as the command line shows it. */
	readonly text: string;
	/** The plan as Markdown, for the comment of a pull request. */
	readonly markdown: string;
}

/** What the plan of a document says, against the live organization. Throws what Session.compare throws. */
export async function planDocument(desired: DesiredOrganization, session: Session): Promise<DocumentPlan> {
	const { plan } = await compareDocument(functionReads, desired, session);
	const { summary, activities, impact, approvals } = findingsOf(plan);
	const { allow } = session.settings;
	const guards = refusingGuards(plan.guards, allow);
	const allows = allowsOf(plan.guards, allow);
	return {
		organizationId: plan.organizationId,
		inSync: !findsDifference(plan),
		activities,
		changes: plan.changes.flatMap((change) => describeChange(change, plan)),
		...(impact === null ? {} : { impactVerdict: plan.impactVerdict ?? "equivalent", impact }),
		...defined({ approvals: approvals ?? undefined }),
		expiries: (plan.expiries ?? []).map(toExpiry),
		...defined({ validUntil: plan.validUntil }),
		guards: guards.map((guard) => ({
			kind: guard.kind,
			message: guardText(guard),
			limit: limitText(guard),
			override: `${guard.kind}=${guard.found}`,
		})),
		problems: plan.problems.map(({ file, line, column, message }) => ({ file, line, column, message })),
		brokenRules: rulesSection(plan).rows.map(rowText),
		differences: summary.differences,
		unmanaged: summary.unmanaged,
		unread: describeUnread(plan),
		text: renderForPulumi(plan, allows),
		markdown: renderComment(withOverrides(plan, allows)),
	};
}

function toExpiry({ address, userId, from, until, reason, state }: Expiry): AccessExpiry {
	return { ...defined({ address, userId, from, until, reason }), state };
}

function describeChange(change: Change, plan: Plan): readonly PlannedChange[] {
	const { address, action } = change;
	if (action === "report") return [];
	const { rows = [], notes = [], ...head } = changeRow(change, plan);
	const own = action === "remove" ? [differenceText(head).slice(2)] : [];
	const parts = [...own, ...rows.map(differenceText), ...notes.map(({ said }) => phraseText(said))];
	return [{ address, action, summary: showText(parts.join("; ")) }];
}

/** The plan as Markdown in Pulumi's terms. */
export function renderComment(plan: Plan): string {
	const { organizationId } = plan;
	const result = { ...resultHead("plan", 0, null), organizations: [{ organizationId, exitCode: 0, plan } as const] };
	return renderMarkdown(result, { whole: "text", voice: pulumiVoice });
}

/** The name of the function. */
export const getPlanName = "getPlan";
