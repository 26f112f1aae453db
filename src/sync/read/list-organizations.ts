/** Reads the ids of all sub-organizations by pages, whose order and cursors are not documented: only the content counts. */
import { ServiceError } from "../../common/errors.ts";
import { isTexts } from "../../common/json.ts";
import { uuid } from "../../common/uuid.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads } from "../../wire/operations.ts";

/** Max ids in one answer (docs/internals/service.md#extended-reads). */
const pageLimit = 100;

/** Every page limit of a service is a multiple of this. */
const smallestPageStep = 5;

/** Max pages: a million organizations. */
const maxPages = 10_000;

interface SubOrganizations {
	/** Sorted, in lower case. */
	readonly organizationIds: readonly string[];
	/** Whether there are no others. */
	readonly complete: boolean;
}

/**
 * Returns the sub-organizations of one. `progress` gets the number of ids so far. Throws what Reader.query throws, and a
 * ServiceError for an answer without a list of ids.
 *
 * Unverified, chosen: `after` comes first, as "what follows in the list". If such a page has nothing new, the service reads it
 * the other way round, so `before` is next. A list is complete when a page is empty, or not full, which is no multiple of five.
 */
export async function listSubOrganizations(
	organizationId: string,
	reader: Reader,
	progress: (count: number) => void = () => {},
): Promise<SubOrganizations> {
	const found = new Set<string>();
	let direction: "after" | "before" = "after";
	let last: string | undefined;
	let complete = false;
	for (let count = 0; count < maxPages && !complete; count += 1) {
		const page = await readPage(organizationId, reader, { limit: String(pageLimit), [direction]: last });
		const fresh = page.filter((id) => !found.has(id));
		for (const id of fresh) found.add(id);
		progress(found.size);
		complete = page.length === 0 || (fresh.length === page.length && page.length % smallestPageStep !== 0);
		if (fresh.length > 0) last = fresh.at(-1);
		else if (direction === "before") break;
		else direction = "before";
	}
	return { organizationIds: [...found].sort(), complete };
}

async function readPage(organizationId: string, reader: Reader, paginationOptions: object): Promise<readonly string[]> {
	const { value } = await reader.query(extendedReads.list_suborgs, { organizationId, paginationOptions });
	const ids = value.organizationIds ?? [];
	if (isTexts(ids) && ids.every((id) => uuid.test(id))) return ids.map((id) => id.toLowerCase());
	throw new ServiceError("the response of list_suborgs has no list of organization ids", 200, undefined);
}
