import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { formatMoment } from '../../src/http/console/shell/format.ts'
import { setLinkStatus } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { signedIn } from '../support/console.ts'
import { linkPageTest, readFigures, sum, visitTimes } from '../support/link-page.ts'
import { readCode } from '../support/read-code.ts'

const test = linkPageTest()

/** The first parts of IP addresses in different countries. */
const NETWORKS = [
  '194.25.0',
  '8.8.4',
  '81.2.69',
  '1.32.128',
  '200.160.0',
  '185.70.40',
  '212.58.244',
  '203.178.128',
  '5.45.192',
  '41.0.0',
  '103.10.24',
  '196.200.0',
]

test('shows a link without clicks', async ({ make, owner, person }) => {
  const link = await make.link(owner, {
    url: 'https://example.com/?a=1&b=<2>',
    alias: 'quiet',
    metaTitle: 'Sale <b>now</b>',
  })
  const { statusCode, body } = await person.open(`/console/links/${link.id}`)
  expect(statusCode).toBe(200)
  expect(body).toContain(
    'data-text="http://brev.test/quiet" rel="noreferrer" target="_blank"><bdi>brev.test/quiet</bdi>',
  )
  expect(body).toContain('Sale &lt;b&gt;now&lt;/b&gt;')
  expect(body).toContain(
    '<h1 dir="auto"><bdi class="clamped">Sale &lt;b&gt;now&lt;/b&gt;</bdi></h1>',
  )
  expect(body).toContain('data-copy="short">Copy link</button>')
  expect(body).not.toContain('class="chip')
  expect(body).toContain(`href="/console/links/${link.id}/edit"`)
  expect(body).toContain('No clicks yet.')
  expect(readFigures(body)).toEqual(['0', '0', '0', '0%'])
  expect(body).not.toContain('<rect class="bar')
  expect(body).not.toContain('id="places"')
})

test('returns 404 for foreign and unknown links', async ({ make, otherOwner, person }) => {
  const { id } = await make.link(otherOwner, { alias: 'foreign-alias' })
  const lists = ['countries', 'referrers', 'browsers', 'systems', 'devices', 'languages']
  const files = [...lists.flatMap((list) => [list, `${list}.csv`]), 'timeline.csv']
  for (const path of ['', ...[...files, 'qr.png', 'qr.svg'].map((name) => `/${name}`)]) {
    for (const linkId of [String(id), '999999', '0', 'x', '1e3', '9'.repeat(30)]) {
      const reply = await person.open(`/console/links/${linkId}${path}`)
      expect([path, linkId, reply.statusCode]).toEqual([path, linkId, 404])
      expect(reply.body).not.toContain('foreign-alias')
    }
  }
})

test('redirects signed-out visitors to sign-in', async ({ make, owner, request }) => {
  const { id } = await make.link(owner)
  for (const path of ['', '/countries', '/timeline.csv', '/qr.png']) {
    const reply = await request({ url: `/console/links/${id}${path}` })
    expect([path, reply.statusCode]).toEqual([path, 303])
    expect(reply.headers.location).toContain('/console/sign-in?next=')
  }
})

test('draws the QR code in the colors in the query string, as PNG and SVG', async ({
  make,
  owner,
  person,
}) => {
  const { id, shortUrl } = await make.link(owner)
  const path = `/console/links/${id}`
  const style = 'foreground=%230b6b5a&background=%23ffffee&size=250'
  const { body } = await person.open(`${path}?period=7d&${style}`)
  const escapedStyle = 'foreground=%230b6b5a&amp;background=%23ffffee&amp;size=250'
  for (const file of ['qr.svg', 'qr.png'])
    expect(body).toContain(`"${path}/${file}?${escapedStyle}"`)
  expect(body).toContain('<input type="hidden" name="period" value="7d">')
  const svg = await person.open(`${path}/qr.svg?${style}`)
  expect(svg.headers['content-type']).toContain('image/svg+xml')
  expect(svg.body).toContain('fill="rgb(11,107,90)"')
  const png = await person.open(`${path}/qr.png?${style}`)
  expect(png.headers['content-type']).toBe('image/png')
  // A PNG has its width at this offset.
  expect(png.rawPayload.readUInt32BE(16)).toBe(250)
  expect(await readCode(png.rawPayload)).toBe(`${shortUrl}?qr`)
})

