import { expect } from 'vitest'
import { signedIn } from '../support/console.ts'
import { unescapeHtml } from '../support/forms.ts'
import { linkPageTest, readFigures, readList, sum, visitTimes } from '../support/link-page.ts'

const test = linkPageTest()

/** Returns the heights of the bars in the chart. */
const readBarHeights = (body: string) =>
  [...body.matchAll(/<rect class="bar[^>]* height="([\d.]+)"/g)].map(([, height]) => Number(height))

/** Returns the numbers in the chart's table as a list per column. */
function readColumns(body: string): number[][] {
  const [, table = ''] = /<details id="numbers">([\s\S]*?)<\/details>/.exec(body) ?? []
  const rows = [...table.matchAll(/<tr>\s*<th scope="row">[\s\S]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<td class="number">([^<]+)</g)].map(([, text]) => Number(text)),
  )
  const columnCount = rows[0]?.length ?? 0
  return Array.from({ length: columnCount }, (_, column) =>
    rows.map((row) => row[column] ?? Number.NaN),
  )
}

test('shows a single click as a full-height bar and in all figures', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id, alias } = await make.link(owner)
  await visitTimes(app, alias, 1)
  await app.importClicks()
  const { body } = await person.open(`/console/links/${id}`)
  expect(body.match(/class="stroke open"/g)).toHaveLength(1)
  const week = readBarHeights((await person.open(`/console/links/${id}?period=7d`)).body)
  expect(week).toEqual([0, 0, 0, 0, 0, 0, 180])
  const [clicks, visitors] = readColumns(body)
  expect([sum(clicks), sum(visitors)]).toEqual([1, 1])
  expect(readFigures(body)).toEqual(['1', '1', '0', '100%'])
  expect(body).toMatch(/All time: 1 click · Last click: \w{3} \d+, \d{4}, \d\d:\d\d/)
  expect(body).toContain('No clicks in the previous period')
})

test('rows of the chart’s table link from months to days and from days to hours', async ({
  app,
  make,
  owner,
  person,
}) => {
  const afterDay2 = new Date(app.clock())
  // A month of one or two days is charted by hours.
  afterDay2.setUTCDate(Math.max(3, afterDay2.getUTCDate()))
  app.clock.set(afterDay2.toISOString())
  const { id, alias } = await make.link(owner)
  await visitTimes(app, alias, 4)
  await app.importClicks()
  const readStepUrls = (body: string) =>
    [...body.matchAll(/<th scope="row"><a href="([^"]+)">/g)].map(([, href]) =>
      unescapeHtml(href ?? ''),
    )
  const year = await person.open(`/console/links/${id}?period=12m`)
  expect(readBarHeights(year.body)).toHaveLength(12)
  const months = readStepUrls(year.body)
  expect(months).toHaveLength(12)
  const month = await person.open(months.at(-1) ?? '')
  expect(sum(readColumns(month.body)[0])).toBe(4)
  const days = readStepUrls(month.body)
  const day = await person.open(days.at(-1) ?? '')
  expect(readColumns(day.body)[0]).toHaveLength(24)
  expect(sum(readColumns(day.body)[0])).toBe(4)
  expect(readStepUrls(day.body)).toEqual([])
  expect(day.body.match(/class="hits"[\s\S]*?<\/svg>/)?.[0]).not.toContain('<a ')
})

test('charts 14 steps and more as a line', async ({ app, make, owner, person }) => {
  const { id, alias } = await make.link(owner)
  await visitTimes(app, alias, 2)
  await app.importClicks()
  const { body } = await person.open(`/console/links/${id}?period=90d`)
  expect(readBarHeights(body)).toEqual([])
  expect(body).toContain('<polyline class="stroke"')
  expect(sum(readColumns(body)[0])).toBe(2)
  expect(readColumns(body)[0]).toHaveLength(90)
})

