/** Values as the engine sends and keeps them: secrets are objects with a signature, an unknown value is a text of its own. */

export type Values = Readonly<Record<string, unknown>>;

const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** Pulumi's placeholder for an unknown value. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

function isSecret(value: unknown): value is { readonly value: unknown } {
	return typeof value === "object" && value !== null && (value as Values)[signatureKey] === secretSignature;
}

/** The value with a plain value in the place of each secret. */
export function withoutSecrets(value: unknown): unknown {
	if (isSecret(value)) return withoutSecrets(value.value);
	if (Array.isArray(value)) return value.map(withoutSecrets);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutSecrets(item)]));
}

function hasSecret(value: unknown): boolean {
	if (isSecret(value)) return true;
	if (typeof value !== "object" || value === null) return false;
	return Object.values(value).some(hasSecret);
}

export function hasUnknown(value: unknown): boolean {
	if (value === unknownValue) return true;
	if (typeof value !== "object" || value === null) return false;
	return Object.values(value).some(hasUnknown);
}

export function markSecret(value: unknown): unknown {
	return { [signatureKey]: secretSignature, value };
}

/** The values, each of which is a secret if the one of the same name is or has one: how the engine treats a provider without secrets. */
export function withSecretsOf(values: Values, others: Values): Values {
	return Object.fromEntries(
		Object.entries(values).map(([name, value]) => [
			name,
			hasSecret(others[name]) && value !== undefined ? markSecret(value) : value,
		]),
	);
}

/** The values as a state file has them, without those that are undefined. */
export function asStored(values: Values): Values {
	return JSON.parse(JSON.stringify(values)) as Values;
}
