/** Modules as a new process has them, without those that are the same in all processes. */
import { fileURLToPath } from "node:url";

interface Loaded {
	promise: unknown;
	exports: unknown;
	evaluated: boolean;
	readonly importers: Set<string>;
}

/** What Vitest has of a worker, under the name by which its own `vi.resetModules()` finds it. */
const { __vitest_worker__: worker } = globalThis as unknown as {
	__vitest_worker__: { readonly evaluatedModules: { readonly idToModuleMap: ReadonlyMap<string, Loaded> } };
};

/** Vitest has slashes on Windows too. */
const sources = fileURLToPath(new URL("../src/", import.meta.url)).replaceAll("\\", "/");

/** Whether it is of src/ and has something of the process that loads it: the providers of Pulumi, and where a program starts. */
export const isProgram = (path: string): boolean =>
	path.startsWith(sources) && /^pulumi\/|^\w+\/(?:main|start)\.ts/.test(path.slice(sources.length));

/** Whether it is the same in all processes. */
export const isShared = (path: string): boolean => path.startsWith(sources) && !isProgram(path);

/** As `vi.resetModules()`, of these modules only: the next import makes them again. */
export function renewModules(isRenewed: (path: string) => boolean): void {
	for (const [path, loaded] of worker.evaluatedModules.idToModuleMap) {
		if (/\/vitest\/dist\/|vitest-virtual-\w+\/dist|@vitest\/dist|^mock:/.test(path) || !isRenewed(path)) continue;
		Object.assign(loaded, { promise: undefined, exports: undefined, evaluated: false });
		loaded.importers.clear();
	}
}
