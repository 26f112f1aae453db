/** The policy as a Pulumi resource: what differs from other resources. */
import { defined } from "../../common/defined.ts";
import { showText } from "../../common/escape.ts";
import { idsIn } from "../../plan/activities/requests.ts";
import type { Plan } from "../../plan/plan.ts";
import { hasUnknown, type Properties } from "../inputs/inputs.ts";
import { knownId, withoutStandIn } from "../resources/created-object.ts";
import { deleteObject } from "../resources/delete-object.ts";
import { isDone } from "../resources/failure.ts";
import { type ReadResult, type ResourceDefinition, storedStateOf } from "../resources/resource.ts";
import { isNameTaken } from "../session/plan-checks.ts";
import type { Session } from "../session/session.ts";
import { keyOfText } from "./expressions.ts";
import { policyFinder } from "./finder.ts";
import {
	anyPolicy,
	describePolicy,
	findPolicy,
	type PolicyInputs,
	type PolicyOutputs,
	policiesIn,
	policyDocument,
	readPolicyInputs,
} from "./inputs.ts";
import { policyParts } from "./parts.ts";

export const policy: ResourceDefinition<PolicyInputs, PolicyOutputs> = {
	...policyDocument,
	name: "Policy",
	finder: policyFinder,
	identity: ["organizationId"],
	computed: ["policyId", "createdAt"],
	guardedInput: "condition",
	claimedInput: "name",
	claimAdvice: "manage each policy with one resource",
	creation: { kind: "policy", noun: "policy", idName: "policyId", isAsked: () => true },
	complete(news, olds) {
		const mayBeSame = hasUnknown(news.organizationId) || olds.organizationId === news.organizationId?.toLowerCase();
		const { policyId, createdAt } = mayBeSame ? withoutStandIn("policyId", olds) : ({} as Partial<PolicyInputs>);
		return { ...news, ...defined({ policyId, createdAt }) };
	},
	claims({ policyId, name }) {
		const id = knownId("policyId", { policyId });
		return id === undefined
			? [{ object: `policyName/${name}`, subject: `the policy \`${name}\` is created` }]
			: [{ object: `policy/${id}`, subject: `the policy ${id} is managed` }];
	},
	explainProblems: ({ problems }: Plan) =>
		problems
			.filter((one) => !isNameTaken(one))
			.map(({ code, message }) => {
				const hint = code === "policy-not-there" ? "; the state still has this policy: run `pulumi refresh`" : "";
				return { property: "name", reason: message.replace(/; remove `id` .*/, "") + hint };
			}),
	locate({ inputs, desired }, live) {
		const found = findPolicy(desired, live);
		return found === undefined ? inputs : { ...inputs, policyId: found.id, ...defined({ createdAt: found.createdAt }) };
	},
	comparable({ name, effect, consensus, condition, notes, time, unchecked = false, references, previously }) {
		const key = (text: unknown): unknown => keyOfText(text, references, unchecked);
		const unknown = Object.entries(references ?? {}).filter(([, id]) => hasUnknown(id));
		return {
			...{ name, effect, consensus: key(consensus), condition: key(condition), notes },
			time: time === "" ? undefined : key(time),
			references: unknown.length === 0 ? undefined : Object.fromEntries(unknown),
			previously: undefined,
			...(Array.isArray(previously) ? {} : { previously }),
		};
	},
	async findTarget(inputs, olds) {
		// A part is the policy of its name, as the document has it: it is created again where the one of the state is gone.
		const policyId =
			inputs.partOf === undefined ? (knownId("policyId", olds) ?? knownId("policyId", inputs)) : undefined;
		const { policyId: _known, ...written } = inputs;
		const located = { ...written, ...defined({ policyId }) };
		return { inputs: located, desired: readPolicyInputs(located) };
	},
	idOf: ({ policyId, name }) => policyId ?? name,
	writtenIn: (props) => props,
	requestsFor: ({ name, policyId = "" }) => [
		{ operation: "update_policy", parameters: { policyId } as never },
		{ operation: "create_policies", parameters: { policies: [{ policyName: name } as never] } },
		{ operation: "delete_policies", parameters: { policyIds: [policyId] } },
	],
	outputsOf({ inputs }, { plan, report, journal }) {
		const { policyId = "", organizationId } = inputs;
		const lastApplied = journal.lastApplied(organizationId).policies?.[policyId];
		const before = isDone(report) ? {} : observeBefore(inputs, plan);
		return defined({ ...inputs, ...before, lastApplied });
	},
	read: readPolicy,
	async remove(props, session) {
		const reason = await deleteObject(policy as ResourceDefinition, props, session);
		return reason === undefined ? undefined : showText(`${props.resource}: the policy stays: ${reason}`);
	},
	submitsAtDelete: (props) => knownId("policyId", props) !== undefined,
	isContinuedByDelete: ({ policyId }, { operation, parameters }) =>
		operation === "delete_policies" && idsIn(parameters.policyIds).every((id) => id === policyId),
	partsOf: policyParts,
};

/** What the policy was before a change that did not complete. */
function observeBefore(inputs: PolicyInputs, { changes }: Plan): Properties {
	const change = changes.find((one) => one.kind === "policy" && one.id === inputs.policyId);
	const before = change?.kind === "policy" && change.action === "update" ? change.before : null;
	return before === null ? {} : describePolicy(before, inputs);
}

/** The state of a managed policy as live state shows it; without an id when it is gone. Throws ResourceFailure if policies are unknown. */
async function readPolicy(id: string, props: PolicyOutputs, session: Session): Promise<ReadResult> {
	const { resource, organizationId } = props;
	const stored = storedStateOf(policyDocument, props, session);
	const all = policiesIn(await session.read({ resource, desired: anyPolicy(organizationId), stored }));
	const policyId = knownId("policyId", props);
	const found = all.find((one) => one.id === policyId);
	// While its creation is pending it is not gone: the next up joins its activity.
	if (policyId !== undefined && found === undefined) return {};
	const seen = found === undefined ? props : { ...props, ...describePolicy(found, props) };
	const { lastApplied: _1, activities: _2, created: _3, appliedAs: _4, ...inputs } = seen;
	return { id, props: defined({ ...seen }), inputs: defined(withoutStandIn("policyId", inputs)) };
}
