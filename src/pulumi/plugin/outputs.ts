/** Inputs and outputs of a resource as messages: without meta inputs, which are translated back. */
import type struct from "google-protobuf/google/protobuf/struct_pb.js";
import { hasUnknown, type Properties, withoutMeta } from "../inputs/inputs.ts";
import { isMarkedSecret, markSecret, namesOfSecrets } from "../inputs/secrets.ts";
import { writeProperties } from "./values.ts";

export function writeInputs(properties: Properties): struct.Struct {
	return writeProperties(sealUnknown(properties));
}

/** The outputs, without the one input that is none of them. */
export function writeOutputs(properties: Properties): struct.Struct {
	const { limits: _limits, ...outputs } = sealUnknown(properties);
	return writeProperties(outputs);
}

/** The properties without meta inputs. Secrets that are or contain unknown values, which the resources leave as they are, are secrets. */
function sealUnknown(properties: Properties): Properties {
	const names = namesOfSecrets(properties);
	const entries = Object.entries(withoutMeta(properties)).map(([name, value]) => {
		const isOpen = names.includes(name) && hasUnknown(value) && !isMarkedSecret(value);
		return [name, isOpen ? markSecret(value) : value];
	});
	return Object.fromEntries(entries);
}
