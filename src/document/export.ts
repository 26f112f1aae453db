/**
 * The live organization as a document: what it has of everything that a document can keep, and as comments what a document
 * can only take away. The same organization gives the same bytes, and the document read back differs from it in nothing.
 *
 * The rule it keeps: unknown is not empty, and no rule about documents is repeated here. Whether a document can say
 * something is asked of the reader of documents itself; what it cannot say is left out and told.
 */

import { diff } from "../plan/diff.ts";
import type { Known, LiveOrganization, LiveRecord, LiveUserTag, WholeOrganization } from "../plan/organization.ts";
import { compareText } from "../plan/value.ts";
import { makeAliases } from "./export-aliases.ts";
import {
	type ExportedParts,
	type ExportedRecord,
	type ExportedTag,
	type LiveNamed,
	type Missing,
	writeDocument,
} from "./export-text.ts";
import { parseDocuments } from "./parse.ts";

export interface ExportedDocument {
	readonly text: string;
	/** What could not be read. */
	readonly unread: readonly Missing[];
	/** What could be read, and a document cannot say. */
	readonly leftOut: readonly Missing[];
}

/** The document of what there is; `schema` is where editors find its schema. */
export function exportDocument(whole: WholeOrganization, schema: string): ExportedDocument {
	const parts = new Exporter(whole).parts();
	const text = writeDocument(parts, schema);
	const because = findMismatch(text, whole.live);
	if (because !== undefined) throw new Error(`the exported document does not read back: ${because}`);
	return { text, unread: parts.unread, leftOut: parts.leftOut };
}

/** Why a document is not valid or not what live is; undefined when it is both. */
function findMismatch(text: string, live: LiveOrganization): string | undefined {
	const { organizations, problems } = parseDocuments([{ file: "export.yaml", content: text }], {});
	const [desired] = organizations;
	if (desired === undefined) return problems[0]?.message ?? "it is empty";
	const found = diff(desired, live);
	return found.problems[0]?.message ?? found.changes[0]?.address;
}

const sameName = "another user tag has the same name, and a document has one entry a name";

class Exporter {
	readonly #whole: WholeOrganization;
	/** By user id. */
	readonly #aliases: ReadonlyMap<string, string>;
	readonly #leftOut: Missing[] = [];

	constructor(whole: WholeOrganization) {
		this.#whole = whole;
		this.#aliases = makeAliases(whole.users.known ? whole.users.value : []);
	}

	parts(): ExportedParts {
		const { live } = this.#whole;
		const userTags = this.#userTags();
		const sessionProfiles = this.#sessionProfiles();
		const mfaPolicies = this.#mfaPolicies();
		return {
			organizationId: live.organizationId,
			users: this.#users(),
			userTags,
			sessionProfiles,
			mfaPolicies,
			removable: {
				policies: byName(live.policies),
				oauthProviders: this.#oauthProviders(),
				tvcApps: byName(live.tvcApps),
			},
			unread: this.#unread(),
			leftOut: this.#leftOut,
		};
	}

	#users(): ExportedParts["users"] {
		return [...this.#aliases]
			.map(([id, alias]) => [alias, id] as const)
			.sort(([left], [right]) => compareText(left, right));
	}

	#userTags(): readonly ExportedTag[] {
		const { userTags } = this.#whole.live;
		if (!userTags.known) return [];
		return userTags.value
			.filter(({ type }) => type === "TAG_TYPE_USER" || type === "")
			.toSorted((left, right) => compareText(left.name, right.name) || compareText(left.id, right.id))
			.flatMap((tag, index, sorted) => {
				const exported = { name: tag.name, id: tag.id, members: this.#membersOf(tag) };
				const isSecond = sorted[index - 1]?.name === tag.name;
				const because = isSecond ? sameName : this.#findMismatch({ userTags: [exported] });
				if (because === undefined) return [exported];
				this.#leftOut.push({ what: `userTag:${tag.name}`, because });
				return [];
			});
	}

	#membersOf({ members }: LiveUserTag): readonly string[] | undefined {
		return members.known ? members.value.map((id) => this.#aliases.get(id) ?? id).sort(compareText) : undefined;
	}

	#sessionProfiles(): readonly ExportedRecord[] {
		return Object.entries(this.#whole.live.sessionProfiles)
			.sort(([left], [right]) => compareText(left, right))
			.flatMap(([id, profile]) => {
				const value = profile.known ? profile.value : null;
				const fields = {
					name: value?.sessionProfileName,
					scope: value?.scope,
					expirationSeconds: value?.expirationSeconds,
					notes: value?.notes,
				};
				return this.#record(`sessionProfile:${id}`, { id }, fields, (record) => ({ sessionProfiles: [record] }));
			});
	}

