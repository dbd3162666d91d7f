import { describe, expect } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { setAdmin } from '../../src/identity/admin.service.ts'
import { includesRole, ROLES, type Role } from '../../src/identity/user.ts'
import type { TestApp } from '../support/app.ts'
import { createResource, fillPath } from '../support/console-resources.ts'
import { formOf, postForm } from '../support/forms.ts'
import type { Owner } from '../support/make.ts'
import { addMember } from '../support/members.ts'
import { listRoutes, type TableRoute } from '../support/route-table.ts'
import { appTest } from '../support/test.ts'

const PUBLIC =
  /^\/console\/(?:sign-in|reset-password|forgot-password|invitations|unsubscribe|oidc|deleted|assets)(?:\/|$)/
const ROLE_REJECTED = 'Your role in this account doesn&#39;t allow this. Ask an owner.'

/** Forms for a user's own settings, allowed in every role. */
const PERSONAL_FORMS = [
  '/console/sign-out',
  '/console/theme',
  '/console/settings',
  '/console/settings/connect',
  '/console/accounts/switch',
  '/console/account/email',
  '/console/account/password',
  '/console/account/leave',
  '/console/account/delete-user',
  '/console/account/sessions/:id/end',
  '/console/account/sessions/end-others',
  '/console/account/second-factor/codes',
  '/console/settings/reports',
  '/console/settings/reports/:id/end',
  '/console/links/:id/report',
  '/console/campaigns/:id/report',
  '/console/account/second-factor/codes/confirm',
  '/console/account/second-factor/codes/remove',
  '/console/account/second-factor/recovery-codes',
  '/console/account/second-factor/passkeys',
  '/console/account/second-factor/passkeys/add',
  '/console/account/second-factor/passkeys/:id/remove',
]

/** Forms for owners only. */
const OWNER_FORMS = /^\/console\/(?:keys|members)(?:\/|$)|^\/console\/account\/delete$/

const test = appTest()
  .extend('routes', { scope: 'file' }, ({ app }) =>
    listRoutes(app.fastify).filter(
      ({ url }) => /^\/console(?:\/|$)/.test(url) && !PUBLIC.test(url) && !isOperatorRoute(url),
    ),
  )
  .extend('multipart', { scope: 'file' }, async ({ app, routes }) => {
    const owner = await app.make.owner()
    return { owner, forms: await listMultipartForms(app, owner, routes) }
  })

function isOperatorRoute(url: string): boolean {
  return url.startsWith('/console/operator')
}

/** Returns the minimum role for a form, as documented in the guide for members. */
function findMinimumRole(url: string): Role {
  if (PERSONAL_FORMS.includes(url)) return 'viewer'
  return OWNER_FORMS.test(url) ? 'owner' : 'editor'
}

async function createCookie(app: TestApp, owner: Owner, role: Role): Promise<string> {
  return (await addMember(app, owner, role)).startSession()
}

async function readCsrf(app: TestApp, cookie: string): Promise<string> {
  return formOf(await app.request({ url: '/console', headers: { cookie } })).csrf
}

describe('forms of the console', () => {
  test.for(ROLES)(
    'every form is accepted or rejected as documented for the role %s',
    async (role, { app, make, routes }) => {
      const forms = routes.filter(({ method }) => method === 'POST').map(({ url }) => url)
      expect(forms.length).toBeGreaterThan(70)
      const problems: string[] = []
      let owner = await make.owner()
      for (const [index, url] of forms.entries()) {
        // The number of forms per minute and account is limited.
        if (index % 50 === 0) owner = await make.owner()
        // A separate session for each form, because some forms end it.
        const cookie = await createCookie(app, owner, role)
        const fields = { csrf: await readCsrf(app, cookie), role: 'viewer' }
        const reply = await postForm(app, url.replaceAll(/:\w+/g, '999999'), fields, { cookie })
        const isRejected = reply.statusCode === 403 && reply.body.includes(ROLE_REJECTED)
        if (isRejected === includesRole(role, findMinimumRole(url))) {
          problems.push(`${url}: ${reply.statusCode}`)
        }
        if (reply.statusCode >= 500) problems.push(`${url}: ${reply.statusCode}`)
      }
      expect(problems).toEqual([])
    },
  )

  test.for(ROLES)(
    'multipart forms require the same role as other forms: %s',
    async (role, { app, multipart: { owner, forms } }) => {
      expect([...forms.keys()].sort()).toEqual([
        '/console/bios',
        '/console/bios/:id',
        '/console/codes',
        '/console/codes/:id',
        '/console/domains/:id/brand',
        '/console/import/file',
        '/console/links/:id/edit',
        '/console/links/new',
      ])
      const cookie = await createCookie(app, owner, role)
      for (const [url, action] of forms) {
        const { statusCode, body } = await app.request({
          method: 'POST',
          url: action,
          headers: { cookie, 'content-type': 'multipart/form-data; boundary=x' },
          payload: '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
        })
        const isPermitted = includesRole(role, findMinimumRole(url))
        // The form has no token, so it is never accepted.
        expect([url, statusCode, body.includes(ROLE_REJECTED)]).toEqual([url, 403, !isPermitted])
      }
    },
  )
})

