/**
 * Where Node keeps what it has compiled, so that commands start faster. What is in the folder runs as code: Node's own
 * choice, in the temporary folder that all users share, could hold the code of another user.
 */
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { isSea } from "node:sea";

type Environment = Readonly<Record<string, string | undefined>>;

/** Lets Node keep it in the user's own folder. Without one, it compiles each time, as it does for a single-file executable. */
export function useCompileCache(environment: Environment): void {
	const folder = isSea() ? undefined : findOwnCacheFolder(environment);
	// A Node that is too old for orgsync lacks it: main.ts says so.
	if (folder !== undefined && typeof enableCompileCache === "function") enableCompileCache(folder);
}

/** Returns the user's own folder as `findCacheFolder` does; undefined if a setting of Node says where compiled code is kept. */
export function findOwnCacheFolder(environment: Environment): string | undefined {
	const { NODE_COMPILE_CACHE: other = "", NODE_DISABLE_COMPILE_CACHE: disabled = "" } = environment;
	return other === "" && disabled === "" ? findCacheFolder(environment) : undefined;
}

/** Returns `orgsync/compiled` in the user's cache folder, made if missing; undefined if another user could write to it. */
export function findCacheFolder(environment: Environment): string | undefined {
	const caches = cachesOf(environment);
	if (caches === undefined) return undefined;
	try {
		const own = join(caches, "orgsync");
		const folder = join(own, "compiled");
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		// Windows keeps the folders of users apart, and its modes mean nothing.
		if (process.geteuid === undefined) return folder;
		const user = process.geteuid();
		const isPrivate = [own, folder].every((path) => {
			const found = lstatSync(path);
			return found.isDirectory() && found.uid === user && (found.mode & 0o077) === 0;
		});
		return isPrivate && isOutOfReach(realpathSync(caches), user) ? folder : undefined;
	} catch {
		// A read-only file system, or a user without a home.
		return undefined;
	}
}

/** Whether no other user but root can replace what is in the folder: by its own mode, or that of a folder above it. */
function isOutOfReach(path: string, user: number): boolean {
	const { uid, mode } = lstatSync(path);
	const isSticky = (mode & 0o1000) !== 0;
	if ((uid !== user && uid !== 0) || ((mode & 0o022) !== 0 && !isSticky)) return false;
	return dirname(path) === path || isOutOfReach(dirname(path), user);
}

/** The folder for caches of all programs, by the conventions of the system. */
function cachesOf({
	XDG_CACHE_HOME: xdg = "",
	HOME: home = "",
	LOCALAPPDATA: local = "",
}: Environment): string | undefined {
	if (process.platform === "win32") return isAbsolute(local) ? local : undefined;
	if (isAbsolute(xdg)) return xdg;
	if (!isAbsolute(home)) return undefined;
	return join(home, process.platform === "darwin" ? "Library/Caches" : ".cache");
}
