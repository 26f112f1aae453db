/** `organizations`: the sub-organizations of one, and which of them no document manages. It submits nothing. */

import { defined } from "../../common/defined.ts";
import { ConfigurationError, exitCodes } from "../../common/errors.ts";
import type { DesiredFleet } from "../../document/read/fleet.ts";
import { namedIn, showOrganization } from "../../plan/organization-name.ts";
import { type DiscoveryResult, resultHead } from "../../render/result/result.ts";
import { extendedReads } from "../../wire/operations.ts";
import { type ServiceFlags, withConnection } from "../connect.ts";
import type { Flags } from "../flags/given-flags.ts";
import { localOrganizationId } from "../local-seed.ts";
import type { Call } from "../output/output.ts";
import { explainLacking } from "./query.ts";
import { findNamedId, type NamingFlags, readNamedFleet } from "./selection.ts";

type OrganizationsFlags = NamingFlags & ServiceFlags & Flags<"detailedExitcode">;

/** Returns the sub-organizations with their documents: `--detailed-exitcode` 2 if one has none, 1 if not all are shown. */
export async function organizations(call: Call<OrganizationsFlags>): Promise<DiscoveryResult> {
	const { flags, output } = call;
	const parent = findParent(call);
	const fleet = await readNamedFleet(call);
	const described = new Set(fleet?.organizationIds);
	const named = described.has(parent) && fleet !== undefined ? namedIn(fleet.load(parent)) : { organizationId: parent };
	const { listSubOrganizations } = await import("../../sync/read/list-organizations.ts");
	const { organizationIds, complete } = await withConnection(call, async ({ client }) => {
		output.progress(`reading the sub-organizations of ${showOrganization(named)}`);
		const progress = (count: number): void => output.progress(`reading sub-organizations: ${count}`);
		return explainLacking(extendedReads.list_suborgs, () => listSubOrganizations(parent, client.reader, progress));
	});
	output.clear();
	const listed = new Set(organizationIds);
	const found = organizationIds.map((organizationId) => describe(organizationId, described, fleet));
	const isOpen = found.some(({ managed }) => !managed);
	const changes = isOpen && flags.detailedExitcode === true ? exitCodes.changes : exitCodes.inSync;
	return {
		...resultHead("organizations", complete ? changes : exitCodes.error, null),
		...named,
		organizations: found,
		elsewhere: [...described]
			.filter((organizationId) => organizationId !== parent && !listed.has(organizationId))
			.map((organizationId) => describe(organizationId, described, fleet)),
		complete,
	};
}

function describe(organizationId: string, described: ReadonlySet<string>, fleet: DesiredFleet | undefined) {
	const desired = described.has(organizationId) ? fleet?.load(organizationId) : undefined;
	return {
		...{ organizationId, ...defined({ organizationName: desired?.name }) },
		managed: desired !== undefined,
		files: desired?.files ?? [],
	};
}

/** Returns the parent: documents describe sub-organizations, so only a flag or the environment can name it. */
function findParent({ flags: { organization, local }, terminal }: Call<OrganizationsFlags>): string {
	if (organization === undefined && local === true) return localOrganizationId;
	const named = findNamedId(organization, terminal);
	if (named !== undefined) return named;
	throw new ConfigurationError("no parent organization is named", {
		hint: "use --organization ID, or set ORGSYNC_ORGANIZATION_ID",
	});
}
