/** Who changed something. */

/** The activity that last changed an object the way it differs, and who submitted it. */
export interface Attribution {
	readonly activityId: string;
	/** As the service says it, for example `ACTIVITY_TYPE_UPDATE_USER_TAG`. */
	readonly type: string;
	/** Null when the service does not say. */
	readonly userId: string | null;
	/** The alias of the document, or the service's name; null when there is neither. */
	readonly userName: string | null;
	/** The service's name; null where it does not say, left out by older versions. */
	readonly liveName?: string | null;
	/** When it was last updated, which for a completed activity is when it took effect; null when the service does not say. */
	readonly at: string | null;
}
