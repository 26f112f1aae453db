/** Source maps with lines alone: a stack trace needs no columns, which are most of a map. */

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Returns the `mappings` of a source map without the segments that lead to the same line of a source as the one before. */
export function keepLines(mappings: string): string {
	let [source, line, column] = [0, 0, 0];
	let written: readonly number[] = [0, 0, 0];
	return mappings
		.split(";")
		.map((segments) => {
			const kept: string[] = [];
			let [at, writtenAt] = [0, 0];
			let last = "";
			for (const segment of segments === "" ? [] : segments.split(",")) {
				const [moved = 0, ofSource, ofLine = 0, ofColumn = 0] = decode(segment);
				at += moved;
				if (ofSource === undefined) continue;
				[source, line, column] = [source + ofSource, line + ofLine, column + ofColumn];
				if (last === `${source}:${line}`) continue;
				last = `${source}:${line}`;
				const place = [source, line, column];
				const changes = place.map((value, index) => value - (written[index] ?? 0));
				kept.push([at - writtenAt, ...changes].map(encode).join(""));
				[written, writtenAt] = [place, at];
			}
			return kept.join(",");
		})
		.join(";");
}

/** The numbers of a segment, in Base64 VLQ: five bits a digit, lowest first, the sign in the lowest bit. */
function decode(segment: string): readonly number[] {
	const numbers: number[] = [];
	let [value, shift] = [0, 0];
	for (const character of segment) {
		const digit = digits.indexOf(character);
		value += (digit & 31) << shift;
		shift += 5;
		if ((digit & 32) !== 0) continue;
		numbers.push((value & 1) === 1 ? -(value >> 1) : value >> 1);
		[value, shift] = [0, 0];
	}
	return numbers;
}

function encode(number: number): string {
	let [rest, text] = [number < 0 ? (-number << 1) | 1 : number << 1, ""];
	do {
		text += digits[(rest & 31) | (rest > 31 ? 32 : 0)];
		rest >>= 5;
	} while (rest > 0);
	return text;
}
