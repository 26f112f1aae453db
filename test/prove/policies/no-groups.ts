/** In place of src/policy/powers/listed-groups.ts: no group of activities is compared. */
export const listGroups = (): readonly never[] => [];
export const groupsApart = (): ReadonlySet<string> => new Set();
