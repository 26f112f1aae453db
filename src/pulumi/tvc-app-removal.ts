/**
 * A TVC app that must not exist, as a Pulumi resource.
 */
import type * as pulumi from "@pulumi/pulumi";
import { RemovalDefinition } from "./removal.ts";
import { OrgsyncResource } from "./resource-class.ts";

export interface TvcAppRemovalArgs {
	/** The app that must not exist; its deployments are removed with it. Changing it replaces the resource. */
	readonly appId: pulumi.Input<string>;
	/** The organization, a UUID. Defaults to the Provider's. Changing it replaces the resource. */
	readonly organizationId?: pulumi.Input<string>;
	/** How much one update may remove. */
	readonly limits?: pulumi.Input<{ readonly tvcApps?: pulumi.Input<number> }>;
}

/**
 * A TVC app that must not exist. Removes it, if it exists, with one `delete_tvc_app_and_deployments`. An app that is back
 * is drift. Destroying the resource submits nothing.
 */
export class TvcAppRemoval extends OrgsyncResource {
	declare readonly organizationId: pulumi.Output<string>;
	declare readonly appId: pulumi.Output<string>;

	constructor(name: string, args: TvcAppRemovalArgs, options?: pulumi.CustomResourceOptions) {
		super(tvcAppRemoval, name, { organizationId: undefined, ...args }, options);
	}
}

/** See RemovalDefinition. */
export const tvcAppRemoval = new RemovalDefinition({
	name: "TvcAppRemoval",
	kind: "tvcApp",
	operation: "delete_tvc_app_and_deployments",
	idsInput: "appId",
	isSingle: true,
	idOf: ({ appId }) => String(appId),
	partsOf: (removals) =>
		removals.map(({ id: appId }) => ({
			suffix: `tvc-app-${appId}`,
			args: { appId },
			covers: (address) => address === `tvcApp:${appId}`,
		})),
});
