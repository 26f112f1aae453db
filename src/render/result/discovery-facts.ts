/** What `organizations` finds. */
import type { NamedOrganization } from "./organization-name.ts";

/** An organization of the service or of the documents. */
interface DiscoveredOrganization extends NamedOrganization {
	/** Whether a document describes it. */
	readonly managed: boolean;
	/** The files that describe it. */
	readonly files: readonly string[];
}

/** The parent, and what it has. */
export interface Discovery extends NamedOrganization {
	/** Its sub-organizations. */
	readonly organizations: readonly DiscoveredOrganization[];
	/** Organizations of the documents that are not among them. */
	readonly elsewhere: readonly DiscoveredOrganization[];
	/** Whether the service shows all sub-organizations. */
	readonly complete: boolean;
}
