/**
 * `plan --base`: the earlier documents, narrowed like the present ones and by organization, and what they add to a result.
 */

import { ConfigurationError } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { printAddress } from "../../plan/address.ts";
import { addressOfObject } from "../../plan/objects.ts";
import { isEmpty, isSelected, keepOnly, parseSelection } from "../../plan/only.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { type DesiredObject, tagsOf } from "../../plan/organization.ts";
import { type BaseDocument, makeDropped, type ThreeWay } from "../../plan/three-way.ts";
import { pairTags } from "../../plan/three-way-tags.ts";
import { type BaseFlags, readBase } from "../base.ts";
import type { Output, Terminal } from "../output.ts";
import { readDesired } from "../sources.ts";
import { readShare, type SelectionFlags } from "./selection.ts";

interface Bases {
	/** By organization, for each that the documents speak of now. */
	readonly documents: ReadonlyMap<string, BaseDocument>;
	/** Organizations that only the base speaks of. */
	readonly dropped: readonly ThreeWay[];
}

/** What `--base` or `--base-file` names, for the organizations of the documents. Throws ConfigurationError and DocumentError. */
export async function readBases(flags: SelectionFlags & BaseFlags, terminal: Terminal, output: Output): Promise<Bases> {
	const isOwn = readShare(flags);
	const head = (await readDesired(flags, terminal)).filter(isOwn);
	const base = await readBase(flags, terminal);
	const { name } = base;
	for (const path of base.missing) {
		output.note(`${showText(path)} is not in ${showText(name)}: it is new, before it nothing was wanted`);
	}
	const found = new Map(base.organizations.map((desired) => [desired.organizationId, desired]));
	const ids = new Set(head.map(({ organizationId }) => organizationId));
	const strangers = base.organizations.filter((one) => isOwn(one) && !ids.has(one.organizationId));
	if (!base.samePaths && flags.shard === undefined && strangers.length === base.organizations.length) {
		throw new ConfigurationError(`${base.flag}: it speaks of none of the organizations of the documents`, {
			hint: `it speaks of ${strangers.map(({ organizationId }) => organizationId).join(", ") || "no organization"}`,
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
			? strangers
					.map((desired) => narrowBase(desired, { ...desired, objects: [] }, flags.only))
					.filter((desired) => !isEmpty(desired))
					.map((desired) => makeDropped(name, desired))
			: [],
	};
}

/**
 * The base with what `--only` leaves of it. A tag goes by the name that it has now, so that one that is renamed by the
 * change is narrowed together with what it was.
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
