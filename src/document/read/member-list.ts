/** Reads the lists `exactly` and `atLeast`: users, each with or without a window in which the user has the tag. */

import { defined } from "../../common/defined.ts";
import type { AccessWindow } from "../../plan/organization.ts";
import { compareText } from "../../plan/value.ts";
import { type Cell, entryOf, itemsOf } from "../cell.ts";
import { describePlace, invalidate, quote, quoteCell, report } from "../report.ts";
import { readMoment } from "./moment.ts";
import { afterSubstitution, type NamedUser, readDistinctUsers, type Users } from "./users.ts";

/** A user of a list; without a window, the user always has the tag. */
export interface NamedMember extends NamedUser {
	readonly window?: AccessWindow;
}

/** Max characters of a reason: it is shown in one line. */
const maxReasonLength = 200;

/** Returns the distinct users of a list in its order. Reports duplicates, also with and without a window, or with two. */
export function readMemberList(users: Users, list: Cell | undefined): NamedMember[] {
	const named = itemsOf(list).flatMap((item) => (item.kind === "map" ? (entryOf(item, "user") ?? []) : item));
	const windows = new Map(
		itemsOf(list).flatMap((item) => (item.kind === "map" ? [[item, readWindow(item)] as const] : [])),
	);
	return readDistinctUsers(users, named, "value").map((user) => {
		const window = user.cell.parent && windows.get(user.cell.parent);
		return window === undefined ? user : { ...user, window: { userId: user.userId, ...window } };
	});
}

/** Returns the windows of these users, sorted by user. */
export function windowsOf(members: readonly NamedMember[]): readonly AccessWindow[] {
	return members.flatMap(({ window }) => window ?? []).sort((left, right) => compareText(left.userId, right.userId));
}

/** Returns the cell of the list `exactly`, `atLeast` or `never` that names the user. */
export function listOf({ cell }: NamedUser): Cell | undefined {
	return cell.parent?.kind === "map" ? cell.parent.parent : cell.parent;
}

function readWindow(item: Cell): Omit<AccessWindow, "userId"> | undefined {
	const has = (key: string): boolean => item.entries.has(key) || item.intendedKeys.has(key);
	if (!has("user")) return undefined;
	if (!has("from") && !has("until")) {
		const message = "this entry has no end; add `until`, such as `2026-12-01T00:00:00Z`, or write only the user";
		return report(item, "no-window", message);
	}
	const from = readTime(entryOf(item, "from"));
	const until = readTime(entryOf(item, "until"));
	const reason = readReason(entryOf(item, "reason"));
	if (from !== undefined && until !== undefined && from.ms >= until.ms) {
		const message = `\`until\` ${quoteCell(until.cell)} is not after \`from\` ${quoteCell(from.cell)} ${describePlace(from.cell.at, until.cell.at)}, so the user would never have the tag; change one of them`;
		report(until.cell, "empty-window", message);
	}
	return {
		...(from === undefined ? {} : { fromMs: from.ms, from: String(from.cell.value) }),
		...(until === undefined ? {} : { untilMs: until.ms, until: String(until.cell.value) }),
		...defined({ reason }),
		at: item.at,
	};
}

function readTime(cell: Cell | undefined): { readonly ms: number; readonly cell: Cell } | undefined {
	if (cell === undefined) return undefined;
	const moment = readMoment(String(cell.value));
	if ("ms" in moment) return { ms: moment.ms, cell };
	// What is wrong would show the value.
	const mistake = cell.fromEnvironment
		? `is not a time${afterSubstitution(cell)}: expected a time such as \`2026-12-01T00:00:00Z\``
		: moment.mistake;
	return invalidate(cell, "bad-time", `${quote(String(cell.key))} ${quoteCell(cell)} ${mistake}`);
}

function readReason(cell: Cell | undefined): string | undefined {
	if (cell === undefined) return undefined;
	const text = String(cell.value).trim();
	const mistake = reasonMistake(text);
	if (mistake === undefined) return text;
	return invalidate(cell, "bad-reason", `\`reason\` ${mistake}${afterSubstitution(cell)}`);
}

/** Returns what is wrong with a reason, as the end of a sentence, or undefined. */
export function reasonMistake(text: string): string | undefined {
	if (text === "") return "is empty; write why, or remove it";
	if (text.length > maxReasonLength) return `is longer than ${maxReasonLength} characters; write a shorter one`;
	return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
		? "contains a control character, such as a line break; write it in one line"
		: undefined;
}
