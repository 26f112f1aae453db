import { showAddress } from "../common/escape.ts";
import { identifier, joinPhrases, type Phrase } from "./phrase.ts";

/** Returns the addresses; of more than three the first two, and how many more. */
export function listAddresses(addresses: readonly string[]): Phrase {
	const shown = addresses.slice(0, addresses.length <= 3 ? 3 : 2);
	const more = addresses.length - shown.length;
	const listed = joinPhrases(
		shown.map((address) => [identifier(showAddress(address))]),
		", ",
	);
	return more === 0 ? listed : [...listed, ` and ${more} more`];
}
