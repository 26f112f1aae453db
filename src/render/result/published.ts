/**
 * The published form of a result, which schemas/output.json describes: it has a list for each kind of fact, joined by the ids
 * of organizations. What is a value in orgsync, such as a reason, is a text there.
 */

import { defined, nonEmpty } from "../../common/defined.ts";
import { writeJson } from "../../common/escape.ts";
import type { OrganizationDrift } from "../../plan/drift/drift.ts";
import { inWords } from "../../say/published.ts";
import { brokenText } from "../../say/rules.ts";
import { todoText } from "../../say/todo.ts";
import type { FoundOrganization } from "./found.ts";
import { isLint, publishLint } from "./lint.ts";
import { type CommandResult, isCompared } from "./result.ts";

/** Returns the result with its lists in place of its organizations. */
export function publish(result: CommandResult): object {
	if (isLint(result)) return { ...result, organizations: result.organizations.map(publishLint) };
	if (!isCompared(result)) {
		return "drift" in result ? { ...result, ...defined({ drift: result.drift?.map(publishDrift) }) } : result;
	}
	const { formatVersion, command, exitCode, error, problems, organizations: all, ...more } = result;
	const { dropped = [], ...facts } = { dropped: undefined, ...more };
	const head = { formatVersion, command, exitCode, error, problems, plans: membersOf(all, "plan") };
	const threeWay = nonEmpty([...membersOf(all, "threeWay"), ...dropped]);
	if (command === "show") return { ...head, ...facts, ...defined({ threeWay }) };
	const notRead = all.filter(({ state }) => state === "notRead").map(({ organizationId }) => organizationId);
	return {
		...head,
		...defined({ failed: nonEmpty(membersOf(all, "failed")), threeWay }),
		...(command === "drift" ? { drift: membersOf(all, "drift").map(publishDrift) } : {}),
		...(command === "apply" ? { reports: membersOf(all, "report"), ...defined({ notRead: nonEmpty(notRead) }) } : {}),
		...facts,
	};
}

function membersOf<Member extends keyof FoundOrganization>(all: readonly FoundOrganization[], member: Member) {
	return all.flatMap((one) => one[member] ?? []) as readonly NonNullable<FoundOrganization[Member]>[];
}

/** Returns the report with what to do, and what breaks a rule, as texts. */
export function publishDrift(drift: OrganizationDrift): OrganizationDrift {
	const asText = <F extends OrganizationDrift["findings"][number]>(one: F): F => ({
		...one,
		todo: todoText(one.todo),
		...(one.message === undefined ? {} : { message: brokenText(one.message) }),
	});
	return { ...drift, findings: drift.findings.map(asText), waiting: drift.waiting.map(asText) };
}

/** Returns the result as indented JSON that ends with a newline. */
export function renderJson(result: CommandResult): string {
	// An answer of the service is printed unchanged.
	const replace = result.command === "query" ? undefined : inWords;
	return `${writeJson(publish(result), 2, replace)}\n`;
}
