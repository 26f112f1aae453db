/** Sets of small numbers as bits of a bigint: immutable, equal when `===`, and quick for hundreds of users. */

export type Bits = bigint;

const word = 32n;
const mask = 0xffffffffn;

export function sizeOf(set: Bits): number {
	let size = 0;
	for (let rest = set; rest !== 0n; rest >>= word) size += countWord(Number(rest & mask));
	return size;
}

function countWord(value: number): number {
	let bits = value - ((value >>> 1) & 0x55555555);
	bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
	return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** Returns the numbers in the set, smallest first. */
export function membersOf(set: Bits): number[] {
	const members: number[] = [];
	let base = 0;
	for (let rest = set; rest !== 0n; rest >>= word, base += 32) {
		for (let bits = Number(rest & mask) >>> 0; bits !== 0; bits = (bits & (bits - 1)) >>> 0) {
			members.push(base + 31 - Math.clz32(bits & -bits));
		}
	}
	return members;
}

export const bit = (index: number): Bits => 1n << BigInt(index);

export const hasBit = (set: Bits, index: number): boolean => ((set >> BigInt(index)) & 1n) === 1n;

/** Returns the set of the numbers; built in words, so that it takes no longer for many of them. */
export function setOf(members: Iterable<number>): Bits {
	const words: number[] = [];
	for (const index of members) {
		const at = index >>> 5;
		while (words.length <= at) words.push(0);
		words[at] = ((words[at] ?? 0) | (1 << (index & 31))) >>> 0;
	}
	return words.reduceRight((set, value) => (set << word) | BigInt(value), 0n);
}

/** Returns the places of the items for which the test holds. */
export const placesOf = <T>(items: readonly T[], isIn: (item: T, index: number) => boolean): Bits =>
	setOf([...items.keys()].filter((index) => isIn(items[index] as T, index)));

/** Returns whether all of the first set is in the second. */
export const isWithin = (set: Bits, other: Bits): boolean => (set & ~other) === 0n;

/** Returns every choice of the items, the one of none first. */
export const subsetsOf = <T>(items: readonly T[]): readonly (readonly T[])[] =>
	Array.from({ length: 2 ** items.length }, (_, number) => items.filter((_item, at) => (number >> at) & 1));
