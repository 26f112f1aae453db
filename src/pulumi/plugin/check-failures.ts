/** What is wrong with inputs or settings, as the protocol has it. */
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import { type CheckFailure, explainFailure, type Properties } from "../inputs/inputs.ts";

/**
 * The failures as messages. The engine prints the value of a property that a failure names, and `{<nil>}` for a missing one.
 * So the text names the property instead if its value is missing, or if its name is in `hidden`.
 */
export function writeFailures(
	failures: readonly CheckFailure[],
	inputs: Properties,
	hidden: readonly string[] = [],
): InstanceType<typeof providerMessages.CheckFailure>[] {
	return failures.map((failure) => {
		const { property, reason } = failure;
		const value = inputs[property];
		const isPrinted = value !== undefined && value !== null && !hidden.includes(property);
		const message = new providerMessages.CheckFailure();
		message.setProperty(isPrinted ? property : "");
		message.setReason(isPrinted ? reason : explainFailure(failure));
		return message;
	});
}
