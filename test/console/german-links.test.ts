import { expect } from 'vitest'
import { visibleText } from '../fixtures/visible-text.ts'
import type { TestApp } from '../support/app.ts'
import { signIn } from '../support/console.ts'
import { valuesOf } from '../support/link-form.ts'
import { linkPageTest, visitTimes } from '../support/link-page.ts'

/** An IP address in Germany. */
const GERMAN_ADDRESS = '194.25.0.1'
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
const destination = 'https://example.com/'

const test = linkPageTest()

/** Creates an account whose owner is signed in and uses the console in German. */
async function createGermanOwner(app: TestApp) {
  const owner = await app.make.owner()
  const person = await signIn(app, owner.account.email)
  await person.send('/console/settings', { language: 'de', timeZone: 'Europe/Berlin' })
  return { owner, person }
}

test('the list of links has German texts and plurals but the same URLs', async ({ app, make }) => {
  const { owner, person } = await createGermanOwner(app)
  expect((await person.open('/console/links')).body).toContain('Noch keine Links')
  const { id } = await make.link(owner, { tags: ['neu'] })
  const { body } = await person.open('/console/links')
  const texts = visibleText(body)
  for (const text of ['1 Link', 'Ziel', 'Klicks', 'Erstellt', 'Aktiv', 'Papierkorb']) {
    expect(texts).toContain(text)
  }
  expect(body).toContain('data-none="Keine Links ausgewählt" data-some="{n} ausgewählt"')
  expect(body).toContain('href="/console/links?sort=clicks"')
  await make.link(owner)
  const filtered = await person.open('/console/links?tag=neu&status=active&clicks=none&sort=oldest')
  expect(visibleText(filtered.body)).toContain('1 Ergebnis')
  expect(filtered.body).toContain('<option value="active" selected>Aktiv</option>')
  const reply = await person.send('/console/links/change', { id: String(id), action: 'disable' })
  const confirmation = await person.open(String(reply.headers.location))
  expect(visibleText(confirmation.body)).toContain('1 Link deaktiviert.')
  const noSelection = await person.send('/console/links/change', { action: 'disable' })
  expect([noSelection.statusCode, noSelection.body]).toEqual([
    422,
    expect.stringContaining('Wählen Sie mindestens einen Link.'),
  ])
})

test('the link form accepts German names of countries and languages', async ({ app, make }) => {
  const { owner, person } = await createGermanOwner(app)
  const { id } = await make.link(owner)
  const url = `/console/links/${id}/edit`
  const { body } = await person.open(url)
  expect(body).toContain('<label for="url">Ziel-URL')
  expect(body).toContain('<option value="Vereinigtes Königreich">')
  const rule = {
    rule: '0',
    'rule-0-to': destination,
    'rule-0-time-days': 'mon',
    'rule-0-country': 'österreich',
    'rule-0-language': 'Französisch',
  }
  const reply = await person.send(url, { ...valuesOf(body), ...rule })
  expect(reply.statusCode).toBe(303)
  const details = await app.request({ url: `/api/url/${id}`, headers: owner.headers })
  expect(details.json().details.rules[0].when).toMatchObject({ country: 'AT', language: 'fr' })
  const page = await person.open(url)
  expect(page.body).toContain('value="Österreich"')
  expect(page.body).toContain('value="Französisch"')
  const history = await person.open(`/console/links/${id}/history`)
  expect(visibleText(history.body)).toContain('Österreich, Französisch, Mo UTC → example.com/')
  // The stored rule does not depend on the language.
  await person.send('/console/settings', { language: 'en', timeZone: 'UTC' })
  const english = await person.open(url)
  expect(english.body).toContain('value="Austria"')
  expect(english.body).toContain('value="French"')
})

test('errors of the link form are German', async ({ app }) => {
  const { person } = await createGermanOwner(app)
  const invalidFields = {
    url: destination,
    password: '',
    'parameter-name': '',
    'parameter-value': 'x',
  }
  const reply = await person.send('/console/links/new', invalidFields)
  expect(reply.statusCode).toBe(422)
  expect(visibleText(reply.body)).toContain('Prüfen Sie das markierte Feld.')
  expect(reply.body).toContain('Darf nicht leer sein.')
})

test('statistics show German labels but filter by stored labels', async ({ app, make }) => {
  const { owner, person } = await createGermanOwner(app)
  const { alias, id } = await make.link(owner)
  const headers = { 'user-agent': PHONE, 'accept-language': 'fr' }
  await app.request({ url: `/${alias}`, remoteAddress: GERMAN_ADDRESS, headers })
  await visitTimes(app, alias, 2)
  await app.importClicks()
  const { body } = await person.open(`/console/links/${id}`)
  const texts = visibleText(body)
  for (const text of ['Deutschland', 'Französisch', 'Smartphone', 'Unbekannt', '3 Klicks']) {
    expect(texts).toContain(text)
  }
  expect(texts).toContain('Direkt, E-Mail und andere')
  expect(body).toContain(`href="/console/links/${id}?country=Germany"`)
  expect(body).toContain(`href="/console/links/${id}?device=Mobile"`)
  const filtered = await person.open(
    `/console/links/${id}?country=deutschland&language=Franz%C3%B6sisch&device=smartphone`,
  )
  expect(filtered.statusCode).toBe(200)
  expect(visibleText(filtered.body)).toContain('Filter entfernen: Land: Deutschland')
  expect(filtered.body).toContain('?country=Germany&amp;device=Mobile&amp;language=fr')
  const file = await person.open(`/console/links/${id}/countries.csv?country=Deutschland`)
  expect(file.body).toBe('\ufefflabel,code,clicks\nGermany,DE,1\n')
})

test('large numbers and dates are German', async ({ app, make }) => {
  const { owner, person } = await createGermanOwner(app)
  const { id } = await make.link(owner, { maxClicks: 12_345, expiresAt: '2131-03-01' })
  const { body } = await person.open(`/console/links/${id}`)
  expect(visibleText(body)).toContain(
    'Läuft ab: 02.03.2131, 00:59 · 0 von 12.345 Klicks verbraucht',
  )
})

test('the trash is German', async ({ app, make }) => {
  const { owner, person } = await createGermanOwner(app)
  const links = [await make.link(owner), await make.link(owner)]
  for (const { id } of links) await person.send(`/console/links/${id}/delete`)
  const texts = visibleText((await person.open('/console/links/trash')).body)
  for (const text of ['Papierkorb', '2 Links', 'Gelöscht', '30 Tage', 'Wiederherstellen']) {
    expect(texts).toContain(text)
  }
  const confirmation = await person.send('/console/links/trash/change', {
    action: 'forever',
    all: 'yes',
  })
  expect(visibleText(confirmation.body)).toContain('2 Links endgültig löschen?')
})

test('errors of QR code colors and filters are German', async ({ app, make }) => {
  const { owner, person } = await createGermanOwner(app)
  const { id } = await make.link(owner)
  const { statusCode, body } = await person.open(`/console/links/${id}?country=Nirgendwo`)
  expect([statusCode, body]).toEqual([422, expect.stringMatching(/role="alert">Land: \p{Lu}/u)])
  expect(body).not.toContain('Must be')
  const lowContrast = await person.open(`/console/links/${id}?foreground=%23ffffff`)
  expect(lowContrast.body).toContain('Vordergrund: Hat zu wenig Kontrast zum Hintergrund')
  const invalidForm = await person.send('/console/links/new', { url: 'kein Ziel' })
  expect(visibleText(invalidForm.body)).toContain('Muss eine gültige http- oder https-URL sein.')
})
