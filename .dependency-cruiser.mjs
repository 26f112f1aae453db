/**
 * Who may import whom: the arrows of the house and its only doors, so that a wrong import fails before a person has to
 * notice it. `npm run lint` runs it; test/architecture.test.ts sees each rule refuse once.
 */

/** A rule that only `doors` may import the package. */
const onlyDoor = (name, doors) => ({
	name: `only-door-to-${name}`,
	comment: `${name} has one door: ${doors.join(", ")}`,
	severity: "error",
	from: { path: "^src/", pathNot: doors.map((door) => `^${door}$`) },
	to: { path: `(^|/)node_modules/${name}(/|$)` },
});

/** Files that every room may import. */
const shared =
	"^src/(common/(activity-table|bounded-body|defined|errors|escape|group-by|invisible|joinable|json|own|remember|said|tracing|uuid|version)\\.ts$|schema/((bundle|files|formats|schema)\\.ts$|validators/))";

/** Files that every room may import that reads or writes files, or runs as a process. */
const sharedByDoers = "^src/common/(hide-secrets|private-file)\\.ts$";

/** Packages that only the bundles import, or the build: users do not install them. */
const bundled =
	"(^|/)node_modules/(@grpc/grpc-js|google-protobuf|@types/google-protobuf|commander|ajv|@opentelemetry/[^/]+)/";

/** A rule that a room imports nothing of the project but what is listed. */
const roomMayImport = (room, allowed) => ({
	name: `${room}-keeps-to-itself`,
	comment: `src/${room}/ may import ${allowed.join(", ")} and its own room`,
	severity: "error",
	from: { path: `^src/${room}/` },
	to: { path: "^src/", pathNot: [`^src/${room}/`, shared, ...allowed] },
});

export default {
	forbidden: [
		{ name: "no-cycles", comment: "imports form no circle", severity: "error", from: {}, to: { circular: true } },
		roomMayImport("policy", []),
		roomMayImport("plan", ["^src/policy/"]),
		roomMayImport("document", ["^src/plan/", "^src/policy/", "^src/say/(published|reason|stale)\\.ts$"]),
		roomMayImport("say", ["^src/plan/", "^src/policy/"]),
		roomMayImport("render", ["^src/say/", "^src/plan/", "^src/policy/"]),
		roomMayImport("wire", ["^src/common/files\\.ts$", sharedByDoers]),
		roomMayImport("sync", [
			"^src/plan/",
			"^src/policy/",
			"^src/say/(guards|reason)\\.ts$",
			"^src/wire/",
			sharedByDoers,
		]),
		roomMayImport("emulator", ["^src/wire/operations\\.ts$", sharedByDoers]),
		roomMayImport("passkey", ["^src/render/", "^src/say/", "^src/wire/"]),
		roomMayImport("cli", [
			"^src/common/compile-cache\\.ts$",
			"^src/common/files\\.ts$",
			"^src/passkey/",
			"^src/document/",
			"^src/plan/",
			"^src/policy/",
			"^src/render/",
			"^src/say/",
			"^src/wire/",
			"^src/sync/",
			"^src/emulator/(server|seed/seed)\\.ts$",
			sharedByDoers,
		]),
		roomMayImport("action", [
			"^src/cli/(run|output/output|output/sleep|output/streams)\\.ts$",
			"^src/render/",
			"^src/say/",
			sharedByDoers,
		]),
		roomMayImport("pulumi", [
			"^src/common/compile-cache\\.ts$",
			"^src/common/files\\.ts$",
			"^src/document/",
			"^src/plan/",
			"^src/policy/",
			"^src/render/",
			"^src/say/",
			"^src/wire/",
			"^src/sync/",
			sharedByDoers,
		]),
		{
			name: "shared-files-import-no-room",
			comment: "files that several rooms import know no room",
			severity: "error",
			from: {
				path: "^src/(common|schema)/",
			},
			to: { path: "^src/", pathNot: "^src/(common|schema)/" },
		},
		{
			name: "deciding-is-pure",
			comment:
				"policy/, plan/, document/, say/ and render/ have no clock, disk, network, environment or randomness, only hashing",
			severity: "error",
			from: { path: "^src/(policy|plan|document|say|render)/" },
			to: { dependencyTypes: ["core"], pathNot: "^(node:)?crypto$" },
		},
		onlyDoor("ajv", ["src/schema/compiler\\.ts"]),
		{
			name: "validators-are-compiled-once",
			comment: "only validators/ may import the compiler of schemas: builds have the code of validators in its place",
			severity: "error",
			from: { path: "^src/", pathNot: "^src/schema/validators/" },
			to: { path: "^src/schema/compiler\\.ts$" },
		},
		onlyDoor("fast-deep-equal", ["src/plan/value\\.ts"]),
		onlyDoor("yaml", ["src/document/(read/yaml|read/tree|edit/edit)\\.ts", "src/emulator/seed/seed\\.ts"]),
		onlyDoor("csv-parse", ["src/document/read/list-csv\\.ts"]),
		onlyDoor("commander", ["src/cli/(run|flags/program|flags/flags|flags/flag-values)\\.ts"]),
		onlyDoor("@opentelemetry", ["src/cli/output/traces\\.ts"]),
		onlyDoor("@grpc/grpc-js", ["src/pulumi/plugin/.*"]),
		onlyDoor("google-protobuf", ["src/pulumi/plugin/.*"]),
		onlyDoor("@pulumi/pulumi", ["src/pulumi/dynamic/.*", "src/pulumi/plugin/.*"]),
		{
			name: "pulumi-core-knows-no-adapter",
			comment: "what the dynamic provider and the plugin share imports neither of them",
			severity: "error",
			from: { path: "^src/pulumi/", pathNot: "^src/pulumi/(dynamic|plugin)/" },
			to: { path: "^src/pulumi/(dynamic|plugin)/" },
		},
		{
			name: "pulumi-adapters-are-apart",
			comment: "neither the dynamic provider nor the plugin imports the other; what both need is in src/pulumi/",
			severity: "error",
			from: { path: "^src/pulumi/(dynamic|plugin)/" },
			to: { path: "^src/pulumi/(dynamic|plugin)/", pathNot: "^src/pulumi/$1/" },
		},
		{
			name: "plugin-imports-no-sdk",
			comment:
				"of @pulumi/pulumi the plugin imports the protocol alone: the SDK takes longer to load than all of the plugin",
			severity: "error",
			from: { path: "^src/pulumi/plugin/" },
			to: { path: "(^|/)node_modules/@pulumi/pulumi/", pathNot: "(^|/)node_modules/@pulumi/pulumi/proto/" },
		},
		{
			name: "tests-are-not-imported",
			severity: "error",
			from: { path: "^src/" },
			to: { path: "^(test|examples)/" },
		},
		{
			name: "declared-only",
			comment: "what is published imports only what package.json declares for its users",
			severity: "error",
			from: { path: "^src/" },
			to: {
				dependencyTypes: ["npm-dev", "npm-no-pkg", "unknown", "undetermined"],
				// An optional peer: it is among devDependencies as well, so that it is there for the tests.
				dependencyTypesNot: ["npm-peer"],
				pathNot: bundled,
			},
		},
		{ name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
	],
	options: {
		doNotFollow: { path: "node_modules" },
		tsPreCompilationDeps: true,
		tsConfig: { fileName: "tsconfig.json" },
		enhancedResolveOptions: {
			exportsFields: ["exports"],
			conditionNames: ["import", "require", "node", "default", "types"],
		},
	},
};
