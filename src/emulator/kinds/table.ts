/** All kinds of entities, in order. A kind is a file, a row here, rows of wire/operations.ts and a section of schemas/seed.json. */
import type { ServedSubmitName } from "../served-submits.ts";
import type { EntityKind, SubmitHandler } from "./entity-kind.ts";
import { policies } from "./policy.ts";
import { sessionProfiles } from "./session-profile.ts";
import { supportedAssets } from "./supported-asset.ts";
import { tvcApps } from "./tvc-app.ts";
import { users } from "./user.ts";
import { userTags } from "./user-tag.ts";

const table = [users, userTags, policies, tvcApps, sessionProfiles, supportedAssets] as const;

export const entityKinds: readonly EntityKind[] = table;

export type SeedSections = {
	readonly [Kind in (typeof table)[number] as Kind["section"]]?: ReturnType<Kind["writeSection"]>;
};

/** What each submit does when its activity is executed, by operation. */
export const submitHandlers: ReadonlyMap<string, SubmitHandler> = new Map(
	entityKinds.flatMap(({ submits = {} }) => Object.entries(submits) as [ServedSubmitName, SubmitHandler][]),
);
