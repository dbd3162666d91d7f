/** What a member may do: everything; everything but members, keys and the account itself; read. */
export const ROLES = ['owner', 'editor', 'viewer'] as const

export type Role = (typeof ROLES)[number]

/** A person. */
export type User = { id: number; email: string }

export type Member = User & { role: Role; since: Date }

/** Whether a role includes what another one may do. */
export function includesRole(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(required)
}

/** The role of that name. */
export function readRole(text: string): Role | undefined {
  return ROLES.find((role) => role === text)
}
