/** Session profiles, which are read-only. */
import { type EntityKind, findEntity, idIn, listSection, type SeedRow, type Texts } from "./entity-kind.ts";

/** docs/internals/service.md#session-profile. */
type SessionProfile = Texts<"sessionProfileId" | "sessionProfileName" | "scope" | "expirationSeconds" | "notes">;

type SeedProfile = SeedRow<SessionProfile, "sessionProfileId" | "sessionProfileName">;

export const sessionProfiles: EntityKind<SessionProfile, SeedProfile, readonly SeedProfile[], "sessionProfiles"> = {
	section: "sessionProfiles",
	...listSection<SessionProfile, SeedProfile>("sessionProfileId", { scope: "", expirationSeconds: "", notes: "" }),
	uniqueFields: { sessionProfileId: "this session profile id" },
	queries: {
		get_session_profile: ({ organization }, body) =>
			findEntity(organization.entities(sessionProfiles), idIn(body, "sessionProfileId"), "session profile"),
		get_session_profiles: ({ organization }) => [...organization.entities(sessionProfiles).values()],
	},
};
