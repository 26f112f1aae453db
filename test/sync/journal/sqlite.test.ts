/** SQLite is imported without the warning of old Nodes, and with every other. */
import { expect, it, vi } from "vitest";
import { importSqlite } from "../../../src/sync/journal/schema.ts";

it("keeps the warning that SQLite is experimental from being printed, and no other, only while it is imported", async () => {
	const printed = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
	const before = process.emitWarning;
	const imported = importSqlite();
	process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
	process.emitWarning(new Error("Is SQLite is an experimental feature?"));
	process.emitWarning("another", { code: "X" });
	expect(typeof (await imported).DatabaseSync).toBe("function");
	expect(process.emitWarning).toBe(before);
	expect(printed.mock.calls).toEqual([
		[new Error("Is SQLite is an experimental feature?")],
		["another", { code: "X" }],
	]);
	printed.mockRestore();
});
