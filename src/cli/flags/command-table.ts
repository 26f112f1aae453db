import { changeCommands } from "./change-commands.ts";
import type { CommandRow, CommandSpecs } from "./command-row.ts";
import { documentCommands, otherCommands } from "./local-commands.ts";
import { activityCommands, serviceCommands } from "./service-commands.ts";

/** Returns the commands under the headings of the program's help. Their flags hold state, so each program gets a table of its own. */
export function makeCommandTable() {
	return [
		{ heading: "Documents:", commands: rowsOf(documentCommands) },
		{ heading: "Changes:", commands: rowsOf(changeCommands) },
		{ heading: "Activities:", commands: rowsOf(activityCommands) },
		{ heading: "Service:", commands: rowsOf(serviceCommands) },
		{ heading: "Other:", commands: rowsOf(otherCommands) },
	];
}

function rowsOf(specs: CommandSpecs): readonly CommandRow[] {
	return Object.entries(specs).map(([name, { arguments: own, flags, ...spec }]) => {
		return { name, ...spec, arguments: own?.() ?? [], flags: flags() };
	});
}
