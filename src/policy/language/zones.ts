/** Offsets of IANA time zones, cached, because a formatter of a zone is slow. They depend on the arguments only. */
import { remember } from "../../common/remember.ts";

const hourMs = 3_600_000;

/** Offsets are looked up on this grid. No zone has two changes in one cell. */
const cellMs = 12 * hourMs;

/** From `start` on, local time is this much ahead of UTC. Milliseconds, `start` since 1970. */
export interface Offset {
	readonly start: number;
	readonly ahead: number;
}

export class Zone {
	readonly #formatter: Intl.DateTimeFormat;
	/** By the number of a cell: at its first moment. */
	readonly #offsets = new Map<number, number>();
	/** By the number of a cell in which the offset changes. */
	readonly #changes = new Map<number, number>();

	/** As the zone database writes it; for an alias, the zone that it stands for. */
	get name(): string {
		return this.#formatter.resolvedOptions().timeZone;
	}

	constructor(name: string) {
		this.#formatter = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
	}

	/** Returns the offsets from one moment to another, in their order; the first begins at or before `from`. */
	offsets(from: number, to: number): readonly Offset[] {
		const first = Math.floor(from / cellMs);
		const found: Offset[] = [{ start: first * cellMs, ahead: this.#atCell(first) }];
		for (let cell = first; cell * cellMs < to; cell += 1) {
			const ahead = this.#atCell(cell + 1);
			if (ahead !== this.#atCell(cell)) found.push({ start: this.#changeIn(cell), ahead });
		}
		return found;
	}

	#atCell(cell: number): number {
		return remember(this.#offsets, cell, () => this.#at(cell * cellMs));
	}

	/** Returns the first moment of the new offset. Changes are at whole seconds. */
	#changeIn(cell: number): number {
		return remember(this.#changes, cell, () => {
			let before = (cell * cellMs) / 1000;
			let behind = before + cellMs / 1000;
			const old = this.#atCell(cell);
			while (behind - before > 1) {
				const middle = Math.floor((before + behind) / 2);
				if (this.#at(middle * 1000) === old) before = middle;
				else behind = middle;
			}
			return behind * 1000;
		});
	}

	#at(ms: number): number {
		const match = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(this.#formatter.format(ms));
		const [, sign, hours, minutes, seconds] = match ?? [];
		const ahead = Number(hours ?? 0) * hourMs + Number(minutes ?? 0) * 60_000 + Number(seconds ?? 0) * 1000;
		return sign === "-" ? -ahead : ahead;
	}
}

const zones = new Map<string, Zone | null>();

/** Returns the zone of this name, or null: names are as the IANA database writes them, and never offsets such as `+01:00`. */
export function findZone(name: string): Zone | null {
	return remember(zones, name, () => (isZoneName(name) ? makeZone(name) : null));
}

function isZoneName(name: string): boolean {
	return name.length <= 60 && /^[A-Z][A-Za-z0-9_+-]*(\/[A-Z][A-Za-z0-9_+-]*)*$/.test(name);
}

function makeZone(name: string): Zone | null {
	try {
		const zone = new Zone(name);
		const isOtherwiseWritten = zone.name !== name && zone.name.toLowerCase() === name.toLowerCase();
		return isOtherwiseWritten ? null : zone;
	} catch (error) {
		if (error instanceof RangeError) return null;
		throw error;
	}
}
