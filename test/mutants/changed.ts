/** The sample that CI judges: of the last commit's files in one room, by the fast tests of that room. */
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { root } from "../../scripts/manifest.ts";
import { type RoomName, type Round, roomNames, rooms } from "./rooms.ts";

export interface Changed {
	readonly room: RoomName;
	/** Paths of sources below the root of the repository. */
	readonly sources: readonly string[];
	readonly rounds: readonly Round[];
	readonly seed: number;
}

/**
 * Returns what the commit changed in the room where it changed most. Where it changed none, or in a clone without its parent,
 * all of one room. The same for a commit in every clone that has its parent.
 */
export function chooseChanged(runGit: (...words: string[]) => string | null = git): Changed {
	const seed = Number.parseInt(runGit("rev-parse", "HEAD")?.slice(0, 7) ?? "1", 16);
	const folders = roomNames.map((room) => `src/${room}`);
	const changed = runGit("diff", "--name-only", "--diff-filter=d", "HEAD^", "HEAD", "--", ...folders) ?? "";
	const sources = changed.split("\n").filter((file) => file.endsWith(".ts") && testsOf(file).length > 0);
	const inRoom = (room: RoomName): readonly string[] => sources.filter((file) => file.startsWith(`src/${room}/`));
	const [most = "plan"] = roomNames.toSorted((one, other) => inRoom(other).length - inRoom(one).length);
	if (inRoom(most).length > 0)
		return { room: most, sources: inRoom(most), rounds: [roundOf(most, inRoom(most))], seed };
	const room = seed % 2 === 0 ? "plan" : "policy";
	return { room, sources: globSync(`src/${room}/**/*.ts`, { cwd: root }).sort(), rounds: [roundOf(room, [])], seed };
}

/** The tests of `sync` and `wire` start servers: of them only those that have the name of a changed file. */
function roundOf(room: RoomName, sources: readonly string[]): Round {
	const [first = { tests: [], sharesModules: true }] = rooms[room];
	if (room === "plan" || room === "policy") return first;
	return { ...first, tests: [...new Set(sources.flatMap(testsOf))] };
}

function testsOf(source: string): readonly string[] {
	const [, room = ""] = source.split("/");
	if (room === "plan" || room === "policy") return rooms[room][0]?.tests ?? [];
	const [name, folder] = [basename(source, ".ts"), basename(dirname(source))];
	// A file of a subfolder may have a name that only the folder makes clear: journal/file.ts is tested in journal-file.test.ts.
	const tests = [name, `${folder}-${name}`].map((one) => `test/${room}/${one}.test.ts`);
	return tests.filter((test) => existsSync(join(root, test)));
}

/** Returns the words of git's answer; null where there is no git, no repository, or no such commit. */
function git(...words: string[]): string | null {
	const { status, stdout } = spawnSync("git", words, { cwd: root, encoding: "utf8" });
	return status === 0 ? stdout.trim() : null;
}
