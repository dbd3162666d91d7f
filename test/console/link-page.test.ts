import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { personWith } from '../support/console.ts'
import type { Owner } from '../support/make.ts'
import { readCode } from '../support/read-code.ts'
import { appTest } from '../support/test.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

/** An account of its own whose owner is signed in. */
const test = appTest()
  .extend('busy', ({ make }) => make.owner())
  .extend('person', ({ app, busy }) => signedIn(app, busy))

/** Signed in without the form, which one address may send ten times a minute. */
async function signedIn(t: TestApp, { account }: Owner) {
  return personWith(t, `brevis_session=${await t.services.sessions.begin(account.id)}`)
}

/** So many visits, each by somebody else. */
async function visit(t: TestApp, alias: string, count: number, headers: object = {}) {
  for (let each = 1; each <= count; each += 1) {
    await t.request({
      url: `/${alias}`,
      remoteAddress: `198.51.${Math.floor(each / 250)}.${each % 250}`,
      headers: { 'user-agent': FIREFOX, ...headers },
    })
  }
}

const heightsOf = (body: string) =>
  [...body.matchAll(/<rect class="bar[^>]* height="([\d.]+)"/g)].map(([, height]) => Number(height))

/** The numbers of the chart's table, by column. */
function columnsOf(body: string): number[][] {
  const [, table = ''] = /<details id="numbers">([\s\S]*?)<\/details>/.exec(body) ?? []
  const rows = [...table.matchAll(/<tr><th scope="row">.*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<td class="number">([^<]+)</g)].map(([, text]) => Number(text)),
  )
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? Number.NaN))
}

const sum = (values: readonly number[] = []) => values.reduce((all, value) => all + value, 0)
const figuresOf = (body: string) =>
  [...body.matchAll(/<dd class="figure(?: when)?">([^<]*)</g)].map(([, text]) => text)
const decode = (text: string) => text.replaceAll('&amp;', '&')

test('a link that nobody clicked says so, and has everything but figures', async ({
  make,
  busy,
  person,
}) => {
  const link = await make.link(busy, {
    url: 'https://example.com/?a=1&b=<2>',
    alias: 'quiet',
    meta: { title: 'Sale <b>now</b>' },
  })
  const { statusCode, body } = await person.open(`/console/links/${link.id}`)
  expect(statusCode).toBe(200)
  expect(body).toContain('id="short" rel="noreferrer" target="_blank">http://brev.test/quiet</a>')
  expect(body).toContain('Sale &lt;b&gt;now&lt;/b&gt;')
  expect(body).toContain('<strong class="status">Active</strong>')
  expect(body).toContain(`href="/console/links/${link.id}/edit"`)
  expect(body).toContain('Nobody has clicked this link yet.')
  expect(figuresOf(body)).toEqual(['0', '0', '0', 'none yet'])
  expect(body).not.toContain('<rect class="bar')
  expect(body).not.toContain('id="countries"')
})

test('one click is one bar as high as the plot, and numbers that add up', async ({
  app,
  make,
  busy,
  person,
}) => {
  const { id, alias } = await make.link(busy)
  await visit(app, alias, 1)
  await app.importClicks()
  const { body } = await person.open(`/console/links/${id}`)
  const heights = heightsOf(body)
  expect(heights).toHaveLength(30)
  expect(heights.filter((height) => height > 0)).toEqual([180])
  expect(body.match(/class="bar open"/g)).toHaveLength(1)
  const [clicks, visitors] = columnsOf(body)
  expect([sum(clicks), sum(visitors)]).toEqual([1, 1])
  expect(figuresOf(body)).toEqual(['1', '1', '1', expect.stringMatching(/^\d{4}-\d\d-\d\d /)])
  expect(body).toContain('None in the time before.')
})

test('each step leads closer: months to days, days to hours, hours no further', async ({
  app,
  make,
  busy,
  person,
}) => {
  const { id, alias } = await make.link(busy)
  await visit(app, alias, 4)
  await app.importClicks()
  const stepsOf = (body: string) =>
    [...body.matchAll(/<th scope="row"><a href="([^"]+)">/g)].map(([, href]) => decode(href ?? ''))
  const year = await person.open(`/console/links/${id}?period=12m`)
  expect(heightsOf(year.body)).toHaveLength(12)
  const months = stepsOf(year.body)
  expect(months).toHaveLength(12)
  const month = await person.open(months.at(-1) ?? '')
  expect(sum(columnsOf(month.body)[0])).toBe(4)
  const days = stepsOf(month.body)
  const day = await person.open(days.at(-1) ?? months.at(-1) ?? '')
  expect(heightsOf(day.body)).toHaveLength(24)
  expect(sum(columnsOf(day.body)[0])).toBe(4)
  expect(stepsOf(day.body)).toEqual([])
  expect(day.body.match(/class="hits"[\s\S]*?<\/svg>/)?.[0]).not.toContain('<a ')
})

