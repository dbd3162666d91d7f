import { describe, expect } from 'vitest'
import { setRobotNames } from '../../src/identity/robot-names.service.ts'
import { bios } from '../../src/resources/bios.ts'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { scopeOf } from '../../src/scope.ts'
import { setSuspended } from '../support/accounts.ts'
import { runCommand } from '../support/command.ts'
import { EDGE_TOKEN, edgeTest, HOST, untilClicks, untilReply, visit } from '../support/edge-test.ts'
import { countClicks, expectClicks, expectVisits, makeEveryVisit } from '../support/every-visit.ts'
import type { Reply } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import { untilStoreComplete } from '../support/link-store.ts'
import { until } from '../support/processes.ts'

const test = edgeTest()
const CSRF_FIELD = /name="csrf" value="([^"]+)"/

describe('an edge', () => {
  test('serves every kind of link and counts every click', async ({ deployment, main, edge }) => {
    const visits = await makeEveryVisit(deployment)
    await untilStoreComplete(edge)
    const last = await deployment.make.link(deployment.owner)
    await untilReply(edge, last.alias, { status: 302 })
    await untilClicks(deployment, last.id, 1)
    const before = await countClicks(deployment)
    await expectVisits(edge, visits, HOST)
    await expectClicks(deployment, before + visits.filter(({ isClick }) => isClick).length)
    expect([...main.stderrTexts, ...edge.stderrTexts]).toEqual([])
    // The edge waits if its web process starts before the first link store has arrived.
    const waitingMessage = 'there is no link store yet, waiting for the main installation'
    expect([[], [waitingMessage]]).toContainEqual(edge.log.map(({ msg }) => msg))
  })

  test('follows changes made in the main installation', async ({ deployment, main, edge }) => {
    const { services } = deployment
    const owner = await deployment.make.owner()
    const { headers } = owner
    const { id, alias } = await deployment.make.link(owner)
    await untilReply(edge, alias, { status: 302, location: 'https://example.com/target' })
    const changedUrl = 'https://example.com/changed'
    const update = { method: 'PUT', headers, json: { url: changedUrl } }
    expect((await visit(main, `api/url/${id}/update`, update)).status).toBe(200)
    await untilReply(edge, alias, { status: 302, location: changedUrl })
    await setSuspended(deployment.services, owner.account.id, true)
    await untilReply(edge, alias, { status: 410 })
    await setSuspended(deployment.services, owner.account.id, false)
    await untilReply(edge, alias, { status: 302, location: changedUrl })
    const bio = await deployment.make.bio(owner, { title: 'Before' })
    const path = `b/${bio.alias}`
    const withTitle = (text: string) => ({ status: 200, text })
    await untilReply(edge, path, withTitle('Before'))
    await bios.update({ ...services, accountId: owner.account.id }, bio.id, { title: 'After' })
    await untilReply(edge, path, withTitle('After'))
    await bios.remove({ ...services, accountId: owner.account.id }, bio.id)
    await untilReply(edge, path, { status: 404 })
    await visit(main, `api/url/${id}/delete`, { method: 'DELETE', headers })
    await untilReply(edge, alias, { status: 404 })
  })

  test("lists visits of an account's own robots apart from its clicks", async ({
    deployment,
    edge,
  }) => {
    const { database, make, services } = deployment
    const owner = await make.owner()
    const { id, alias } = await make.link(owner)
    await setRobotNames(scopeOf(services, owner.account.id), ['acme-sync'])
    await until('the name applies', async () => {
      const headers = { 'user-agent': 'Mozilla/5.0 (compatible; acme-sync/1.0)' }
      await visit(edge, alias, { headers })
      const { rows } = await database.pool.query(
        `select from uncounted_days where link_id = $1 and visits->'crawler' ? 'acme-sync'`,
        [id],
      )
      return rows.length > 0
    })
  })

  test('finds links by similar aliases, and with slashes', async ({ deployment, edge }) => {
    const { make, owner } = deployment
    await make.link(owner, { alias: 'Edge/Größe.html' })
    const location = 'https://example.com/target'
    await untilReply(edge, 'Edge/Gr%C3%B6%C3%9Fe.html', { status: 302, location })
    for (const path of ['edge/gr%C3%B6%C3%9Fe.HTML', 'Edge/Gr%C3%B6%C3%9Fe.html).']) {
      expect((await visit(edge, path)).headers.location).toBe(location)
    }
  })

  test('does not lead to another link if a deleted link has the alias', async ({
    deployment,
    main,
    edge,
  }) => {
    const { make, owner, database } = deployment
    const { id } = await make.link(owner, { alias: 'Flyer-Ü' })
    const removal = { method: 'DELETE', headers: owner.headers }
    expect((await visit(main, `api/url/${id}/delete`, removal)).status).toBe(200)
    await database.pool.query(
      `insert into held_aliases (alias, host, link_id) values ('Leaflet', '', $1)`,
      [id],
    )
    const other = await make.owner()
    const location = 'https://example.com/other'
    const flyer = await make.link(other, { alias: 'flyer-ü', url: location })
    await make.link(other, { alias: 'leaflet', url: location })
    await untilReply(edge, 'leaflet', { status: 302, location })
    for (const instance of [edge, main]) {
      for (const path of ['Flyer-%C3%9C', 'Flyer-%C3%9C).', 'Leaflet', 'Leaflet/']) {
        expect([path, (await visit(instance, path)).status]).toEqual([path, 404])
      }
      for (const path of ['FLYER-%C3%BC', 'LEAFLET']) {
        expect([path, (await visit(instance, path)).headers.location]).toEqual([path, location])
      }
    }
    await untilClicks(deployment, flyer.id, 2)
  })

  test('returns 404 for an unknown alias or an unknown host', async ({ edge }) => {
    expect((await visit(edge, 'unknown')).status).toBe(404)
    expect((await visit(edge, 'x', { headers: { host: 'unknown.test' } })).status).toBe(404)
  })

  test('counts a click limit together with the main installation', async ({
    deployment,
    main,
    edge,
  }) => {
    const { id, alias } = await deployment.make.link(deployment.owner, { maxClicks: 3 })
    // Previews are not counted as clicks.
    await untilReply(edge, `${alias}+`, { status: 200 })
    for (const instance of [edge, main, edge]) {
      expect((await visit(instance, alias)).status).toBe(302)
    }
    for (const instance of [edge, main]) expect((await visit(instance, alias)).status).toBe(410)
    await untilClicks(deployment, id, 3)
  })

  test('recognizes visitors of the main installation and sends them to the same variant', async ({
    deployment,
    main,
    edge,
  }) => {
    const createVariant = (name: string) => ({ to: `https://example.com/${name}`, weight: 50 })
    const { id, alias } = await deployment.make.link(deployment.owner, {
      split: [createVariant('a'), createVariant('b')],
    })
    await untilReply(edge, `${alias}+`, { status: 200 })
    for (const visitor of ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4']) {
      const headers = { 'x-forwarded-for': visitor }
      const atMain = await visit(main, alias, { headers })
      const atEdge = await visit(edge, alias, { headers })
      expect(atEdge.headers.location).toBe(atMain.headers.location)
    }
    await untilClicks(deployment, id, 8)
    const { headers } = deployment.owner
    const { body } = await visit(main, `api/url/${id}`, { headers })
    expect(JSON.parse(body).data).toMatchObject({ clicks: 8, uniqueClicks: 4 })
  })

  test('rejects commands that need the database', async ({ main, edge }) => {
    const env = {
      ROLE: 'edge',
      MAIN_URL: main.origin,
      EDGE_TOKEN,
      BASE_URL: `http://${HOST}`,
      DATA_DIR: edge.dataDir,
    }
    expect(await runCommand(['account', 'list'], { env })).toEqual({
      code: 1,
      stdout: '',
      stderr: `brevis: an edge has no database: run this command where ${main.origin} runs\n`,
    })
  })

  test('relays requests that need the database to the main installation', async ({
    deployment,
    edge,
  }) => {
    const { make, owner, services, database } = deployment
    const { id: account, username } = owner.account
    const code = await make.qr(owner)
    const image = await visit(edge, `qr/${code.alias}.svg`, {
      headers: { 'x-request-id': 'id-of-the-proxy' },
    })
    expect(image.headers['x-request-id']).toBe('id-of-the-proxy')
    expect(image.headers['content-type']).toBe('image/svg+xml')
    expect(image.body).toMatch(/^<svg/)

    const campaign = await make.campaign(owner, { name: 'Summer', public: true })
    const { id, alias } = await make.link(owner)
    await addLinkToCampaign({ ...services, accountId: account }, campaign.id, id)
    const list = await visit(edge, `u/${username}/${campaign.id}`)
    expect(list).toMatchObject({ status: 200, body: expect.stringContaining(`/${alias}`) })

    await untilReply(edge, `${alias}+report`, { status: 200 })
    const report = await submit(edge, `${alias}+report`, { reason: 'phishing', text: '' })
    expect(report.status).toBe(200)
    const { rows } = await database.pool.query('select from link_reports where link_id = $1', [id])
    expect(rows).toHaveLength(1)
  })

  test('stores a response to an overlay', async ({ deployment, edge }) => {
    const { make, owner, database } = deployment
    const options = ['Tea', 'Coffee']
    const { id: overlay } = await make.overlay(owner, { type: 'poll', options })
    const { id, alias } = await make.link(owner, { type: `overlay-${overlay}` })
    await untilReply(edge, alias, { status: 200 })
    const reply = await submit(edge, alias, { choice: '1' })
    expect(reply).toMatchObject({ status: 200, body: expect.stringContaining('Thank you') })
    const { rows } = await database.pool.query<{ answer: object }>(
      'select answer from overlay_answers where overlay_id = $1',
      [overlay],
    )
    expect(rows).toEqual([{ answer: { choice: 'Coffee' } }])
    await untilClicks(deployment, id, 2)
  })

  test('returns 421 with the main installation’s URL for the console and the APIs', async ({
    main,
    edge,
  }) => {
    const text = `This server only serves short links. The console and the APIs are at ${main.origin}`
    for (const path of ['console', 'console/links', 'docs', 'register']) {
      expect(await visit(edge, path)).toMatchObject({ status: 421, body: `${text}\n` })
    }
    for (const path of ['api/urls', 'api/v1/key/shorturl/create.json', 'yourls-api.php']) {
      const reply = await visit(edge, path, { method: 'POST', json: {} })
      expect(reply.status).toBe(421)
      expect(JSON.parse(reply.body)).toEqual({ error: 1, message: text })
    }
    const onUnknownHost = await visit(edge, 'console', { headers: { host: 'unknown.test' } })
    expect(onUnknownHost.status).toBe(404)
    expect(onUnknownHost.body).not.toContain(main.origin)
  })

  test('reports its health and its metrics', async ({ edge }) => {
    const { status, headers } = await visit(edge, 'health/live')
    expect([status, headers['x-request-id']]).toEqual([200, expect.stringMatching(/^[\w-]{12}$/)])
    expect((await visit(edge, 'health/ready')).status).toBe(200)
    const { body } = await visit(edge, 'metrics')
    expect(body).toMatch(/^brevis_link_store_building 0$/m)
    expect(body).toMatch(/^brevis_importer_failing_seconds 0$/m)
    expect(body).toMatch(/^brevis_clicks_journalled_total [1-9]/m)
  })
})

/** Opens a page, submits its form and returns the reply. */
async function submit(
  edge: Instance,
  path: string,
  fields: Record<string, string>,
): Promise<Reply> {
  const page = await visit(edge, path)
  const cookie = String(page.headers['set-cookie']).split(';')[0] ?? ''
  const form = { csrf: CSRF_FIELD.exec(page.body)?.[1] ?? '', ...fields }
  const headers = { cookie, origin: `http://${HOST}` }
  return visit(edge, path, { method: 'POST', headers, form })
}
