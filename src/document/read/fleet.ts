/** A fleet: the desired state of many organizations, checked as a whole and loaded one by one. */
import type { Problem } from "../../common/errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { freeze } from "./parse.ts";
import { type DocumentSource, type ReadOptions, readDocuments } from "./read-documents.ts";

/** The organizations of all documents, as they were checked. Memory does not grow with what the documents say. */
export interface DesiredFleet {
	/** Sorted. */
	readonly organizationIds: readonly string[];
	/** Returns the desired state of one of them, deeply frozen. Each call returns a new object. */
	load(organizationId: string): DesiredOrganization;
}

/** Keeps values outside the heap: what it returns may be a copy of what was put in, which nothing changes any more. */
export interface ValueStore {
	/** Returns the place to get the value from. */
	put(value: unknown): number;
	get(place: number): unknown;
}

interface CheckedFleet {
	/** Empty if there are problems. */
	readonly fleet: DesiredFleet;
	/** In the order of the files, then by line and column. */
	readonly problems: readonly Problem[];
}

/** Returns the fleet that the documents describe, or all their problems. */
export function checkFleet(sources: readonly DocumentSource[], options: ReadOptions, store: ValueStore): CheckedFleet {
	const places = new Map<string, number>();
	const problems = readDocuments(sources, options, (desired) => {
		places.set(desired.organizationId, store.put(desired));
	});
	if (problems.length > 0) places.clear();
	return { fleet: storedFleet(places, store), problems };
}

export function fleetOf(organizations: readonly DesiredOrganization[]): DesiredFleet {
	const byId = new Map(organizations.map((desired) => [desired.organizationId, desired]));
	return {
		organizationIds: [...byId.keys()],
		load: (organizationId) => byId.get(organizationId) as DesiredOrganization,
	};
}

function storedFleet(places: ReadonlyMap<string, number>, store: ValueStore): DesiredFleet {
	return {
		organizationIds: [...places.keys()].sort(),
		load: (organizationId) => {
			const place = places.get(organizationId);
			if (place === undefined) throw new RangeError(`the fleet has no organization ${organizationId}`);
			return freeze(store.get(place) as DesiredOrganization);
		},
	};
}

/** Returns the fleet without the organizations that `isKept` refuses. */
export function filterFleet(fleet: DesiredFleet, isKept: (organizationId: string) => boolean): DesiredFleet {
	return { ...fleet, organizationIds: fleet.organizationIds.filter(isKept) };
}

/** Returns the fleet with each organization as `change` returns it when it is loaded. */
export function mapFleet(
	fleet: DesiredFleet,
	change: (desired: DesiredOrganization) => DesiredOrganization,
): DesiredFleet {
	return { ...fleet, load: (organizationId) => change(fleet.load(organizationId)) };
}

/** Returns the organizations of the fleet one after the other, each loaded when it is asked for. */
export function* organizationsIn(fleet: DesiredFleet): Generator<DesiredOrganization> {
	for (const organizationId of fleet.organizationIds) yield fleet.load(organizationId);
}