test('more than 31 steps are a line', async ({ app, make, busy, person }) => {
  const { id, alias } = await make.link(busy)
  await visit(app, alias, 2)
  await app.importClicks()
  const { body } = await person.open(`/console/links/${id}?period=90d`)
  expect(heightsOf(body)).toEqual([])
  expect(body).toContain('<polyline class="stroke"')
  expect(sum(columnsOf(body)[0])).toBe(2)
  expect(columnsOf(body)[0]).toHaveLength(90)
})

test('the period before is held against, and drawn if wanted', async ({
  app,
  make,
  busy,
  person,
}) => {
  const { id, alias } = await make.link(busy)
  await visit(app, alias, 4)
  await app.importClicks()
  app.clock.advance(7 * 86_400)
  await visit(app, alias, 2)
  await app.importClicks()
  const again = await signedIn(app, busy)
  const plain = await again.open(`/console/links/${id}?period=7d`)
  expect(plain.body).toContain('50 % fewer than in the time before (4).')
  expect(plain.body).not.toContain('stroke before')
  expect(plain.body).toContain(
    `href="/console/links/${id}?period=7d&amp;compare=1" data-key="X" aria-keyshortcuts="X">Compare`,
  )
  const { body } = await again.open(`/console/links/${id}?period=7d&compare=1`)
  expect(body).toContain('<polyline class="stroke before"')
  expect(body).toContain('The pale dashed line is')
  expect(columnsOf(body).map(sum)).toEqual([2, expect.any(Number), 4])
  expect(Math.max(...heightsOf(body))).toBe(90)
  const all = await again.open(`/console/links/${id}?period=all&compare=1`)
  expect(all.body).not.toContain('in the time before')
  expect(person.cookie).not.toBe(again.cookie)
})

test('today is held against yesterday up to the same hour', async ({ app, make, busy }) => {
  const { id, alias } = await make.link(busy)
  const midnight = new Date(app.clock().getTime() + 86_400_000).setUTCHours(0, 0, 0, 0)
  for (const [hours, count] of [
    [5, 2],
    [20, 5],
    [24 + 6.5, 1],
  ] as const) {
    app.clock.set(new Date(midnight + hours * 3_600_000).toISOString())
    await visit(app, alias, count)
  }
  await app.importClicks()
  const person = await signedIn(app, busy)
  const { body } = await person.open(`/console/links/${id}?period=today&compare=1`)
  expect(body).toContain('50 % fewer than in the time before (2).')
  expect(sum(columnsOf(body)[2])).toBe(7)
})

test('a period without clicks leads to the shortest that has some', async ({ app, make, busy }) => {
  const { id, alias } = await make.link(busy)
  await visit(app, alias, 1)
  await app.importClicks()
  app.clock.advance(40 * 86_400)
  const person = await signedIn(app, busy)
  const { body } = await person.open(`/console/links/${id}`)
  const [, href = ''] =
    /Nobody clicked this link in this period. <a href="([^"]+)">Show 90 days</.exec(body) ?? []
  expect(decode(href)).toBe(`/console/links/${id}?period=90d`)
  expect(figuresOf((await person.open(decode(href))).body)[0]).toBe('1')
})

test('days are chosen by name, by form and one after the other, all in the address', async ({
  make,
  busy,
  person,
}) => {
  const { id } = await make.link(busy)
  const path = `/console/links/${id}`
  const { body } = await person.open(path)
  for (const key of ['T', 'W', 'M', 'Q', 'Y', 'A', 'X']) {
    expect(body).toMatch(new RegExp(`href="${path}[^"]*" data-key="${key}"`))
  }
  expect(body).toMatch(/data-key="M" aria-keyshortcuts="M" aria-current="true"/)
  expect(body.match(/aria-current="true"[^>]*>30 days/g)).toHaveLength(1)
  const [, earlier = ''] = /href="([^"]+)" data-key="ArrowLeft"/.exec(body) ?? []
  const before = await person.open(decode(earlier))
  expect(before.statusCode).toBe(200)
  const [, later] = /href="([^"]+)" data-key="ArrowRight"/.exec(before.body) ?? []
  expect(later).toBe(path)
  const custom = await person.open(`${path}?from=2026-01-01&to=2026-01-31&compare=1`)
  expect(custom.body).toContain('<strong>1–31 Jan 2026</strong>')
  expect(custom.body).toContain('name="compare" value="1"')
})

