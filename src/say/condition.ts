/** Puts conditions on activities into plain words where they are simple; any other is shown as the policy has it. */
import { parseExpression } from "../policy/language/parser.ts";
import { printExpression } from "../policy/language/printer.ts";
import type { Expression } from "../policy/language/syntax.ts";
import { type ActivityExample, clausesOf, printExample } from "../policy/powers/fields.ts";
import { ownCredentials } from "../policy/powers/judge.ts";
import { code, joinPhrases, type Phrase, type Span } from "./phrase.ts";

/** Returns the condition as the end of a sentence: `the wallet is A and the value is above 10 ETH`. */
export function sayCondition(text: string): Phrase {
	if (text === ownCredentials) return [text];
	const parsed = parseExpression(text);
	const clauses = "expression" in parsed ? clausesOf(parsed.expression) : [];
	const said = clauses.map((clause) => sayClause(clause, false));
	if (said.every((one) => one === null)) return [code(text)];
	const inWords = said.map((one, index) => one ?? [code(written(clauses[index] as Expression))]);
	return joinPhrases(inWords, ", ", " and ");
}

/** Returns the activity, whole: a reader asks about it with `powers --why`. */
export const sayExample = (example: ActivityExample): Span => ({ kind: "code", text: printExample(example) });

const written = (clause: Expression): string => {
	const text = printExpression(clause);
	return clause.node === "binary" && clause.operator === "||" ? `(${text})` : text;
};

const subjects: ReadonlyMap<string, string> = new Map([
	["wallet.id", "the wallet"],
	["wallet.label", "the label of the wallet"],
	["wallet_account.address", "the account"],
	["private_key.id", "the private key"],
	["eth.tx.to", "the recipient"],
	["eth.tx.value", "the value"],
	["eth.tx.chain_id", "the chain id"],
	["activity.kind", "the kind of activity"],
	["activity.type", "the type of activity"],
	["activity.params.type", "the chain"],
]);

/** How a comparison is said, and how that it does not hold. */
const relations: Readonly<Record<string, readonly [is: string, isNot: string]>> = {
	"==": ["is", "is not"],
	"!=": ["is not", "is"],
	">": ["is above", "is at most"],
	"<=": ["is at most", "is above"],
	"<": ["is below", "is at least"],
	">=": ["is at least", "is below"],
	in: ["is", "is not"],
};

const maxValues = 5;

function sayClause(clause: Expression, isNegated: boolean): Phrase | null {
	if (clause.node === "not") return sayClause(clause.of, !isNegated);
	if (clause.node !== "binary") return null;
	const field = printExpression(clause.left);
	const subject = subjects.get(field);
	const relation = relations[clause.operator]?.[isNegated ? 1 : 0];
	const { right } = clause;
	const values = (right.node === "list" ? right.items : [right]).map((value) => sayValue(value, field));
	if (subject === undefined || relation === undefined || values.length === 0 || values.length > maxValues) return null;
	const known = values.flatMap((value) => (value === null ? [] : [[value]]));
	return known.length < values.length ? null : [`${subject} ${relation} `, ...joinPhrases(known, ", ", " or ")];
}

function sayValue(value: Expression, field: string): Span | null {
	if (value.node !== "literal" || typeof value.value === "boolean") return null;
	if (field === "eth.tx.value") return typeof value.value === "bigint" ? sayAmount(value.value) : null;
	const [, chain = ""] = /^TRANSACTION_TYPE_([A-Z]+)$/.exec(String(value.value)) ?? [];
	if (field === "activity.params.type" && chain !== "") return `${chain.charAt(0)}${chain.slice(1).toLowerCase()}`;
	return code(String(value.value));
}

/** Returns an amount of wei in the unit that needs no more than four decimals. */
function sayAmount(wei: bigint): string {
	if (wei % 10n ** 14n !== 0n) return wei % 10n ** 9n === 0n ? `${wei / 10n ** 9n} gwei` : `${wei} wei`;
	const decimals = String((wei / 10n ** 14n) % 10_000n)
		.padStart(4, "0")
		.replace(/0+$/, "");
	return `${wei / 10n ** 18n}${decimals === "" ? "" : `.${decimals}`} ETH`;
}