/** Returns an action of each multipart form on the console's pages, by its route. */
async function listMultipartForms(app: TestApp, owner: Owner, routes: readonly TableRoute[]) {
  const cookie = await createCookie(app, owner, 'owner')
  const findRoute = createRouteFinder(
    routes.filter(({ method }) => method === 'POST').map(({ url }) => url),
  )
  const actions = new Map<string, string>()
  for (const { url } of routes.filter(({ method }) => method === 'GET')) {
    const path = fillPath(url, await createResource(app, owner, url))
    if (path.endsWith('/live')) continue
    const { body } = await app.request({ url: path, headers: { cookie } })
    for (const [form] of body.matchAll(/<form\b[^>]*enctype="multipart\/form-data"[^>]*>/g)) {
      const action = /action="([^"]*)"/.exec(form)?.[1] ?? path
      actions.set(findRoute(action), action)
    }
  }
  return actions
}

describe('every page of the console', () => {
  test.for(ROLES)(
    'offers only permitted actions to the role %s',
    async (role, { app, make, routes }) => {
      const owner = await make.owner()
      const cookie = await createCookie(app, owner, role)
      const pages = routes.filter(({ method }) => method === 'GET').map(({ url }) => url)
      // Opens one link per route, because roles are checked per route.
      const links = new Map<string, string>()
      const forms = routes.filter(({ method }) => method === 'POST').map(({ url }) => url)
      const findPageRoute = createRouteFinder(pages)
      const findFormRoute = createRouteFinder(forms)
      const problems: string[] = []
      let opened = 0
      for (const url of pages) {
        const path = fillPath(url, await createResource(app, owner, url))
        const reply = await app.request({ url: path, headers: { cookie } })
        if (reply.statusCode === 403) {
          if (role === 'owner' || !reply.body.includes(ROLE_REJECTED))
            problems.push(`${path} is forbidden`)
          continue
        }
        if (!String(reply.headers['content-type']).startsWith('text/html')) continue
        opened += 1
        for (const [, attributes = ''] of reply.body.matchAll(/<form\b([^>]*)>/g)) {
          if (!attributes.includes('method="post"')) continue
          const action = /action="([^"]*)"/.exec(attributes)?.[1] ?? path
          // Skips previews, which contain forms of visitor pages.
          if (!action.startsWith('/console')) continue
          const form = findFormRoute(action)
          if (!forms.includes(form) || !includesRole(role, findMinimumRole(form)))
            problems.push(`${path} has ${action}`)
        }
        for (const [, to = ''] of reply.body.matchAll(/\shref="(\/console[^"#]*)"/g)) {
          if (to.startsWith('/console/assets/')) continue
          links.set(findPageRoute(to), to.replaceAll('&amp;', '&'))
        }
      }
      expect(opened).toBeGreaterThan(role === 'viewer' ? 20 : 30)
      for (const to of links.values()) {
        const { statusCode } = await app.request({ url: to, headers: { cookie } })
        if (statusCode === 403) problems.push(`a link to ${to}`)
      }
      expect(problems).toEqual([])
    },
  )
})

/** Returns a function that finds the route of a path, preferably one with few parameters. */
function createRouteFinder(urls: readonly string[]) {
  const countParameters = (url: string) => url.split('/:').length
  const patterns = urls
    .toSorted((first, second) => countParameters(first) - countParameters(second))
    .map((url) => {
      const pattern = url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')
      return { url, pattern: new RegExp(`^${pattern}(?:[?#]|$)`) }
    })
  return (path: string) => patterns.find(({ pattern }) => pattern.test(path))?.url ?? path
}

test('admin pages are accessible to admins in any role, but not to members of their accounts', async ({
  app,
  owner,
}) => {
  for (const role of ROLES) {
    const member = await addMember(app, owner, role)
    const cookie = await member.startSession()
    for (const admin of [false, true]) {
      await inTransaction(app.services.db, (tx) => setAdmin(tx, member.user.id, admin))
      const reply = await app.request({ url: '/console/operator/accounts', headers: { cookie } })
      expect([role, admin, reply.statusCode]).toEqual([role, admin, admin ? 200 : 404])
      const { body } = await app.request({ url: '/console', headers: { cookie } })
      expect([role, admin, body.includes('/console/operator')]).toEqual([role, admin, admin])
    }
  }
})

test('viewers cannot download files with password hashes', async ({ app, owner }) => {
  const cookies = await Promise.all(ROLES.map((role) => createCookie(app, owner, role)))
  for (const path of ['/console/export?format=jsonl', '/console/account/links.jsonl']) {
    const replies = await Promise.all(
      cookies.map((cookie) => app.request({ url: path, headers: { cookie } })),
    )
    const statuses = Object.fromEntries(
      ROLES.map((role, index) => [role, replies[index]?.statusCode === 403]),
    )
    expect([path, statuses]).toEqual([path, { owner: false, editor: false, viewer: true }])
  }
})