test.for([
  ['period=year', 'Period must be one of today, 7d, 30d, 90d, 12m, all.'],
  ['from=2026-02-30', 'From must be a date of the form YYYY-MM-DD.'],
  ['from=2026-03-01&to=2026-02-01', 'From must not be after to.'],
  ['interval=%3Cscript%3E', 'Interval must be one of hour, day, week, month.'],
] as const)(
  'a period of %s is refused in words, and the usual one shown',
  async ([query, text], { make, busy, person }) => {
    const { id } = await make.link(busy)
    const reply = await person.open(`/console/links/${id}?${query}`)
    expect(reply.statusCode).toBe(422)
    expect(reply.body).toContain(`role="alert">${text}</p>`)
    expect(reply.body).toMatch(/data-key="M" aria-keyshortcuts="M" aria-current="true"/)
    expect(reply.body).not.toContain('<script>')
    const file = await person.open(`/console/links/${id}/timeline.csv?${query}`)
    expect(file.statusCode).toBe(400)
  },
)

test('a link of another account, or none, is not found anywhere', async ({
  make,
  owner,
  person,
}) => {
  const { id } = await make.link(owner, { alias: 'foreign-alias' })
  const names = ['countries', 'referrers', 'browsers', 'systems', 'devices', 'languages']
  const files = [...names.flatMap((name) => [name, `${name}.csv`]), 'timeline.csv']
  for (const path of ['', ...[...files, 'qr.png', 'qr.svg'].map((name) => `/${name}`)]) {
    for (const each of [String(id), '999999', '0', 'x', '1e3', '9'.repeat(30)]) {
      const reply = await person.open(`/console/links/${each}${path}`)
      expect([path, each, reply.statusCode]).toEqual([path, each, 404])
      expect(reply.body).not.toContain('foreign-alias')
    }
  }
})

test('whoever is not signed in is led to the form', async ({ make, busy, request }) => {
  const { id } = await make.link(busy)
  for (const path of ['', '/countries', '/timeline.csv', '/qr.png']) {
    const reply = await request({ url: `/console/links/${id}${path}` })
    expect([path, reply.statusCode]).toEqual([path, 303])
    expect(reply.headers.location).toContain('/console/sign-in?next=')
  }
})

test('six lists say who clicked; countries have flags', async ({ app, make, busy, person }) => {
  const { id, alias } = await make.link(busy)
  await visit(app, alias, 3, {
    referer: 'https://news.example/today?secret=1',
    'accept-language': 'de',
  })
  await app.request({ url: `/${alias}`, remoteAddress: '8.8.8.8' })
  await app.importClicks()
  const { body } = await person.open(`/console/links/${id}`)
  for (const [name, label] of [
    ['countries', 'United States'],
    ['referrers', 'news.example'],
    ['browsers', 'Firefox'],
    ['systems', 'Linux'],
    ['devices', 'Desktop'],
    ['languages', 'German'],
  ] as const) {
    const [, list = ''] =
      new RegExp(`<table class="ranks" aria-labelledby="${name}">(.*?)</table>`, 's').exec(body) ??
      []
    expect([name, list.includes(`<bdi>${label}</bdi>`)]).toEqual([name, true])
    const counts = [...list.matchAll(/<td class="number">(\d+)</g)].map(([, count]) =>
      Number(count),
    )
    expect([name, sum(counts)]).toEqual([name, 4])
  }
  expect(body).toContain('<span aria-hidden="true">🇺🇸</span> <bdi>United States</bdi>')
  expect(body).toContain('>75 %</td>')
  expect(body).not.toContain('secret')
})

