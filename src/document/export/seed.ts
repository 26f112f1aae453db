/** Writes who can do what in a live organization as a seed: for `test --offline`, and for the emulator. */
import type { AccessPolicy, AccessState, AccessUser } from "../../policy/access.ts";
import { reasonText } from "../../say/reason.ts";
import { writeFlow, writeKey } from "../write-yaml.ts";
import type { Exported } from "./export.ts";
import { joinSections } from "./text.ts";

/** The first line of a seed that orgsync wrote, by which it may be replaced. */
export const seedHead =
	"# Users, tags, policies and root quorum of one organization, written by orgsync export --as seed.";

export interface SeedFacts {
	readonly organizationId: string;
	readonly access: AccessState;
	/** By id. */
	readonly userNames: Readonly<Record<string, string>>;
	readonly tagNames: Readonly<Record<string, string>>;
}

/** Returns the seed. A section that is not known as a whole is left out, so that it stays unknown to who reads the seed. */
export function exportSeed({ organizationId, access, userNames, tagNames }: SeedFacts): Exported {
	const { rootQuorum, policies } = access;
	const all = policies.known ? policies.value : [];
	const asked = { emails: reads(all, "email"), credentials: reads(all, "credentials") };
	const { users } = access;
	const hidden = users.known ? users.value.find(({ tagIds }) => !tagIds.known)?.tagIds : users;
	const unread = [
		...(hidden === undefined || hidden.known
			? []
			: [{ what: "users and userTags", because: reasonText(hidden.because) }]),
		...(policies.known ? [] : [{ what: "policies", because: reasonText(policies.because) }]),
		...(rootQuorum.known ? [] : [{ what: "rootQuorum", because: reasonText(rootQuorum.because) }]),
	];
	const known = hidden === undefined && users.known ? users.value : null;
	const lines = [
		"organizations:",
		`  - organizationId: ${organizationId}`,
		...(rootQuorum.known ? [`    rootQuorum: ${write(rootQuorum.value)}`] : []),
		...(known === null
			? []
			: section(
					"users",
					known.map((user) => userRow(user, userNames, asked)),
				)),
		...(known === null
			? []
			: section(
					"userTags",
					Object.entries(tagNames).map(([tagId, tagName]) => {
						const members = known.filter(({ tagIds }) => tagIds.known && tagIds.value.includes(tagId));
						return { tagId, tagName, userIds: members.map(({ id }) => id) };
					}),
				)),
		...(policies.known ? section("policies", all.map(policyRow)) : []),
	];
	return { text: joinSections([[seedHead], lines]), unread, leftOut: [] };
}

const reads = (policies: readonly AccessPolicy[], word: string): boolean =>
	policies.some((policy) => [policy.consensus, policy.condition].some((text) => text.includes(word)));

const write = (value: unknown): string => writeFlow(value, writeKey);

function section(name: string, rows: readonly object[]): readonly string[] {
	return rows.length === 0 ? [`    ${name}: []`] : [`    ${name}:`, ...rows.map((row) => `      - ${write(row)}`)];
}

/** E-mails and credentials are there only where a policy reads them: a seed may be shared. */
function userRow(
	{ id, email, credentials }: AccessUser,
	names: SeedFacts["userNames"],
	asked: { readonly emails: boolean; readonly credentials: boolean },
): object {
	const userName = names[id] || id;
	const mail = asked.emails && email.known && email.value !== null ? { userEmail: email.value } : {};
	const own = asked.credentials && credentials.known ? credentials.value : null;
	const keys = own?.filter(({ type }) => type === "CREDENTIAL_TYPE_API_KEY_P256") ?? [];
	// A seed has keys of one type alone: credentials that it cannot hold stay unknown.
	const isWhole = own !== null && keys.length === own.length && keys.every(({ publicKey }) => publicKey !== null);
	const apiKeys = keys.map(({ publicKey }) => ({ publicKey }));
	return { userId: id, userName, ...mail, ...(isWhole ? { apiKeys, authenticators: [] } : {}) };
}

function policyRow({ id, name, effect, consensus, condition, time }: AccessPolicy): object {
	const texts = { effect, consensus, condition, time };
	const written = Object.entries(texts).filter(([, text]) => text !== "");
	return { policyId: id, policyName: name || id, ...Object.fromEntries(written) };
}
