/** Access with an end, in words: who has which tag until when, and which changes of a plan come from that (docs/access.md). */
import { showAddress } from "../../common/escape.ts";
import type { Expiry } from "../../plan/access-window.ts";
import type { Plan } from "../../plan/plan.ts";
import { capitalize, count } from "../../say/count.ts";
import { code, identifier, type Phrase, quote, time } from "../../say/phrase.ts";
import { namePerson } from "../../say/powers.ts";
import { listed, type Row, type Section } from "../../say/section.ts";
import { formatDuration } from "../duration.ts";

type Windows = Pick<Plan, "expiries">;

/** The service's time for which the plan was made. */
function nowOf({ serviceTime, readAt }: Plan): string {
	return serviceTime ?? readAt;
}

/** Longest reason, in characters as shown: a document has no longer one. */
export const longestReason = 240;

/** Returns when access ends, ended or begins, and why the user has it. `now` adds how long that is. */
export function describeWindow(expiry: Expiry, now: string | null, maxReason: number = longestReason): Phrase {
	const { reason } = expiry;
	return [...describeMoments(expiry, now), ...(reason === undefined ? [] : [", reason ", quote(reason, maxReason)])];
}

function describeMoments({ from, fromWritten, until, untilWritten, state }: Expiry, now: string | null): Phrase {
	const begin = from === undefined ? [] : describeMoment(from, fromWritten, now);
	const end = until === undefined ? [] : describeMoment(until, untilWritten, now);
	const endLater = until === undefined ? [] : [", ends ", ...describeMoment(until, untilWritten, null)];
	if (state === "expired") return ["access expired ", ...describeMoment(until ?? "", untilWritten, null)];
	if (state === "not-begun") return ["access begins ", ...begin, ...endLater];
	return until === undefined ? ["access without an end"] : ["access ends ", ...end];
}

/** Returns the moment in UTC and, where the document has another zone, as it writes it. */
function describeMoment(iso: string, given: string | undefined, now: string | null): Phrase {
	const written = given?.endsWith("UTC") === true ? undefined : given;
	const moment = written === undefined ? [time(iso)] : [time(iso), ", written ", code(written)];
	if (now === null) return written === undefined ? moment : [time(iso), " (written ", code(written), ")"];
	return [`in ${formatDuration(now, iso)} (`, ...moment, ")"];
}

const byPlace = new WeakMap<readonly Expiry[], ReadonlyMap<string, Expiry>>();

/** Returns the window of a user whom the plan adds or removes; undefined where the user has none. */
export function findExpiry({ expiries }: Windows, address: string, userId: string): Expiry | undefined {
	if (expiries === undefined) return undefined;
	const known = byPlace.get(expiries) ?? new Map(expiries.map((one) => [`${one.userId} ${one.address}`, one]));
	byPlace.set(expiries, known);
	return known.get(`${userId} ${address}`);
}

/** What a plan says of access that ends soon, without names. */
export interface SoonEnding {
	readonly members: number;
	/** ISO 8601 in UTC. */
	readonly firstAt: string;
}

/** Returns how many members of tags lose them soon, and when the first does; null where there is none. */
export function findSoonEnding({ expiries = [] }: Windows): SoonEnding | null {
	const moments = expiries.flatMap(({ state, until }) => (state === "ends-soon" && until !== undefined ? [until] : []));
	const [firstAt] = moments.toSorted((left, right) => Date.parse(left) - Date.parse(right));
	return firstAt === undefined ? null : { members: moments.length, firstAt };
}

/** Returns the sentence for a verdict; empty where no access ends soon. */
export function summarizeExpiries(plan: Plan): string {
	const found = findSoonEnding(plan);
	if (found === null) return "";
	const first = `${found.members === 1 ? "" : "the first "}in ${formatDuration(nowOf(plan), found.firstAt)}`;
	return `${capitalize(`access of ${count(found.members, "member", "members")}`)} ends soon, ${first}.`;
}

/** Access that ends or begins soon, and that no change of the plan shows. */
export function expiriesSection(plan: Plan): Section {
	const hidden = (plan.expiries ?? []).filter((expiry) => !isInChange(expiry, plan));
	return listed("access-with-an-end", hidden, (expiry) => expiryRow(expiry, plan));
}

/** Whether the plan adds or removes the user, so that the change itself says until when and why. */
function isInChange({ address, userId }: Expiry, { changes }: Plan): boolean {
	const change = changes.find((one) => one.address === address);
	if (change?.kind !== "userTag") return false;
	return change.addUserIds.includes(userId) || change.removeUserIds.includes(userId);
}

function expiryRow(expiry: Expiry, plan: Plan): Row {
	const { address, userId, state } = expiry;
	return {
		badge: { word: state === "not-begun" ? "begins" : "ends", look: "attention" },
		said: [
			identifier(showAddress(address)),
			"  ",
			namePerson(userId, plan),
			": ",
			...describeWindow(expiry, nowOf(plan)),
		],
		about: [address],
	};
}
