/** Reads `rules.credentials` of an organization's documents; where two write one, they must agree. */

import type { CredentialCheck, ExceptedUsers } from "../../plan/rules/credential-check.ts";
import { compareText } from "../../plan/value.ts";
import { type Cell, entriesAt, entryOf, itemsOf } from "../cell.ts";
import { distinct, invalidate, quoteCell } from "../report.ts";
import { isEmptyList, isEmptyMap } from "./empty-parts.ts";
import { sortedNames } from "./named-entries.ts";
import { firstAgreed } from "./shared-values.ts";
import { readUserList, type Users } from "./users.ts";

interface Found {
	readonly check: CredentialCheck;
	readonly cell: Cell;
}

/** `sections` are `rules` of the documents. */
export function readCredentialChecks(sections: readonly Cell[], users: Users): readonly Found[] {
	const cells = entriesAt(sections, "credentials");
	for (const cell of entriesAt(cells, "issuers")) isEmptyList(cell, "issuers");
	const read = (
		key: CredentialCheck["check"],
		toCheck: (cell: Cell) => CredentialCheck | undefined,
	): readonly Found[] => {
		const found = entriesAt(cells, key).filter(({ value }) => value !== false);
		const first = firstAgreed(found, toCheck);
		return first === undefined ? [] : [{ check: first.value, cell: first.cell }];
	};
	return [
		...read("maxKeyAge", readAge),
		...(["keysExpire", "notKeysOnly"] as const).flatMap((check) =>
			read(check, (cell) => ({ check, except: readExcept(cell, users) })),
		),
		...read("sensitiveNeedsAuthenticator", () => ({ check: "sensitiveNeedsAuthenticator" })),
		...read("issuers", (cell) => ({
			check: "issuers",
			issuers: [...distinct(itemsOf(cell), (item) => String(item.value)).keys()].sort(compareText),
		})),
	];
}

const dayMs = 24 * 60 * 60 * 1000;

function readAge(cell: Cell): CredentialCheck | undefined {
	const written = String(cell.value);
	const [, days] = /^([1-9]\d{0,3})d$/.exec(written) ?? [];
	if (days !== undefined) return { check: "maxKeyAge", maxMs: Number(days) * dayMs, written };
	return invalidate(cell, "wrong-value", `${quoteCell(cell)} is no age; write days, such as \`90d\``);
}

function readExcept(rule: Cell, users: Users): ExceptedUsers {
	const except = entryOf(rule, "except");
	if (rule.kind === "map") isEmptyMap(rule, "except");
	if (except !== undefined) isEmptyMap(except, "users` or `userTags");
	const [named, tags] = [entryOf(except, "users"), entryOf(except, "userTags")];
	if (named !== undefined) isEmptyList(named, "users");
	if (tags !== undefined) isEmptyList(tags);
	return {
		userIds: readUserList(users, named)
			.map(({ userId }) => userId)
			.sort(compareText),
		userTags: sortedNames(tags),
	};
}
