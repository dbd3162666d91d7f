import { describe, expect } from 'vitest'
import { deleteLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { resourceClient } from '../support/api-client.ts'
import { expectPages } from '../support/paging.ts'
import { expectNotFound, UNKNOWN_IDS } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner, request }) => {
  const { add, update, remove, list } = resourceClient({ app, owner }, 'domain')
  const visit = (host: string, url = '/') => request({ url, headers: { host } })
  return { remove, list, update, visit, add }
})

describe('GET /api/domains', () => {
  test('returns pages of domains, newest first, with totals', async ({
    make,
    api: { remove, list },
  }) => {
    const caller = await make.owner()
    const otherOwner = await make.owner()
    await expectPages({
      owner: caller,
      otherOwner,
      key: 'domains',
      make: make.domain,
      remove,
      list,
    })
  })

  test('does not list domains of other accounts', async ({ make, owner, api: { list } }) => {
    await make.domain(owner)
    const data = await list(await make.owner())
    expect(data).toMatchObject({ result: 0, maxpage: 1, nextpage: 1, domains: [] })
  })
})

describe('PUT /api/domain/{id}/update', () => {
  const redirects = { redirectRoot: 'https://example.com/r', redirect404: 'https://example.com/4' }

  test('changes fields with values, ignores absent and null fields, and clears empty fields', async ({
    make,
    api: { update, list },
  }) => {
    const caller = await make.owner()
    const { id, origin: domain } = await make.domain(caller, redirects)
    const readDomain = async () => (await list(caller)).domains[0]
    const reply = await update(id, { redirectroot: 'https://example.org' }, caller)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, message: 'Domain has been updated successfully.' })
    const changed = {
      id,
      domain,
      redirectroot: 'https://example.org/',
      redirect404: redirects.redirect404,
    }
    expect(await readDomain()).toEqual(changed)
    for (const unchanged of [{}, { redirectroot: null, redirect404: null }, { domain: 'x' }]) {
      expect((await update(id, unchanged, caller)).statusCode).toBe(200)
      expect(await readDomain()).toEqual(changed)
    }
    await update(id, { redirectroot: '', redirect404: '' }, caller)
    expect(await readDomain()).toEqual({ id, domain, redirectroot: '', redirect404: '' })
  })

  test('takes effect immediately for visitors', async ({ make, owner, api: { update, visit } }) => {
    const { id, host } = await make.domain(owner, redirects)
    expect((await visit(host)).headers.location).toBe('https://example.com/r')
    expect((await visit(host, '/none')).headers.location).toBe('https://example.com/4')
    await update(id, { redirectroot: 'https://example.org/r', redirect404: '' })
    expect((await visit(host)).headers.location).toBe('https://example.org/r')
    expect((await visit(host, '/none')).statusCode).toBe(404)
  })

  test('rejects a body that is not an object', async ({ make, owner, api: { update } }) => {
    const { id } = await make.domain(owner)
    const reply = await update(id, [{ redirectroot: 'https://example.com' }])
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({ error: 1, message: 'The request body must be a JSON object.' })
  })
})

describe('DELETE /api/domain/{id}/delete', () => {
  test('deletes the domain, so that another account can add its host', async ({
    make,
    owner,
    api: { add, remove, visit },
  }) => {
    const { id, host, origin } = await make.domain(owner, {
      redirectRoot: 'https://example.com/r',
    })
    expect((await visit(host)).statusCode).toBe(302)
    const reply = await remove(id)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, message: 'Domain has been deleted successfully.' })
    expect((await visit(host)).statusCode).toBe(404)
    expect((await add({ domain: origin }, await make.owner())).statusCode).toBe(200)
  })

  test('fails while the domain has links', async ({ app, make, owner, api: { remove } }) => {
    const { id, origin } = await make.domain(owner)
    const link = await make.link(owner, { domain: origin })
    expect(link.shortUrl).toBe(`${origin}/${link.alias}`)
    const reply = await remove(id)
    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toEqual({
      error: 1,
      message: 'This domain still has links. Please delete or move them first.',
    })
    await deleteLink(scopeOf(app.services, owner.account.id), link.id)
    expect((await remove(id)).statusCode).toBe(200)
  })
})

test('updates and deletions with a foreign, deleted or unknown ID get identical 404 replies', async ({
  make,
  owner,
  api: { update, remove, visit },
}) => {
  const foreign = await make.domain(await make.owner())
  const deleted = await make.domain(owner)
  await remove(deleted.id)
  const ids = [foreign.id, deleted.id, ...UNKNOWN_IDS]
  const change = { redirectroot: 'https://example.com' }
  expectNotFound(await Promise.all(ids.flatMap((id) => [update(id, change), remove(id)])))
  expect((await visit(foreign.host)).statusCode).toBe(404)
})
