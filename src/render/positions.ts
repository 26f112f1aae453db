/**
 * Where in the documents the objects of a plan are spoken of, for formats that are shown beside them.
 */
import { printAddress } from "../plan/address.ts";
import { type DesiredOrganization, type Position, tagsOf } from "../plan/organization.ts";

/** Where a document speaks of an object of an organization; undefined where that is not known. */
export type PositionOf = (address: string, organizationId: string) => Position | undefined;

/** Where these documents speak of user tags; of the other kinds they are not asked. */
export function positionsOf(organizations: readonly DesiredOrganization[]): PositionOf {
	const positions = new Map(
		organizations.map((desired) => [
			desired.organizationId,
			new Map<string, Position>(tagsOf(desired).map(({ name, at }) => [printAddress("userTag", name), at])),
		]),
	);
	return (address, organizationId) => positions.get(organizationId)?.get(address);
}
