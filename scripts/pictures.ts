import { fileURLToPath } from 'node:url'
import { createSession } from '../src/identity/session.service.ts'
import { listLinks } from '../src/links/link-list.service.ts'
import { scopeOf } from '../src/scope.ts'
import { openBrowser, openWatchedPage } from '../test/support/browser.ts'
import { appTest } from '../test/support/test.ts'

// Creates the picture of the README with a real page and simulated visitors. Run `npm run pictures`.

const PICTURE = fileURLToPath(new URL('../docs/images/link.png', import.meta.url))
const DAY = 86_400_000
const DAYS = 45

const links = [
  {
    alias: 'spring',
    url: 'https://shop.example/collections/spring',
    tags: ['sale', 'shop'],
    share: 1,
  },
  { alias: 'newsletter', url: 'https://shop.example/newsletter/42', tags: ['mail'], share: 0.6 },
  {
    alias: 'talk',
    url: 'https://conference.example/talks/short-links',
    tags: ['talks'],
    share: 0.4,
  },
  {
    alias: 'jobs',
    url: 'https://company.example/careers?from=poster',
    tags: ['print'],
    share: 0.25,
  },
  { alias: 'menu', url: 'https://cafe.example/menu.pdf', tags: ['print', 'café'], share: 0.15 },
]
/** Networks in different countries, according to the bundled country data. */
const networks = ['194.25.0', '8.8.4', '81.2.69', '90.2.0', '133.1.0', '177.1.0', '5.79.64']
const agents = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
]
const referrers = [
  '',
  'https://www.instagram.com/',
  'https://news.ycombinator.com/',
  'https://t.co/x',
]
const languages = ['de-DE,de', 'en-US,en', 'fr', 'ja']

const test = appTest()

test('creates the picture of the README', async ({ app, make }) => {
  const owner = await make.owner({ username: 'anna', email: 'anna@shop.example' })
  for (const { alias, url, tags } of links) {
    await make.link(owner, { alias, url, tags, metaTitle: createTitle(alias) })
  }
  const linkIds = await Promise.all(links.map(({ alias }) => findLinkId(alias)))
  await simulateVisits(linkIds)
  await app.importClicks()
  await app.listen()
  const browser = await openBrowser({ 'brev.test': app.port() })
  const value = await createSession(scopeOf(app.services, owner.account.id))
  const cookie = { name: 'brevis_session', value, url: `${app.baseUrl}/console` }
  const [firstLinkId] = linkIds
  try {
    const viewport = { width: 1440, height: 1082 }
    const { page } = await openWatchedPage(browser, { viewport })
    await page.context().addCookies([cookie])
    await page.goto(`${app.baseUrl}/console/links/${firstLinkId}`)
    await page.screenshot({ path: PICTURE })
    await page.context().close()
  } finally {
    await browser.close()
  }

  async function findLinkId(alias: string): Promise<number> {
    const { entries } = await listLinks(scopeOf(app.services, owner.account.id), {
      order: 'date',
      limit: 100,
      offset: 0,
    })
    return entries.find((entry) => entry.alias === alias)?.id ?? 0
  }

  /** Simulates visits that grow every week and drop on weekends. Each run creates the same visits. */
  async function simulateVisits(ids: readonly number[]): Promise<void> {
    const now = Date.now()
    let visitor = 0
    for (let day = DAYS; day >= 0; day -= 1) {
      const at = now - day * DAY
      const weekday = new Date(at).getUTCDay()
      const visitsPerDay = (24 + (DAYS - day) * 1.4) * (weekday % 6 === 0 ? 0.55 : 1)
      for (const [index, { share }] of links.entries()) {
        for (let count = 0; count < visitsPerDay * share; count += 1) {
          visitor += 1
          const choose = <Value>(values: readonly Value[], step: number) =>
            values[Math.floor(((visitor * step) % 97) ** 2 / 97) % values.length] as Value
          await new Promise<void>((done) =>
            app.services.journal.append(
              {
                linkId: ids[index] ?? 0,
                at,
                address: `${choose(networks, 7)}.${visitor % 250}`,
                userAgent: choose(agents, 5),
                referrer: choose(referrers, 3),
                languages: choose(languages, 11),
              },
              done,
            ),
          )
        }
      }
    }
  }
})

function createTitle(alias: string): string {
  return `${alias.charAt(0).toUpperCase()}${alias.slice(1)}`
}
