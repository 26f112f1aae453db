/** `plan --base`: the earlier documents, by organization and narrowed like the present ones. */

import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { type DesiredFleet, filterFleet, organizationsIn } from "../../document/read/fleet.ts";
import { printAddress } from "../../plan/address.ts";
import { type BaseDocument, makeDropped } from "../../plan/base/three-way.ts";
import { pairTags } from "../../plan/base/three-way-tags.ts";
import { addressOfObject } from "../../plan/objects.ts";
import { isEmpty, isSelected, keepOnly, parseSelection, withLists } from "../../plan/only.ts";
import { type DesiredObject, type DesiredOrganization, tagsOf } from "../../plan/organization.ts";
import { type BaseFlags, readBase } from "../files/base.ts";
import type { Call } from "../output/output.ts";
import { readShare, type SelectionFlags } from "./selection.ts";

/** Returns the earlier documents; `head` is the fleet of the present ones. Throws ConfigurationError and DocumentError. */
export async function readBases(head: DesiredFleet, { flags, terminal, output }: Call<SelectionFlags & BaseFlags>) {
	const isOwn = readShare(flags);
	const base = await readBase(flags, terminal);
	const { name, fleet } = base;
	for (const path of base.missing) {
		output.note(`${showText(path)} is not in ${showText(name)}: all of it is new`);
	}
	const before = new Set(fleet.organizationIds);
	const present = new Set(head.organizationIds);
	const onlyInBase = filterFleet(fleet, (organizationId) => isOwn(organizationId) && !present.has(organizationId));
	const { organizationIds } = onlyInBase;
	if (!base.samePaths && flags.shard === undefined && organizationIds.length === before.size) {
		throw new ConfigurationError(`${base.flag}: it has none of the organizations of the documents`, {
			hint: `it has ${organizationIds.join(", ") || "no organization"}`,
		});
	}
	return {
		/** Returns the earlier document of an organization of the present documents. */
		baseOf: (id: string): BaseDocument => {
			const desired = before.has(id) ? narrowBase(fleet.load(id), () => head.load(id), flags.only) : null;
			return { name, desired };
		},
		/** Organizations that only the base has. */
		dropped: base.samePaths
			? [...organizationsIn(onlyInBase)]
					.map((desired) => narrowBase(desired, () => ({ ...desired, objects: [] }), flags.only))
					.filter((desired) => !isEmpty(desired) || (flags.only.length === 0 && desired.rules !== undefined))
					.map((desired) => makeDropped(name, desired))
			: [],
	};
}

/** Returns the base, narrowed by `--only`. A renamed tag is selected by its present name, in both of its states. */
function narrowBase(
	base: DesiredOrganization,
	loadHead: () => DesiredOrganization,
	only: readonly string[],
): DesiredOrganization {
	if (only.length === 0) return base;
	const head = loadHead();
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
	return withLists(keepOnly(base, isKept), base, selections);
}
