/** The rooms whose tests are judged, and the tests that judge each. */

export interface Room {
	/** The tests that judge every mutant: fast, so that thousands of mutants take minutes. */
	readonly tests: readonly string[];
	/** The tests that judge what survives `tests`: slower ones of the room, and those of rooms that use it. */
	readonly moreTests: readonly string[];
	/** Whether test files of the room share modules. Otherwise each loads its own: helpers of its tests have hooks or state. */
	readonly sharesModules: boolean;
}

const roomNames = ["plan", "policy", "sync", "wire"] as const;
export type RoomName = (typeof roomNames)[number];

export const rooms: Readonly<Record<RoomName, Room>> = {
	plan: {
		tests: ["test/plan/**/*.test.ts", "!test/plan/fixed-point.property.test.ts"],
		moreTests: ["test/plan/fixed-point.property.test.ts", "test/document/**/*.test.ts", "test/render/**/*.test.ts"],
		sharesModules: true,
	},
	policy: {
		tests: ["test/policy/**/*.test.ts", "!test/policy/powers.property.test.ts"],
		moreTests: ["test/policy/powers.property.test.ts", "test/plan/**/*.test.ts", "!test/plan/*.property.test.ts"],
		sharesModules: true,
	},
	sync: {
		tests: ["test/sync/**/*.test.ts", "!test/sync/*.property.test.ts"],
		moreTests: ["test/sync/*.property.test.ts"],
		sharesModules: false,
	},
	wire: {
		tests: ["test/wire/**/*.test.ts"],
		moreTests: ["test/sync/**/*.test.ts", "!test/sync/*.property.test.ts", "!test/sync/journal*.test.ts"],
		sharesModules: false,
	},
};

/** Returns whether the name is one of a room. */
export function isRoom(name: string): name is RoomName {
	return roomNames.some((room) => room === name);
}
