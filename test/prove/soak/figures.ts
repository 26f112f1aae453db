/** What grows in a soak, and what may: samples of the processes and of the files, and the judgement that they are flat. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { figuresOf, type ServerProcess } from "../processes.ts";

/** Numbers by name. */
export type Sample = Readonly<Record<string, number>>;

/** Returns the figures of a process that serves all the time. */
export async function sampleProcess(name: string, process: ServerProcess): Promise<Sample> {
	const inner = await process.observe();
	const outer = figuresOf(process.pid);
	return {
		[`${name}: heap kB`]: Math.round(inner.heapBytes / 1000),
		[`${name}: external kB`]: Math.round(inner.externalBytes / 1000),
		[`${name}: timers`]: inner.timers,
		[`${name}: active resources`]: inner.activeResources,
		...(outer === undefined
			? {}
			: {
					[`${name}: resident MB`]: outer.residentMb,
					[`${name}: sockets`]: outer.sockets,
					[`${name}: open files`]: outer.openFiles,
				}),
	};
}

/** Returns how many files there are in a folder and below it. */
export function countFiles(folder: string): number {
	return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
}

/** Returns the kB of a database with its write-ahead log. */
export function databaseKb(file: string): number {
	const parts = [file, `${file}-wal`].filter((part) => existsSync(part));
	return Math.round(parts.reduce((sum, part) => sum + statSync(part).size, 0) / 1000);
}

/** What a figure may grow by from the middle of a run to its end. `share` is of its value in the middle. */
interface Allowance {
	readonly share: number;
	readonly most: number;
}

const allowances: readonly (readonly [name: RegExp, allowance: Allowance])[] = [
	[/heap kB$/, { share: 0.05, most: 1500 }],
	[/external kB$/, { share: 0.05, most: 1000 }],
	[/resident MB$/, { share: 0.1, most: 15 }],
	[/(timers|active resources|sockets|open files)$/, { share: 0, most: 4 }],
	[/files$/, { share: 0, most: 0 }],
];

/** What an activity may take in the journal: its request, its outcome, and the index. */
const activityKb = 3;

function median(values: readonly number[]): number {
	return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** The samples of a run, in their order. */
export class Samples {
	readonly #all: Sample[] = [];

	add(...parts: readonly Sample[]): void {
		this.#all.push(Object.assign({}, ...parts));
	}

	get length(): number {
		return this.#all.length;
	}

	/** The medians of the first, the middle and the last third, without the first sample: caches fill until then. */
	thirds(name: string): readonly [start: number, middle: number, end: number] {
		const values = this.#all.slice(1).map((sample) => sample[name] ?? 0);
		const third = Math.floor(values.length / 3);
		return [
			median(values.slice(0, third)),
			median(values.slice(third, values.length - third)),
			median(values.slice(values.length - third)),
		];
	}

	get names(): readonly string[] {
		return Object.keys(this.#all[0] ?? {});
	}

	/** One line for each figure: at the start, in the middle, at the end. */
	describe(): string {
		return this.names.map((name) => `${name}: ${this.thirds(name).join(" → ")}`).join("\n");
	}

	/** Returns a sentence for each figure that grew by more than is allowed from the middle to the end. */
	findGrowth(): readonly string[] {
		return this.names.flatMap((name) => {
			const allowance = allowances.find(([pattern]) => pattern.test(name))?.[1];
			const [, middle, end] = this.thirds(name);
			if (allowance === undefined || end - middle <= Math.max(allowance.most, allowance.share * middle)) return [];
			return [`${name} grew from ${middle} in the middle of the run to ${end} at its end`];
		});
	}

	/** Returns a sentence if the journal grew by more than its activities take. */
	findJournalGrowth(): readonly string[] {
		const [startKb, , endKb] = this.thirds("journal kB");
		const [first, , last] = this.thirds("activities");
		const allowedKb = (last - first) * activityKb + 50;
		if (endKb - startKb <= allowedKb) return [];
		return [`the journal grew from ${startKb} to ${endKb} kB with ${last - first} activities`];
	}
}
