/** What single tests need of the machine. Where it is missing they are left out, and the list at the end of the run says so. */
import { spawnSync } from "node:child_process";
import { beforeAll, beforeEach } from "vitest";
import { leaveOut, NotHere } from "./left-out.ts";

/** Windows has neither modes nor owners of files as POSIX has them, and no /dev, FIFOs and programs that begin with #!. */
export const onPosix = process.platform !== "win32";

interface Program {
	/** What makes it print something and end. */
	readonly words: readonly string[];
	/** What it prints, where a program of the same name is another one. */
	readonly prints?: RegExp;
	/** Its only system: elsewhere there is nothing to install. */
	readonly only?: NodeJS.Platform;
	readonly install: string;
	/** Set for what other tests check too: with CI set it may be missing. */
	readonly isOptional?: true;
}

const version = ["--version"];

const programs = {
	bash: { words: version, install: "`apt-get install bash`" },
	curl: { words: version, install: "`apt-get install curl`" },
	fish: { words: version, install: "`apt-get install fish`", isOptional: true },
	flock: { words: version, prints: /util-linux/, only: "linux", install: "`apt-get install util-linux`" },
	git: { words: version, install: "`apt-get install git`" },
	groff: { words: version, install: "`apt-get install groff`", isOptional: true },
	jq: { words: version, install: "`apt-get install jq`" },
	promtool: { words: version, install: "`apt-get install prometheus`", isOptional: true },
	script: { words: version, prints: /util-linux/, only: "linux", install: "`apt-get install bsdutils`" },
	zsh: { words: version, install: "`apt-get install zsh`", isOptional: true },
} as const satisfies Record<string, Program>;

export type ProgramName = keyof typeof programs;

/**
 * Whether all of these programs are here. If one is not, `what` is on the list of what is left out, and with CI set this throws,
 * except for optional programs.
 */
export function havePrograms(what: string, ...names: readonly ProgramName[]): boolean {
	return names.every((name) => hasProgram(what, name));
}

function hasProgram(what: string, name: ProgramName): boolean {
	const { words, prints, only, install, isOptional }: Program = programs[name];
	if (only !== undefined && process.platform !== only) return false;
	const { status, stdout } = spawnSync(name, words, { encoding: "utf8" });
	if (status === 0 && (prints === undefined || prints.test(stdout))) return true;
	leaveOut(new NotHere({ what, missing: `there is no \`${name}\``, install }), { isOptional: isOptional === true });
	return false;
}

/** Leaves all tests of the file out where one of these programs is missing. Returns whether they are here. */
export function needPrograms(what: string, ...names: readonly ProgramName[]): boolean {
	const isReady = havePrograms(what, ...names);
	beforeEach(({ skip }) => {
		if (!isReady) skip(`${what} need ${names.join(", ")}`);
	});
	return isReady;
}

/** As `beforeAll`. Where what it makes needs something that is not on this machine, the tests of its group are left out. */
export function prepareOrSkip(make: () => Promise<void>, timeoutMs?: number): void {
	let missing: NotHere | undefined;
	beforeAll(async () => {
		try {
			await make();
		} catch (error) {
			if (!(error instanceof NotHere)) throw error;
			leaveOut(error);
			missing = error;
		}
	}, timeoutMs);
	beforeEach(({ skip }) => {
		if (missing !== undefined) skip(missing.message);
	});
}
