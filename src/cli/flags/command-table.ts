import { changeCommands } from "./change-commands.ts";
import { documentCommands, otherCommands } from "./local-commands.ts";
import { activityCommands, serviceCommands } from "./service-commands.ts";

/** Returns the commands under the headings of the program's help. Their flags hold state, so each program gets a table of its own. */
export function makeCommandTable() {
	return [
		{ heading: "Documents:", commands: documentCommands() },
		{ heading: "Changes:", commands: changeCommands() },
		{ heading: "Activities:", commands: activityCommands() },
		{ heading: "Service:", commands: serviceCommands() },
		{ heading: "Other:", commands: otherCommands() },
	];
}
