/** The formats of texts that schemas name. */

const dateTime =
	/^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** A date and time of RFC 3339, without leap seconds. */
function isDateTime(text: string): boolean {
	const [, year = "", month = "", day = ""] = dateTime.exec(text) ?? [];
	const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
	// JavaScript reads the 30th of February as a day of March.
	return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${year}-${month}-${day}`);
}

export const formats = {
	uuid: /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
	"date-time": isDateTime,
};
