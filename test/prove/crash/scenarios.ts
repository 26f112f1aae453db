/** What is crashed: the command, what has happened before it, and how the work is finished after it. */
import type { Ended } from "../command.ts";
import type { Counts } from "../proof.ts";
import { users } from "../small-world.ts";
import { Broken } from "./judge.ts";
import type { CrashWorld, Who } from "./world.ts";

export interface Scenario {
	readonly name: string;
	/** How many organizations the document has. */
	readonly size: 1 | 2;
	/** How many users must approve each activity. */
	readonly approvals: 1 | 2;
	readonly reads: "all" | "documented";
	/** Who runs the command that is stopped. */
	readonly who: Who;
	readonly words: readonly string[];
	/** Commands before it. */
	readonly before: readonly { readonly who: Who; readonly words: readonly string[]; readonly code: number }[];
	/** The command that follows the stopped one. */
	readonly again: readonly string[];
	/** How it may end: a saved plan runs once, and is stale where the organization has changed. */
	readonly codes: readonly number[];
}

const apply = ["apply", "--yes"];
const approve = ["approve", "--yes"];
const base = {
	size: 1,
	approvals: 1,
	reads: "all",
	who: "alice",
	words: apply,
	before: [],
	again: apply,
	codes: [0],
} as const;
const savedPlan = ["apply", "--plan", "plan.json"];
const needsApproval = { approvals: 2, codes: [0, 8] } as const;
const pending = { who: "alice", words: apply, code: 8 } as const;

/** Plans have them in turn. */
export const scenarios: readonly Scenario[] = [
	{ ...base, name: "apply" },
	{ ...base, name: "approve", ...needsApproval, who: "bob", words: approve, before: [pending], again: approve },
	{ ...base, name: "apply of what needs approval", ...needsApproval },
	{ ...base, name: "apply without the extended reads", reads: "documented" },
	{
		...base,
		name: "apply of a saved plan",
		words: savedPlan,
		again: savedPlan,
		codes: [0, 6],
		before: [{ who: "alice", words: ["plan", "--out", "plan.json"], code: 0 }],
	},
	{ ...base, name: "apply of two organizations", size: 2 },
	{
		...base,
		name: "approve in two organizations",
		size: 2,
		...needsApproval,
		who: "bob",
		words: approve,
		before: [pending],
		again: approve,
	},
	{ ...base, name: "apply, one step at a time", words: [...apply, "--concurrency", "1"] },
];

/** Returns the users whose votes each activity has in the end. */
export function votersOf({ approvals }: Scenario): readonly string[] {
	return approvals === 1 ? [users.alice] : [users.alice, users.bob];
}

/** More rounds than any document needs: each gets one step further where steps follow each other and need approval. */
const maxRounds = 8;

/** Runs `again`, and what others have to do, until `apply` says that all is in sync. Returns whether a person had to abandon a request in doubt. */
export async function finish(
	world: CrashWorld,
	{ approvals, who, again, codes, reads }: Scenario,
	counts: Counts,
	isTagOthers: boolean,
): Promise<boolean> {
	let isAbandoned = false;
	const story: string[] = [];
	const run = async (whose: Who, words: readonly string[], codes: readonly number[]): Promise<number | null> => {
		// A created tag that others delete is created again by a run of a later second.
		world.advance(2000);
		const ended = await world.run(whose, words);
		story.push(`${whose}: orgsync ${words.join(" ")}: exit ${ended.code}`);
		// No query shows what became of the rename, or others replaced the tag, and its step is no longer in the plan: a person decides.
		const mayAbandon = reads === "documented" || isTagOthers;
		const inDoubt = mayAbandon ? /--abandon (sha256:[0-9a-f]{64})/.exec(ended.stdout)?.[1] : undefined;
		if (inDoubt !== undefined && ended.code !== 0 && !words.includes(inDoubt)) {
			counts.add("left out: a person abandons a request in doubt that no run can settle");
			isAbandoned = true;
			return await run(whose, [...words, "--abandon", inDoubt], codes);
		}
		// A tag that others made or took away is not the one that policies named: a person looks at it.
		if (isTagOthers && ended.code === 5) throw new HeldByGuard();
		judgeEnd(ended, codes, story.join("\n"));
		return ended.code;
	};
	const first = await run(who, again, codes);
	if (approvals === 1) {
		if (again !== apply) await run("alice", apply, [0]);
		return isAbandoned;
	}
	let code = who === "alice" ? first : await run("alice", apply, [0, 8]);
	for (let round = 0; code !== 0; round += 1) {
		if (round === maxRounds) throw new Broken("approvals and applies do not end", story.join("\n"));
		await run("bob", approve, [0, 8]);
		code = await run("alice", apply, [0, 8]);
	}
	return isAbandoned;
}

/** A guard holds back what others exchanged. */
export class HeldByGuard extends Error {}

/** Fails if a command ended otherwise, or printed a stack trace or a word that no person should read. */
export function judgeEnd(
	{ code, stdout, stderr }: Pick<Ended, "code" | "stdout" | "stderr">,
	codes: readonly (number | null)[],
	story: string,
): void {
	const printed = `${stdout}${stderr}`;
	if (!codes.includes(code)) {
		// A shorter document may fail for a reason of its own.
		const reason = /^error: (.*)$/m.exec(printed)?.[1] ?? "it gave no reason";
		throw new Broken(`a command did not end with ${codes.join(" or ")}, because ${reason}`, `${story}\n${printed}`);
	}
	const found = /\n\s+at .*\(|unexpected error|undefined|\[object|NaN/.exec(printed);
	if (found !== null)
		throw new Broken(
			"a command printed what no person should read",
			`${JSON.stringify(found[0])}\n${story}\n${printed}`,
		);
}
