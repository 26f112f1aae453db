/** Judges access cases written as YAML in a small organization. */
import { readAccessFile } from "../../../src/document/read/access-file.ts";
import type { CaseFile } from "../../../src/plan/access-cases/case.ts";
import type { JudgedCase } from "../../../src/plan/access-cases/finding.ts";
import { CaseJudge } from "../../../src/plan/access-cases/judge.ts";
import { resolveCases, type WrongName } from "../../../src/plan/access-cases/resolve.ts";
import type { AccessState } from "../../../src/policy/access.ts";
import { alice, approvers, bob, carol, dave, signers, treasury } from "../support-access.ts";

const liveNames = { [alice]: "alice", [bob]: "bob", [carol]: "carol", [dave]: "dave" };
const tagNames = { [signers]: "signers", [approvers]: "approvers", [treasury]: "treasury" };

export const nowMs = Date.UTC(2026, 10, 27, 12);

export function readCases(yaml: string, bodies: Readonly<Record<string, string>> = {}): CaseFile {
	const findBody = (_: string, body: string) => ({ file: body, content: Buffer.from(bodies[body] ?? "") });
	const read = readAccessFile({ file: "a.access.yaml", content: yaml }, { environment: {}, findBody });
	if ("cases" in read) return read.cases;
	throw new Error(read.problems.map(({ line, column, message }) => `${line}:${column} ${message}`).join("\n"));
}

export function problemsOf(yaml: string): readonly string[] {
	try {
		readCases(yaml);
		return [];
	} catch (error) {
		return (error as Error).message.split("\n");
	}
}

interface Judged {
	readonly cases: readonly JudgedCase[];
	readonly wrong: readonly WrongName[];
}

export function judgeFile(yaml: string, access: AccessState, bodies?: Readonly<Record<string, string>>): Judged {
	const file = readCases(yaml, bodies);
	const resolved = resolveCases(file, access, { aliases: {}, liveNames, tagNames });
	const judge = new CaseJudge(resolved.access, nowMs, !file.isRootQuorumAside);
	return { cases: resolved.cases.map((one) => judge.judge(one)), wrong: resolved.wrong };
}

/** Returns what became of one case about signing, as `verdict: key found users; …`, the root quorum aside. */
export function judgeOne(says: string, access: AccessState, head = "rootQuorum: aside"): string {
	const { cases } = judgeFile(`${head}\ntests: [{ name: it, ${says} }]`, access);
	return cases.map(shortly).join("\n");
}

const names: Readonly<Record<string, string>> = { ...liveNames, ...tagNames };

export function shortly({ verdict, findings }: JudgedCase): string {
	const told = findings.map(({ key, found, userIds, policyId, tagId, because }) => {
		const about = [...userIds, ...[policyId ?? []].flat(), ...[tagId ?? []].flat()].map((id) => names[id] ?? id);
		return [key, found, about.join("+"), ...(because === null ? [] : [because.kind])]
			.filter((text) => text !== "")
			.join(" ");
	});
	return [verdict, ...told].join("; ");
}