test.for([
  ['foreground=red', 'Foreground: Must be a color in the form #rrggbb.'],
  ['foreground=%23ffffff', 'too little contrast'],
  ['size=2001', 'Size (px): Must be a whole number from 100 to 2000.'],
  ['size=%22%3E%3Cscript%3E', 'Size (px): Must be a whole number from 100 to 2000.'],
] as const)(
  'shows an error for a QR code with %s',
  async ([query, text], { make, owner, person }) => {
    const { id } = await make.link(owner)
    const page = await person.open(`/console/links/${id}?${query}`)
    expect(page.body).toContain(text)
    expect(page.body).toContain(`src="/console/links/${id}/qr.svg"`)
    expect(page.body).not.toContain('"><script>')
    for (const file of ['qr.png', 'qr.svg']) {
      expect((await person.open(`/console/links/${id}/${file}?${query}`)).statusCode).toBe(400)
    }
  },
)

test('shows whether a link is active, disabled or password protected', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id } = await make.link(owner, { password: 'secret word' })
  const readStatus = async () =>
    /<div class="head link-head">.*?<div class="actions">/s.exec(
      (await person.open(`/console/links/${id}`)).body,
    )?.[0]
  expect(await readStatus()).toContain('<p class="small soft" dir="auto">Password protected</p>')
  expect(await readStatus()).not.toContain('class="chip')
  await setLinkStatus(scopeOf(app.services, owner.account.id), id, 'disabled')
  expect(await readStatus()).toContain('<span class="chip disabled">Disabled</span>')
  expect((await person.open(`/console/links/${id}`)).body).toContain(
    `action="/console/links/${id}/enable"`,
  )
})

test('lists settings that differ from the defaults', async ({ make, owner, person }) => {
  const readFacts = async (id: number) => {
    const { body } = await person.open(`/console/links/${id}`)
    const [, panel = ''] = /id="details">(.*?)<\/section>/s.exec(body) ?? []
    const facts = panel.matchAll(/<dt>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>(?=\n|<dt>|$)/g)
    return Object.fromEntries(Array.from(facts, ([, label, text]) => [label, text]))
  }
  const otherLink = await make.link(owner)
  expect(Object.keys(await readFacts(otherLink.id))).toEqual(['Created'])
  const { id } = await make.link(owner, {
    parameters: [{ name: 'utm_source', value: '<news>' }],
    rules: [
      { when: { country: ['DE', 'AT'] }, to: 'https://example.com/de' },
      { when: { device: 'mobile', time: { days: ['sat'] } }, to: 'https://example.com/app' },
    ],
    expiresAt: '2999-12-31 12:00:00',
    maxClicks: 10,
    forwardQuery: true,
    type: 'frame',
  })
  expect(await readFacts(id)).toMatchObject({
    'Redirect type': 'Masked (iframe)',
    Targeting:
      'Germany, Austria → example.com/de</dd><dd dir="auto">All phones, Sat UTC → example.com/app',
    Expiration: formatMoment(new Date('2999-12-31T12:00:00Z'), 'UTC'),
    'Click limit': '10',
    Parameters: 'utm_source=&lt;news&gt;',
  })
})

test('shows when a link expired', async ({ app, make, owner }) => {
  const expiresAt = new Date(app.clock().getTime() + 60_000).toISOString().slice(0, 19)
  const { id } = await make.link(owner, { expiresAt: expiresAt.replace('T', ' ') })
  app.clock.advance(61)
  const { body } = await (await signedIn(app, owner)).open(`/console/links/${id}`)
  expect(body).toContain('<span class="chip expired">Expired</span>')
  expect(body).toContain(`Expired ${formatMoment(new Date(`${expiresAt}Z`), 'UTC')}`)
})

