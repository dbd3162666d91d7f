import { describe, expect, vi } from 'vitest'
import { postForm } from '../support/forms.ts'
import { HOME, operatorTest } from '../support/operator.ts'

const test = operatorTest()

const PAGES = [
  '',
  '/accounts',
  '/accounts/1',
  '/accounts/new',
  '/users',
  '/users/1',
  '/links',
  '/log',
  '/log.csv',
  '/health',
]
const FORMS = [
  ...['suspend', 'resume', 'plan', 'members', 'delete'].map(
    (submitAction) => `/accounts/1/${submitAction}`,
  ),
  ...['admin', 'reset-link', 'remove-second-factor', 'disconnect', 'confirm-email'].map(
    (submitAction) => `/users/1/${submitAction}`,
  ),
  '/accounts',
  '/links/disable',
  '/links/enable',
]

const removeNonces = (body: string) =>
  body.replaceAll(/nonce="[^"]*"|name="csrf" value="[^"]*"/g, '')

describe('admin pages', () => {
  test.for(PAGES)('%s returns 404 to other users', async (path, { app, adminConsole }) => {
    const url = `${HOME}${path}`
    expect([200, 303]).toContain((await adminConsole.admin.open(url)).statusCode)
    const rejected = await adminConsole.ordinary.open(url)
    const missing = await adminConsole.ordinary.open('/console/nothing-of-the-kind')
    expect([rejected.statusCode, missing.statusCode]).toEqual([404, 404])
    expect(removeNonces(rejected.body)).toBe(removeNonces(missing.body))
    const signedOut = await app.request({ url })
    expect(signedOut.headers.location).toMatch(/^\/console\/sign-in\?next=/)
    const headers = { host: 'brand.example', cookie: adminConsole.admin.cookie }
    expect((await app.request({ url, headers })).statusCode).toBe(404)
  })

  test.for(FORMS)('%s rejects forms from others', async (path, { app, adminConsole }) => {
    const url = `${HOME}${path}`
    expect((await adminConsole.ordinary.send(url)).statusCode).toBe(404)
    const { cookie } = adminConsole.admin
    expect((await postForm(app, url, { csrf: 'x'.repeat(43) }, { cookie })).statusCode).toBe(403)
    const crossSiteReply = await app.request({
      method: 'POST',
      url,
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    })
    expect(crossSiteReply.statusCode).toBe(403)
    const headers = { cookie, host: 'brand.example' }
    expect((await app.request({ method: 'POST', url, headers })).statusCode).toBe(404)
    expect(await adminConsole.getLastLogLine()).toBeUndefined()
  })

  test("are only in admins' menus", async ({ adminConsole }) => {
    expect((await adminConsole.admin.open('/console')).body).toContain('href="/console/operator"')
    expect((await adminConsole.ordinary.open('/console')).body).not.toContain('/console/operator')
  })
})

