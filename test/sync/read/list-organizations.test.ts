/** All sub-organizations are found in whatever order and direction a service pages, and a list that cannot be whole says so. */
import { expect, test } from "vitest";
import { listSubOrganizations } from "../../../src/sync/read/list-organizations.ts";
import type { Reader } from "../../../src/wire/client.ts";

const id = (index: number): string => `f0000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
const parent = id(0);

interface PageFields {
	readonly paginationOptions: { readonly limit: string; readonly after?: string; readonly before?: string };
}

type Service = (all: readonly string[], options: PageFields["paginationOptions"], limit: number) => readonly string[];

const services: Readonly<Record<string, Service>> = {
	"oldest first, after is later": (all, { after }, limit) => {
		const start = after === undefined ? 0 : all.indexOf(after) + 1;
		return all.slice(start, start + limit);
	},
	"newest first, before is older and after is newer": (all, { before, after }, limit) => {
		const list = [...all].reverse();
		return list
			.slice(before === undefined ? 0 : list.indexOf(before) + 1, after === undefined ? undefined : list.indexOf(after))
			.slice(0, limit);
	},
	"pages of at most 20": (all, { after }) => {
		const start = after === undefined ? 0 : all.indexOf(after) + 1;
		return all.slice(start, start + 20);
	},
};

async function list(service: Service, count: number) {
	const all = Array.from({ length: count }, (_, index) => id(index + 1));
	let requests = 0;
	const reader = {
		query: async (_operation: unknown, { paginationOptions }: PageFields) => {
			requests += 1;
			return { value: { organizationIds: service(all, paginationOptions, Number(paginationOptions.limit)) } };
		},
	} as unknown as Reader;
	const found = await listSubOrganizations(parent, reader);
	return { isAll: found.organizationIds.join() === all.join(), complete: found.complete, requests };
}

for (const [name, service] of Object.entries(services)) {
	test.each([0, 1, 37, 100, 101, 250, 1000])(`${name}: %i organizations are all found`, async (count) => {
		expect(await list(service, count)).toMatchObject({ isAll: true, complete: true });
	});
}

test("a few organizations cost one request, and ten thousand about one for each page", async () => {
	const service = services["oldest first, after is later"] as Service;
	expect((await list(service, 37)).requests).toBe(1);
	expect((await list(service, 10_000)).requests).toBe(101);
});

test("a service that ignores cursors shows a list that is not complete", async () => {
	const ignoring: Service = (all, _options, limit) => all.slice(0, limit);
	expect(await list(ignoring, 250)).toEqual({ isAll: false, complete: false, requests: 3 });
	expect(await list(ignoring, 37)).toEqual({ isAll: true, complete: true, requests: 1 });
});

test("an answer without a list of ids is an error", async () => {
	for (const organizationIds of ["x", [1], ["no id"]]) {
		const reader = { query: async () => ({ value: { organizationIds } }) } as unknown as Reader;
		await expect(listSubOrganizations(parent, reader)).rejects.toThrow("no list of organization ids");
	}
});

test("an answer without a list at all has no organizations; progress is their number after each page", async () => {
	const empty = { query: async () => ({ value: {} }) } as unknown as Reader;
	expect(await listSubOrganizations(parent, empty)).toEqual({ organizationIds: [], complete: true });
	const counts: number[] = [];
	const pages = [[id(1), id(2).toUpperCase(), id(3), id(4), id(5)], []];
	const reader = { query: async () => ({ value: { organizationIds: pages.shift() } }) } as unknown as Reader;
	const { organizationIds } = await listSubOrganizations(parent, reader, (count) => counts.push(count));
	expect(counts).toEqual([5, 5]);
	expect(organizationIds).toEqual([1, 2, 3, 4, 5].map((number) => id(number)));
});
