import { showAddress } from "../common/escape.ts";
import type { Plan } from "../plan/plan.ts";
import { describeExpiries, expiriesHeading } from "./expiry-words.ts";
import { type Block, bullets, codeSpan } from "./markdown-text.ts";
import { phraseMarkdown } from "./print/markdown.ts";

/** Returns the access that ends or begins soon; a block without lines where there is none. */
export function expiriesBlock(plan: Plan): Block {
	const lines = describeExpiries(plan).map(
		({ address, sentence }) => `${codeSpan(showAddress(address))} ${phraseMarkdown(sentence)}`,
	);
	return bullets(4, ["line on access with an end", "lines on access with an end"], expiriesHeading, lines);
}
