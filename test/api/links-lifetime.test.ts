import { describe, expect } from 'vitest'
import { listLinks } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { appTest } from '../support/test.ts'

const url = 'https://example.com/target'
const expiredUrl = 'https://example.com/over'

const test = appTest().extend('call', { scope: 'file' }, ({ request, owner }) => {
  return async (method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) => {
    const reply = await request({
      method,
      url: `/api${path}`,
      headers: owner.headers,
      ...(payload && { payload }),
    })
    return { status: reply.statusCode, ...reply.json() }
  }
})

test('the API creates, shows, changes, and clears startsAt, maxClicks, and expiredUrl', async ({
  call,
}) => {
  const fields = { startsAt: '2020-01-02', maxClicks: 10, expiredUrl }
  const { id } = await call('POST', '/url/add', { url, ...fields })
  const readDetails = async () => (await call('GET', `/url/${id}`)).details
  expect(await readDetails()).toMatchObject({ ...fields, startsAt: '2020-01-02 00:00:00' })
  await call('PUT', `/url/${id}/update`, {
    url,
    maxClicks: 20,
    startsAt: '2020-01-02T05:04:05.678+02:00',
  })
  expect(await readDetails()).toMatchObject({
    ...fields,
    startsAt: '2020-01-02 03:04:05',
    maxClicks: 20,
  })
  await call('PUT', `/url/${id}/update`, { url, startsAt: '', maxClicks: '', expiredUrl: '' })
  const cleared = await readDetails()
  for (const name of Object.keys(fields)) expect(cleared).not.toHaveProperty(name)
})

describe('the API returns a 400 that names the field for', () => {
  test.for([
    ['startsAt', 'soon'],
    ['startsAt', '2026-02-30'],
    ['startsAt', '0000-01-01'],
    ['maxClicks', 0],
    ['maxClicks', 1_000_001],
    ['maxClicks', 1.5],
    ['maxClicks', 'many'],
    ['expiredUrl', 'example.com'],
    ['expiredUrl', 'ftp://example.com/'],
    ['expiredUrl', 'http://brev.test/loop'],
    ['expiredUrl', `https://example.com/${'a'.repeat(9000)}`],
  ] as const)('%s: %s', async ([name, value], { call }) => {
    const reply = await call('POST', '/url/add', { url, [name]: value })
    expect(reply).toMatchObject({ status: 400, error: 1 })
    expect(reply.message).toContain(name)
  })

  test('startsAt at or after the expiration', async ({ call }) => {
    const expiry = '2099-01-01 00:00:00'
    const reply = await call('POST', '/url/add', { url, expiry, startsAt: expiry })
    expect(reply).toMatchObject({ status: 400, message: 'startsAt must be before the expiration' })
    const { id } = await call('POST', '/url/add', { url, expiry })
    const change = await call('PUT', `/url/${id}/update`, { url, startsAt: '2100-01-01' })
    expect(change).toMatchObject({ status: 400, message: 'startsAt must be before the expiration' })
  })

  test('expiredUrl of a domain on the service or a blocked host', async ({
    app,
    call,
    make,
    owner,
  }) => {
    await make.domain(owner, { domain: 'https://other.test' })
    const { id } = await call('POST', '/domain/add', { domain: 'https://brand.test', expiredUrl })
    const { data } = await call('GET', '/domains')
    expect(data.domains).toContainEqual(expect.objectContaining({ id, expiredUrl }))
    const { db, blockList } = app.services
    const blockedHost = {
      host: 'blocked.example',
      subdomains: true,
      reason: null,
      blocked_by: 'admin',
    }
    await db.insertInto('blocked_hosts').values(blockedHost).execute()
    blockList.invalidate()
    const invalidUrls = ['https://brand.test/x', 'https://other.test/', 'https://blocked.example/']
    for (const value of invalidUrls) {
      const reply = await call('PUT', `/domain/${id}/update`, { expiredUrl: value })
      expect(reply).toMatchObject({ status: 400 })
      expect(reply.message).toContain('expiredUrl')
    }
    await call('PUT', `/domain/${id}/update`, { expiredUrl: '' })
    const after = await call('GET', '/domains')
    const { domains }: { domains: { id: number }[] } = after.data
    expect(domains.find((domain) => domain.id === id)).not.toHaveProperty('expiredUrl')
  })
})

test('links at their click limit are listed as expired, and links before their start as active and scheduled', async ({
  app,
  call,
  make,
  owner,
  request,
}) => {
  const tags = ['lifetime']
  const usedUp = await make.link(owner, { maxClicks: 1, tags })
  const scheduled = await make.link(owner, { startsAt: '9999-01-01', tags })
  expect((await request({ url: `/${usedUp.alias}` })).statusCode).toBe(302)
  const { services } = app
  const listIds = async (state: 'active' | 'scheduled' | 'expired') => {
    const query = {
      limit: 10,
      offset: 0,
      order: 'date',
      filter: { state, tag: 'lifetime' },
    } as const
    const page = await listLinks(scopeOf(services, owner.account.id), query)
    return page.entries.map(({ id }) => id)
  }
  expect(await listIds('expired')).toEqual([usedUp.id])
  expect(await listIds('active')).toEqual([scheduled.id])
  expect(await listIds('scheduled')).toEqual([scheduled.id])
  const listed = await call('GET', '/urls?status=scheduled&tag=lifetime')
  expect(listed.data.urls.map(({ id }: { id: number }) => id)).toEqual([scheduled.id])
  expect((await call('GET', `/url/${usedUp.id}`)).details.maxClicks).toBe(1)
})
