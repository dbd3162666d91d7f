import { describe, expect } from 'vitest'
import { KIND } from '../../src/clicks/encoding/label-kinds.ts'
import { FORMAT } from '../../src/links/store/store-file.ts'
import { EDGE_TOKEN, edgeTest, HOST, untilClicks, untilReply } from '../support/edge-test.ts'
import { type Reply, send } from '../support/http.ts'
import { until } from '../support/processes.ts'
import { rawClicks } from '../support/raw-clicks.ts'
import { appTest } from '../support/test.ts'

const PATHS = ['feed/source', 'feed/entries', 'feed/changes', 'clicks', 'clicks/positions', 'relay']
const JOURNAL = '0123456789abcdef01234567'
const WRITER = '7.abc.01234567.89abcdef'
const BASE_URL = `http://${HOST}`

const test = edgeTest().extend(
  'post',
  { scope: 'file' },
  ({ main }) =>
    (path: string, json: object, token: string | undefined = EDGE_TOKEN): Promise<Reply> => {
      const headers = { authorization: `Bearer ${token}` }
      return send(`${main.origin}/internal/edge/${path}`, { method: 'POST', json, headers })
    },
)

describe('the internal routes for edges', () => {
  test.for(PATHS)('require the token: %s', async (path, { post }) => {
    for (const token of ['', 'wrong', `${EDGE_TOKEN}x`, EDGE_TOKEN.slice(0, -1)]) {
      const reply = await post(path, {}, token)
      expect(reply.status).toBe(401)
      expect(JSON.parse(reply.body)).toEqual({
        error: 1,
        message: 'A valid edge token is required.',
      })
    }
    expect((await post(path, {})).status).toBe(400)
  })

  test('reject an edge with another BASE_URL or an outdated format', async ({ post }) => {
    expect((await post('feed/source', { format: FORMAT, baseUrl: BASE_URL })).status).toBe(200)
    const otherBaseUrl = await post('feed/source', {
      format: FORMAT,
      baseUrl: 'https://other.test',
    })
    expect(otherBaseUrl.status).toBe(409)
    expect(JSON.parse(otherBaseUrl.body).message).toBe(`BASE_URL must be ${BASE_URL}`)
    const outdated = await post('feed/source', { format: 'other', baseUrl: BASE_URL })
    expect(outdated.status).toBe(409)
    expect(JSON.parse(outdated.body).message).toMatch(/^the edge needs Brevis \d/)
  })

  test('reject requests for changes since an unknown or invalid position', async ({ post }) => {
    const reply = await post('feed/source', { format: FORMAT, baseUrl: BASE_URL })
    const { source, position } = JSON.parse(reply.body) as { source: string; position: string }
    const readChanges = (changes: object) =>
      post('feed/changes', { format: FORMAT, source, since: position, mayWait: false, ...changes })
    expect((await readChanges({})).status).toBe(200)
    expect((await readChanges({ source: 'other' })).status).toBe(410)
    expect((await readChanges({ since: '999999999:999999999:' })).status).toBe(410)
    expect((await readChanges({ since: '99999999999999999999:1:' })).status).toBe(400)
    expect((await readChanges({ since: '1:1:99999999999999999999' })).status).toBe(400)
    expect((await readChanges({ since: "1:1:'; drop table links" })).status).toBe(400)
  })

  test('count clicks once, even if they are sent repeatedly', async ({ deployment, post }) => {
    const { id } = await deployment.make.link(deployment.owner)
    const now = Date.now()
    const createClick = (at: number) => [
      id,
      at,
      '-5',
      0,
      ['Germany', 'Direct, email and other', 'Firefox'],
    ]
    const createBatch = (from: number, to: number, ...times: number[]) => ({
      journal: JOURNAL,
      moves: [{ writer: WRITER, from, to }],
      kinds: ['country', 'referrer', 'browser'],
      clicks: times.map(createClick),
    })
    expect((await post('clicks', createBatch(0, 100, now, now))).status).toBe(200)
    expect((await post('clicks', createBatch(0, 100, now, now))).status).toBe(409)
    expect((await post('clicks', createBatch(100, 200, now))).status).toBe(200)
    expect((await post('clicks', createBatch(0, 100, now, now))).status).toBe(409)
    expect((await post('clicks', createBatch(150, 300, now))).status).toBe(409)
    // The clock of an edge may be fast.
    expect((await post('clicks', createBatch(200, 201, now + 86_400_000 * 500))).status).toBe(200)
    await untilClicks(deployment, id, 4)
    const positions = await post('clicks/positions', { journal: JOURNAL })
    expect(JSON.parse(positions.body)).toEqual({ [WRITER]: 201 })
    const { rows } = await deployment.database.pool.query<{ isPast: boolean }>(
      'select last_click_at <= now() as "isPast" from click_totals where link_id = $1',
      [id],
    )
    expect(rows).toEqual([{ isPast: true }])
  })

  test('mark the clicks of a busy visitor, once however often they are sent', async ({
    deployment,
    post,
  }) => {
    const { id } = await deployment.make.link(deployment.owner)
    const at = Date.now() - 3_600_000
    const send = (from: number) =>
      post('clicks', {
        journal: JOURNAL,
        moves: [{ writer: WRITER.replace('7', '8'), from, to: from + 25 }],
        kinds: ['country', 'automated'],
        // The first one lacks the headers of its browser.
        clicks: Array.from({ length: 25 }, (_, index) => [
          id,
          at,
          '-6',
          0,
          ['Germany', index === 0 ? 'likely' : null],
        ]),
      })
    expect((await send(100)).status).toBe(409)
    expect((await send(0)).status).toBe(200)
    await untilClicks(deployment, id, 25)
    const clicks = await rawClicks(deployment.database.pool, [id])
    expect(clicks.filter(({ labels }) => labels[KIND.automated] === 1)).toHaveLength(6)
  })

  test('reject a malformed batch of clicks', async ({ post }) => {
    const moves = [{ writer: WRITER, from: 1000, to: 1001 }]
    const batch = { journal: JOURNAL, moves, kinds: ['country'] }
    for (const click of [
      [1, Date.now(), '5', 0],
      [0, Date.now(), '5', 0, []],
      [1.5, Date.now(), '5', 0, []],
      [1, -1, '5', 0, []],
      [1, Date.now(), '5n', 0, []],
      [1, Date.now(), '99999999999999999999', 0, []],
      [1, Date.now(), '5', 2, []],
      [1, Date.now(), '5', 0, ['a\u0000b']],
      [1, Date.now(), '5', 0, ['x'.repeat(254)]],
      'click',
    ]) {
      expect((await post('clicks', { ...batch, clicks: [click] })).status).toBe(400)
    }
    const invalidJournal = { ...batch, journal: '../main', clicks: [] }
    expect((await post('clicks', invalidJournal)).status).toBe(400)
  })

  test('relay only requests for pages that visitors open', async ({ deployment, post }) => {
    const relay = async (url: string, host = HOST) => {
      const request = { method: 'GET', url, address: '127.0.0.1', headers: { host }, body: '' }
      return JSON.parse((await post('relay', request)).body) as { status: number }
    }
    expect((await relay(`/${deployment.aliases[0]}`)).status).toBe(302)
    for (const url of ['/metrics', '/api/urls', '/console', '/internal/tls-ask?host=x', '/docs']) {
      expect((await relay(url)).status).toBe(404)
      expect((await relay(url, 'localhost')).status).toBe(404)
    }
  })
})

test('an edge with a wrong token serves no links and logs the reason until the token is corrected', async ({
  deployment,
  makeEdge,
}) => {
  const wrongToken = 'wrong-token-of-the-edge-0123456789'
  const edge = await makeEdge({ EDGE_TOKEN: wrongToken })
  await edge.launch()
  const isLogged = () => edge.log.some(({ reason }) => String(reason).includes('401'))
  await until('the log names the reason', isLogged)
  expect(edge.log.find(({ reason }) => reason)?.reason).toBe(
    'the main installation responded with 401: A valid edge token is required.',
  )
  expect(JSON.stringify(edge.log)).not.toContain(wrongToken)
  await edge.kill()
  await edge.launch({ EDGE_TOKEN })
  await edge.ready()
  await untilReply(edge, deployment.aliases[0] ?? '', { status: 302 })
})

appTest()('without EDGE_TOKEN there are no routes for edges', async ({ request }) => {
  for (const path of PATHS) {
    const reply = await request({ method: 'POST', url: `/internal/edge/${path}` })
    expect(reply.statusCode).toBe(404)
  }
})