test('compares with the previous period and charts it on request', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id, alias } = await make.link(owner)
  await visitTimes(app, alias, 4)
  await app.importClicks()
  app.clock.advance(7 * 86_400)
  await visitTimes(app, alias, 2)
  await app.importClicks()
  const laterPerson = await signedIn(app, owner)
  const unfiltered = await laterPerson.open(`/console/links/${id}?period=7d`)
  expect(unfiltered.body).toContain('−2 vs. previous period (4)')
  expect(unfiltered.body).not.toContain('stroke before')
  expect(unfiltered.body).toContain(
    `href="/console/links/${id}?period=7d&amp;compare=previous" data-key="X" aria-keyshortcuts="X"><bdi>Previous period`,
  )
  const { body } = await laterPerson.open(`/console/links/${id}?period=7d&compare=previous`)
  expect(body).toContain('<polyline class="stroke before"')
  expect(body).toContain('Gray line: ')
  expect(readColumns(body).map(sum)).toEqual([2, expect.any(Number), 4])
  expect(Math.max(...readBarHeights(body))).toBe(90)
  const allTime = await laterPerson.open(`/console/links/${id}?period=all&compare=previous`)
  expect(allTime.body).not.toContain('previous period (')
  expect(person.cookie).not.toBe(laterPerson.cookie)
})

test('compares today with yesterday until the same time', async ({ app, make, owner }) => {
  const { id, alias } = await make.link(owner)
  const midnight = new Date(app.clock().getTime() + 86_400_000).setUTCHours(0, 0, 0, 0)
  for (const [hours, count] of [
    [5, 2],
    [20, 5],
    // Half past six on the next day.
    [24 + 6.5, 1],
  ] as const) {
    app.clock.set(new Date(midnight + hours * 3_600_000).toISOString())
    await visitTimes(app, alias, count)
  }
  await app.importClicks()
  const person = await signedIn(app, owner)
  const { body } = await person.open(`/console/links/${id}?period=today&compare=previous`)
  expect(body).toContain('−1 vs. previous period (2)')
  expect(sum(readColumns(body)[2])).toBe(7)
})

test('a period without clicks links to the shortest period with clicks', async ({
  app,
  make,
  owner,
}) => {
  const { id, alias } = await make.link(owner)
  await visitTimes(app, alias, 1)
  await app.importClicks()
  app.clock.advance(40 * 86_400)
  const person = await signedIn(app, owner)
  const { body } = await person.open(`/console/links/${id}`)
  const [, href = ''] =
    /No clicks in this period. <a href="([^"]+)">View last 90 days</.exec(body) ?? []
  expect(unescapeHtml(href)).toBe(`/console/links/${id}?period=90d`)
  expect(readFigures((await person.open(unescapeHtml(href))).body)[0]).toBe('1')
})

test('the URL selects a period by name or by dates, and the page links to other periods', async ({
  make,
  owner,
  person,
}) => {
  const { id } = await make.link(owner)
  const path = `/console/links/${id}`
  const { body } = await person.open(path)
  for (const key of ['T', 'W', 'M', 'Q', 'Y', 'A', 'X']) {
    expect(body).toMatch(new RegExp(`href="${path}[^"]*" data-key="${key}"`))
  }
  expect(body).toMatch(/data-key="M" aria-keyshortcuts="M" aria-current="true"/)
  expect(body.match(/aria-current="true"[^>]*><bdi>Last 30 days/g)).toHaveLength(1)
  const [, earlierUrl = ''] = /href="([^"]+)" data-key="ArrowLeft"/.exec(body) ?? []
  const earlierPage = await person.open(unescapeHtml(earlierUrl))
  expect(earlierPage.statusCode).toBe(200)
  const [, laterUrl] = /href="([^"]+)" data-key="ArrowRight"/.exec(earlierPage.body) ?? []
  expect(laterUrl).toBe(path)
  const customPeriod = await person.open(`${path}?from=2026-01-01&to=2026-01-31&compare=previous`)
  expect(customPeriod.body).toContain('<bdi>Jan 1 – 31, 2026</bdi></summary>')
  expect(customPeriod.body).toContain('name="compare" value="previous"')
})

test.for([
  [
    'period=decade',
    'Period: Must be one of today, yesterday, 7d, 30d, 90d, month, last-month, year, 12m, all.',
  ],
  ['from=2026-02-30', 'Start: Must be a date of the form YYYY-MM-DD.'],
  ['from=2026-03-01&to=2026-02-01', 'Start: Must not be after the end.'],
  ['interval=%3Cscript%3E', 'Interval: Must be one of hour, day, week, month.'],
] as const)(
  'shows an error for the period %s, and the default period',
  async ([query, text], { make, owner, person }) => {
    const { id } = await make.link(owner)
    const reply = await person.open(`/console/links/${id}?${query}`)
    expect(reply.statusCode).toBe(422)
    expect(reply.body).toContain(`role="alert">${text}</p>`)
    expect(reply.body).toMatch(/data-key="M" aria-keyshortcuts="M" aria-current="true"/)
    expect(reply.body).not.toContain('<script>')
    const file = await person.open(`/console/links/${id}/timeline.csv?${query}`)
    expect(file.statusCode).toBe(400)
  },
)

