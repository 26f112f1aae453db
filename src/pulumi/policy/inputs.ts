/** Inputs and outputs of a policy resource, and the document of one policy that they stand for. */
import { defined, nonEmpty } from "../../common/defined.ts";
import { showText } from "../../common/escape.ts";
import type { PolicyContent } from "../../plan/change.ts";
import { findObjects } from "../../plan/kinds/found-objects.ts";
import {
	type DesiredOrganization,
	type LastAppliedPolicy,
	type LiveOrganization,
	type LivePolicy,
	policiesOf,
} from "../../plan/organization.ts";
import { standInFor, standInsIn } from "../../plan/stand-in.ts";
import { reasonText } from "../../say/reason.ts";
import type { PropertySchema } from "../inputs/input-schema.ts";
import { type CheckFailure, hasUnknown, type Properties } from "../inputs/inputs.ts";
import { ResourceFailure } from "../resources/failure.ts";
import { mustRead, type ResourceDefinition, type ResourceInputs, type ResourceOutputs } from "../resources/resource.ts";
import { readLastAppliedPolicy } from "../state/stored-state-check.ts";
import { clauses, findTextMistakes, type References, resolveReferences, writeAsProgram } from "./expressions.ts";

export interface PolicyInputs extends ResourceInputs {
	readonly name: string;
	readonly effect: "allow" | "deny";
	readonly consensus: string;
	readonly condition: string;
	readonly notes?: string;
	readonly time?: string;
	readonly unchecked?: boolean;
	readonly references?: References;
	readonly previously?: readonly string[];
	readonly adopt?: boolean;
	/** Of the state, not of the program. */
	readonly policyId?: string;
	readonly createdAt?: string;
}

export interface PolicyOutputs extends PolicyInputs, ResourceOutputs {
	readonly policyId: string;
	readonly lastApplied?: LastAppliedPolicy;
}

const places = ["name", "id", "previously", "effect", ...clauses, "notes", "unchecked"].map(
	(key) => [`policies[0].${key}`, key === "id" ? "policyId" : key] as const,
);

export const policyDocument: Pick<
	ResourceDefinition<PolicyInputs, PolicyOutputs>,
	"operations" | "schema" | "places" | "toDocument" | "fromDocument" | "readApplied" | "findMistakes" | "assume"
> = {
	operations: ["create_policies", "update_policy", "delete_policies"],
	schema: {
		required: ["name", "effect", "consensus", "condition"],
		fields: {
			name: "text",
			effect: { oneOf: ["allow", "deny"] },
			consensus: "expression",
			condition: "expression",
			notes: "text",
			time: "expression",
			references: { mapOf: "id" },
			organizationId: "id",
			previously: { listOf: "text" },
			adopt: "boolean",
			unchecked: "boolean",
		} satisfies Readonly<Record<string, PropertySchema>>,
	},
	places: [...places, ["policies[0]", "name"], ["organizationId", "organizationId"]],
	findMistakes,
	assume,
	toDocument({ organizationId, name, effect, notes, unchecked, previously, policyId, references, ...inputs }, olds) {
		const texts = clauses.map((clause) => {
			const text = inputs[clause];
			return [clause, text === undefined ? undefined : resolveReferences(text, references)] as const;
		});
		const isFound = policyId !== undefined && policyId === olds?.policyId;
		const earlier = isFound ? previously?.filter((one) => one !== name) : previously;
		const policy = { name, id: policyId, previously: earlier, effect, ...Object.fromEntries(texts), notes, unchecked };
		// What may be replaced is decided by `adopt`.
		return { organizationId, policies: [defined(policy)], limits: { takeovers: 1 } };
	},
	fromDocument({ organizationId, ...desired }, given) {
		const { effect, consensus, condition, notes, time, unchecked, references, adopt, createdAt } = given;
		const { name = "", id: policyId, previously = [] } = policiesOf(desired)[0] ?? {};
		return defined({
			...{ organizationId, name, effect, consensus, condition, notes, time, unchecked, references, adopt },
			...{ policyId, createdAt, previously: nonEmpty(previously) },
		});
	},
	readApplied({ policyId, lastApplied }, context) {
		const value = readLastAppliedPolicy(lastApplied, context);
		return value === undefined ? [] : [{ kind: "policyText", id: policyId, value }];
	},
};

