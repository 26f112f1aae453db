/**
 * Secret inputs. The engine hands a dynamic provider every value in plain text, so the resource class sends the names of
 * the inputs that are secret as one more input, `secretInputs` (secret-inputs.ts). With them this file keeps the values out
 * of the state, where they become secrets of Pulumi, and out of everything that the provider prints.
 */
import { createHash } from "node:crypto";
import { runtime } from "@pulumi/pulumi";
import { showText } from "../escape.ts";
import { hasUnknown, type Properties } from "./inputs.ts";

/** Replaces a secret in a message, as the engine writes it. */
const placeholder = "[secret]";

/** What a state keeps of an activity or of what was applied: it repeats the inputs in other forms. */
const derived: readonly string[] = ["managed", "lastApplied", "activities", "removedAt"];

/** Inputs by which a tag is found. While one of them is a secret, no message suggests names that are live. */
const tagNames: readonly string[] = ["name", "previously", "tagId"];
const suggestions = /; the nearest: .*?(?=; orgsync )|; the nearest: .*$/gs;

/** The names of secret inputs in the properties of a resource. */
export function namesOfSecrets(properties: object): readonly string[] {
	const { secretInputs } = properties as Properties;
	return Array.isArray(secretInputs) ? secretInputs.filter((name) => typeof name === "string") : [];
}

/** Every text and number in the secret inputs of a resource, also as its state keeps them. */
function valuesOfSecrets(properties: object): readonly string[] {
	const names = namesOfSecrets(properties);
	const all = properties as Properties;
	return names.length === 0 ? [] : [...names, "managed"].flatMap((name) => listLeaves(all[name]));
}

function listLeaves(value: unknown): readonly string[] {
	if (typeof value === "number") return [String(value)];
	if (typeof value === "string") return value === "" || hasUnknown(value) ? [] : [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(listLeaves) : [];
}

/** Secret values that a process has seen. Shared by its resources: the error of one may name what is secret in another. */
export class SecretValues {
	readonly #values = new Set<string>();
	#pattern: RegExp | undefined;
	#hidesNames = false;

	/** Hides what is secret in these properties from now on. */
	addFrom(properties: object): void {
		this.add(valuesOfSecrets(properties));
		if (namesOfSecrets(properties).some((name) => tagNames.includes(name))) this.#hidesNames = true;
	}

	/** Hides these values from now on. */
	add(values: readonly string[]): void {
		const before = this.#values.size;
		for (const value of values) this.#values.add(value);
		if (this.#values.size > before) this.#pattern = undefined;
	}

	/** The text with a placeholder for each secret value. Ids are hidden in any case, values also where they are escaped. */
	redact(text: string): string {
		if (this.#values.size === 0) return text;
		this.#pattern ??= patternOf([...this.#values]);
		const shown = text.replace(this.#pattern, placeholder);
		return this.#hidesNames ? shown.replace(suggestions, "") : shown;
	}
}

/** Finds any of the values, longest first, where it is not a part of a longer word. */
function patternOf(values: readonly string[]): RegExp {
	const forms = [...new Set(values.flatMap(formsOf))].sort((left, right) => right.length - left.length);
	return new RegExp(forms.flatMap((form) => [wordPattern(form), ...cutPattern(form)]).join("|"), "giu");
}

/** A value as messages show it: as it is, with control characters escaped in one way or another, as JSON. */
function formsOf(value: string): readonly string[] {
	const escaped = value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
		return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
	});
	return [value, showText(value), escaped, JSON.stringify(value).slice(1, -1)];
}

function wordPattern(text: string): string {
	const letter = "[\\p{L}\\p{N}]";
	const before = /^[\p{L}\p{N}]/u.test(text) ? `(?<!${letter})` : "";
	const after = /[\p{L}\p{N}]$/u.test(text) ? `(?!${letter})` : "";
	return `${before}${escapePattern(text)}${after}`;
}

/** Long texts are cut in messages: what begins as the text does and ends with an ellipsis is the text. */
function cutPattern(text: string): readonly string[] {
	return text.length > cutFromLength ? [`${escapePattern(text.slice(0, cutFromLength))}[^\`]*?…`] : [];
}

/** No message cuts a text that is shorter. */
const cutFromLength = 20;

function escapePattern(text: string): string {
	return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll("-", "\\x2d");
}

/**
 * The properties with everything that is or repeats a secret input marked as a secret of Pulumi. What is not known yet is
 * left as it is: the engine marks it by itself.
 */
export function seal(properties: object): Record<string, unknown> {
	const names = namesOfSecrets(properties);
	if (names.length === 0) return { ...properties };
	const values = new SecretValues();
	values.add(valuesOfSecrets(properties));
	const isSecret = (name: string, value: unknown): boolean =>
		names.includes(name) || derived.includes(name) || listLeaves(value).some((leaf) => values.redact(leaf) !== leaf);
	return Object.fromEntries(
		Object.entries(properties).map(([name, value]) =>
			value === undefined || hasUnknown(value) || !isSecret(name, value)
				? [name, value]
				: [name, { [runtime.specialSigKey]: runtime.specialSecretSig, value }],
		),
	);
}

/** The id of a resource; a digest in its place where it holds a secret input, because Pulumi keeps ids in plain text. */
export function sealId(id: string, properties: object): string {
	return inputInId(id, properties) === undefined ? id : `sha256:${createHash("sha256").update(id).digest("hex")}`;
}

/** The name of the first secret input that an id holds, or undefined. Ids hold UUIDs of inputs and nothing else of them. */
export function inputInId(id: string, properties: object): string | undefined {
	const all = properties as Properties;
	const isHeld = (value: string): boolean => uuid.test(value) && id.includes(value.toLowerCase());
	return namesOfSecrets(properties).find((name) => listLeaves(all[name]).some(isHeld));
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
