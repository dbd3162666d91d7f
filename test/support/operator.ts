import { createSession } from '../../src/accounts/session.service.ts'
import { listLogLines } from '../../src/operator/operator-log.service.ts'
import { type Person, personWith, signIn } from './console.ts'
import { appTest } from './test.ts'

/** Where the operator's pages are. */
export const HOME = '/console/operator'

/** Tests of the operator's pages: an admin and an ordinary account, both signed in. */
export function operatorTest() {
  return appTest().extend('given', { scope: 'file' }, async ({ app, make, owner }) => {
    await make.domain(owner, { domain: 'https://brand.example' })
    const ordinary = await make.owner({ username: 'ordinary', email: 'ordinary@example.net' })
    return {
      admin: await signIn(app, owner.account.email),
      ordinary: await signIn(app, ordinary.account.email),
      ordinaryId: ordinary.account.id,
      /** The newest line of the log, of all or of one subject. */
      lastLine: async (subject?: string) =>
        (await listLogLines(app.services.db, { subject }, { limit: 1 }))[0],
      signedIn: async (id: number): Promise<Person> =>
        personWith(app, `brevis_session=${await createSession(app.services, app.services.db, id)}`),
    }
  })
}
