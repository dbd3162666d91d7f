import { getUserByEmail } from '../../src/identity/user.service.ts'
import { confirmEmail, createAccountFor } from '../../src/operator/user-actions.service.ts'
import { COMMAND_LINE, listLogLines } from '../../src/operator-log/operator-log.service.ts'
import { newAddress } from './addresses.ts'
import type { TestApp, TestAppOptions } from './app.ts'
import { testApp } from './app.ts'
import { openIdentityProvider, type ProviderPerson } from './identity-provider.ts'
import { appTest } from './test.ts'

type Reply = Awaited<ReturnType<TestApp['request']>>

const REDIRECT_URI = 'http://brev.test/console/oidc/callback'

/**
 * Returns a `test` for the application with an identity provider on loopback. `startSignIn` follows a
 * sign-in until the provider redirects the browser back, and its `finish` sends that last request.
 * `signInAs` does both.
 */
export function providerTest(env: Record<string, string> = {}) {
  return (
    appTest()
      .extend('redirectUri', { scope: 'file' }, () => REDIRECT_URI)
      .extend('provider', { scope: 'file' }, async ({ redirectUri }, { onCleanup }) => {
        const provider = await openIdentityProvider({ redirectUri })
        onCleanup(provider.close)
        return provider
      })
      .extend('options', { scope: 'file' }, ({ provider }): TestAppOptions => {
        return { env: { ...provider.settings, ...env } }
      })
      // Depends on `provider`, so that the applications are closed before it.
      .extend('openApp', { scope: 'file' }, ({ provider: _ }, { onCleanup }) => {
        const apps: TestApp[] = []
        onCleanup(async () => {
          for (const app of apps) await app.close()
        })
        return async (settings: Record<string, string>) => {
          const app = await testApp({ env: settings })
          apps.push(app)
          return app
        }
      })
      .extend('followSignIn', ({ app, provider }) => {
        /**
         * Follows the authorization URL `url` to the provider, up to its redirect back to
         * `callbackUrl`, which `finish` requests.
         */
        return async (start: Reply, url: string, { cookie = '', from = {} } = {}) => {
          const cookies = start.cookies.map(({ name, value }) => `${name}=${value}`)
          const ownCookie = [...cookies, cookie].filter(Boolean).join('; ')
          const callbackUrl = await provider.follow(url)
          const finish = (changes: { callbackUrl?: string; cookie?: string } = {}) => {
            const { pathname, search } = new URL(changes.callbackUrl ?? callbackUrl)
            const headers = { cookie: changes.cookie ?? ownCookie, 'sec-fetch-site': 'cross-site' }
            return app.request({ url: `${pathname}${search}`, headers, ...from })
          }
          return { start, callbackUrl, cookie: ownCookie, finish }
        }
      })
      .extend(
        'startSignIn',
        ({ app, followSignIn }) =>
          async (url = '/console/oidc/start', cookie = '') => {
            const from = { remoteAddress: newAddress() }
            const start = await app.request({ url, headers: { cookie }, ...from })
            return followSignIn(start, String(start.headers.location), { cookie, from })
          },
      )
      .extend('confirm', ({ app }) => async (email: string) => {
        const { db } = app.services
        const { id } = await getUserByEmail(db, email)
        await confirmEmail(app.services, db, COMMAND_LINE, id)
      })
      .extend('signInAs', ({ provider, startSignIn }) => async (person: ProviderPerson) => {
        provider.state.person = person
        return (await startSignIn()).finish()
      })
      .extend('getUser', ({ app }) => (subject: string) => {
        return app.services.db
          .selectFrom('user_identities')
          .innerJoin('users', 'users.id', 'user_identities.user_id')
          .selectAll('users')
          .where('subject', '=', subject)
          .executeTakeFirst()
      })
      .extend('listUsers', ({ app }) => () => {
        return app.services.db.selectFrom('users').selectAll().orderBy('id').execute()
      })
      .extend('createUser', ({ app }) => (email: string, username: string) => {
        const input = { email, username, plan: 'free' } as const
        return createAccountFor(app.services, app.services.db, COMMAND_LINE, input)
      })
      .extend('getLastLogLine', ({ app }) => async (subject: string) => {
        return (await listLogLines(app.services.db, { subject }, { limit: 1 }))[0]
      })
  )
}
