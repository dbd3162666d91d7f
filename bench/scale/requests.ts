import { setTimeout as sleep } from 'node:timers/promises'
import type { Brevis } from '../brevis.ts'
import { median } from '../figures.ts'
import { createSession, readAccountId } from '../make.ts'
import type { Add } from './measure.ts'

const RUNS = 5
const CREATED_CALLS = 50
const LINKS_PER_CALL = 100
/** The goal of any page, and of a search that reads everything or says that it did not. */
const PAGE_MS = { atMost: 300 }
const SEARCH_MS = { atMost: 5000 }

/** Measures lists, searches, pages of the console and bulk creation with `links` links. */
export async function measureRequests(brevis: Brevis, links: number, add: Add): Promise<void> {
  const { url, key, database } = brevis
  await tagLinks(brevis, links)
  const bearer = { authorization: `Bearer ${key}` }
  const cookie = await createSession(database.pool, await readAccountId(database.pool))

  const measure = async (name: string, path: string, goal?: { atMost: number }) => {
    const durations: number[] = []
    let result = ''
    for (let run = 0; run <= RUNS; run += 1) {
      const started = performance.now()
      const headers = path.startsWith('/console') ? { cookie } : bearer
      const reply = await fetch(url + path, { headers })
      const body = await reply.text()
      if (reply.status !== 200) throw new Error(`${path} returned ${reply.status}: ${body}`)
      // The first request plans the statements.
      if (run > 0) durations.push(performance.now() - started)
      result = /"resultCapped":true/.test(body) && !path.includes('after') ? ' (capped)' : ''
    }
    add(`${name}${result}`, median(durations), 'ms', goal)
  }

  const pages = { first: 1, middle: Math.ceil(links / 30), last: Math.ceil(links / 15) }
  for (const order of ['date', 'click']) {
    for (const [name, page] of Object.entries(pages)) {
      // Only the page in the middle depends on the number of links.
      const goal = name === 'middle' ? undefined : PAGE_MS
      await measure(`order=${order}, ${name} page`, `/api/urls?order=${order}&page=${page}`, goal)
    }
  }
  await measure('after=, 1,000 links', '/api/urls?after=0&limit=1000', PAGE_MS)
  await measure('search, common text', '/api/urls?q=articles', SEARCH_MS)
  await measure('search, one link', `/api/urls?q=bench-${links - 7}`, SEARCH_MS)
  await measure('search, no link', '/api/urls?q=no-such-text', SEARCH_MS)
  await measure('status=active', '/api/urls?status=active', SEARCH_MS)
  await measure('a tag of a tenth', '/api/urls?tag=tenth', SEARCH_MS)
  await measure('a tag of a tenth and a text', '/api/urls?tag=tenth&q=articles', SEARCH_MS)
  await measure('console, links', '/console/links')
  await measure('console, search without results', '/console/links?q=no-such-text')
  await measure('console, overview', '/console')
  add('creating links, 100 a call', await measureCreation(url, bearer), '/s')
}

/** Gives every tenth link a tag. */
async function tagLinks({ database: { pool } }: Brevis, links: number): Promise<void> {
  const account = await readAccountId(pool)
  await pool.query(
    `with tag as (
       insert into tags (account_id, name, key) values ($1, 'tenth', 'tenth') returning id)
     insert into link_tags (link_id, tag_id, position)
     select links.id, tag.id, 0 from links, tag where account_id = $1 and links.id % 10 = 0`,
    [account],
  )
  await pool.query('vacuum analyze link_tags')
  // Let the link store and the statistics settle.
  await sleep(Math.min(5000, links / 200))
}

async function measureCreation(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const started = performance.now()
  for (let call = 0; call < CREATED_CALLS; call += 1) {
    const urls = Array.from({ length: LINKS_PER_CALL }, (_, index) => ({
      url: `https://example.com/created/${call}/${index}`,
    }))
    const reply = await fetch(`${url}/api/urls/add`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ urls }),
    })
    if (reply.status !== 200) throw new Error(`the creation returned ${await reply.text()}`)
    await reply.arrayBuffer()
  }
  return (CREATED_CALLS * LINKS_PER_CALL) / ((performance.now() - started) / 1000)
}
