/** 1,000 access cases in a large organization: 100 users, 200 policies. */
import { readAccessFile } from "../../src/document/read/access-file.ts";
import { CaseJudge } from "../../src/plan/access-cases/judge.ts";
import { resolveCases } from "../../src/plan/access-cases/resolve.ts";
import { atMs, makeAccess, makePolicy } from "./impact.ts";
import { type Measured, median } from "./run.ts";

const kinds = [
	"SIGN_TRANSACTION",
	"SIGN_RAW_PAYLOAD",
	"EXPORT_WALLET",
	"CREATE_WALLET",
	"CREATE_POLICY",
	"DELETE_POLICY",
];
const powers = ["sign", "export", "policies", "users", "wallets", "imports"];

/** Half of the cases ask about one transaction each, so that no two have the same answer ready. */
function makeCases(users: readonly string[], tags: readonly string[]): string {
	const user = (index: number): string => users[(index * 17) % users.length] ?? "";
	const rows = Array.from({ length: 1_000 }, (_, index) => {
		const where = `where: { eth.tx.value: ${index}000000000000000000, wallet.id: "00000005-0000-4000-8000-00000000000${index % 7}" }`;
		const asked =
			index % 2 === 0
				? `activity: { kind: SIGN_TRANSACTION, ${where} }`
				: index % 4 === 1
					? `activity: { kind: ${kinds[index % kinds.length]} }`
					: `power: ${powers[index % powers.length]}`;
		const says = [
			`alone: { never: [${user(index)}, ${user(index + 1)}] }`,
			`together: { atLeast: ["2 of ${tags[index % tags.length]}"] }`,
			`never: [${user(index)}]`,
			`alone: { exactly: [${user(index)}] }`,
		];
		return `  - { name: case ${index}, ${asked}, ${says[index % says.length]} }`;
	});
	return `rootQuorum: aside\ntests:\n${rows.join("\n")}\n`;
}

export function benchCases(): readonly Measured[] {
	const [times, reading]: [number[], number[]] = [[], []];
	for (let round = 0; round < 5; round += 1) {
		const policies = Array.from({ length: 200 }, (_, index) => makePolicy(index));
		const access = makeAccess(policies);
		const users = access.users.known ? access.users.value : [];
		const tagIds = [...new Set(users.flatMap((user) => (user.tagIds.known ? user.tagIds.value : [])))];
		const content = makeCases(
			users.map(({ id }) => id),
			tagIds,
		);
		const begun = performance.now();
		const read = readAccessFile(
			{ file: "a.access.yaml", content },
			{ environment: {}, findBody: () => ({ mistake: "" }) },
		);
		if (!("cases" in read)) throw new Error("the bench has no cases");
		const start = performance.now();
		const tagNames = Object.fromEntries(tagIds.map((id) => [id, id]));
		const { cases, wrong } = resolveCases(read.cases, access, { aliases: {}, liveNames: {}, tagNames });
		const judge = new CaseJudge(access, atMs, false);
		const verdicts = new Set(cases.map((one) => judge.judge(one).verdict));
		times.push(performance.now() - start);
		reading.push(start - begun);
		if (wrong.length > 0 || !verdicts.has("passed") || !verdicts.has("failed"))
			throw new Error("the cases of the bench both hold and fail");
	}
	const aim = "under 1,000 ms";
	const what = "1,000 access cases: 100 users, 200 policies";
	return [
		{ what, measured: `${median(times).toFixed(0)} ms`, aim },
		{ what: "reading their file", measured: `${median(reading).toFixed(0)} ms`, aim },
	];
}
