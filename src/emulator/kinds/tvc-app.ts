/** TVC apps, each with its latest boot proof. */
import { bootProofFields } from "../assumptions.ts";
import { notFound } from "../request-error.ts";
import {
	type EntityKind,
	findEntity,
	idIn,
	type JsonObject,
	listSection,
	removeEntity,
	type SeedRow,
	type Texts,
} from "./entity-kind.ts";

export interface TvcApp extends Texts<"id" | "name"> {
	readonly liveDeploymentId?: string;
	/** docs/internals/service.md#boot-proof. */
	readonly bootProof?: JsonObject;
}

type SeedTvcApp = SeedRow<TvcApp, "id" | "name">;

export const tvcApps: EntityKind<TvcApp, SeedTvcApp, readonly SeedTvcApp[], "tvcApps"> = {
	section: "tvcApps",
	...listSection<TvcApp, SeedTvcApp>("id"),
	uniqueFields: { id: "this app id" },
	queries: {
		// Without the boot proof.
		list_tvc_apps: ({ organization }) =>
			[...organization.entities(tvcApps).values()].map(({ bootProof: _bootProof, ...app }) => ({
				organizationId: organization.organizationId,
				...app,
			})),
		get_latest_boot_proof({ organization }, body) {
			const app = organization.entities(tvcApps).get(idIn(body, "appName"));
			if (app?.bootProof === undefined) throw notFound(`no boot proof found for the app ${idIn(body, "appName")}`);
			const { bootProof: proof, createdAt } = app;
			const strings = bootProofFields.map((field) => [field, proof[field] ?? ""]);
			return { ...Object.fromEntries(strings), createdAt: proof.createdAt ?? createdAt };
		},
	},
	submits: {
		delete_tvc_app_and_deployments: {
			check(organization, parameters) {
				findEntity(organization.entities(tvcApps), idIn(parameters, "appId"), "TVC app");
			},
			execute(_context, parameters) {
				const appId = idIn(parameters, "appId");
				return { changes: [removeEntity(tvcApps, appId)], result: { appId } };
			},
		},
	},
};
