/** Parses a policy's text into a tree (docs/internals/policies.md#grammar), in linear time, or reports where it fails. */
import { quote, readToken, type Token } from "./lexer.ts";
import {
	type BinaryOperator,
	constructors,
	type Expression,
	type Method,
	type Mistake,
	maxDepth,
	maxLength,
	maxNesting,
	methods,
	type Span,
} from "./syntax.ts";

export type Parsed = { readonly expression: Expression } | { readonly mistakes: readonly Mistake[] };

/** Returns the token at or behind an offset. Each offset is read once, from the first to the last. */
export type ReadToken = (text: string, offset: number) => Token;

/** Returns the tree of the text, or why it is not understood. An empty text is a mistake: a policy may leave a clause out. */
export function parseExpression(text: string, read: ReadToken = readToken): Parsed {
	if (text.length > maxLength) {
		const message = `the expression is too long: ${text.length} characters, ${maxLength} at most`;
		return { mistakes: [{ message, span: { start: 0, end: text.length } }] };
	}
	try {
		return { expression: new Parser(text, read).parseWhole() };
	} catch (error) {
		if (error instanceof NotUnderstood) return { mistakes: [error.mistake] };
		throw error;
	}
}

/** Ends parsing; only `parseExpression` catches it. */
class NotUnderstood extends Error {
	readonly mistake: Mistake;

	constructor(message: string, span: Span) {
		super(message);
		this.mistake = { message, span };
	}
}

type Node = Expression extends infer Kind ? (Kind extends Expression ? Omit<Kind, "span"> : never) : never;

const comparisons: readonly string[] = ["==", "!=", "<=", ">=", "<", ">"] satisfies BinaryOperator[];

/** Words of other languages, with what to write here. */
const otherWords: ReadonlyMap<string, string> = new Map([
	["and", "&&"],
	["or", "||"],
	["not", "!"],
	["is", "=="],
	["equals", "=="],
]);

class Parser {
	readonly #text: string;
	readonly #read: ReadToken;
	readonly #depths = new WeakMap<Expression, number>();
	#token: Token;
	#previousEnd = 0;
	#nesting = 0;

	constructor(text: string, read: ReadToken) {
		this.#text = text;
		this.#read = read;
		this.#token = read(text, 0);
	}

