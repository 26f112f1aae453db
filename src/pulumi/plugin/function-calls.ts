/** `invoke`: the engine calls a function of the package. */

import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import { defined, nonEmpty } from "../../common/defined.ts";
import { callFunction } from "../functions/functions.ts";
import { markSecret } from "../inputs/secrets.ts";
import { ResourceFailure } from "../resources/failure.ts";
import { withoutSecrets } from "../resources/resource-operations.ts";
import type { ProviderProcess } from "../session/provider-process.ts";
import { configurationNamespace, type GivenSettings } from "../settings/settings.ts";
import { explainUnusable, readProperties, writeProperties } from "./values.ts";

type Request = InstanceType<typeof providerMessages.InvokeRequest>;
type Response = InstanceType<typeof providerMessages.InvokeResponse>;

/** Calls the function. The result is a secret if an argument is. Throws ResourceFailure. */
export function invoke(
	request: Request,
	process: ProviderProcess,
	settings: () => Promise<GivenSettings>,
): Promise<Response> {
	return withoutSecrets(process, async () => {
		const { properties, secretNames, unusable } = readProperties(request.getArgs());
		if (unusable.length > 0) throw new ResourceFailure(unusable.map(explainUnusable).join("\n"));
		const args = { ...properties, ...defined({ secretInputs: nonEmpty(secretNames) }) };
		process.secrets.addFrom(args);
		const name = request.getTok().replace(`${configurationNamespace}:index:`, "");
		const answer = await callFunction(name, args, process.sessionFor(await settings()));
		if (answer === undefined) throw new ResourceFailure(`unknown function ${request.getTok()}`);
		const response = new providerMessages.InvokeResponse();
		if ("result" in answer) {
			const result = Object.entries(answer.result).filter(([, value]) => value !== undefined);
			const sealed = result.map(([field, value]) => [field, secretNames.length === 0 ? value : markSecret(value)]);
			response.setReturn(writeProperties(Object.fromEntries(sealed)));
			return response;
		}
		for (const { property, reason } of answer.failures) {
			const failure = new providerMessages.CheckFailure();
			failure.setProperty(property);
			failure.setReason(process.secrets.redact(reason));
			response.addFailures(failure);
		}
		return response;
	});
}
