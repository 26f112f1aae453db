/** TVC apps: one activity removes one app, and with it all its deployments. */
import type { RequestShape } from "./kind.ts";
import { removalDraft, removalKind } from "./removal.ts";

export const tvcAppRequest: RequestShape<"delete_tvc_app_and_deployments"> = {
	kind: "tvcApp",
	list: null,
	subject: "appId",
	narrow: (request) => request,
};

export const tvcApp = removalKind({
	name: "tvcApp",
	words: ["TVC app", "TVC apps"],
	isOfUser: false,
	operation: "delete_tvc_app_and_deployments",
	creations: /_CREATE_TVC_APPS?(_V\d+)?$/,
	steps: (changes) =>
		changes.map((app) => {
			const request = { operation: "delete_tvc_app_and_deployments", parameters: { appId: app.id } } as const;
			return removalDraft(`tvcApp:${app.id}`, request, [app], "tvcApp");
		}),
});
