/**
 * The expressions of GitHub Actions, as far as the workflows here use them: paths, `==`, `!=`, `&&`, `||`, and the functions that
 * ask how things stand. Anything else is an error of the test, so that nothing is taken for true by accident.
 */

/** What the expressions can see: `github`, `secrets`, `steps` and the others. */
export type Context = Readonly<Record<string, unknown>>;

/** How the steps, or the needed jobs, before this one have ended. */
export type Standing = "success" | "failure" | "cancelled";

/**
 * The text with every `${{ … }}` replaced by its value: of terms joined by `||` the first that is not empty, and of
 * `CONDITION && VALUE` the value if the condition holds.
 */
export function fillIn(text: string, context: Context): string {
	return text.replaceAll(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => {
		const values = expression.split("||").map((term) => readTerm(term.trim(), context));
		return String(values.find((value) => value !== "") ?? "");
	});
}

function readTerm(term: string, context: Context): unknown {
	const [condition, operand] = term.split("&&").map((part) => part.trim());
	if (operand === undefined) return readOperand(term, context);
	return isTrue(condition ?? "", context, "success") ? readOperand(operand, context) : "";
}

/** Whether an `if:` holds. Without a function that asks how things stand it needs success, as at GitHub. */
export function holds(condition: unknown, context: Context, standing: Standing): boolean {
	if (condition === undefined) return standing === "success";
	const expression = String(condition).replace(/^\s*\$\{\{(.*)\}\}\s*$/s, "$1");
	const asks = /\b(?:success|failure|always|cancelled)\(\)/.test(expression);
	if (!asks && standing !== "success") return false;
	return expression.split("&&").every((term) => isTrue(term.trim(), context, standing));
}

function isTrue(term: string, context: Context, standing: Standing): boolean {
	const [, not, name] = /^(!?)(success|failure|always|cancelled)\(\)$/.exec(term) ?? [];
	if (name !== undefined) return (name === "always" || name === standing) !== (not === "!");
	const [, left, operator, right] = /^(\S+)\s*(==|!=)\s*(\S+)$/.exec(term) ?? [];
	if (left === undefined || right === undefined) throw new Error(`no expression that this test knows: ${term}`);
	return (readOperand(left, context) === readOperand(right, context)) === (operator === "==");
}

/** What is not there is the empty text, as at GitHub. */
function readOperand(operand: string, context: Context): unknown {
	const literal = /^'([^']*)'$/.exec(operand)?.[1];
	if (literal !== undefined) return literal;
	if (!/^[a-z]+(?:\.[\w-]+)+$/i.test(operand)) throw new Error(`no expression that this test knows: ${operand}`);
	const [root = "", ...rest] = operand.split(".");
	if (!(root in context)) throw new Error(`there is no ${root} where ${operand} stands`);
	const found = rest.reduce<unknown>(
		(value, key) => (value as Record<string, unknown> | undefined | null)?.[key],
		context[root],
	);
	return found ?? "";
}