/** The live policies. Throws ResourceFailure if they are unknown. */
export function policiesIn({ policies }: LiveOrganization): readonly LivePolicy[] {
	if (policies?.known === true) return policies.value;
	const because = policies === undefined ? "" : `, because ${reasonText(policies.because)}`;
	throw new ResourceFailure(`policies cannot be read${because}`);
}

/** The live policy that a desired state of one policy is about. */
export function findPolicy(desired: DesiredOrganization, { policies }: LiveOrganization): LivePolicy | undefined {
	if (policies?.known !== true) return undefined;
	return findObjects(policiesOf(desired), policies.value).found[0]?.live;
}

/** The desired state of a policy. Throws ResourceFailure if the inputs cannot be read. */
export function readPolicyInputs(inputs: Partial<PolicyInputs>): DesiredOrganization {
	return mustRead(policyDocument, inputs);
}

/** The desired state of any policy: all are read at once. */
export function anyPolicy(organizationId: string): DesiredOrganization {
	return readPolicyInputs({ organizationId, name: organizationId, effect: "deny", consensus: "", condition: "" });
}

/** The policy in the terms of a program: with its texts where they are the same, and its names for ids. */
export function describePolicy(
	policy: PolicyContent & Partial<LivePolicy>,
	written: Partial<PolicyInputs> = {},
): Properties {
	const { name, effect, id: policyId = written.policyId, createdAt = written.createdAt } = policy;
	const [consensus = "", condition = "", time = ""] = clauses.map((clause) =>
		writeAsProgram(policy[clause], written[clause], written.references),
	);
	const isClear = clauses.every(
		(clause) => findTextMistakes(writeAsProgram(policy[clause], undefined), clause).length === 0,
	);
	// Notes that a program leaves out are unmanaged.
	const isUnmanaged = written.notes === undefined && (written.name !== undefined || policy.notes === "");
	const notes = isUnmanaged ? undefined : policy.notes;
	return {
		...{ name, effect: effect === "EFFECT_DENY" ? "deny" : "allow", consensus, condition, notes },
		...{ time: time === "" ? undefined : time, unchecked: isClear ? written.unchecked : true, policyId, createdAt },
	};
}

function findMistakes(inputs: Partial<PolicyInputs>): readonly CheckFailure[] {
	const { references = {}, unchecked } = inputs;
	if (isUnknown(references)) return [];
	const pending = Object.entries(references).filter(([, id]) => standInsIn(id).length > 0);
	const notYet = "the user tag is not created yet; once its creation has completed, run `pulumi up` again";
	return [
		...pending.map(([name]) => ({ property: "references", reason: `references.${name}: ${notYet}` })),
		...clauses.flatMap((clause) => {
			const text = inputs[clause];
			if (text === undefined || text === "" || hasUnknown(text)) return [];
			if (standInsIn(text).length > 0) return [{ property: clause, reason: notYet }];
			return findTextMistakes(text, clause, references, unchecked).map((reason) => ({ property: clause, reason }));
		}),
	];
}

/** Ids that stand in for unknown ones, and `true` for unknown texts. With any other unknown value, nothing is judged. */
function assume(given: Partial<PolicyInputs>): { inputs: Partial<PolicyInputs>; unjudged: string } {
	const { resource, organizationId, references = {} } = given;
	const unknown = (Object.keys(given) as (keyof PolicyInputs)[]).filter((name) => hasUnknown(given[name]));
	const texts = unknown.filter((name) => [...clauses, "notes"].includes(name));
	const ids = isUnknown(references) ? [] : Object.keys(references).filter((name) => hasUnknown(references[name]));
	const known = Object.fromEntries(texts.map((name) => [name, name === "time" ? undefined : "true"]));
	const standIns = ids.map((name) => [name, standInFor(String(organizationId), "userTag", name)]);
	const missing = unknown.flatMap((name) =>
		name === "references" && ids.length > 0 ? ids.map((id) => `references.${id}`) : [name],
	);
	const advice = texts.some((name) => name !== "notes") ? "; with `references`, a preview knows all but the id" : "";
	return {
		inputs: {
			...given,
			...known,
			...(ids.length > 0 && { references: { ...references, ...Object.fromEntries(standIns) } }),
		},
		unjudged: showText(
			`${resource}: who can do what is not judged in this preview, because not known yet: ${missing.join(", ")}; \`pulumi up\` judges it before it submits${advice}`,
		),
	};
}

/** Whether they are unknown as a whole, with their names. */
function isUnknown(references: References): boolean {
	return typeof references === "string";
}