test('shows six lists of labels, with country codes', async ({ app, make, owner, person }) => {
  const { id, alias } = await make.link(owner)
  await visitTimes(app, alias, 3, {
    referer: 'https://news.example/today?secret=1',
    'accept-language': 'de',
  })
  await app.request({ url: `/${alias}`, remoteAddress: '8.8.8.8' })
  await app.importClicks()
  const { body } = await person.open(`/console/links/${id}`)
  for (const [name, label] of [
    ['places-countries', 'United States'],
    ['sources-referrers', 'news.example'],
    ['tech-browsers', 'Firefox'],
    ['tech-os', 'Linux'],
    ['tech-devices', 'Desktop'],
    ['sources-languages', 'German'],
  ] as const) {
    const list = readList(body, name)
    expect([name, list.includes(`>${label}</a></bdi>`)]).toEqual([name, true])
    const counts = [...list.matchAll(/<td class="number">(\d+)</g)].map(([, count]) =>
      Number(count),
    )
    expect([name, sum(counts)]).toEqual([name, 4])
  }
  expect(body).toMatch(/flag-US\.svg" width="21" height="14" alt="" loading="lazy"> <bdi><a /)
  expect(body).toContain('>75%</td>')
  expect(body).not.toContain('secret')
})

test('offers complete lists as pages and files, and the timeline as a file', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id, alias } = await make.link(owner)
  for (let site = 0; site < 15; site += 1) {
    await app.request({ url: `/${alias}`, headers: { referer: `https://site${site}.example/` } })
  }
  await app.importClicks()
  const path = `/console/links/${id}`
  const firstLabels = await person.open(`${path}?period=7d`)
  expect(firstLabels.body.match(/>site\d+\.example<\/a><\/bdi>/g)).toHaveLength(10)
  expect(firstLabels.body).toContain(
    `href="${path}/referrers?period=7d" aria-label="See all: Referrers"`,
  )
  const { body } = await person.open(`${path}/referrers?period=7d`)
  expect(body.match(/>site\d+\.example<\/a><\/bdi>/g)).toHaveLength(15)
  expect(body).toContain(`href="${path}/referrers.csv?period=7d" download`)
  expect(body).toContain(`href="${path}?period=7d">← <bdi>brev.test/${alias}`)
  const file = await person.open(`${path}/referrers.csv?period=7d`)
  expect(file.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(file.headers['content-disposition']).toBe(
    `attachment; filename="link-${id}-referrers.csv"`,
  )
  const [head, ...rows] = file.body.trim().split('\n')
  expect([head, rows.length]).toEqual(['label,clicks', 15])
  const countries = await person.open(`${path}/countries.csv`)
  expect(countries.body.split('\n')[0]).toBe('\ufefflabel,code,clicks')
  const timeline = await person.open(`${path}/timeline.csv?period=7d`)
  const steps = timeline.body.trim().split('\n')
  expect([steps[0], steps.length]).toEqual(['start,clicks,newVisitors', 8])
  expect(sum(steps.slice(1).map((line) => Number(line.split(',')[1])))).toBe(15)
})

test('shows malicious labels as text and escapes them in files', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id, alias } = await make.link(owner)
  const longHost = `${'l'.repeat(60)}.${'o'.repeat(60)}.${'n'.repeat(60)}.example`
  for (const referer of [
    'android-app://-1+cmd.example/',
    'android-app://<script>alert(1)</script>/',
    'https://xn--mgbh0fb.xn--kgbechtv/',
    `https://${longHost}/`,
  ]) {
    await app.request({ url: `/${alias}`, headers: { referer } })
  }
  await app.importClicks()
  const { body } = await person.open(`/console/links/${id}`)
  expect(body).toContain(`>${longHost}</a></bdi>`)
  expect(body).not.toContain('<script>alert')
  const file = await person.open(`/console/links/${id}/referrers.csv`)
  for (const line of file.body.split('\n')) expect(line).not.toMatch(/^[=+\-@]/)
})
