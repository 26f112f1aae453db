/** Session profiles, which are read-only. */
import type { Time } from "../identifiers.ts";
import { type EntityKind, findEntity, idIn, listSection, type SeedRow, withTimes } from "./entity-kind.ts";

/** docs/service.md#session-profile. */
export interface SessionProfile {
	readonly sessionProfileId: string;
	readonly sessionProfileName: string;
	readonly scope: string;
	readonly expirationSeconds: string;
	readonly notes: string;
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

type SeedProfile = SeedRow<SessionProfile, "sessionProfileId" | "sessionProfileName">;

export const sessionProfiles: EntityKind<SessionProfile, SeedProfile, readonly SeedProfile[], "sessionProfiles"> = {
	section: "sessionProfiles",
	...listSection<SessionProfile, SeedProfile>("sessionProfileId"),
	uniqueFields: { sessionProfileId: "this session profile id" },
	complete: (seed, now) => ({
		scope: "",
		expirationSeconds: "",
		notes: "",
		...withTimes(seed, now),
		sessionProfileId: seed.sessionProfileId.toLowerCase(),
	}),
	queries: {
		get_session_profile: ({ organization }, body) =>
			findEntity(organization.entities(sessionProfiles), idIn(body, "sessionProfileId"), "session profile"),
		get_session_profiles: ({ organization }) => [...organization.entities(sessionProfiles).values()],
	},
};
