/** Checks what a saved plan states of windows: it has to agree with its own time and its own changes. */
import { showAddress, showText } from "../../common/escape.ts";
import type { Expiry } from "../../plan/access-window.ts";
import type { Plan } from "../../plan/plan.ts";

/** Returns what the plan states of windows that cannot be; undefined when all of it agrees. */
export function findWrongWindows(plan: Plan): string | undefined {
	const { serviceTime, validUntil, expiries = [] } = plan;
	const wrongTime = [
		["serviceTime", serviceTime] as const,
		["validUntil", validUntil] as const,
		...expiries.flatMap(({ from, until }) => [["from", from] as const, ["until", until] as const]),
	].find(([, time]) => time !== undefined && !isWrittenTime(time));
	if (wrongTime !== undefined)
		return `${wrongTime[0]} is ${showText(wrongTime[1] ?? "")}, which is no time that orgsync writes`;
	if (serviceTime === undefined) {
		return validUntil === undefined && expiries.length === 0 ? undefined : "it has windows, but no serviceTime";
	}
	if (validUntil !== undefined && validUntil <= serviceTime) return "validUntil is not after serviceTime";
	const wrong = expiries.find((expiry) => !isPossible(expiry, serviceTime, plan));
	return wrong === undefined
		? undefined
		: `expiries: the window of ${wrong.userId} in ${showAddress(wrong.address)} is not ${wrong.state} at ${serviceTime}, or does not go with its changes`;
}

/** Whether it is a time as orgsync writes it: those can be compared as texts. */
export function isWrittenTime(time: string): boolean {
	const ms = Date.parse(time);
	return !Number.isNaN(ms) && new Date(ms).toISOString() === time;
}

function isPossible({ address, userId, from, until, state }: Expiry, serviceTime: string, { changes }: Plan): boolean {
	const found = changes.find((one) => one.address === address);
	const change = found?.kind === "userTag" ? found : undefined;
	const isRemoved = change?.removeUserIds.includes(userId) === true;
	const hasBegun = from === undefined || from <= serviceTime;
	const hasEnded = until !== undefined && until <= serviceTime;
	const possible: Readonly<Record<string, boolean>> = {
		expired: hasEnded && isRemoved,
		"not-begun": !hasBegun && !hasEnded,
		"ends-soon": hasBegun && until !== undefined && !hasEnded && !isRemoved,
		granted: hasBegun && !hasEnded && change?.addUserIds.includes(userId) === true,
	};
	return possible[state] === true;
}
