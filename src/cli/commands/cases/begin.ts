/** `test --write`: begins a file of cases with what is true today. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigurationError, UndecidedError } from "../../../common/errors.ts";
import { showText } from "../../../common/escape.ts";
import { CaseJudge } from "../../../plan/access-cases/judge.ts";
import { policyNamesIn } from "../../../policy/access.ts";
import { namedPowers, type PowerName } from "../../../policy/powers/groups.ts";
import { reasonText } from "../../../say/reason.ts";
import { accessFiles } from "../../files/document-files.ts";
import { schemaComment } from "../../files/sources.ts";
import { writeNewFile } from "../../files/write-file.ts";
import type { Call } from "../../output/output.ts";
import type { CaseState, FoundState } from "./states.ts";

/** Throws ConfigurationError for a file that exists, or that is no file of cases by its name. */
export function checkNewFile(file: string, words: readonly string[], { terminal }: Call): void {
	const refuse = (why: string, hint: string): never => {
		throw new ConfigurationError(`--write ${showText(file)}: ${why}`, { hint });
	};
	if (words.length > 0) refuse("it takes no other files", "leave out the files of cases");
	if (!accessFiles.ending.test(file)) refuse("files of cases end with .access.yaml", "name it so");
	if (existsSync(resolve(terminal.directory, file))) refuse("the file exists", "name a new file, or remove this one");
}

/** Writes the cases of the only organization of the run. Throws ConfigurationError where there are several. */
export async function beginFile(file: string, states: readonly FoundState[], { terminal }: Call): Promise<void> {
	const { writeCases } = await import("../../../document/export/cases.ts");
	const [state, other] = states.filter((one): one is CaseState => "access" in one);
	if (state === undefined || other !== undefined) {
		throw new ConfigurationError(`--write ${showText(file)}: the run has ${states.length} organizations`, {
			hint: "select one with --organization ID",
		});
	}
	const { organizationId, access, aliases, liveNames, tagNames } = state;
	const judge = new CaseJudge(access, state.nowMs, true);
	const powers = (Object.keys(namedPowers) as PowerName[]).map((name) => {
		const asked = { groups: namedPowers[name], isOwn: name === "ownCredentials", text: name };
		return [name, judge.survey(asked)] as const;
	});
	const unknown = powers.flatMap(([, found]) => ("unknown" in found ? found.unknown : []));
	if (unknown[0] !== undefined && unknown.length === powers.length) {
		const why = showText(reasonText(unknown[0]));
		throw new UndecidedError(`--write ${showText(file)}: who can do what is unknown: ${why}`);
	}
	const names = { userNames: { ...liveNames, ...aliases }, tagNames, policyNames: policyNamesIn(access) };
	const head = schemaComment(resolve(terminal.directory, file), "access.json");
	writeNewFile(file, head + writeCases({ organizationId, access, powers, ...names }), terminal);
}
