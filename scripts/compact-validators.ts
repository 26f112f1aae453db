/**
 * Makes the code smaller that Ajv writes for validators: a mistake is a call instead of an object with its message in it, and a
 * part of a schema is a constant of its own instead of a path into the whole schema, which then leaves. What a validator says of a
 * value stays the same, but for `schemaPath`: only those through `anyOf` or `not` are kept, which nothing else tells.
 */
import { type ESTree, parseSync, Visitor, type VisitorObject } from "rolldown/utils";

/** The messages of Ajv by keyword, as code that has `params`. */
const messages: Readonly<Record<string, string>> = {
	type: '"must be " + params.type',
	required: '"must have required property \'" + params.missingProperty + "\'"',
	additionalProperties: '"must NOT have additional properties"',
	unevaluatedProperties: '"must NOT have unevaluated properties"',
	pattern: '"must match pattern \\"" + params.pattern + "\\""',
	format: '"must match format \\"" + params.format + "\\""',
	enum: '"must be equal to one of the allowed values"',
	const: '"must be equal to constant"',
	oneOf: '"must match exactly one schema in oneOf"',
	anyOf: '"must match a schema in anyOf"',
	not: '"must NOT be valid"',
	if: '"must match \\"" + params.failingKeyword + "\\" schema"',
	"false schema": '"boolean schema is false"',
	propertyNames: '"property name must be valid"',
	uniqueItems: '"must NOT have duplicate items (items ## " + params.j + " and " + params.i + " are identical)"',
	minimum: '"must be >= " + params.limit',
	maximum: '"must be <= " + params.limit',
	minLength: '"must NOT have fewer than " + params.limit + " characters"',
	maxLength: '"must NOT have more than " + params.limit + " characters"',
	minItems: '"must NOT have fewer than " + params.limit + " items"',
	maxItems: '"must NOT have more than " + params.limit + " items"',
	minProperties: '"must NOT have fewer than " + params.limit + " properties"',
};

/** Replaces nodes of the code, by the text that each gets. */
type Replace = (node: ESTree.Node, text: string) => void;

/** Returns the code smaller. Throws at a keyword whose message is not in the list above. */
export function compactValidators(code: string): string {
	// The mistakes of people's files name what the schema allows: they need it whole.
	const { text, constants } = code.includes("parentSchema:") ? { text: code, constants: "" } : withoutSchemas(code);
	const keywords = new Set<string>();
	const compacted = edit(text, (replace, textOf) => ({
		ObjectExpression(node) {
			const values = new Map(
				node.properties.flatMap((one) =>
					one.type === "Property" ? [[textOf(one.key), textOf(one.value)] as const] : [],
				),
			);
			const where = values.get("instancePath");
			if (where === undefined) return;
			const [path, keyword, params, parent] = ["schemaPath", "keyword", "params", "parentSchema"].map((name) =>
				values.get(name),
			);
			if (path === undefined || keyword === undefined) {
				// What a validator passes to another for features that no schema here uses; see `unused`.
				if (values.has("parentData")) replace(node, `{instancePath:${where}}`);
				return;
			}
			keywords.add(JSON.parse(keyword));
			const isKept = /\/(?:not|anyOf)\//.test(path);
			const all = [where, keyword, params, parent, isKept ? path : undefined, values.get("propertyName")];
			const given = all.slice(0, all.findLastIndex((one) => one !== undefined) + 1);
			replace(node, `mistake(${given.map((one) => one ?? "undefined").join(",")})`);
		},
	}))
		// A name that is used once, in the next statement.
		.replace(/const (err\d+) = (mistake\(.*?\));vErrors = add\(vErrors, \1\);/g, "vErrors = add(vErrors, $2);")
		.replaceAll(", parentData, parentDataProperty, rootData=data, dynamicAnchors={}", "");
	// Which properties another validator has checked, for `unevaluatedProperties` where only a value says it.
	const small = compacted.includes('"dynamicProps":true') ? compacted : compacted.replace(evaluated, "");
	const left = unused.exec(small)?.[0];
	if (left !== undefined) throw new Error(`a validator uses ${left}`);
	return `${constants}\n${runtime([...keywords].sort())}\n${small}`;
}

