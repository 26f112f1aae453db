/** Random live policies: expressions that name users and tags, well-formed or not. */
import type { LivePolicy } from "../../src/plan/organization.ts";
import type { Clause } from "../../src/policy/language/syntax.ts";
import { id } from "../plan/support-organizations.ts";
import { spoil, Writer } from "../policy/language/random-expressions.ts";

const ids = [id("user", 1), id("user", 2), id("user", 3), id("tag", 1), id("tag", 2), id("tag", 9)];
const debris = ["${", "$${", "\n", "\n\n  ", " ", "\t", "'", "#", "##[x]", "é", "\u2028", "\u00a0", "\r\n", "$", "\\"];

/** Returns an expression as a person or a program may have written it, or what is none. */
function randomText(random: () => number, clause: Clause): string {
	const chance = random();
	if (chance < 0.1) return "";
	const pick = <One>(of: readonly One[]): One => of[Math.floor(random() * of.length)] as One;
	const written = new Writer(random, clause).write({ kind: "bool" }, 3);
	const named = written.replace(/'[^']*'/g, (literal) => (random() < 0.4 ? `'${pick(ids)}'` : literal));
	const withTags = clause === "consensus" && random() < 0.5 ? `${has(pick(ids))} && (${named})` : named;
	if (chance < 0.2) return spoil(withTags, random);
	if (chance < 0.4) {
		const at = Math.floor(random() * (withTags.length + 1));
		return withTags.slice(0, at) + pick(debris) + withTags.slice(at);
	}
	return withTags.replaceAll(" ", () => (random() < 0.05 ? "\n" : " "));
}

const has = (tag: string): string => `approvers.any(user, user.tags.contains('${tag}'))`;

/** Returns three policies with any texts, always with the same names and ids. */
export function randomPolicies(random: () => number): readonly LivePolicy[] {
	return [1, 2, 3].map((number) => ({
		id: id("policy", number),
		name: `policy ${number}`,
		effect: random() < 0.5 ? "EFFECT_ALLOW" : "EFFECT_DENY",
		consensus: randomText(random, "consensus"),
		condition: randomText(random, "condition"),
		time: random() < 0.3 ? randomText(random, "time") : "",
		notes: random() < 0.3 ? randomText(random, "condition") : "",
	}));
}
