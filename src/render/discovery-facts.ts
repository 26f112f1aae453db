/** What `organizations` finds. */

/** An organization of the service or of the documents. */
interface DiscoveredOrganization {
	readonly organizationId: string;
	/** Whether a document describes it. */
	readonly managed: boolean;
	/** The files that describe it. */
	readonly files: readonly string[];
}

export interface Discovery {
	/** The parent. */
	readonly organizationId: string;
	/** Its sub-organizations. */
	readonly organizations: readonly DiscoveredOrganization[];
	/** Organizations of the documents that are not among them. */
	readonly elsewhere: readonly DiscoveredOrganization[];
	/** Whether the service shows all sub-organizations. */
	readonly complete: boolean;
}
