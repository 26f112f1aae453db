import { type AddressText, printAddress } from "./address.ts";
import type { DesiredObject, DesiredOrganization } from "./organization.ts";

type Users = Pick<DesiredOrganization, "users">;

/** Returns the user's alias in the document, or the id when the document has none. */
export function nameOfUser({ users }: Users, userId: string): string {
	return Object.entries(users).find(([, id]) => id === userId)?.[0] ?? userId;
}

/** Returns the label of the object's address, with users by the names of the document. */
export function labelOfObject(object: DesiredObject, users: Users): string {
	if ("fields" in object) return joinLabel(object.group, object.key, users);
	return object.kind === "userTag" || "effect" in object ? object.name : joinLabel(object.userId, object.id, users);
}

export function addressOfObject(object: DesiredObject, users: Users): AddressText {
	return printAddress(object.kind, labelOfObject(object, users));
}

/** Returns the key of a removable object within its kind: its id, after that of its user where it has one. */
export function keyOfRemoval({ userId, id }: { readonly userId: string | null; readonly id: string }): string {
	return userId === null ? id : `${userId}/${id}`;
}

/** A network has no alias, so that it is shown as it is. */
function joinLabel(owner: string | null, id: string, users: Users): string {
	return owner === null ? id : `${nameOfUser(users, owner)}/${id}`;
}
