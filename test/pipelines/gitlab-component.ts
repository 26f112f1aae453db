/** The GitLab component as the example includes it: its jobs, with the inputs in their places as GitLab puts them there. */
import { readFileSync } from "node:fs";
import { parse, parseDocument } from "yaml";
import { readExample } from "./workflow.ts";

export interface ComponentInput {
	readonly description: string;
	readonly default?: string | number;
	readonly regex?: string;
	readonly type?: string;
}

interface Include {
	readonly component: string;
	readonly inputs: Readonly<Record<string, string | number>>;
}

export const template = readFileSync(new URL("../../templates/orgsync/template.yml", import.meta.url), "utf8");

const [head = "", body = ""] = template.split(/^---$/m);

export const componentInputs: Readonly<Record<string, ComponentInput>> = parse(head).spec.inputs;

/** The file that includes the component. */
const including = parse(readExample("gitlab/.gitlab-ci.yml"));

export const included: Include = including.include[0];

/** The jobs by name, with these inputs. Throws for an input that is unknown, missing or refused. */
// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
export function jobsOf(inputs: Include["inputs"]): Record<string, any> {
	for (const name of Object.keys(inputs)) if (!(name in componentInputs)) throw new Error(`no input ${name}`);
	const values = Object.entries(componentInputs).map(([name, input]): [string, string] => {
		const value = String(inputs[name] ?? input.default ?? "");
		if (value === "" || !new RegExp(input.regex ?? "").test(value)) throw new Error(`wrong input ${name}: ${value}`);
		return [name, value];
	});
	const byName = new Map(values);
	const text = body.replaceAll(
		/\$\[\[ inputs\.([\w-]+) \]\]/g,
		(_, name: string) => byName.get(name) ?? `no input ${name}`,
	);
	const document = parseDocument(text);
	if (document.errors.length > 0) throw new Error(String(document.errors[0]));
	return document.toJS();
}
