/**
 * `--only KIND[/GLOB]`: a document narrowed to some of its objects. What is left out is simply not in desired, so it is
 * neither read nor compared nor changed; the diff needs no exceptions.
 */
import { parseAddress } from "./address.ts";
import type { Change } from "./change.ts";
import type { KindName } from "./kinds/names.ts";
import { kinds, nameOfUser } from "./kinds.ts";
import { type DesiredOrganization, emptyExpectations } from "./organization.ts";

/** One kind, and which of its objects. */
export interface Selection {
	readonly kind: KindName;
	/** Of what stands behind the kind in an address; `*` is any text, `?` any character. Left out: all. */
	readonly glob?: string;
}

/** The selection that `KIND` or `KIND/GLOB` writes, or undefined when there is no such kind. */
export function parseSelection(text: string): Selection | undefined {
	const slash = text.indexOf("/");
	const name = slash < 0 ? text : text.slice(0, slash);
	const kind = kinds.find((row) => row.name === name);
	if (kind === undefined) return undefined;
	return slash < 0 ? { kind: kind.name } : { kind: kind.name, glob: text.slice(slash + 1) };
}

/** Whether one of the selections names the object with this address. */
export function isSelected(address: string, selections: readonly Selection[]): boolean {
	const parsed = parseAddress(address);
	return parsed !== undefined && selects(selections, parsed.kind, parsed.label);
}

function selects(selections: readonly Selection[], kind: string, label: string): boolean {
	return selections.some((one) => one.kind === kind && (one.glob === undefined || matchesGlob(one.glob, label)));
}

/** The same document, with only the objects that one of the selections names. */
export function narrow(desired: DesiredOrganization, selections: readonly Selection[]): DesiredOrganization {
	return keepOnly(desired, (kind, label) => selects(selections, kind, label));
}

/** The same document, with only the objects that `has` names by kind and by what stands behind it in an address. */
export function keepOnly(
	desired: DesiredOrganization,
	has: (kind: KindName, label: string) => boolean,
): DesiredOrganization {
	const user = (userId: string): string => nameOfUser(desired, userId);
	const { absent, expect } = desired;
	return {
		...desired,
		narrowed: true,
		userTags: desired.userTags.filter(({ name }) => has("userTag", name)),
		absent: {
			policyIds: absent.policyIds.filter((id) => has("policy", id)),
			oauthProviders: absent.oauthProviders
				.map(({ userId, providerIds }) => ({
					userId,
					providerIds: providerIds.filter((id) => has("oauthProvider", `${user(userId)}/${id}`)),
				}))
				.filter(({ providerIds }) => providerIds.length > 0),
			tvcAppIds: absent.tvcAppIds.filter((id) => has("tvcApp", id)),
		},
		expect: {
			sessionProfiles: expect.sessionProfiles.filter(({ id }) => has("sessionProfile", id)),
			mfaPolicies: expect.mfaPolicies.filter(({ userId, name, id }) =>
				has("mfaPolicy", `${user(userId)}/${name ?? id ?? ""}`),
			),
			bootProofs: expect.bootProofs.filter(({ appId }) => has("bootProof", appId)),
			supportedAssets: expect.supportedAssets.filter(({ caip2, symbol }) =>
				has("supportedAsset", `${caip2}/${symbol}`),
			),
		},
	};
}

/**
 * The same document, with only the objects that these changes change; what can only be reported is left out. Objects are
 * known by what the service and the document call them; an alias of a user says nothing about an object.
 */
export function narrowToChanged(desired: DesiredOrganization, changes: readonly Change[]): DesiredOrganization {
	const keys = new Set(
		changes.map((change) =>
			change.action === "remove" ? `${change.kind}:${change.userId ?? ""}/${change.id}` : change.address,
		),
	);
	const { absent } = desired;
	return {
		...desired,
		narrowed: true,
		readsMembers: changes.some((change) => change.kind === "userTag" && change.before.members !== null),
		userTags: desired.userTags.filter(({ name }) => keys.has(`userTag:${name}`)),
		absent: {
			policyIds: absent.policyIds.filter((id) => keys.has(`policy:/${id}`)),
			oauthProviders: absent.oauthProviders
				.map(({ userId, providerIds }) => ({
					userId,
					providerIds: providerIds.filter((id) => keys.has(`oauthProvider:${userId}/${id}`)),
				}))
				.filter(({ providerIds }) => providerIds.length > 0),
			tvcAppIds: absent.tvcAppIds.filter((id) => keys.has(`tvcApp:/${id}`)),
		},
		expect: emptyExpectations,
	};
}

/** Whether the document speaks of no object at all. */
export function isEmpty({ userTags, absent, expect }: DesiredOrganization): boolean {
	const lists = [userTags, ...Object.values(absent), ...Object.values(expect)];
	return lists.every((list) => list.length === 0);
}

/** Whether the text is as the glob says: `*` is any text, `?` any character. */
export function matchesGlob(glob: string, label: string): boolean {
	const pattern = [...glob]
		.map((character) =>
			character === "*" ? ".*" : character === "?" ? "." : character.replace(/[\\^$.|+()[\]{}]/, "\\$&"),
		)
		.join("");
	return new RegExp(`^${pattern}$`, "su").test(label);
}
