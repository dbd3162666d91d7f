import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resourceClient } from '../support/api-client.ts'
import { type TestApp, testApp } from '../support/app.ts'
import type { Owner } from '../support/make.ts'
import { expectPages } from '../support/paging.ts'
import { expectNotFound, NO_IDS } from '../support/rejections.ts'

let t: TestApp
let owner: Owner

beforeAll(async () => {
  t = await testApp()
  owner = await t.make.owner()
})
afterAll(() => t.close())

const { add, update, remove, list } = resourceClient(() => ({ t, owner }), 'domain')
const visit = (host: string, url = '/') => t.request({ url, headers: { host } })

describe('GET /api/domains', () => {
  test('pages newest first, and counts along', async () => {
    const [by, stranger] = [await t.make.owner(), await t.make.owner()]
    await expectPages({ owner: by, stranger, key: 'domains', make: t.make.domain, remove, list })
  })

  test('shows nothing of other accounts', async () => {
    await t.make.domain(owner)
    const data = await list(await t.make.owner())
    expect(data).toMatchObject({ result: 0, maxpage: 1, nextpage: 1, domains: [] })
  })
})

describe('PUT /api/domain/{id}/update', () => {
  const redirects = { redirectRoot: 'https://example.com/r', redirect404: 'https://example.com/4' }

  test('changes what is given, leaves what is absent or null, clears what is empty', async () => {
    const by = await t.make.owner()
    const { id, origin: domain } = await t.make.domain(by, redirects)
    const shown = async () => (await list(by)).domains[0]
    const reply = await update(id, { redirectroot: 'https://example.org' }, by)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, message: 'Domain has been updated successfully.' })
    const changed = {
      id,
      domain,
      redirectroot: 'https://example.org/',
      redirect404: redirects.redirect404,
    }
    expect(await shown()).toEqual(changed)
    for (const nothing of [{}, { redirectroot: null, redirect404: null }, { domain: 'x' }]) {
      expect((await update(id, nothing, by)).statusCode).toBe(200)
      expect(await shown()).toEqual(changed)
    }
    await update(id, { redirectroot: '', redirect404: '' }, by)
    expect(await shown()).toEqual({ id, domain, redirectroot: '', redirect404: '' })
  })

  test('reaches visitors at once', async () => {
    const { id, host } = await t.make.domain(owner, redirects)
    expect((await visit(host)).headers.location).toBe('https://example.com/r')
    expect((await visit(host, '/none')).headers.location).toBe('https://example.com/4')
    await update(id, { redirectroot: 'https://example.org/r', redirect404: '' })
    expect((await visit(host)).headers.location).toBe('https://example.org/r')
    expect((await visit(host, '/none')).statusCode).toBe(404)
  })

  test('refuses a body that is not an object', async () => {
    const { id } = await t.make.domain(owner)
    const reply = await update(id, [{ redirectroot: 'https://example.com' }])
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({ error: 1, message: 'The request body must be a JSON object.' })
  })
})

describe('DELETE /api/domain/{id}/delete', () => {
  test('deletes, after which the host is unknown and free again', async () => {
    const { id, host, origin } = await t.make.domain(owner, {
      redirectRoot: 'https://example.com/r',
    })
    expect((await visit(host)).statusCode).toBe(302)
    const reply = await remove(id)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, message: 'Domain has been deleted successfully.' })
    expect((await visit(host)).statusCode).toBe(404)
    expect((await add({ domain: origin }, await t.make.owner())).statusCode).toBe(200)
  })

  test('is refused while links are on the domain', async () => {
    const { id, origin } = await t.make.domain(owner)
    const link = await t.make.link(owner, { domain: origin })
    expect(link.shortUrl).toBe(`${origin}/${link.alias}`)
    const reply = await remove(id)
    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toEqual({
      error: 1,
      message: 'This domain still has links. Please delete or move them first.',
    })
    await t.services.links.delete(owner.account.id, link.id)
    expect((await remove(id)).statusCode).toBe(200)
  })
})

test('ids that are foreign, deleted or unknown are the same to the last byte', async () => {
  const foreign = await t.make.domain(await t.make.owner())
  const deleted = await t.make.domain(owner)
  await remove(deleted.id)
  const ids = [foreign.id, deleted.id, ...NO_IDS]
  const change = { redirectroot: 'https://example.com' }
  expectNotFound(await Promise.all(ids.flatMap((id) => [update(id, change), remove(id)])))
  expect((await visit(foreign.host)).statusCode).toBe(404)
})
