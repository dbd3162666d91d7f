import type { Role } from '../../../../people/user.ts'

export const roleNames: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  editor: 'Editor',
  viewer: 'Viewer',
}

/** What was done, by the word in the address that a form leads back to. */
export const doneTexts: ReadonlyMap<string, string> = new Map([
  ['invited', 'Invitation sent.'],
  ['role', 'Role changed.'],
  ['removed', 'Member removed.'],
  ['withdrawn', 'Invitation withdrawn. Its link no longer works.'],
])
