/** What `organizations` finds. */
import type { NamedOrganization } from "../../plan/organization-name.ts";

interface DiscoveredOrganization extends NamedOrganization {
	readonly managed: boolean;
	readonly files: readonly string[];
}

/** The parent, and what it has. */
export interface Discovery extends NamedOrganization {
	readonly organizations: readonly DiscoveredOrganization[];
	/** Organizations of the documents that are not among them. */
	readonly elsewhere: readonly DiscoveredOrganization[];
	readonly complete: boolean;
}
