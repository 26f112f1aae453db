/** Reads who can do what in organizations, a few at once. One of several that cannot be read does not stop the others. */
import { OrgsyncError, TransportError } from "../../common/errors.ts";
import { type NamedOrganization, namedAs, showOrganization } from "../../plan/organization-name.ts";
import type { AccessReading, CredentialsReading } from "../../sync/read/read-access.ts";
import type { Reader } from "../../wire/client.ts";
import { type ServiceFlags, withConnection } from "../connect.ts";
import { mapInOrder } from "../map-in-order.ts";
import type { Call } from "../output/output.ts";

export type ReadOrganization<O extends NamedOrganization, R extends AccessReading> = O & {
	/** Where nothing could be read, all of it is unknown, and `error` says why. */
	readonly reading: R | CredentialsReading;
	readonly error?: OrgsyncError;
};

/** Returns the organizations with what `read` returns of each. Throws what it throws if there is only one, or for `mustRead`. */
export async function readEach<O extends NamedOrganization, R extends AccessReading>(
	organizations: readonly O[],
	call: Call<ServiceFlags & { readonly concurrency: number }>,
	read: (organizationId: string, reader: Reader, now: () => number) => Promise<R>,
	mustRead = organizations.length === 1,
): Promise<readonly ReadOrganization<O, R>[]> {
	const { flags, terminal, output } = call;
	const reachable = watchReach(flags.concurrency);
	const limits = { maxConcurrency: flags.concurrency, maxAhead: Number.POSITIVE_INFINITY };
	const found = await withConnection(call, ({ client }) =>
		Array.fromAsync(
			mapInOrder(organizations, limits, async (one) => {
				output.progress(`reading organization ${showOrganization(namedAs(one))}`);
				try {
					reachable.check();
					const reading = await read(one.organizationId, client.forOrganization().reader, terminal.now);
					reachable.answered();
					return { ...one, reading };
				} catch (error) {
					if (mustRead || !(error instanceof OrgsyncError)) throw error;
					reachable.failed(error);
					return { ...one, error, reading: unreadAccess(error, terminal.now()) };
				}
			}),
		),
	);
	output.clear();
	return found;
}

function unreadAccess({ message }: OrgsyncError, atMs: number): CredentialsReading {
	const unread = { known: false, because: { kind: "stated", text: message } } as const;
	return {
		access: { users: unread, policies: unread, rootQuorum: unread },
		...{ userNames: unread, credentials: unread, userTags: [], tagNames: {}, sessionProfiles: {} },
		...{ readAtMs: atMs, serverTimeMs: undefined, atMs },
	};
}

/** Stops reading when none of the first organizations was answered: each other would wait until its `--timeout`. */
export function watchReach(concurrency: number) {
	const enough = Math.max(12, concurrency);
	let unanswered = 0;
	let hasAnswered = false;
	return {
		answered: () => {
			hasAnswered = true;
		},
		failed: (error: OrgsyncError) => {
			if (error instanceof TransportError) unanswered += 1;
			else hasAnswered = true;
		},
		check: () => {
			if (hasAnswered || unanswered < enough) return;
			throw new TransportError("not read, because the service answered for no organization before it", "no");
		},
	};
}
