/** Every operation of wire/operations.ts is handled by one row of the emulator's tables. */
import { describe, expect, it } from "vitest";
import { entityKinds, submitHandlers } from "../../src/emulator/kinds/table.ts";
import { queryHandlers } from "../../src/emulator/queries.ts";
import { servedSubmits } from "../../src/emulator/served-submits.ts";
import { voteHandlers } from "../../src/emulator/voting.ts";
import { readSchema } from "../../src/schema/bundle.ts";
import { approvals, extendedReads, queries } from "../../src/wire/operations.ts";

const sorted = (names: Iterable<string>) => [...names].sort();

describe("the emulator's tables", () => {
	it("answer every query and execute every submit, each once", () => {
		expect(sorted(queryHandlers.keys())).toEqual(sorted(Object.keys({ ...queries, ...extendedReads })));
		expect(sorted(submitHandlers.keys())).toEqual(sorted(Object.keys(servedSubmits)));
		expect(sorted(voteHandlers.keys())).toEqual(sorted(Object.keys(approvals)));
		const handled = entityKinds.flatMap((kind) => Object.keys({ ...kind.queries, ...kind.submits }));
		expect(handled).toHaveLength(new Set(handled).size);
	});

	it("have a kind for every section of a seed, and no other", () => {
		const { organization } = readSchema("seed.json").$defs as Record<string, { properties: object }>;
		const settings = ["organizationId", "organizationName", "parentOrganizationId", "rootQuorum", "rules"];
		const sections = Object.keys(organization?.properties ?? {}).filter((name) => !settings.includes(name));
		expect(sorted(entityKinds.map(({ section }) => section))).toEqual(sorted(sections));
	});
});
