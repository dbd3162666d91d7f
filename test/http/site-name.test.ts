import { describe, expect, onTestFinished } from 'vitest'
import { setBrand } from '../../src/domains/brand.service.ts'
import { invite } from '../../src/identity/invitation.service.ts'
import { createJobs } from '../../src/importer/jobs.ts'
import { scopeOf } from '../../src/scope.ts'
import { PASSWORD, signIn } from '../support/console.ts'
import { openMailServer } from '../support/mail-server.ts'
import { readCode } from '../support/read-code.ts'
import { passkeyOptionsIn, SETTINGS, turnOnCodes } from '../support/second-factor.ts'
import { appTest } from '../support/test.ts'

const test = appTest({
  env: {
    SITE_NAME: ' Kürzel & <b>Söhne</b> ',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'b@brev.test',
  },
})
const NAME = 'Kürzel &amp; &lt;b&gt;Söhne&lt;/b&gt;'

describe('SITE_NAME', () => {
  test('heads the console and names it in titles', async ({ app, make, owner }) => {
    const person = await signIn(app, owner.account.email)
    const { body } = await person.open('/console/links')
    expect(body).toContain(`<title>Links – ${NAME}</title>`)
    expect(body.match(new RegExp(`</svg> ${NAME}</a>`, 'g'))).toHaveLength(2)
    expect(body).not.toContain('Brevis')
    const { id } = await make.domain(owner, { domain: 'https://named.example' })
    const brand = await person.open(`/console/domains/${id}`)
    expect(brand.body).toContain(`Show “${NAME}” in the footer`)
    const signInPage = await app.request({ url: '/console/sign-in' })
    expect(signInPage.body).toContain(`<title>Sign in – ${NAME}</title>`)
    expect(signInPage.body).toContain(`</svg> ${NAME}</p></footer>`)
    const twoSteps = await person.open('/console/account/second-factor')
    expect(twoSteps.body).not.toContain('Brevis')
  })

  test('is on the home page, the documentation, registration and all other pages', async ({
    app,
    make,
    owner,
  }) => {
    const locked = await make.link(owner, { password: 'open sesame' })
    for (const [url, language, title] of [
      ['/', 'en', `${NAME}: short links`],
      ['/', 'fr', `${NAME} : liens courts`],
      ['/docs', 'en', `Getting started – ${NAME} API`],
      ['/register', 'en', 'Create an account'],
      ['/no-such-link', 'de', 'Link nicht gefunden'],
      [`/${locked.alias}`, 'en', 'Enter password'],
    ] as const) {
      const { body } = await app.request({ url, headers: { 'accept-language': language } })
      expect([url, body]).toEqual([url, expect.stringContaining('Kürzel')])
      expect([url, /<title>(.*)<\/title>/.exec(body)?.[1]]).toEqual([url, title])
      expect([url, body.includes('</svg> Brevis')]).toEqual([url, false])
    }
  })

  test('is not on pages of a domain that hides the footer', async ({ app, make, owner }) => {
    const domain = await make.domain(owner, { domain: 'https://plain.example' })
    const scope = scopeOf(app.services, owner.account.id)
    await setBrand(scope, domain.id, { accent: null, footer: false })
    const { body } = await app.request({ url: '/nothing', headers: { host: 'plain.example' } })
    expect(body).not.toContain('Kürzel')
    await setBrand(scope, domain.id, { accent: '#112233', footer: true })
    const shown = await app.request({ url: '/nothing', headers: { host: 'plain.example' } })
    expect(shown.body).toContain(`</svg> ${NAME}</p></footer>`)
  })

  test('is in the subjects of emails', async ({ app, make }) => {
    const { services } = app
    const { account } = await make.owner()
    await invite(scopeOf(services, account.id), { email: 'guest@x.test', role: 'editor' })
    const server = await openMailServer()
    onTestFinished(server.close)
    const mail = { smtpUrl: server.url, from: 'b@brev.test', perHour: 100 }
    const ctx = { ...services, config: { ...services.config, mail } }
    const jobs = createJobs(ctx, services.db, { retryMs: 20 })
    jobs?.run()
    onTestFinished(async () => jobs?.stop())
    const [sent] = await server.waitForMails(1)
    expect(sent?.subject).toBe(`You’re invited to ${account.username} on Kürzel & <b>Söhne</b>`)
    expect(sent?.text).toContain(`${account.username} on brev.test as editor`)
  })
})

for (const [name, issuer, site, server] of [
  [undefined, 'brev.test', 'brev.test', 'Brevis'],
  ['Kürzel: Söhne', 'Kürzel Söhne', 'Kürzel: Söhne', 'Kürzel: Söhne'],
] as const) {
  const secureTest = appTest({
    env: { BASE_URL: 'https://brev.test', ...(name && { SITE_NAME: name }) },
  })

  secureTest(
    `one-time codes, passkeys and the MCP server are named ${site}`,
    async ({ app, owner }) => {
      const { email } = owner.account
      const person = await signIn(app, email)
      const passkey = { passkeyName: 'Phone', passkeyPassword: PASSWORD }
      const page = await person.send(`${SETTINGS}/passkeys`, passkey)
      expect(passkeyOptionsIn(page.body).rp).toEqual({ id: 'brev.test', name: site })
      const setup = await person.send(`${SETTINGS}/codes`, { codesPassword: PASSWORD })
      const [, picture = ''] = /data:image\/svg\+xml;base64,([^"]+)/.exec(setup.body) ?? []
      const url = new URL((await readCode(Buffer.from(picture, 'base64'))) ?? '')
      expect(decodeURIComponent(url.pathname)).toBe(`/${issuer}:${email}`)
      expect(url.searchParams.get('issuer')).toBe(issuer)
      await turnOnCodes(app, person)
      const reply = await app.request({ url: '/.well-known/oauth-protected-resource/mcp' })
      expect(reply.json()).toMatchObject({ resource_name: server })
    },
  )
}
