/** Stands in for the id of an object that a plan creates: the service makes the id when the activity completes. */
import { createHash } from "node:crypto";
import { canonicalJson } from "./value.ts";

/**
 * Returns the same UUID (version 8, RFC 9562) for the same object each time. Unverified, chosen: the service makes no ids of
 * this version.
 */
export function standInFor(organizationId: string, kind: "userTag" | "policy", name: string): string {
	const hex = createHash("sha256")
		.update(JSON.stringify([organizationId, kind, name]), "utf8")
		.digest("hex");
	return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
		"-",
	);
}

const uuids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const standIns = /\b[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}\b/g;

/** Returns the stand-ins in the parameters of a request, or in an id: ids that the service has not made yet. */
export function standInsIn(parameters: object | string | undefined): readonly string[] {
	return JSON.stringify(parameters ?? "").match(standIns) ?? [];
}

/** Returns the ids that filled parameters have where these have stand-ins, by stand-in. */
export function idsOfStandIns(parameters: object, filled: object): ReadonlyMap<string, string> {
	const standing = new Set(standInsIn(parameters));
	const idsIn = (value: object): readonly string[] => canonicalJson(value).match(uuids) ?? [];
	const other = idsIn(filled);
	return new Map(
		idsIn(parameters).flatMap((id, index) => (standing.has(id) && other[index] ? [[id, other[index]]] : [])),
	);
}

/** Returns the parameters with each stand-in in place of the id that the service made for it. */
export function fillStandIns<T extends object>(parameters: T, ids: ReadonlyMap<string, string>): T {
	const text = JSON.stringify(parameters);
	const filled = [...ids].reduce((all, [standIn, id]) => all.replaceAll(standIn, id), text);
	return filled === text ? parameters : (JSON.parse(filled) as T);
}
