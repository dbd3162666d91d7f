import { describe, expect } from 'vitest'
import { formatMoment } from '../../src/http/console/shell/format.ts'
import { listTimeZones } from '../../src/time-zone.ts'
import { signIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

const PAGE = '/console/settings'

const test = appTest()
  .extend('person', ({ app, owner }) => signIn(app, owner.account.email))
  .extend('getSettings', ({ app }) => (owner: Owner) => {
    return app.services.db
      .selectFrom('users')
      .select(['language', 'time_zone'])
      .where('email', '=', owner.account.email)
      .executeTakeFirstOrThrow()
  })

test('shows times in the time zone that the user selected', async ({
  app,
  owner,
  person,
  getSettings,
}) => {
  const input = { language: 'en', timeZone: ' asia/tokyo' }
  const reply = await person.send(PAGE, input)
  expect([reply.statusCode, reply.headers.location]).toEqual([303, PAGE])
  expect(await getSettings(owner)).toEqual({ language: 'en', time_zone: 'Asia/Tokyo' })
  const page = await person.open('/console/account')
  const now = app.clock()
  // Without the minutes, which may have changed since the sign-in.
  expect(page.body).toContain(formatMoment(now, 'Asia/Tokyo').slice(0, -3))
  expect(page.body).not.toContain(formatMoment(now, 'UTC').slice(0, -3))
  expect(page.body).toContain('Times are in <a href="/console/settings">Asia/Tokyo</a>')
})

test('offers every time zone and selects the stored one', async ({ person }) => {
  const { body } = await person.open(PAGE)
  for (const zone of listTimeZones()) expect(body).toContain(`<option value="${zone}">`)
  expect(listTimeZones()).toEqual(
    expect.arrayContaining(['UTC', ...Intl.supportedValuesOf('timeZone')]),
  )
  expect(body).toMatch(/name="timeZone"[^>]* list="time-zones"/)
})

describe('rejects', () => {
  test.for([
    ['a time zone that does not exist', { timeZone: 'Mars/Olympus' }, 'timeZone-error'],
    ['an offset', { timeZone: '+02:00' }, 'timeZone-error'],
    ['no time zone', { timeZone: '' }, 'timeZone-error'],
    ['a null byte', { timeZone: 'UTC\0' }, 'timeZone-error'],
    ['an unknown language', { language: 'constructor' }, 'language-error'],
  ] as const)('%s', async ([, rejected, error], { owner, person, getSettings }) => {
    const before = await getSettings(owner)
    const reply = await person.send(PAGE, { language: 'en', timeZone: 'UTC', ...rejected })
    expect([reply.statusCode, reply.body.includes(`id="${error}"`)]).toEqual([422, true])
    expect(await getSettings(owner)).toEqual(before)
  })
})

test.for([
  ['Europe/Paris', 'Europe/Paris'],
  ['', 'UTC'],
  ['<script>', 'UTC'],
] as const)(
  'registration with the time zone "%s" stores %s',
  async ([timeZone, expected], { app }) => {
    const username = `zone${expected.length}${timeZone.length}`
    const { csrf, cookie } = formOf(await app.request({ url: '/register' }))
    const fields = { email: `${username}@example.com`, username, password: 'a good password' }
    const reply = await postForm(app, '/register', { csrf, timeZone, ...fields }, { cookie })
    expect(reply.statusCode).toBe(303)
    const { time_zone } = await app.services.db
      .selectFrom('users')
      .select('time_zone')
      .where('email', '=', fields.email)
      .executeTakeFirstOrThrow()
    expect(time_zone).toBe(expected)
  },
)
