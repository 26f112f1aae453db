/** The shapes of activities: which names of conditions each has. A transaction is of one chain, a signature of one key. */
import type { Field } from "./fields.ts";

/** The names of which an activity has one, and those that it has together. */
export const transactions = ["eth", "solana", "tron", "bitcoin", "tempo"];
export const wallets = ["wallet", "wallets", "wallet_account"];

/** Returns what the field is a part of, and which others exclude it. Null: every activity has it. */
export function originOf(steps: readonly string[]): { readonly origin: string; readonly kind: string } | null {
	const [name = "", part = ""] = steps;
	if (name === "activity") return null;
	if (transactions.includes(name)) return { origin: `${name}.${part}`, kind: "transaction" };
	if (wallets.includes(name)) return { origin: "wallet", kind: "signer" };
	return { origin: name, kind: name === "private_key" ? "signer" : name };
}

/** Returns for each shape which of the fields its activities have. Unverified, chosen: an activity can lack all of them. */
export function shapesOf(
	fields: readonly Field[],
	has: (name: string) => boolean,
): readonly ((field: Field) => boolean)[] {
	const origins = new Map<string, Set<string>>();
	for (const field of fields) {
		const found = originOf(field.steps);
		if (found === null || !has(field.steps[0] ?? "")) continue;
		origins.set(found.kind, (origins.get(found.kind) ?? new Set()).add(found.origin));
	}
	let shapes: readonly ReadonlySet<string>[] = [new Set()];
	for (const own of origins.values()) {
		shapes = shapes.flatMap((shape) => [...[...own].map((origin) => new Set([...shape, origin])), shape]);
	}
	return shapes.map((shape) => (field) => {
		const found = originOf(field.steps);
		if (found === null) return field.steps[1] !== "params" || has(field.steps.slice(0, 3).join("."));
		return shape.has(found.origin);
	});
}
