/** Words for groups of activities: what a group lets people do (docs/powers.md). */

import { clipMiddle, showText } from "../common/escape.ts";
import { own } from "../common/own.ts";
import { type ActivityGroup, printGroup } from "../policy/powers/groups.ts";
import { sayCondition } from "./condition.ts";
import { code, type Phrase } from "./phrase.ts";

/** How a sentence uses a verb: `sign`, or `signing`. */
export type VerbForm = "do" | "doing";

export type Verb = Readonly<Record<VerbForm, string>>;

/** What a group lets people do. Names of activities are as policies write them. */
export interface GroupWords {
	readonly verb: Verb;
	readonly object: Phrase;
}

const verbs: Readonly<Record<string, Verb>> = {
	CREATE: { do: "create", doing: "creating" },
	UPDATE: { do: "change", doing: "changing" },
	DELETE: { do: "remove", doing: "removing" },
	SIGN: { do: "sign", doing: "signing" },
	EXPORT: { do: "export", doing: "exporting" },
	IMPORT: { do: "import", doing: "importing" },
	VERIFY: { do: "verify", doing: "verifying" },
	ENCRYPT: { do: "encrypt", doing: "encrypting" },
};

const submit: Verb = { do: "submit", doing: "submitting" };

const objects: Readonly<Record<string, string>> = {
	AUTH: "logins",
	AUTH_PROXY: "auth proxies",
	CONFIG: "configurations",
	CREDENTIAL: "credentials",
	FIAT_TRANSACTION: "fiat transactions",
	INVITATION: "invitations",
	MFA_POLICY: "MFA policies",
	ON_RAMP_CREDENTIALS: "on-ramp credentials",
	ORGANIZATION: "organizations",
	OTP: "one-time passwords",
	PAYMENT_METHOD: "payment methods",
	POLICY: "policies",
	PRIVATE_KEY: "private keys",
	RECOVERY: "recoveries",
	SESSION_PROFILE: "session profiles",
	SMART_CONTRACT_INTERFACE: "smart contract interfaces",
	SPONSORSHIP: "sponsorships",
	SUBSCRIPTION: "subscriptions",
	TVC_APP: "TVC apps",
	TVC_DEPLOYMENT: "TVC deployments",
	TVC_OPERATOR: "TVC operators",
	TVC_QUORUM_KEY: "TVC quorum keys",
	USER: "users",
	WALLET: "wallets",
	WEBHOOK_ENDPOINT: "webhook endpoints",
};

/** Groups whose words do not follow from resource and action: a change of a user tag is one of users. */
const special: Readonly<Record<string, string>> = {
	"PRIVATE_KEY/SIGN": "with any wallet or key",
	"USER/UPDATE": "users and their tags",
};

/** Returns the words of a group. Names of activities that orgsync does not know are shown as policies write them. */
export function groupWords(group: ActivityGroup): GroupWords {
	if ("kind" in group) return { verb: submit, object: [code(group.kind), " activities"] };
	if ("type" in group) return { verb: submit, object: ["activities of type ", code(group.type)] };
	const printed = printGroup(group);
	const verb = own(verbs, group.action);
	const object = own(special, printed) ?? own(objects, group.resource);
	if (verb === undefined || object === undefined) return { verb: submit, object: [code(printed), " activities"] };
	return { verb, object: [object] };
}

export function resourceWords(resource: string): GroupWords {
	const verb: Verb = { do: "do anything", doing: "doing anything" };
	const object = own(objects, resource);
	return { verb, object: object === undefined ? ["with ", code(resource)] : [`with ${object}`] };
}

/** Returns what the group lets people do: `sign with any wallet or key (PRIVATE_KEY/SIGN) where wallet.id == '…'`. */
export function describePower(group: ActivityGroup, condition: string | null, form: VerbForm = "do"): string {
	const { verb, object } = groupWords(group);
	const printed = "resource" in group ? ` (${showText(printGroup(group))})` : "";
	const where = condition === null ? [] : [" where ", ...sayCondition(condition)];
	const words = [...object, printed, ...where].map((span) =>
		typeof span === "string" ? span : showText(clipMiddle("text" in span ? span.text : "", 80)),
	);
	return `${verb[form]} ${words.join("")}`;
}
