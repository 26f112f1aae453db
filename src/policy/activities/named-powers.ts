/** The named powers of reports and rules: sets of activity types that may overlap (docs/powers.md#names). Every type is in one. */
import { activityTypes } from "./types.ts";

/** Powers that are all types of these resources and actions. */
const pairsOf = {
	sign: ["PRIVATE_KEY/SIGN"],
	export: ["WALLET/EXPORT", "PRIVATE_KEY/EXPORT"],
	policies: ["POLICY/CREATE", "POLICY/UPDATE", "POLICY/DELETE"],
	users: ["USER/CREATE", "USER/UPDATE", "USER/DELETE"],
	credentials: ["CREDENTIAL/CREATE", "CREDENTIAL/DELETE"],
	wallets: ["WALLET/CREATE"],
	organizations: ["ORGANIZATION/CREATE", "ORGANIZATION/DELETE"],
	imports: ["PRIVATE_KEY/IMPORT"],
	apps: ["TVC_APP/DELETE"],
	moveFunds: ["PRIVATE_KEY/SIGN"],
	secrets: [],
	logins: ["AUTH/CREATE", "AUTH/UPDATE", "AUTH/DELETE", "OTP/CREATE", "OTP/VERIFY"],
	ownCredentials: ["CREDENTIAL/CREATE", "CREDENTIAL/DELETE"],
	recovery: ["RECOVERY/CREATE"],
	organizationSettings: [],
	otherActivities: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type PowerName = keyof typeof pairsOf;

/** Further types of powers, whose resource and action are not documented. */
const typesOf: Partial<Readonly<Record<PowerName, readonly string[]>>> = {
	moveFunds: [
		...["ETH_SEND_RAW_TRANSACTION", "ETH_UNDELEGATE_7702", "SOL_SEND_TRANSACTION_V2"],
		...["EXECUTE_SWAP", "EXECUTE_SWAP_V2", "EXECUTE_SWAP_V3", "CLAIM_SWAP_FEES"],
		...["EARN_DEPLOY_WRAPPER", "EARN_DEPOSIT", "EARN_WITHDRAW", "EARN_CLAIM_REWARDS", "CLAIM_EARN_FEES"],
		...["SPARK_SIGN_FROST", "SPARK_PREPARE_TRANSFER", "SPARK_CLAIM_TRANSFER", "SPARK_PREPARE_LIGHTNING_RECEIVE"],
	],
	secrets: ["INIT_IMPORT_SECRETS", "IMPORT_SECRETS", "EXPORT_SECRETS", "DELETE_SECRETS"],
	logins: ["CREATE_READ_ONLY_SESSION"],
	recovery: ["RECOVER_USER"],
};

interface NamedPower {
	readonly name: PowerName;
	readonly types: ReadonlySet<string>;
	/** Resources and actions of which all types are in it, in the order of reports. */
	readonly pairs: readonly string[];
	/** Whether one person alone must not get it where two or more were needed: the guard `escalation`. */
	readonly isSensitive: boolean;
}

const sensitive: readonly PowerName[] = [
	...(["sign", "export", "policies", "users", "credentials"] as const),
	...(["moveFunds", "secrets", "recovery"] as const),
];

function typesWith(name: PowerName): readonly string[] {
	const pairs: readonly string[] = pairsOf[name];
	const more = typesOf[name] ?? [];
	return activityTypes
		.filter((one) => {
			if (name === "organizationSettings") return one.rootQuorumOnly;
			return pairs.includes(`${one.resource}/${one.action}`) || more.includes(one.type.replace("ACTIVITY_TYPE_", ""));
		})
		.map(({ type }) => type);
}

function makePowers(): readonly NamedPower[] {
	const names = Object.keys(pairsOf) as PowerName[];
	const types = new Map(names.map((name) => [name, typesWith(name)]));
	const named = new Set([...types.values()].flat());
	types.set(
		"otherActivities",
		activityTypes.flatMap(({ type }) => (named.has(type) ? [] : [type])),
	);
	return names.map((name) => ({
		name,
		types: new Set(types.get(name)),
		pairs: pairsOf[name],
		isSensitive: sensitive.includes(name),
	}));
}

/** All named powers, in the order of reports. */
export const powersByName: readonly NamedPower[] = makePowers();

/** Returns the names of the powers that a type is under: at least one where the table has it. */
export const namesOfType = (type: string): readonly PowerName[] =>
	powersByName.flatMap(({ name, types }) => (types.has(type) ? [name] : []));
