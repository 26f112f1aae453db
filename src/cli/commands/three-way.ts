/**
 * `plan --base`: the earlier documents, by organization and narrowed like the present ones.
 */
import { ConfigurationError } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { printAddress } from "../../plan/address.ts";
import { addressOfObject } from "../../plan/objects.ts";
import { isEmpty, isSelected, keepOnly, parseSelection } from "../../plan/only.ts";
import { type DesiredObject, type DesiredOrganization, tagsOf } from "../../plan/organization.ts";
import { type BaseDocument, makeDropped, type ThreeWay } from "../../plan/three-way.ts";
import { pairTags } from "../../plan/three-way-tags.ts";
import { type BaseFlags, readBase } from "../base.ts";
import type { Call } from "../output.ts";
import { readDesired } from "../sources.ts";
import { readShare, type SelectionFlags } from "./selection.ts";

interface Bases {
	/** By organization, for each of the present documents. */
	readonly documents: ReadonlyMap<string, BaseDocument>;
	/** Organizations that only the base has. */
	readonly dropped: readonly ThreeWay[];
}

/** Returns the earlier documents that `--base` or `--base-file` names. Throws ConfigurationError and DocumentError. */
export async function readBases({ flags, terminal, output }: Call<SelectionFlags & BaseFlags>): Promise<Bases> {
	const isOwn = readShare(flags);
	const head = (await readDesired(flags, terminal)).filter(isOwn);
	const base = await readBase(flags, terminal);
	const { name } = base;
	for (const path of base.missing) {
		output.note(`${showText(path)} is not in ${showText(name)}: all of it is new`);
	}
	const found = new Map(base.organizations.map((desired) => [desired.organizationId, desired]));
	const ids = new Set(head.map(({ organizationId }) => organizationId));
	const onlyInBase = base.organizations.filter((one) => isOwn(one) && !ids.has(one.organizationId));
	if (!base.samePaths && flags.shard === undefined && onlyInBase.length === base.organizations.length) {
		throw new ConfigurationError(`${base.flag}: it has none of the organizations of the documents`, {
			hint: `it has ${onlyInBase.map(({ organizationId }) => organizationId).join(", ") || "no organization"}`,
		});
	}
	return {
		documents: new Map(
			head.map((desired) => {
				const before = found.get(desired.organizationId) ?? null;
				return [
					desired.organizationId,
					{ name, desired: before === null ? null : narrowBase(before, desired, flags.only) },
				];
			}),
		),
		dropped: base.samePaths
			? onlyInBase
					.map((desired) => narrowBase(desired, { ...desired, objects: [] }, flags.only))
					.filter((desired) => !isEmpty(desired) || (flags.only.length === 0 && desired.rules !== undefined))
					.map((desired) => makeDropped(name, desired))
			: [],
	};
}

/**
 * Returns the base, narrowed by `--only`. A renamed tag is selected by its present name, so that both of its states are kept
 * or left out together.
 */
function narrowBase(
	base: DesiredOrganization,
	head: DesiredOrganization,
	only: readonly string[],
): DesiredOrganization {
	if (only.length === 0) return base;
	const selections = only.flatMap((text) => parseSelection(text) ?? []);
	const pairs = pairTags(tagsOf(base), tagsOf(head), null);
	const newNames = new Map<DesiredObject, string>(
		pairs.flatMap((pair) => (pair.base && pair.head ? [[pair.base, pair.head.name] as const] : [])),
	);
	const isKept = (object: DesiredObject): boolean => {
		const name = object.kind === "userTag" ? (newNames.get(object) ?? object.name) : null;
		const address = name === null ? addressOfObject(object, head) : printAddress("userTag", name);
		return isSelected(address, selections);
	};
	return keepOnly(base, isKept);
}
