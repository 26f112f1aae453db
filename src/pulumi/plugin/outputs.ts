/** Inputs and outputs of a resource as they are sent: without meta inputs, which are translated back. */
import { hasUnknown, type Properties, withoutMeta } from "../inputs/inputs.ts";
import { isMarkedSecret, markSecret, namesOfSecrets } from "../inputs/secrets.ts";

/** The outputs, without the one input that is none of them. */
export function sendOutputs(properties: Properties): Properties {
	const { limits: _limits, ...outputs } = sendInputs(properties);
	return outputs;
}

/** The properties without meta inputs. Secrets that are or contain unknown values, which the resources leave as they are, are secrets. */
export function sendInputs(properties: Properties): Properties {
	const names = namesOfSecrets(properties);
	const entries = Object.entries(withoutMeta(properties)).map(([name, value]) => {
		const isOpen = names.includes(name) && hasUnknown(value) && !isMarkedSecret(value);
		return [name, isOpen ? markSecret(value) : value];
	});
	return Object.fromEntries(entries);
}
