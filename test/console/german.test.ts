import { expect } from 'vitest'
import { PASSWORD, signIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import { inviteTo, signInMember } from '../support/members.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

/** The request headers of a browser set to German. */
const GERMAN_BROWSER = { 'accept-language': 'de-AT,en;q=0.5' }

test('each member gets the console in their own language', async ({ app, owner }) => {
  const member = await signInMember(app, owner, 'editor')
  const person = await signIn(app, owner.account.email)
  const settings = { language: 'de', timeZone: 'Europe/Berlin' }
  expect((await person.send('/console/settings', settings)).statusCode).toBe(303)
  const ownPage = await person.open('/console/links')
  expect(ownPage.body).toContain('<html lang="de">')
  expect(ownPage.body).toContain('Link erstellen</a>')
  expect(ownPage.body).toContain('Abmelden</button>')
  const memberPage = await member.open('/console/links')
  expect(memberPage.body).toContain('<html lang="en">')
  expect(memberPage.body).toContain('Create link</a>')
  expect(memberPage.body).not.toContain('Abmelden')
})

test('a form with an error is in the user’s language', async ({ app, make }) => {
  const person = await signIn(app, (await make.owner()).account.email)
  const settings = { language: 'de', timeZone: 'UTC' }
  await person.send('/console/settings', settings)
  const reply = await person.send('/console/settings', { ...settings, timeZone: 'Mars' })
  expect(reply.statusCode).toBe(422)
  expect(reply.body).toContain('<html lang="de">')
  expect(reply.body).toContain('Abmelden</button>')
})

test('concurrent requests do not share their language', async ({ app, make }) => {
  const people = await Promise.all(
    ['en', 'de', 'en', 'de'].map(async (language) => {
      const person = await signIn(app, (await make.owner()).account.email)
      await person.send('/console/settings', { language, timeZone: 'UTC' })
      return { language, ...person }
    }),
  )
  const visitors = [...people, ...people, ...people]
  const pages = await Promise.all(visitors.map(({ open }) => open('/console/analytics')))
  expect(pages.map(({ body }) => /<html lang="(\w+)"/.exec(body)?.[1])).toEqual(
    visitors.map(({ language }) => language),
  )
})

test('the language in the settings takes precedence over the browser’s language', async ({
  app,
  make,
}) => {
  const { account } = await make.owner()
  const { cookie } = await signIn(app, account.email)
  const { body } = await app.request({ url: '/console', headers: { cookie, ...GERMAN_BROWSER } })
  expect(body).toContain('<html lang="en">')
})

test('errors are German in the console and English in the API', async ({ app, make }) => {
  const owner = await make.owner()
  const person = await signIn(app, owner.account.email)
  await person.send('/console/settings', { language: 'de', timeZone: 'UTC' })
  const rejectedLink = await person.send('/console/links', {
    url: 'javascript:alert(1)',
    alias: '',
  })
  expect(rejectedLink.statusCode).toBe(422)
  expect(rejectedLink.body).toContain('Muss eine gültige http- oder https-URL sein.')
  const rejectedEmail = await person.send('/console/account/email', {
    email: 'invalid',
    yourPassword: PASSWORD,
  })
  expect(rejectedEmail.body).toContain('Muss eine gültige E-Mail-Adresse sein.')
  const missing = await person.open('/console/links/999999999')
  expect(missing.body).toContain('<html lang="de">')
  expect(missing.body).toContain('Seite nicht gefunden')
  const api = await app.request({
    method: 'POST',
    url: '/api/url/add',
    headers: { authorization: `Bearer ${owner.key}` },
    payload: { url: 'javascript:alert(1)' },
  })
  expect(api.json()).toMatchObject({ message: 'url must be a valid http or https URL' })
})

test('sign-in pages are in the browser’s language', async ({ app, make }) => {
  const { account } = await make.owner()
  const page = await app.request({ url: '/console/sign-in', headers: GERMAN_BROWSER })
  expect(page.body).toContain('<html lang="de">')
  const { csrf, cookie } = formOf(page)
  const fields = { csrf, email: account.email, password: 'wrong' }
  const englishReply = await postForm(app, '/console/sign-in', fields, { cookie })
  expect(englishReply.body).toContain('Incorrect email or password.')
  const payload = new URLSearchParams(fields).toString()
  const germanReply = await app.request({
    method: 'POST',
    url: '/console/sign-in',
    headers: { ...GERMAN_BROWSER, cookie, 'content-type': 'application/x-www-form-urlencoded' },
    payload,
  })
  expect(germanReply.statusCode).toBe(422)
  expect(germanReply.body).toContain('E-Mail-Adresse oder Passwort ist falsch.')
})

test('a new user gets the language of the browser', async ({ app, owner }) => {
  const { token } = await inviteTo(app, owner, 'viewer', 'neu@example.com')
  const path = `/console/invitations/${token}`
  const { csrf, cookie } = formOf(await app.request({ url: path, headers: GERMAN_BROWSER }))
  const fields = new URLSearchParams({ csrf, password: PASSWORD, timeZone: 'Europe/Vienna' })
  const headers = {
    ...GERMAN_BROWSER,
    'content-type': 'application/x-www-form-urlencoded',
    cookie,
  }
  const reply = await app.request({ method: 'POST', url: path, headers, payload: `${fields}` })
  expect(reply.statusCode).toBe(303)
  const { language } = await app.services.db
    .selectFrom('users')
    .select('language')
    .where('email', '=', 'neu@example.com')
    .executeTakeFirstOrThrow()
  expect(language).toBe('de')
})
