import { compareText } from "../plan/value.ts";

const collator = new Intl.Collator("en", { numeric: true });

/** Compares names as people order them, `tag-2` before `tag-10`. Zero only for equal names. */
export function compareNaturally(left: string, right: string): number {
	return collator.compare(left, right) || compareText(left, right);
}
