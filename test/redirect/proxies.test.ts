import { expect } from 'vitest'
import { appTest } from '../support/test.ts'

const lines: Record<string, unknown>[] = []
const PROXY = '10.0.0.1'
const EDGE_TOKEN = 'x'.repeat(32)
const CLOUDFLARE = {
  EDGE_TOKEN,
  TRUST_PROXY: '10.0.0.0/8',
  CLIENT_ADDRESS_HEADER: 'CF-Connecting-IP',
  COUNTRY_HEADER: 'CF-IPCountry',
}

const test = appTest({
  env: { TRUST_PROXY: '10.0.0.0/8', LOG_LEVEL: 'warn' },
  logTo: { write: (line) => lines.push(JSON.parse(line)) },
})
const behindCloudflare = appTest({ env: CLOUDFLARE })

test('a client’s port in X-Forwarded-For does not hide its country and identity', async ({
  app,
  make,
  owner,
  request,
}) => {
  const { id, alias } = await make.link(owner)
  for (const client of ['81.2.69.142:51234', '81.2.69.142:51235', '[2001:db8::1]:443']) {
    await request({
      url: `/${alias}`,
      remoteAddress: PROXY,
      headers: { 'x-forwarded-for': client, 'user-agent': 'one' },
    })
  }
  await app.importClicks()
  const reply = await request({ url: `/api/url/${id}`, headers: owner.headers })
  expect(reply.json().data).toMatchObject({
    clicks: 3,
    uniqueClicks: 2,
    topCountries: { 'United Kingdom': '2' },
  })
})

test('ten wrong passwords of a client with a port lock out no other client', async ({
  make,
  owner,
  request,
}) => {
  const { alias } = await make.link(owner, { password: 'secret' })
  const guess = (client: string, password: string) =>
    request({
      method: 'POST',
      url: `/${alias}`,
      remoteAddress: PROXY,
      headers: {
        'x-forwarded-for': client,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ password }).toString(),
    })
  const statuses: number[] = []
  for (let port = 50_000; port < 50_011; port += 1)
    statuses.push((await guess(`203.0.113.1:${port}`, 'wrong')).statusCode)
  expect([...new Set(statuses)]).toEqual([401, 429])
  expect((await guess('203.0.113.2:50000', 'secret')).statusCode).toBe(303)
})

test('what is no address counts as the proxy’s, and is logged once', async ({
  app,
  make,
  owner,
  request,
}) => {
  const { id, alias } = await make.link(owner)
  for (const [remoteAddress, client] of [
    [PROXY, 'unknown'],
    [PROXY, '_hidden'],
    ['10.0.0.2', 'unknown'],
  ] as const) {
    await request({ url: `/${alias}`, remoteAddress, headers: { 'x-forwarded-for': client } })
  }
  await app.importClicks()
  const reply = await request({ url: `/api/url/${id}`, headers: owner.headers })
  expect(reply.json().data).toMatchObject({ clicks: 3, uniqueClicks: 2 })
  expect(lines.filter(({ header }) => header === 'x-forwarded-for')).toHaveLength(1)
})

test('X-Forwarded-Host selects the host if a trusted proxy sends it', async ({
  make,
  owner,
  request,
}) => {
  await make.domain(owner, { domain: 'https://go.test' })
  const { alias } = await make.link(owner, { domain: 'go.test' })
  const visit = (remoteAddress: string, host: string) =>
    request({
      url: `/${alias}`,
      remoteAddress,
      headers: { host: '127.0.0.1:3000', 'x-forwarded-host': host },
    })
  expect((await visit(PROXY, 'GO.test')).statusCode).toBe(302)
  expect((await visit(PROXY, 'rival.test, go.test:443')).statusCode).toBe(302)
  expect((await visit(PROXY, 'brev.test')).statusCode).toBe(404)
  expect((await visit('203.0.113.9', 'go.test')).statusCode).toBe(404)
})

test('a host that is not served is logged once, with the expected hosts', async ({ request }) => {
  for (const host of ['127.0.0.1:3000', 'brev.test:8080', 'unknown.test']) {
    const reply = await request({ url: '/anything', headers: { host } })
    expect(reply.statusCode).toBe(404)
  }
  const warnings = lines.filter(({ expected }) => expected)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatchObject({ host: expect.any(String), expected: ['brev.test'] })
  expect(warnings[0]?.msg).toContain('docs/own-domain.md')
})

behindCloudflare(
  'COUNTRY_HEADER decides rules and statistics, if a trusted proxy sends it',
  async ({ app, make, owner, request }) => {
    const { id, alias } = await make.link(owner, {
      url: 'https://example.com/world',
      geoTargets: [{ location: 'DE', link: 'https://example.com/de' }],
    })
    const visit = async (country: string, remoteAddress = PROXY) => {
      const headers = { 'cf-ipcountry': country, 'cf-connecting-ip': '81.2.69.142' }
      const reply = await request({ url: `/${alias}`, remoteAddress, headers })
      return reply.headers.location
    }
    expect(await visit('DE')).toBe('https://example.com/de')
    expect(await visit('de')).toBe('https://example.com/de')
    for (const unknown of ['XX', 'T1', '', 'Germany'])
      expect(await visit(unknown)).toBe('https://example.com/world')
    expect(await visit('DE', '81.2.69.142')).toBe('https://example.com/world')
    await app.importClicks()
    const reply = await request({ url: `/api/url/${id}`, headers: owner.headers })
    expect(reply.json().data).toMatchObject({
      clicks: 7,
      uniqueClicks: 1,
      topCountries: { 'United Kingdom': '5', Germany: '2' },
    })
  },
)

behindCloudflare(
  'the country that the proxy of an edge reports is relayed',
  async ({ make, owner, request }) => {
    const { alias } = await make.link(owner, {
      url: 'https://example.com/world',
      geoTargets: [{ location: 'DE', link: 'https://example.com/de' }],
      maxClicks: 10,
    })
    const relay = async (headers: Record<string, string>) => {
      const reply = await request({
        method: 'POST',
        url: '/internal/edge/relay',
        headers: { authorization: `Bearer ${EDGE_TOKEN}` },
        payload: {
          method: 'GET',
          url: `/${alias}`,
          address: '81.2.69.142',
          headers: { host: 'brev.test', ...headers },
          body: '',
        },
      })
      return reply.json().headers.location
    }
    expect(await relay({ 'brevis-country': 'DE' })).toBe('https://example.com/de')
    expect(await relay({ 'brevis-country': '' })).toBe('https://example.com/world')
    expect(await relay({ 'cf-ipcountry': 'DE' })).toBe('https://example.com/world')
    const direct = await request({ url: `/${alias}`, headers: { 'brevis-country': 'DE' } })
    expect(direct.headers.location).toBe('https://example.com/world')
  },
)