	#mfaPolicies(): ExportedParts["mfaPolicies"] {
		return this.#users().flatMap(([alias, userId]) => {
			const policies = this.#whole.live.mfaPolicies[userId];
			if (policies?.known !== true) return [];
			const records = [...policies.value].sort(byOrder).flatMap((policy) => this.#mfaPolicy(alias, policy));
			return records.length === 0 ? [] : [[alias, records] as const];
		});
	}

	#mfaPolicy(alias: string, policy: LiveRecord): readonly ExportedRecord[] {
		const id = String(policy.mfaPolicyId).toLowerCase();
		const fields = {
			name: policy.mfaPolicyName,
			order: policy.order,
			condition: policy.condition,
			requiredAuthenticationMethods: policy.requiredAuthenticationMethods,
			notes: policy.notes,
		};
		return this.#record(`mfaPolicy:${alias}/${id}`, { id }, fields, (record) => ({ mfaPolicies: [[alias, [record]]] }));
	}

	/** The record with those of its fields that a document can say; no record when that leaves nothing to compare. */
	#record(
		address: string,
		identity: { readonly id: string },
		fields: Readonly<Record<string, unknown>>,
		place: (record: ExportedRecord) => Partial<ExportedParts>,
	): readonly ExportedRecord[] {
		const given = Object.entries(fields)
			.filter(([, value]) => value !== undefined && value !== null && value !== "")
			.map(([name, value]) => [name, withoutEmptyValues(value)] as const);
		const whole = { ...identity, ...Object.fromEntries(given) };
		if (this.#findMismatch(place(whole)) === undefined) return [whole];
		const said = given.filter(([name, value]) => {
			const because = this.#findMismatch(place({ ...identity, [name]: value }));
			if (because !== undefined) this.#leftOut.push({ what: `${name} of ${address}`, because });
			return because === undefined;
		});
		return said.length === 0 ? [] : [{ ...identity, ...Object.fromEntries(said) }];
	}

	#oauthProviders(): ExportedParts["removable"]["oauthProviders"] {
		const { oauthProviders } = this.#whole.live;
		return this.#users().flatMap(([alias, userId]) => {
			const own = oauthProviders.known ? oauthProviders.value.filter((provider) => provider.userId === userId) : [];
			return own.length === 0 ? [] : [[alias, byName({ known: true, value: own })] as const];
		});
	}

	#unread(): readonly Missing[] {
		const { live, users, sessionProfilesKnown } = this.#whole;
		const unread: Missing[] = [];
		const add = (what: string, { known, ...rest }: Known<unknown>): void => {
			if (!known) unread.push({ what, because: "because" in rest ? rest.because : "" });
		};
		add("names of users, members of user tags, MFA policies, OAuth providers", users);
		add("session profiles", sessionProfilesKnown);
		add("policies", live.policies);
		add("TVC apps", live.tvcApps);
		for (const [alias, userId] of this.#users()) {
			const policies = live.mfaPolicies[userId];
			if (policies !== undefined) add(`MFA policies of ${alias}`, policies);
		}
		return unread;
	}

	/** Why a document of these parts alone, with the users that they name, cannot be; undefined when it can. */
	#findMismatch(parts: Partial<ExportedParts>): string | undefined {
		const { live } = this.#whole;
		const named = [
			...(parts.userTags ?? []).flatMap(({ members }) => members ?? []),
			...(parts.mfaPolicies ?? []).map(([alias]) => alias),
		];
		const empty = { policies: [], oauthProviders: [], tvcApps: [] };
		const alone: ExportedParts = {
			organizationId: live.organizationId,
			users: this.#users().filter(([alias]) => named.includes(alias)),
			userTags: [],
			sessionProfiles: [],
			mfaPolicies: [],
			removable: empty,
			unread: [],
			leftOut: [],
			...parts,
		};
		return findMismatch(writeDocument(alone, ""), live);
	}
}

function byName<T extends LiveNamed>(known: Known<readonly T[]>): readonly T[] {
	if (!known.known) return [];
	return [...known.value].sort((left, right) => compareText(left.name, right.name) || compareText(left.id, right.id));
}

function byOrder(left: LiveRecord, right: LiveRecord): number {
	return (
		Number(left.order ?? 0) - Number(right.order ?? 0) ||
		compareText(String(left.mfaPolicyId), String(right.mfaPolicyId))
	);
}

/** The value without members that are null: answers have them where something is not set (docs/service.md#tolerant-reading). */
function withoutEmptyValues(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutEmptyValues);
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value).filter(([, entry]) => entry !== null && entry !== "");
	return Object.fromEntries(entries.map(([key, entry]) => [key, withoutEmptyValues(entry)]));
}
