/** Queries of one organization. What cannot be read is unknown, never empty. */
import { InterruptedError, isUnavailable } from "../../common/errors.ts";
import type { Known, LiveRecord } from "../../plan/organization.ts";
import type { Reader } from "../../wire/client.ts";
import { type QueryOperation, queries } from "../../wire/operations.ts";
import { recordsOf } from "./live-objects.ts";

/** Asks one query of an organization. */
export type QueryFunction = (operation: QueryOperation, fields?: LiveRecord) => Promise<LiveRecord>;

/** Returns a reader whose queries throw InterruptedError with this message as soon as the signal is aborted. */
export function readUntilInterrupted(reader: Reader, signal: AbortSignal | undefined, message: string): Reader {
	if (signal === undefined) return reader;
	return {
		query: (operation, fields) =>
			new Promise((resolve, reject) => {
				const end = (): void => reject(new InterruptedError(message));
				if (signal.aborted) return end();
				signal.addEventListener("abort", end, { once: true });
				const answer = reader.query(operation, fields).then(resolve, reject);
				void answer.finally(() => signal.removeEventListener("abort", end));
			}),
	};
}

/** Like Promise.all, but waits for every read to end before it throws the first error, so that none goes on unnoticed. */
export async function awaitAll<const T extends readonly unknown[]>(
	reads: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
	const results = await Promise.allSettled(reads);
	const failed = results.find((result) => result.status === "rejected");
	if (failed !== undefined) throw failed.reason;
	return results.map((result) => (result.status === "fulfilled" ? result.value : undefined)) as {
		-readonly [K in keyof T]: Awaited<T[K]>;
	};
}

/** Returns the answer, or unknown if the service does not have the query or denies it. */
export function queryIfAvailable(query: QueryFunction, operation: QueryOperation): Promise<Known<LiveRecord>> {
	return unknownIfUnavailable(() => query(operation), operation);
}

/** Returns the list of an answer, or unknown if the service does not have the query or denies it. */
export function queryList(
	query: QueryFunction,
	operation: QueryOperation,
	fields: LiveRecord,
): Promise<Known<readonly LiveRecord[]>> {
	return unknownIfUnavailable(async () => recordsOf(await query(operation, fields), operation.answerKey), operation);
}

/** Returns the object as a list, an empty one for a 404; unknown if the service does not have the query or denies it. */
export function queryOne(
	query: QueryFunction,
	operation: QueryOperation,
	fields: LiveRecord,
): Promise<Known<readonly LiveRecord[]>> {
	const read = async () => {
		try {
			return [(await query(operation, fields))[operation.answerKey] as LiveRecord];
		} catch (error) {
			if (isUnavailable(error) && error.httpStatus === 404) return [];
			throw error;
		}
	};
	return unknownIfUnavailable(read, operation);
}

async function unknownIfUnavailable<T>(read: () => Promise<T>, operation: QueryOperation): Promise<Known<T>> {
	try {
		return { known: true, value: await read() };
	} catch (error) {
		if (!isUnavailable(error)) throw error;
		return { known: false, because: { kind: "no-answer", query: operation.name, httpStatus: error.httpStatus } };
	}
}

/** Returns if the organization exists: a 404 for an object may be about that. Throws what the query throws but a denial. */
export async function confirmOrganization(query: (operation: QueryOperation) => Promise<unknown>): Promise<void> {
	try {
		await query(queries.list_user_tags);
	} catch (error) {
		if (!isUnavailable(error) || error.httpStatus !== 403) throw error;
	}
}
