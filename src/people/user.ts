/**
 * A member's role. Owners may do everything. Editors may do everything except manage members, keys
 * and the account. Viewers may only read.
 */
export const ROLES = ['owner', 'editor', 'viewer'] as const

export type Role = (typeof ROLES)[number]

/** A person who can sign in. */
export type User = { id: number; email: string }

export type Member = User & { role: Role; since: Date; admin: boolean }

/** Returns whether a role includes the permissions of another one. */
export function includesRole(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(required)
}

/** Returns the role with this name, if there is one. */
export function readRole(text: string): Role | undefined {
  return ROLES.find((role) => role === text)
}
