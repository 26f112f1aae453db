/** Random characters for property tests. */
import fc from "fast-check";

/**
 * Any character but half a surrogate pair, of all of Unicode. The unit "binary" of fast-check itself makes a map of all of them,
 * which takes a second and 100 MB.
 */
export const anyCharacter = fc
	.integer({ min: 0, max: 0x10f7ff })
	.map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));