test('all of a list is a page and a file; the timeline is a file too', async ({
  app,
  make,
  busy,
  person,
}) => {
  const { id, alias } = await make.link(busy)
  for (let count = 0; count < 15; count += 1) {
    await app.request({ url: `/${alias}`, headers: { referer: `https://site${count}.example/` } })
  }
  await app.importClicks()
  const path = `/console/links/${id}`
  const short = await person.open(`${path}?period=7d`)
  expect(short.body.match(/<bdi>site\d+\.example<\/bdi>/g)).toHaveLength(10)
  expect(short.body).toContain(`href="${path}/referrers?period=7d">See all`)
  const { body } = await person.open(`${path}/referrers?period=7d`)
  expect(body.match(/<bdi>site\d+\.example<\/bdi>/g)).toHaveLength(15)
  expect(body).toContain(`href="${path}/referrers.csv?period=7d" download`)
  expect(body).toContain(`href="${path}?period=7d">Back to the link`)
  const file = await person.open(`${path}/referrers.csv?period=7d`)
  expect(file.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(file.headers['content-disposition']).toBe(
    `attachment; filename="link-${id}-referrers.csv"`,
  )
  const [head, ...rows] = file.body.trim().split('\n')
  expect([head, rows.length]).toEqual(['label,clicks', 15])
  const countries = await person.open(`${path}/countries.csv`)
  expect(countries.body.split('\n')[0]).toBe('label,code,clicks')
  const timeline = await person.open(`${path}/timeline.csv?period=7d`)
  const steps = timeline.body.trim().split('\n')
  expect([steps[0], steps.length]).toEqual(['start,clicks,newVisitors', 8])
  expect(sum(steps.slice(1).map((line) => Number(line.split(',')[1])))).toBe(15)
})

test('labels that strangers sent are text and nothing else, also in files', async ({
  app,
  make,
  busy,
  person,
}) => {
  const { id, alias } = await make.link(busy)
  const long = `${'l'.repeat(60)}.${'o'.repeat(60)}.${'n'.repeat(60)}.example`
  for (const referer of [
    'android-app://-1+cmd.example/',
    'android-app://<script>alert(1)</script>/',
    'https://xn--mgbh0fb.xn--kgbechtv/',
    `https://${long}/`,
  ]) {
    await app.request({ url: `/${alias}`, headers: { referer } })
  }
  await app.importClicks()
  const { body } = await person.open(`/console/links/${id}`)
  expect(body).toContain(`<bdi>${long}</bdi>`)
  expect(body).not.toContain('<script>alert')
  const file = await person.open(`/console/links/${id}/referrers.csv`)
  for (const line of file.body.split('\n')) expect(line).not.toMatch(/^[=+\-@]/)
})

test('the QR code is drawn in the colours of the address, as PNG and SVG', async ({
  make,
  busy,
  person,
}) => {
  const { id, shortUrl } = await make.link(busy)
  const path = `/console/links/${id}`
  const look = 'foreground=%230b6b5a&background=%23ffffee&size=250'
  const { body } = await person.open(`${path}?period=7d&${look}`)
  const kept = 'foreground=%230b6b5a&amp;background=%23ffffee&amp;size=250'
  for (const file of ['qr.svg', 'qr.png']) expect(body).toContain(`"${path}/${file}?${kept}"`)
  expect(body).toContain('<input type="hidden" name="period" value="7d">')
  const svg = await person.open(`${path}/qr.svg?${look}`)
  expect(svg.headers['content-type']).toContain('image/svg+xml')
  expect(svg.body).toContain('fill="rgb(11,107,90)"')
  const png = await person.open(`${path}/qr.png?${look}`)
  expect(png.headers['content-type']).toBe('image/png')
  expect(png.rawPayload.readUInt32BE(16)).toBe(250)
  const read = await readCode(png.rawPayload)
  expect(read).toBe(shortUrl)
})

test.for([
  ['foreground=red', 'Foreground must be a color in the form #rrggbb.'],
  ['foreground=%23ffffff', 'too little contrast'],
  ['size=2001', 'Size must be a whole number from 100 to 2000.'],
  ['size=%22%3E%3Cscript%3E', 'Size must be a whole number from 100 to 2000.'],
] as const)(
  'a code with %s is not drawn, and the page says why',
  async ([query, text], { make, busy, person }) => {
    const { id } = await make.link(busy)
    const page = await person.open(`/console/links/${id}?${query}`)
    expect(page.body).toContain(text)
    expect(page.body).toContain(`src="/console/links/${id}/qr.svg"`)
    expect(page.body).not.toContain('"><script>')
    for (const file of ['qr.png', 'qr.svg']) {
      expect((await person.open(`/console/links/${id}/${file}?${query}`)).statusCode).toBe(400)
    }
  },
)

test('a status is a word with its reason', async ({ app, make, busy, person }) => {
  const { id } = await make.link(busy, { password: 'secret word' })
  const state = async () =>
    /<div class="state">.*<\/p>/.exec((await person.open(`/console/links/${id}`)).body)?.[0]
  expect(await state()).toContain(
    'Active</strong> <span class="soft" dir="auto">Visitors are asked',
  )
  await app.services.links.setStatus(busy.account.id, id, 'disabled')
  expect(await state()).toContain('Disabled</strong>')
  expect((await person.open(`/console/links/${id}`)).body).toContain(
    `action="/console/links/${id}/enable"`,
  )
})

test('a link that has ended says when', async ({ app, make, busy }) => {
  const expiresAt = new Date(app.clock().getTime() + 60_000).toISOString().slice(0, 19)
  const { id } = await make.link(busy, { expiresAt: expiresAt.replace('T', ' ') })
  app.clock.advance(61)
  const { body } = await (await signedIn(app, busy)).open(`/console/links/${id}`)
  expect(body).toContain('Expired</strong>')
  expect(body).toContain(`It ended on ${expiresAt.replace('T', ' ')} UTC.`)
})

test('what the operator has disabled says why, and offers nothing that would be refused', async ({
  app,
  make,
  busy,
  person,
}) => {
  const { id } = await make.link(busy)
  await app.services.database.pool.query(
    "update links set status = 'disabled', blocked_at = now(), block_reason = 'Bait <b>' where id = $1",
    [id],
  )
  const { body } = await person.open(`/console/links/${id}`)
  expect(body).toContain('The operator of this service has disabled it. Reason: Bait &lt;b&gt;')
  expect(body).not.toContain(`action="/console/links/${id}/enable"`)
})

test('the buttons of the page do what they say', async ({ make, busy, person, request }) => {
  const { id, alias } = await make.link(busy)
  const path = `/console/links/${id}`
  for (const [button, status] of [
    ['disable', 410],
    ['enable', 302],
  ] as const) {
    expect((await person.open(path)).body).toContain(`action="${path}/${button}"`)
    const reply = await person.send(`${path}/${button}`)
    expect([reply.statusCode, reply.headers.location]).toEqual([303, path])
    expect((await request({ url: `/${alias}` })).statusCode).toBe(status)
  }
  expect((await person.open(path)).body).toContain(`action="${path}/delete"`)
  expect((await person.send(`${path}/delete`)).statusCode).toBe(303)
  expect((await person.open(path)).statusCode).toBe(404)
})

test('the overview leads to the pages of its links', async ({ app, make, busy, person }) => {
  const { id, alias } = await make.link(busy)
  await visit(app, alias, 2)
  await app.importClicks()
  const { body } = await person.open('/console')
  expect(body.match(new RegExp(`href="/console/links/${id}">2 clicks</a>`, 'g'))).toHaveLength(2)
})

test('an owner sees how many guessed wrong, and until when others wait', async ({
  app,
  make,
  busy,
  person,
}) => {
  const { id, alias } = await make.link(busy, { password: 'secret word' })
  const guess = (count: number, password: string) =>
    app.request({
      method: 'POST',
      url: `/${alias}`,
      remoteAddress: `192.0.2.${count}`,
      payload: new URLSearchParams({ password }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const panel = async () =>
    /<section class="panel" aria-labelledby="guesses">[\s\S]*?<\/section>/.exec(
      (await person.open(`/console/links/${id}`)).body,
    )?.[0]
  expect(await panel()).toContain('Nobody has guessed wrong lately.')
  expect((await guess(200, 'secret word')).statusCode).toBeLessThan(400)
  for (let count = 1; count <= 34; count += 1) await guess(count, 'wrong')
  const shown = await panel()
  expect(shown).toMatch(/3[1-4] wrong guesses lately/)
  expect(shown).toMatch(/whoever is new must wait until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
  expect(shown).toContain('The 1 visitor who was right lately does not have to.')
  const open = await make.link(busy)
  expect((await person.open(`/console/links/${open.id}`)).body).not.toContain('id="guesses"')
})

test('only what still changes is asked for again', async ({ make, busy, person }) => {
  const { id } = await make.link(busy)
  const now = await person.open(`/console/links/${id}`)
  expect(now.body).toContain('data-live')
  expect(now.headers['content-security-policy']).toContain("connect-src 'self'")
  const past = await person.open(`/console/links/${id}?from=2020-01-01&to=2020-01-31`)
  expect([past.body.includes('data-live'), past.body.includes('live.js')]).toEqual([false, false])
})

test('page, style and scripts are at most 60 KB, packed', async ({ app, make, busy, person }) => {
  const { id, alias } = await make.link(busy)
  for (let count = 0; count < 30; count += 1) {
    await app.request({ url: `/${alias}`, headers: { referer: `https://site${count}.example/` } })
  }
  await app.importClicks()
  const { body } = await person.open(`/console/links/${id}?from=2025-11-01&interval=day&compare=1`)
  const assets = [...body.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)]
  const files = await Promise.all(assets.map(([, url]) => person.open(String(url))))
  const sizes = [body, ...files.map((file) => file.body)].map((text) => gzipSync(text).length)
  expect(files.map(({ statusCode }) => statusCode)).toEqual(assets.map(() => 200))
  expect(sum(sizes)).toBeLessThan(60_000)
})
