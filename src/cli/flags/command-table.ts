import { apply, drift, grant, plan, revoke, show } from "./change-commands.ts";
import type { CommandRow } from "./command-row.ts";
import { completion, emulator, init, schema, validate } from "./local-commands.ts";
import {
	approve,
	explain,
	exportCommand,
	importKey,
	organizations,
	passkey,
	powers,
	query,
	reject,
	status,
	waitCommand,
} from "./service-commands.ts";

/** Commands that the help of the program lists under one heading. */
interface CommandGroup {
	readonly heading: string;
	readonly commands: readonly CommandRow[];
}

/** Returns the table. Its flags hold state, so each program gets a table of its own. */
export function makeCommandTable(): readonly CommandGroup[] {
	return [
		{ heading: "Documents:", commands: [init(), validate(), exportCommand()] },
		{ heading: "Changes:", commands: [plan(), show(), apply(), drift(), grant(), revoke()] },
		{ heading: "Activities:", commands: [status(), approve(), reject(), waitCommand(), explain()] },
		{ heading: "Service:", commands: [organizations(), powers(), query(), importKey(), passkey(), emulator()] },
		{ heading: "Other:", commands: [schema(), completion()] },
	];
}
