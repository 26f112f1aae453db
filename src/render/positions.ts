import { printAddress } from "../plan/address.ts";
import { type DesiredOrganization, type Position, policiesOf, tagsOf } from "../plan/organization.ts";
import { addressOfRule } from "../plan/rules/rules.ts";

/** Returns the position of an object of an organization; undefined where it is unknown. */
export type PositionOf = (address: string, organizationId: string) => Position | undefined;

/** Returns the positions of user tags, policies and rules; those of the other kinds are unknown. */
export function positionsOf(organizations: readonly DesiredOrganization[]): PositionOf {
	const positions = new Map(
		organizations.map((desired) => [
			desired.organizationId,
			new Map<string, Position>([
				...tagsOf(desired).map(({ name, at }) => [printAddress("userTag", name), at] as const),
				...policiesOf(desired).map(({ name, at }) => [printAddress("policy", name), at] as const),
				...(desired.rules ?? []).map((rule) => [addressOfRule(rule), rule.at] as const),
			]),
		]),
	);
	return (address, organizationId) => positions.get(organizationId)?.get(address);
}
