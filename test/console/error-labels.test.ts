import { expect } from 'vitest'
import { blockHost } from '../../src/operator/moderation.service.ts'
import { COMMAND_LINE } from '../../src/operator-log/operator-log.service.ts'
import { visibleText } from '../fixtures/visible-text.ts'
import type { TestApp } from '../support/app.ts'
import { signIn } from '../support/console.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

type Person = Awaited<ReturnType<typeof signIn>>
type MistakeContext = { app: TestApp; owner: Owner; person: Person }

/**
 * Invalid requests with the error in English and German. `submit` sends a form that is rejected or
 * opens a page with an invalid parameter.
 */
const MISTAKES: Record<
  string,
  { submit: (context: MistakeContext) => ReturnType<Person['open']>; en: string; de: string }
> = {
  'a past expiration of selected links': {
    submit: async ({ app, owner, person }) => {
      const { id } = await app.make.link(owner)
      const fields = { id: String(id), action: 'expire', expires: '2001-01-01' }
      return person.send('/console/links/change', fields)
    },
    en: 'Expires on: Must be in the future.',
    de: 'Läuft ab am: Muss in der Zukunft liegen.',
  },
  'a long tag for selected links': {
    submit: async ({ app, owner, person }) => {
      const { id } = await app.make.link(owner)
      const fields = { id: String(id), action: 'tag', tag: 'x'.repeat(300) }
      return person.send('/console/links/change', fields)
    },
    en: 'Tags: Must be at most 50 characters long.',
    de: 'Tags: Darf höchstens 50 Zeichen lang sein.',
  },
  'a long search of links': {
    submit: ({ person }) => person.open(`/console/links?q=${'x'.repeat(2000)}`),
    en: 'Search: Must be at most',
    de: 'Suche: Darf höchstens',
  },
  'a period that ends before it starts': {
    submit: ({ person }) => person.open('/console/analytics?from=2026-11-02&to=2026-11-01'),
    en: 'Start: Must not be after the end.',
    de: 'Beginn: Darf nicht nach dem Ende liegen.',
  },
  'an unknown time zone of statistics': {
    submit: ({ person }) => person.open('/console/analytics?tz=Mars'),
    en: 'Time zone: Must be an IANA time zone, such as Europe/Berlin.',
    de: 'Zeitzone: Muss eine Zeitzone wie Europe/Berlin sein.',
  },
  'a rule without an end in the link form': {
    submit: async ({ app, owner, person }) => {
      const { id } = await app.make.link(owner)
      const rule = { rule: '0', 'rule-0-to': 'https://example.com/', 'rule-0-time-zone': 'UTC' }
      const time = { 'rule-0-time-from': '10:00', 'rule-0-time-until': '10:00' }
      const fields = { url: 'https://example.com/', alias: 'labeled', ...rule, ...time }
      return person.send(`/console/links/${id}/edit`, fields)
    },
    en: 'Must differ from the start.',
    de: 'Muss sich vom Beginn unterscheiden.',
  },
  'an invalid size of the download of a QR code': {
    submit: async ({ app, owner, person }) => {
      const { id } = await app.make.link(owner)
      return person.open(`/console/links/${id}?size=1`)
    },
    en: 'Size (px): Must be a whole number from',
    de: 'Größe (px): Muss eine ganze Zahl von',
  },
}

test.for(Object.entries(MISTAKES))(
  '%s is reported with the label of its field',
  async ([, { submit, en, de }], { app }) => {
    const owner = await app.make.owner()
    const person = await signIn(app, owner.account.email)
    const context = { app, owner, person }
    expect(visibleText((await submit(context)).body)).toContain(en)
    await person.send('/console/settings', { language: 'de', timeZone: 'UTC' })
    const german = await submit(context)
    expect(german.body).toContain('<html lang="de">')
    expect(visibleText(german.body)).toContain(de)
  },
)

test('a version that cannot be restored names the field by its label', async ({ app, make }) => {
  const owner = await make.owner()
  const person = await signIn(app, owner.account.email)
  const { id } = await make.link(owner, { url: 'https://old.example/', alias: 'restored' })
  const path = `/console/links/${id}`
  await person.send(`${path}/edit`, { url: 'https://new.example/', alias: 'restored' })
  const { services } = app
  const host = { host: 'old.example', subdomains: false, reason: '' }
  await blockHost(services, services.db, COMMAND_LINE, host)
  const { body } = await person.open(`${path}/history`)
  const [action = ''] = /\/history\/\d+\/restore/.exec(body) ?? []
  const english = await person.send(`${path}${action}`)
  expect(visibleText(english.body)).toContain('Destination URL: Leads to a host that is blocked')
  await person.send('/console/settings', { language: 'de', timeZone: 'UTC' })
  const german = await person.send(`${path}${action}`)
  expect([german.statusCode, visibleText(german.body)]).toEqual([
    422,
    expect.stringContaining('Ziel-URL: Führt zu einem Host, der hier gesperrt ist.'),
  ])
})

test('a page that does not exist is inside the console, with a way on', async ({
  app,
  request,
}) => {
  const owner = await app.make.owner()
  const person = await signIn(app, owner.account.email)
  const { id } = await app.make.link(await app.make.owner())
  for (const path of ['/console/nowhere', '/console/a/b', `/console/links/${id}`]) {
    const { statusCode, body } = await person.open(path)
    expect([path, statusCode]).toEqual([path, 404])
    expect(body).toContain('<h1>Page not found</h1>')
    expect(body).toContain('id="sidebar"')
    expect(body).toContain('<a class="button" href="/console/links">')
  }
  const signedOut = await request({ url: '/console/nowhere' })
  expect([signedOut.statusCode, signedOut.body.includes('sidebar')]).toEqual([404, false])
})
