/** What a command of the engine prints: its steps, diagnostics by resource, and counts. */

import { hideSecrets } from "../../engine/stack-files.ts";
import type { Deployment } from "./deployment.ts";
import type { Diagnostic, Operation, Step } from "./model.ts";
import { unknownValue } from "./values.ts";

const signs: Readonly<Record<Operation, string>> = {
	same: " ",
	create: "+",
	update: "~",
	replace: "+-",
	delete: "-",
	read: " ",
};

const done: Readonly<Record<string, string>> = {
	create: "created",
	update: "updated",
	replace: "replaced",
	delete: "deleted",
};

export interface DisplayOptions {
	readonly isPreview: boolean;
	/** Whether inputs are shown. */
	readonly diff: boolean;
}

export function display({ steps, diagnostics }: Deployment, { isPreview, diff }: DisplayOptions): string {
	return [
		...steps.flatMap((step) => (diff ? diffLines(step) : [stepLine(step, isPreview)])),
		...diagnosticLines(diagnostics),
		"Resources:",
		...countLines(steps, isPreview),
	].join("\n");
}

const typeOf = (urn: string): string => urn.split("::")[2]?.split("$").at(-1) ?? "";
const nameOf = (urn: string): string => urn.split("::").at(-1) ?? "";

function stepLine({ operation, urn, names }: Step, isPreview: boolean): string {
	const diff = names.length === 0 ? "" : ` [diff: ~${names.toSorted().join(",")}]`;
	const said = isPreview || operation === "same" ? operation : (done[operation] ?? operation);
	return ` ${signs[operation]} ${typeOf(urn)} ${nameOf(urn)} ${said}${diff}`;
}

/** A step with the inputs that differ, in a column as the engine has them. */
function diffLines({ operation, urn, inputs }: Step): string[] {
	if (operation === "same") return [];
	const text = (value: unknown): string =>
		value === unknownValue ? "[unknown]" : (JSON.stringify(hideSecrets(value)) ?? "");
	const changed = [...new Set([...Object.keys(inputs.old), ...Object.keys(inputs.new)])].flatMap((name) => {
		const [before, after] = [text(inputs.old[name]), text(inputs.new[name])];
		if (before === after) return [];
		const sign = before === "" ? "+" : after === "" ? "-" : "~";
		return [{ sign, name, value: [before, after].filter((one) => one !== "").join(" => ") }];
	});
	const width = Math.max(...changed.map(({ name }) => name.length));
	return [
		` ${signs[operation]} ${typeOf(urn)}: (${operation})`,
		...changed.map(({ sign, name, value }) => `    ${sign} ${name.padEnd(width)}: ${value}`),
	];
}

function diagnosticLines(diagnostics: readonly Diagnostic[]): string[] {
	if (diagnostics.length === 0) return [];
	const urns = [...new Set(diagnostics.map(({ urn }) => urn))];
	return [
		"Diagnostics:",
		...urns.flatMap((urn) => [
			`  ${typeOf(urn) || "pulumi:pulumi:Stack"} (${nameOf(urn) || "probe-test"}):`,
			...diagnostics
				.filter((one) => one.urn === urn)
				.flatMap(({ severity, message }) => {
					const text = severity === "info" ? message : `${severity}: ${message}`;
					return text.split("\n").map((line) => `    ${line}`);
				}),
			"",
		]),
	];
}

function countLines(steps: readonly Step[], isPreview: boolean): string[] {
	const count = (operation: Operation): number => steps.filter((step) => step.operation === operation).length;
	const changes = (["create", "update", "replace", "delete"] as const).flatMap((operation) => {
		const found = count(operation);
		if (found === 0) return [];
		return [`    ${signs[operation]} ${found} ${isPreview ? `to ${operation}` : done[operation]}`];
	});
	const same = count("same");
	return same === 0 ? changes : [...changes, `    ${same} unchanged`];
}