describe('a link by its short URL', () => {
  test('is shown with its owner, disabled with a reason, and enabled again', async ({
    make,
    request,
    adminConsole: { admin, getLastLogLine },
  }) => {
    const owner = await make.owner({ username: 'linker' })
    await make.domain(owner, { domain: 'https://links.example' })
    const { shortUrl } = await make.link(owner, {
      domain: 'links.example',
      alias: 'größe',
      url: 'https://evil.example/?<script>',
    })
    const visitPage = () =>
      request({ url: `/${encodeURIComponent('größe')}`, headers: { host: 'links.example' } })
    const visit = async () => (await visitPage()).statusCode
    const openLinks = async (url: string) =>
      admin.open(`${HOME}/links?${new URLSearchParams({ url })}`)
    const { body } = await openLinks(shortUrl.replace('https://', ''))
    expect(body).toContain('>linker</a>')
    for (const name of ['größe', 'gr%C3%B6%C3%9Fe', 'links.example/größe', shortUrl]) {
      const lookup = await openLinks(name)
      expect([name, lookup.statusCode]).toEqual([name, 200])
      expect(lookup.body).toContain('<bdi>links.example/größe</bdi>')
    }
    expect(body).not.toContain('<script>"')
    expect(await visit()).toBe(302)
    const rejected = await admin.send(`${HOME}/links/disable`, {
      url: shortUrl,
      reason: 'x'.repeat(201),
    })
    expect([rejected.statusCode, rejected.body]).toEqual([
      422,
      expect.stringContaining('id="reason-error"'),
    ])
    const reply = await admin.send(`${HOME}/links/disable`, { url: shortUrl, reason: 'Phishing' })
    expect(reply.headers.location).toMatch(/^\/console\/operator\/links\?url=.*&done=disabled$/)
    await vi.waitUntil(async () => (await visit()) === 410, { timeout: 60_000 })
    const { body: page } = await visitPage()
    expect(page).toContain('<h1>This link is disabled</h1>')
    expect(page).not.toMatch(/owner|admin|operator|Phishing/i)
    expect(await getLastLogLine(shortUrl)).toMatchObject({
      actor: 'owner1@example.com',
      action: 'link.disable',
      detail: 'Phishing',
    })
    expect((await admin.open(String(reply.headers.location))).body).toContain(
      'Disabled by an admin: Phishing',
    )
    await admin.send(`${HOME}/links/enable`, { url: shortUrl })
    await vi.waitUntil(async () => (await visit()) === 302, { timeout: 60_000 })
    expect(await getLastLogLine(shortUrl)).toMatchObject({ action: 'link.enable' })
  })

  test('has buttons to block its hosts, and logs each block', async ({
    make,
    adminConsole: { admin, getLastLogLine },
  }) => {
    const owner = await make.owner()
    const { shortUrl } = await make.link(owner, {
      url: 'https://first.example/a',
      geoTargets: [{ location: 'Germany', link: 'https://second.example/b' }],
    })
    const url = `${HOME}/links?${new URLSearchParams({ url: shortUrl })}`
    const { body } = await admin.open(url)
    expect(body).toContain('value="first.example">Block the host first.example</button>')
    const block = (host: string) => admin.send(`${HOME}/links/block`, { url: shortUrl, host })
    const reply = await block('second.example')
    expect([reply.statusCode, reply.headers.location]).toEqual([
      303,
      expect.stringMatching(/&done=blocked$/),
    ])
    expect(await getLastLogLine('second.example')).toMatchObject({
      action: 'host.block',
      detail: `Destination of ${shortUrl}`,
    })
    const pageAfter = (await admin.open(String(reply.headers.location))).body
    expect(pageAfter).toContain('Host blocked for all links.')
    expect(pageAfter).toContain('<span class="address">second.example</span> is blocked.')
    expect(pageAfter).not.toContain('value="second.example"')
    const otherHost = await block('third.example')
    expect([otherHost.statusCode, otherHost.body]).toEqual([
      409,
      expect.stringContaining('The link has changed in the meantime.'),
    ])
  })

  test.for([
    ['not a URL', 422, 'Must be a short link or an alias.'],
    ['brev.test/nothing-here', 404, 'There is no link at brev.test/nothing-here.'],
    ['https://unknown.example/x', 404, 'There is no link at https://unknown.example/x.'],
    ['brev.test/a\0b', 422, 'Must be a short link or an alias.'],
    ['brev.test/%ED%A0%80', 422, 'Must be a short link or an alias.'],
  ] as const)('rejects %j', async ([url, status, text], { adminConsole: { admin } }) => {
    const lookup = await admin.open(`${HOME}/links?${new URLSearchParams({ url })}`)
    expect([lookup.statusCode, lookup.body]).toEqual([status, expect.stringContaining(text)])
    const formReply = await admin.send(`${HOME}/links/disable`, { url })
    expect([formReply.statusCode, formReply.body]).toEqual([status, expect.stringContaining(text)])
  })
})
