import { showAddress } from "../common/escape.ts";
import { identifier, listSome, type Phrase } from "./phrase.ts";

/** Returns the addresses; of more than three the first two, and how many more. */
export function listAddresses(addresses: readonly string[]): Phrase {
	return listSome(addresses, (address) => identifier(showAddress(address)), 3);
}
