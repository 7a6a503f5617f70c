/** A role without the path in front of it, as instance profiles name it: names are unique whatever their path. */
export const roleName = (role: string): string => role.slice(role.lastIndexOf('/') + 1);
