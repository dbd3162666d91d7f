import { expect } from 'vitest'
import { visibleText } from '../fixtures/visible-text.ts'
import type { TestApp } from '../support/app.ts'
import { formOf, postForm } from '../support/forms.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

const language = 'de-AT, en;q=0.5'
const GERMAN = { 'accept-language': language }

/** Submits the registration form in a German browser. */
async function register(app: TestApp, fields: Record<string, string>) {
  const form = formOf(await app.request({ url: '/register', headers: GERMAN }))
  const payload = { csrf: form.csrf, ...fields }
  return postForm(app, '/register', payload, { cookie: form.cookie, language })
}

test('the registration form is in the language of the browser, or in English', async ({ app }) => {
  const german = await app.request({ url: '/register', headers: GERMAN })
  expect(german.body).toContain('<html lang="de">')
  expect(visibleText(german.body)).toMatch(/Konto erstellen.*Benutzername.*Mindestens 8 Zeichen\./s)
  const french = await app.request({ url: '/register', headers: { 'accept-language': 'fr' } })
  expect(french.body).toContain('<html lang="en">')
  expect(visibleText(french.body)).toContain('At least 8 characters.')
})

test('a German registration shows German errors and stores nothing', async ({ app }) => {
  await app.make.owner({ email: 'taken@example.com', username: 'taken' })
  const valid = { email: 'new@example.com', username: 'neu', password: 'a good password' }
  const invalidFields = [
    [{ email: 'new' }, 'email-error', 'Muss eine gültige E-Mail-Adresse sein.'],
    [{ email: 'taken@example.com' }, 'email-error', 'Diese E-Mail-Adresse wird bereits verwendet.'],
    [{ username: 'taken' }, 'username-error', 'Dieser Benutzername ist vergeben.'],
    [{ password: 'short' }, 'password-error', 'Muss 8 bis 200 Zeichen lang sein.'],
  ] as const
  for (const [fields, id, text] of invalidFields) {
    const reply = await register(app, { ...valid, ...fields })
    expect(reply.body).toContain(`id="${id}" role="alert">${text}`)
    expect(reply.body).toContain('<html lang="de">')
  }
  const { db } = app.services
  const stored = db.selectFrom('users').select('id').where('email', '=', valid.email)
  expect(await stored.execute()).toEqual([])
})

test('a German registration shows the key in German and stores the language', async ({ app }) => {
  const fields = { email: 'ute@example.com', username: 'ute', password: 'a good password' }
  const reply = await register(app, fields)
  expect(reply.statusCode).toBe(303)
  const cookie = reply.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const page = await app.request({ url: '/console', headers: { cookie } })
  expect(page.body).toContain('<html lang="de">')
  const text = visibleText(page.body)
  expect(text).toMatch(/Ihr API-Schlüssel, für Programme\nKopieren Sie diesen Schlüssel jetzt/)
  expect(text).toContain('API-Dokumentation')
  const { db } = app.services
  const stored = db.selectFrom('users').select('language').where('email', '=', fields.email)
  expect(await stored.execute()).toEqual([{ language: 'de' }])
})
