import { listLogLines } from '../../src/operator-log/operator-log.service.ts'
import { signedIn, signIn } from './console.ts'
import { appTest } from './test.ts'

/** The path of the admin pages. */
export const HOME = '/console/operator'

/**
 * Returns a `test` for admin pages: in `adminConsole`, `admin` and `ordinary` are the browsers of a
 * signed-in admin and of a signed-in user who is not an admin.
 */
export function operatorTest() {
  return appTest().extend('adminConsole', { scope: 'file' }, async ({ app, make, owner }) => {
    await make.domain(owner, { domain: 'https://brand.example' })
    const ordinary = await make.owner({ username: 'ordinary', email: 'ordinary@example.net' })
    return {
      admin: await signIn(app, owner.account.email),
      ordinary: await signIn(app, ordinary.account.email),
      ordinaryId: ordinary.account.id,
      /** Returns the newest line of the admin log, optionally about one subject. */
      getLastLogLine: async (subject?: string) =>
        (await listLogLines(app.services.db, { subject }, { limit: 1 }))[0],
      signedIn: (id: number) => signedIn(app, { account: { id } }),
    }
  })
}
