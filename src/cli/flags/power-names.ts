/** The users and tags that a person can name: `--user`, `--tag`, and USER of `powers --why`, USER and TAG of `grant` and `revoke`. */
import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { uuid } from "../../plan/organization.ts";

type NamesById = Readonly<Record<string, string>>;

/** Returns the id of the user with this alias, id or live name, if any. Throws ConfigurationError where several have it. */
export function findUserId(
	text: string,
	{ aliases, liveNames }: { readonly aliases: NamesById; readonly liveNames: NamesById | undefined },
	where: string,
): string | undefined {
	if (uuid.test(text)) {
		const id = text.toLowerCase();
		return liveNames === undefined || Object.hasOwn(liveNames, id) ? id : undefined;
	}
	// An alias of the document is what its author means; live names are whatever their owners chose.
	const [aliased] = idsNamed(text, aliases);
	return (
		aliased ?? onlyOne(idsNamed(text, liveNames ?? {}), `${where} ${showText(text)}: several users have this name`)
	);
}

/** Returns the id of the tag with this name or id; undefined where the organization has none. `where` is what named it. */
export function findTagId(
	text: string,
	{ tagNames }: { readonly tagNames: NamesById },
	where = "--tag",
): string | undefined {
	const id = text.toLowerCase();
	if (Object.hasOwn(tagNames, id)) return id;
	return onlyOne(idsNamed(text, tagNames), `${where} ${showText(text)}: several user tags have this name`);
}

function idsNamed(name: string, names: NamesById): readonly string[] {
	return Object.entries(names).flatMap(([id, one]) => (one === name ? [id] : []));
}

function onlyOne(ids: readonly string[], message: string): string | undefined {
	const [first, ...others] = ids;
	if (others.length === 0) return first;
	throw new ConfigurationError(message, { hint: `write the id: ${ids.join(" or ")}` });
}
