/** Who has which credentials: one row for each user, and login sessions apart (docs/credentials.md). */
import { printScope } from "../../plan/address.ts";
import { unreadRules } from "../../plan/rules/judge.ts";
import { code, identifier, type Phrase, time } from "../../say/phrase.ts";
import { namePerson } from "../../say/powers.ts";
import { listed, type Row, type Section } from "../../say/section.ts";
import type { OrganizationCredentials, ShownCredential, ShownUser } from "../result/organization-credentials.ts";
import { rulesSection } from "./problems.ts";
import { unreadSection } from "./unknown.ts";

export function credentialsSections(one: OrganizationCredentials): readonly Section[] {
	const unread = [...one.unread, ...one.users.flatMap((user) => user.unread)];
	const rules = unreadRules(one.rules ?? []).map((rule) => ({ what: printScope(rule), because: rule.because }));
	return [
		rulesSection({ ...one, steps: [] }),
		unreadSection("credentials-unread", [...unread, ...rules]),
		listed("credentials", one.users, (user) => ({
			said: [namePerson(user.userId, one), ...sayContact(user)],
			rows:
				user.credentials.length > 0
					? user.credentials.map(rowOf)
					: [{ said: [user.unread.length > 0 ? "unknown" : "no credentials"] }],
		})),
		listed(
			"sessions",
			one.users.filter(({ sessions }) => sessions.length > 0),
			({ userId, sessions }) => ({ said: [namePerson(userId, one)], rows: sessions.map(rowOf) }),
		),
	];
}

function sayContact({ email, phoneNumber }: ShownUser): Phrase {
	return [
		...(email === null ? [] : [", e-mail ", shorten(email)]),
		...(phoneNumber === null ? [] : [", phone ", shorten(phoneNumber)]),
	];
}

/** JSON has digests in full. */
const shorten = (text: string) => identifier(text.replace(/^(sha256:[0-9a-f]{12})[0-9a-f]{52}$/, "$1…"));

export const credentialWords: Readonly<Record<ShownCredential["kind"], string>> = {
	apiKey: "API key",
	authenticator: "authenticator",
	oauthProvider: "OAuth provider",
	session: "session",
};

function rowOf(one: ShownCredential): Row {
	const { kind, id, name, createdAt, expiresAt, type, isAnchor, sessionProfile: profile, issuer, subject } = one;
	const said: Phrase = [
		`${credentialWords[kind]} `,
		code(name || id || "without a name"),
		...(issuer === undefined ? [] : [" of ", issuer === null ? "an unknown issuer" : code(issuer)]),
		...(subject === undefined || subject === null ? [] : [", subject ", shorten(subject)]),
		...(kind === "session" && type ? [", ", code(type)] : []),
		", since ",
		...sayTime(createdAt),
		...(expiresAt === undefined
			? []
			: expiresAt === "never"
				? [", never expires"]
				: [", until ", ...sayTime(expiresAt)]),
		...(profile === undefined ? [] : [", session profile ", code(profile.name ?? profile.id)]),
		...(isAnchor === true ? [" (anchor: the oldest lasting key)"] : []),
	];
	return { said };
}

const sayTime = (iso: string | null): Phrase => (iso === null ? ["an unknown time"] : [time(iso)]);
