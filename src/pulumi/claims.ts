/**
 * Who claims which object of an organization. One object has one resource: two that manage the same tag would undo each
 * other's work at every `up`.
 */

export interface Claims {
	/** The other resource that claims the object, or undefined; then it is claimed by this one from now on. */
	claim(organizationId: string, object: string, resource: string): string | undefined;
}

/** Claims of one program, empty at first. */
export function claimsOf(): Claims {
	const owners = new Map<string, string>();
	return {
		claim(organizationId, object, resource) {
			const key = `${organizationId} ${object}`;
			const owner = owners.get(key);
			if (owner !== undefined && owner !== resource) return owner;
			owners.set(key, resource);
			return undefined;
		},
	};
}
