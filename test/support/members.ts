import { inTransaction } from '../../src/db/transaction.ts'
import { storeInvitation } from '../../src/identity/invitation.queries.ts'
import { acceptInvitation, issueInvitationLink } from '../../src/identity/invitation.service.ts'
import { listSessions, signInTrusted } from '../../src/identity/session.service.ts'
import { getOwner } from '../../src/identity/user.service.ts'
import type { Role, User } from '../../src/identity/user.ts'
import { newAddress } from './addresses.ts'
import type { TestApp } from './app.ts'
import { openSession, PASSWORD, signedIn } from './console.ts'
import { submitPageForm } from './forms.ts'
import type { Owner } from './make.ts'
import { signInTest } from './sign-in-test.ts'

/** The page of an account's members. */
export const MEMBERS = '/console/members'

type AppServices = Pick<TestApp, 'services'>

let count = 0

/**
 * Returns a `test` for members with a new account per test and closed registration. `person` is the
 * browser of its owner.
 */
export function membersTest() {
  return signInTest({ env: { REGISTRATION: 'closed' } }).extend('person', ({ app, owner }) =>
    signedIn(app, owner, newAddress()),
  )
}

/** Opens an invitation, submits its form and returns the reply. */
export function submitInvitation(
  app: TestApp,
  path: string,
  fields: Record<string, string> = {},
  cookie = '',
) {
  return submitPageForm(app, path, fields, { cookie, address: newAddress() })
}

/** Creates a pending invitation to an owner's account, without rate limits. `path` accepts it. */
export async function inviteTo(
  { services }: AppServices,
  { account }: Owner,
  role: Role,
  email = `invited${++count}@example.com`,
) {
  const { db, clock } = services
  const expiresAt = new Date(clock().getTime() + 7 * 86_400_000)
  const values = { accountId: account.id, email, role, hash: null, expiresAt }
  const id = await inTransaction(db, (tx) => storeInvitation(tx, values))
  const link = await issueInvitationLink(services, db, { id })
  const path = new URL(link?.url ?? '').pathname
  return { id, email, path, token: path.slice(path.lastIndexOf('/') + 1) }
}

/**
 * Creates a user who is a member of an owner's account. `startSession` signs the user in and returns
 * the cookie.
 */
export async function addMember(app: AppServices, owner: Owner, role: Role) {
  const { services } = app
  const { token } = await inviteTo(app, owner, role)
  const { user } = await acceptInvitation(services, services.db, token, { password: PASSWORD })
  const startSession = () => startMemberSession(app, user, owner.account.id)
  return { user, startSession }
}

async function startMemberSession(
  { services }: AppServices,
  user: User,
  accountId: number,
): Promise<string> {
  const origin = { address: '198.51.100.9', accountId }
  const { token } = await signInTrusted(services, services.db, user, origin)
  return `brevis_session=${token}`
}

/** Creates a member of an owner's account, signs the user in and returns the browser. */
export async function signInMember(app: TestApp, owner: Owner, role: Role, address?: string) {
  const member = await addMember(app, owner, role)
  const cookie = await member.startSession()
  const { open, send } = openSession(app, cookie, address)
  return { ...member, cookie, open, send }
}

/** Returns the sessions of an account's owner. */
export async function listOwnerSessions({ services }: AppServices, { account }: Owner) {
  const { id } = await getOwner({ db: services.db, accountId: account.id })
  return listSessions(services, services.db, id)
}
