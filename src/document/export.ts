/**
 * Exports the live organization as a document. Objects that can only be deleted are written as comments. The same organization
 * gives the same bytes, and the plan of the document is empty.
 *
 * Unknown is not empty. No rule of documents is repeated here: values that the parser refuses are omitted and reported.
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
	type Omission,
	writeDocument,
} from "./export-text.ts";
import { parseDocuments } from "./parse.ts";

export interface ExportedDocument {
	readonly text: string;
	/** Live state that could not be read. */
	readonly unread: readonly Omission[];
	/** Live state that a document cannot hold. */
	readonly leftOut: readonly Omission[];
}

/** Returns the document of the live state. `schema` is where editors find its schema. */
export function exportDocument(whole: WholeOrganization, schema: string): ExportedDocument {
	const parts = new Exporter(whole).parts();
	const text = writeDocument(parts, schema);
	const because = findMismatch(text, whole.live);
	if (because !== undefined) throw new Error(`the exported document does not read back: ${because}`);
	return { text, unread: parts.unread, leftOut: parts.leftOut };
}

/** Returns why a document is invalid or differs from live state, or undefined. */
function findMismatch(text: string, live: LiveOrganization): string | undefined {
	const { organizations, problems } = parseDocuments([{ file: "export.yaml", content: text }], {});
	const [desired] = organizations;
	if (desired === undefined) return problems[0]?.message ?? "it is empty";
	const found = diff(desired, live);
	return found.problems[0]?.message ?? found.changes[0]?.address;
}

const sameName = "another user tag has the same name, and a document has one entry for each name";

class Exporter {
	readonly #whole: WholeOrganization;
	/** By user id. */
	readonly #aliases: ReadonlyMap<string, string>;
	readonly #leftOut: Omission[] = [];

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

	/** Returns the record with the fields that a document can hold, or no record if none remains to compare. */
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
		const valid = given.filter(([name, value]) => {
			const because = this.#findMismatch(place({ ...identity, [name]: value }));
			if (because !== undefined) this.#leftOut.push({ what: `${name} of ${address}`, because });
			return because === undefined;
		});
		return valid.length === 0 ? [] : [{ ...identity, ...Object.fromEntries(valid) }];
	}

	#oauthProviders(): ExportedParts["removable"]["oauthProviders"] {
		const { oauthProviders } = this.#whole.live;
		return this.#users().flatMap(([alias, userId]) => {
			const own = oauthProviders.known ? oauthProviders.value.filter((provider) => provider.userId === userId) : [];
			return own.length === 0 ? [] : [[alias, byName({ known: true, value: own })] as const];
		});
	}

	#unread(): readonly Omission[] {
		const { live, users, sessionProfilesKnown } = this.#whole;
		const unread: Omission[] = [];
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

	/** Returns why a document of these parts and their users is invalid or differs from live state, or undefined. */
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

/** Returns the value without null and empty members: responses have them for fields that are not set (docs/service.md#tolerant-reading). */
function withoutEmptyValues(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutEmptyValues);
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value).filter(([, entry]) => entry !== null && entry !== "");
	return Object.fromEntries(entries.map(([key, entry]) => [key, withoutEmptyValues(entry)]));
}