const evaluated =
	/const (evaluated\d+) = \w+\.evaluated;if\(\1\.dynamicProps\)\{\1\.props = undefined;\}if\(\1\.dynamicItems\)\{\1\.items = undefined;\}|\bvalidate\d+\.evaluated = \{[^{}]*(?:\{[^{}]*\}[^{}]*)*\};/g;

/** What validators of schemas with `$dynamicRef`, `$data` or keywords of one's own use. */
const unused = /\b(?:parentData|parentDataProperty|rootData|dynamicAnchors)\b/;

/** What the compacted code calls. */
function runtime(keywords: readonly string[]): string {
	const unknown = keywords.find((keyword) => !Object.hasOwn(messages, keyword));
	if (unknown !== undefined) throw new Error(`no message for the keyword ${unknown}`);
	const list = keywords.map((keyword) => `${JSON.stringify(keyword)}: (params) => ${messages[keyword]}`);
	return `
		const messages = { ${list.join(", ")} };
		const mistake = (instancePath, keyword, params, parentSchema, schemaPath = "", propertyName) =>
			({ instancePath, schemaPath, keyword, params, message: messages[keyword](params), parentSchema, propertyName });
		const add = (errors, one) => { if (errors === null) return [one]; errors.push(one); return errors; };`;
}

/** The code with a constant in the place of each part of a schema that it reads. */
function withoutSchemas(code: string): { readonly text: string; readonly constants: string } {
	const schemas = new Map<string, unknown>();
	const names = new Map<string, string>();
	const nameOf = (value: unknown): string => {
		const key = JSON.stringify(value);
		const name = names.get(key) ?? `part${names.size}`;
		names.set(key, name);
		return name;
	};
	const done = new Set<ESTree.Node>();
	const text = edit(code, (replace, textOf) => ({
		VariableDeclarator({ id, init }) {
			const name = textOf(id);
			if (init !== null && /^schema\d+$/.test(name)) schemas.set(name, JSON.parse(textOf(init)));
		},
		CallExpression({ callee, arguments: [first] }) {
			// `func0.call(schema1.properties, key)` asks for names only.
			if (first === undefined || !/^func\d+\.call$/.test(textOf(callee))) return;
			const value = valueAt(schemas, textOf(first));
			if (value === undefined) return;
			replace(first, nameOf(Object.fromEntries(Object.keys(value).map((key) => [key, 0]))));
			done.add(first);
		},
		MemberExpression(node) {
			if (done.has(node)) {
				done.add(node.object);
				return;
			}
			const value = valueAt(schemas, textOf(node));
			if (value === undefined) return;
			replace(node, nameOf(value));
			done.add(node.object);
		},
	}));
	return { text, constants: [...names].map(([value, name]) => `const ${name} = ${value};`).join("") };
}

/** The value at a path such as `schema1.properties.a["b-c"]`; undefined for another text. */
function valueAt(schemas: ReadonlyMap<string, unknown>, path: string): object | undefined {
	const [name = "", ...steps] = path.match(/^schema\d+|\.\w+|\[(?:"[^"]*"|\d+)\]/g) ?? [];
	if (name + steps.join("") !== path) return undefined;
	const keys = steps.map((step) => (step.startsWith(".") ? step.slice(1) : String(JSON.parse(step.slice(1, -1)))));
	return keys.reduce<unknown>(
		(value, key) => (value as Record<string, unknown> | undefined)?.[key],
		schemas.get(name),
	) as object | undefined;
}

/** Returns the code with what a visitor of its syntax replaces. */
function edit(
	code: string,
	visitor: (replace: Replace, textOf: (node: ESTree.Node) => string) => VisitorObject,
): string {
	const { program, errors } = parseSync("validators.js", code);
	if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("; "));
	const edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];
	const textOf = ({ start, end }: ESTree.Node): string => code.slice(start, end);
	new Visitor(visitor(({ start, end }, text) => edits.push({ start, end, text }), textOf)).visit(program);
	let at = 0;
	let edited = "";
	for (const { start, end, text } of edits.sort((one, other) => one.start - other.start)) {
		edited += code.slice(at, start) + text;
		at = end;
	}
	return edited + code.slice(at);
}