test('shows why an admin disabled a link, without actions that would be rejected', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id } = await make.link(owner)
  await app.services.database.pool.query(
    "update links set status = 'disabled', blocked_at = now(), block_reason = 'Bait <b>' where id = $1",
    [id],
  )
  const { body } = await person.open(`/console/links/${id}`)
  expect(body).toContain('Disabled by an admin: Bait &lt;b&gt;')
  expect(body).not.toContain(`action="/console/links/${id}/enable"`)
})

test('disables, enables and deletes the link with the buttons of the page', async ({
  make,
  owner,
  person,
  request,
}) => {
  const { id, alias } = await make.link(owner)
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

test('the overview links to the page of each link', async ({ app, make, owner, person }) => {
  const { id, alias } = await make.link(owner)
  await visitTimes(app, alias, 2)
  await app.importClicks()
  const { body } = await person.open('/console')
  expect(body.match(new RegExp(`href="/console/links/${id}"`, 'g'))).toHaveLength(2)
  expect(body.match(/>2 clicks</g)).toHaveLength(2)
})

test('shows the number of wrong guesses and the current wait', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id, alias } = await make.link(owner, { password: 'secret word' })
  const guess = (visitor: number, password: string) =>
    app.request({
      method: 'POST',
      url: `/${alias}`,
      remoteAddress: `192.0.2.${visitor}`,
      payload: new URLSearchParams({ password }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const readPanel = async () =>
    /<section class="panel" aria-labelledby="guesses">[\s\S]*?<\/section>/.exec(
      (await person.open(`/console/links/${id}`)).body,
    )?.[0]
  expect(await readPanel()).toContain('No recent failed attempts.')
  expect((await guess(200, 'secret word')).statusCode).toBeLessThan(400)
  for (let visitor = 1; visitor <= 34; visitor += 1) await guess(visitor, 'wrong')
  const content = await readPanel()
  expect(content).toMatch(/3[1-4] recent failed password attempts/)
  expect(content).toMatch(/New visitors can try again at \w{3} \d{1,2}, \d{4}, \d\d:\d\d:\d\d/)
  expect(content).toContain('1 visitor who already unlocked the link is not affected.')
  const unprotected = await make.link(owner)
  expect((await person.open(`/console/links/${unprotected.id}`)).body).not.toContain('id="guesses"')
})

test('shows live updates only for periods that include today', async ({ make, owner, person }) => {
  const { id } = await make.link(owner)
  const current = await person.open(`/console/links/${id}`)
  expect(current.body).toContain('data-live')
  expect(current.headers['content-security-policy']).toContain("connect-src 'self'")
  const past = await person.open(`/console/links/${id}?from=2020-01-01&to=2020-01-31`)
  expect([past.body.includes('data-live'), past.body.includes('live.js')]).toEqual([false, false])
})

test('the page with its styles, scripts and flags takes at most 60 KB gzipped', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id, alias } = await make.link(owner)
  for (let index = 0; index < 30; index += 1) {
    await app.request({
      url: `/${alias}`,
      remoteAddress: `${NETWORKS[index % NETWORKS.length]}.${index + 1}`,
      headers: { referer: `https://site${index}.example/` },
    })
  }
  await app.importClicks()
  const { body } = await person.open(
    `/console/links/${id}?from=2025-11-01&interval=day&compare=previous&tab=map`,
  )
  const assets = [...body.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)]
  const files = await Promise.all(assets.map(([, url]) => person.open(String(url))))
  const sizes = [body, ...files.map((file) => file.body)].map((text) => gzipSync(text).length)
  expect(files.map(({ statusCode }) => statusCode)).toEqual(assets.map(() => 200))
  expect(body.match(/class="flag"/g)?.length).toBeGreaterThan(5)
  expect(sum(sizes)).toBeLessThan(60_000)
})
