/** The rooms whose tests are judged, and the tests that judge each. */

/** Tests that run together. A round judges what survived the rounds before it, so the fastest tests come first. */
export interface Round {
	readonly tests: readonly string[];
	/** Whether test files share modules. Otherwise each loads its own: helpers of its tests have hooks or state. */
	readonly sharesModules: boolean;
}

export const roomNames = ["plan", "policy", "sync", "wire"] as const;
export type RoomName = (typeof roomNames)[number];

/** Tests that take more than a tenth of a second without a mutant, and many times that with one. */
const slowPolicyTests = ["test/policy/**/{combined-conditions,long-lists,work,*.property}.test.ts"];
const slowPlanTests = [
	"test/document/saved/{saved-forged,saved-meaning}.test.ts",
	"test/plan/**/{minimal.property,three-way.property}.test.ts",
];

export const rooms: Readonly<Record<RoomName, readonly Round[]>> = {
	plan: [
		{
			tests: [
				"test/plan/**/*.test.ts",
				"test/document/saved/saved.test.ts",
				...except(slowPlanTests, ["test/plan/**/*.property.test.ts"]),
			],
			sharesModules: true,
		},
		{
			tests: ["test/render/**/*.test.ts", ...except(["test/render/**/{github,hostile-*,markdown}.test.ts"])],
			sharesModules: true,
		},
		{
			tests: commandTests("approve", "consensus", "drift", "guards", "overrides", "reviewed-plan", "saved-plan"),
			sharesModules: false,
		},
		{
			tests: [...commandTests("access", "explain", "rules", "selection", "three-way"), ...slowPlanTests],
			sharesModules: false,
		},
	],
	policy: [
		{ tests: ["test/policy/**/*.test.ts", ...except(slowPolicyTests)], sharesModules: true },
		{
			tests: [
				"test/plan/**/{rules,impact,stale-impact,guards,access}*.test.ts",
				"test/plan/order/{moments,order}.test.ts",
			],
			sharesModules: true,
		},
		{ tests: commandTests("access", "approve", "explain", "powers", "rules"), sharesModules: false },
		{ tests: slowPolicyTests, sharesModules: true },
	],
	sync: [
		{ tests: ["test/sync/**/*.test.ts", ...except(["test/sync/**/*.property.test.ts"])], sharesModules: false },
		{ tests: ["test/sync/**/*.property.test.ts", "test/prove/model/model.test.ts"], sharesModules: false },
	],
	wire: [
		{ tests: ["test/wire/**/*.test.ts"], sharesModules: false },
		{
			tests: ["test/sync/**/*.test.ts", ...except(["test/sync/**/{*.property,journal*}.test.ts"])],
			sharesModules: false,
		},
	],
};

/** Returns whether the name is one of a room. */
export function isRoom(name: string): name is RoomName {
	return roomNames.some((room) => room === name);
}

function commandTests(...names: string[]): string[] {
	return names.map((name) => `test/cli/**/${name}.test.ts`);
}

function except(...patterns: string[][]): string[] {
	return patterns.flat().map((pattern) => `!${pattern}`);
}