	parseWhole(): Expression {
		if (this.#isAtEnd()) throw this.#fail("the expression is empty; leave the clause out instead");
		const expression = this.#parseOr();
		if (!this.#isAtEnd()) throw this.#failBehind();
		return expression;
	}

	/** Unverified, chosen: `&&` binds tighter than `||`, and both are evaluated from the left. */
	#parseOr(): Expression {
		const { start } = this.#token.span;
		let left = this.#parseAnd();
		while (this.#take("||")) left = this.#makeBinary("||", left, this.#parseAnd(), start);
		return left;
	}

	#parseAnd(): Expression {
		const { start } = this.#token.span;
		let left = this.#parseComparison();
		while (this.#take("&&")) left = this.#makeBinary("&&", left, this.#parseComparison(), start);
		return left;
	}

	#parseComparison(): Expression {
		const { start } = this.#token.span;
		const left = this.#parseNot();
		const operator = this.#comparison();
		if (operator === undefined) return left;
		this.#advance();
		const whole = this.#makeBinary(operator, left, this.#parseNot(), start);
		if (this.#comparison() === undefined) return whole;
		throw this.#fail("comparisons cannot follow each other; join them with `&&`");
	}

	/** Unverified, chosen: `!` binds tighter than a comparison, and every clause has it. */
	#parseNot(): Expression {
		const { start } = this.#token.span;
		if (!this.#take("!")) return this.#parseAccess();
		const of = this.#nest(() => this.#parseNot());
		return this.#make({ node: "not", of }, [of], start);
	}

	#parseAccess(): Expression {
		const { start } = this.#token.span;
		let of = this.#parsePrimary();
		for (;;) {
			if (this.#take(".")) of = this.#parseField(of, start);
			else if (this.#take("[")) of = this.#parseIndex(of, start);
			else return of;
		}
	}

	#parseField(of: Expression, start: number): Expression {
		const { text: name, span } = this.#takeName("the name of a field or a function");
		const method = methods.find((one) => one === name);
		if (this.#is("(")) {
			if (method === undefined) {
				throw new NotUnderstood(`${quote(name)} is not a function; there are ${methods.join(", ")}`, span);
			}
			return this.#parseCall(of, method, start);
		}
		return this.#make({ node: "field", of, name }, [of], start);
	}

	#parseCall(of: Expression, method: Method, start: number): Expression {
		this.#advance();
		const finish = (item: string | null, inner: readonly Expression[]): Expression => {
			this.#expect(")", `\`)\` after the arguments of \`${method}\``);
			return this.#make({ node: "call", of, method, item, arguments: inner }, [of, ...inner], start);
		};
		if (method === "count") return finish(null, []);
		if (method === "contains") return finish(null, [this.#nest(() => this.#parseOr())]);
		const item = this.#takeName(`a name for each item: \`${method}(item, item == 'text')\``);
		if (isReserved(item.text)) throw new NotUnderstood(`${quote(item.text)} cannot name an item`, item.span);
		this.#expect(",", `\`,\` and a condition on ${quote(item.text)}`);
		return finish(item.text, [this.#nest(() => this.#parseOr())]);
	}

	#parseIndex(of: Expression, start: number): Expression {
		const from = this.#nest(() => this.#parseOr());
		if (!this.#take("..")) {
			this.#expect("]", "`]`");
			return this.#make({ node: "index", of, index: from }, [of, from], start);
		}
		if (this.#is("]")) throw this.#fail("a slice needs both numbers; write it like `[2..10]`");
		const to = this.#nest(() => this.#parseOr());
		this.#expect("]", "`]`");
		return this.#make({ node: "slice", of, from, to }, [of, from, to], start);
	}

	#parsePrimary(): Expression {
		const { kind, text, span, value: known } = this.#token;
		const literal = (value: boolean | bigint | string): Expression => {
			this.#advance();
			return this.#make({ node: "literal", value }, [], span.start);
		};
		if (kind === "number") return literal(known ?? BigInt(text));
		if (kind === "string") return literal(text);
		if (kind === "name" && (text === "true" || text === "false")) return literal(text === "true");
		if (kind === "name" && text !== "in") return this.#parseName();
		if (this.#take("(")) {
			const inner = this.#nest(() => this.#parseOr());
			this.#expect(")", "`)`");
			return inner;
		}
		if (this.#take("[")) {
			const items = this.#parseUntil("]", () => this.#parseOr());
			return this.#make({ node: "list", items }, items, span.start);
		}
		if (this.#take("{")) return this.#parseStruct(span.start);
		const fix = this.#is("<") ? "; replace the placeholder with its value" : "";
		throw this.#fail(`expected a value, found ${this.#found()}${fix}`);
	}

	#parseName(): Expression {
		const { text: name, span } = this.#takeName("a name");
		if (!this.#is("(")) {
			if (!isConstructor(name)) return this.#make({ node: "name", name }, [], span.start);
			throw new NotUnderstood(`\`${name}\` is a function: write its arguments in parentheses`, span);
		}
		if (!isConstructor(name)) {
			const isMethod = methods.some((one) => one === name);
			const fix = isMethod ? `write it behind its list: \`list.${name}(…)\`` : `there are ${constructors.join(", ")}`;
			throw new NotUnderstood(`${quote(name)} is not a function that begins an expression; ${fix}`, span);
		}
		this.#advance();
		const inner = this.#parseUntil(")", () => this.#parseOr());
		return this.#make({ node: "construct", name, arguments: inner }, inner, span.start);
	}

	#parseStruct(start: number): Expression {
		const names = new Set<string>();
		const fields = this.#parseUntil("}", () => {
			const { text: name, span } = this.#takeName("the name of a field");
			if (names.has(name)) throw new NotUnderstood(`the field ${quote(name)} is there twice; remove one`, span);
			names.add(name);
			this.#expect(":", "`:` and the value of the field");
			return { name, value: this.#parseOr() };
		});
		const values = fields.map(({ value }) => value);
		return this.#make({ node: "struct", fields }, values, start);
	}

	/** Parses parts separated by commas up to a closing bracket. Unverified, chosen: there is no comma behind the last. */
	#parseUntil<Node>(close: string, parse: () => Node): readonly Node[] {
		const parts: Node[] = [];
		if (this.#take(close)) return parts;
		do {
			if (this.#is(close)) throw this.#fail(`nothing is between \`,\` and \`${close}\`; remove the \`,\``);
			parts.push(this.#nest(parse));
		} while (this.#take(","));
		this.#expect(close, `\`,\` or \`${close}\``);
		return parts;
	}

	/** Runs a parser inside one more bracket. */
	#nest<Node>(parse: () => Node): Node {
		this.#nesting += 1;
		if (this.#nesting > maxNesting)
			throw this.#fail(`the expression is nested too deep: ${maxNesting} brackets at most`);
		const part = parse();
		this.#nesting -= 1;
		return part;
	}

	#makeBinary(operator: BinaryOperator, left: Expression, right: Expression, start: number): Expression {
		return this.#make({ node: "binary", operator, left, right }, [left, right], start);
	}

	#make(node: Node, children: readonly Expression[], start: number): Expression {
		const span = { start, end: this.#previousEnd };
		const expression: Expression = { ...node, span };
		const depth = 1 + children.reduce((deepest, child) => Math.max(deepest, this.#depths.get(child) ?? 0), 0);
		if (depth > maxDepth) throw new NotUnderstood(`the expression is too deep: ${maxDepth} levels at most`, span);
		this.#depths.set(expression, depth);
		return expression;
	}

	#comparison(): BinaryOperator | undefined {
		const { kind, text } = this.#token;
		if (kind === "name" && text === "in") return "in";
		return kind === "symbol" && comparisons.includes(text) ? (text as BinaryOperator) : undefined;
	}

	#isAtEnd(): boolean {
		return this.#token.kind === "end";
	}

	#is(symbol: string): boolean {
		return this.#token.kind === "symbol" && this.#token.text === symbol;
	}

	#take(symbol: string): boolean {
		if (!this.#is(symbol)) return false;
		this.#advance();
		return true;
	}

	#takeName(what: string): Token {
		const found = this.#token;
		if (found.kind !== "name") throw this.#fail(`expected ${what}, found ${this.#found()}`);
		this.#advance();
		return found;
	}

	#expect(symbol: string, what: string): void {
		if (!this.#take(symbol)) throw this.#fail(`expected ${what}, found ${this.#found()}`);
	}

	#advance(): void {
		this.#previousEnd = this.#token.span.end;
		this.#token = this.#read(this.#text, this.#previousEnd);
	}

	/** Returns the failure at the token: what the lexer says where it is a slip, else the message. */
	#fail(message: string): NotUnderstood {
		const { kind, text, span } = this.#token;
		return new NotUnderstood(kind === "mistake" ? text : message, span);
	}

	/** Returns the failure for what follows a whole expression. */
	#failBehind(): NotUnderstood {
		const { kind, text } = this.#token;
		const other = kind === "name" ? otherWords.get(text.toLowerCase()) : undefined;
		if (other !== undefined) return this.#fail(`${quote(text)} is not an operator; write \`${other}\``);
		if (this.#is(")")) return this.#fail("`)` closes nothing; remove it, or open it with `(`");
		return this.#fail(`expected an operator or the end, found ${this.#found()}`);
	}

	#found(): string {
		const { kind, text } = this.#token;
		if (kind === "end") return "the end of the expression";
		return kind === "string" ? `the string ${quote(`'${text}'`)}` : quote(text);
	}
}

function isReserved(name: string): boolean {
	return name === "true" || name === "false" || name === "in" || isConstructor(name);
}

function isConstructor(name: string): name is (typeof constructors)[number] {
	return constructors.some((one) => one === name);
}
