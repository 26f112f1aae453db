/** The diff of 100 tags, 1 % of whose members changed: how long, and how it grows with ten times the members. */
import { diff } from "../../src/plan/diff.ts";
import { type DesiredOrganization, emptyLastApplied, type LiveOrganization } from "../../src/plan/organization.ts";
import { type Measured, median } from "./run.ts";

const uuid = (kind: number, index: number): string =>
	`${kind.toString(16).padStart(8, "0")}-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
const unknown = { known: false, because: { kind: "stated", text: "not asked" } } as const;
const at = { file: "bench.yaml", line: 1, column: 1 };

function makeCase(members: number): { desired: DesiredOrganization; live: LiveOrganization } {
	const users = Array.from({ length: members }, (_, index) => uuid(1, index));
	const changed = Math.ceil(members / 100);
	const strangers = Array.from({ length: changed }, (_, index) => uuid(2, index));
	const tags = Array.from({ length: 100 }, (_, index) => ({ id: uuid(3, index), name: `tag-${index}` }));
	return {
		desired: {
			organizationId: uuid(4, 0),
			users: {},
			objects: tags.map(({ id, name }) => ({
				kind: "userTag",
				id,
				name,
				previously: [],
				members: { mode: "exactly", exactly: users },
				at,
			})),
			protect: { userIds: [], userTags: [] },
			limits: {},
			digest: "",
			files: [],
		},
		live: {
			organizationId: uuid(4, 0),
			userTags: {
				known: true,
				value: tags.map(({ id, name }) => ({
					id,
					name,
					type: "TAG_TYPE_USER",
					updatedAt: "",
					members: { known: true, value: [...users.slice(changed), ...strangers] },
				})),
			},
			removables: { policy: unknown, oauthProvider: unknown, tvcApp: unknown },
			users: unknown,
			records: {},
			lastApplied: emptyLastApplied,
		},
	};
}

function time(members: number): number {
	const { desired, live } = makeCase(members);
	const times: number[] = [];
	for (let round = 0; round < 9; round += 1) {
		const start = performance.now();
		if (diff(desired, live).changes.length !== 100) throw new Error("every tag of the bench has changed");
		times.push(performance.now() - start);
	}
	return median(times);
}

export function benchDiff(): readonly Measured[] {
	const small = time(1000);
	const large = time(10_000);
	return [
		{
			what: "diff of 100 tags with 1,000 members each, 1 % changed",
			measured: `${small.toFixed(1)} ms`,
			aim: "under 50 ms",
		},
		{
			what: "the same with 10,000 members each, against 1,000",
			measured: `${(large / small).toFixed(1)} times (${large.toFixed(0)} ms)`,
			aim: "at most 12 times",
		},
	];
}
