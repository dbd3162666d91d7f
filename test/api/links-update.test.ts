import { describe, expect } from 'vitest'
import { deleteLink } from '../../src/links/link.service.ts'
import { emptyTrash } from '../../src/links/trash.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { resourceClient } from '../support/api-client.ts'
import { expectNotFound, expectRejection, UNKNOWN_IDS } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner }) => {
  const { send, add, update, details } = resourceClient({ app, owner }, 'url')
  return { add, update, send, details }
})

const target = 'https://example.com/target'

describe('PUT /api/url/{id}/update', () => {
  const full = {
    url: target,
    type: 'frame',
    password: 'secret',
    expiry: '2099-01-01',
    geotarget: [{ location: 'DE', link: 'https://example.com/de' }],
    devicetarget: [{ device: 'mac', link: 'https://example.com/mac' }],
    languagetarget: [{ language: 'fr', link: 'https://example.com/fr' }],
    parameters: [{ name: 'a', value: 'b' }],
    metatitle: 'Title',
    metadescription: 'Description',
  }

  test('changes fields with values and ignores absent and null fields', async ({
    api: { add, update, details },
  }) => {
    const { id } = (await add(full)).json()
    const before = (await details(id)).details
    const reply = await update(id, {
      url: 'https://example.com/new',
      metatitle: 'New',
      password: null,
      geotarget: null,
      expiry: null,
    })
    expect(reply.json()).toEqual({ error: 0, id, short: before.shorturl })
    expect((await details(id)).details).toEqual({
      ...before,
      longurl: 'https://example.com/new',
      title: 'New',
    })
  })

  test('clears fields that are "" or [], but keeps the alias', async ({
    api: { add, update, details },
  }) => {
    const { id } = (await add(full)).json()
    const payload = {
      url: target,
      type: '',
      password: '',
      expiry: '',
      geotarget: [],
      devicetarget: '',
      languagetarget: [],
      parameters: [],
      metatitle: '',
      metadescription: '',
      custom: '',
    }
    expect((await update(id, payload)).statusCode).toBe(200)
    expect((await details(id)).details).toMatchObject({
      type: 'direct',
      password: false,
      expiry: null,
      location: {},
      device: {},
      language: {},
      parameters: [],
      title: 'example.com',
      description: '',
    })
  })

  test('moves a link to another alias and frees the old one immediately', async ({
    request,
    api: { add, update },
  }) => {
    const { id } = (await add({ url: target, custom: 'before' })).json()
    expect((await request({ url: '/before' })).statusCode).toBe(302)
    const reply = await update(id, { url: target, custom: 'after' })
    expect(reply.json()).toEqual({ error: 0, id, short: 'http://brev.test/after' })
    expect((await request({ url: '/before' })).statusCode).toBe(404)
    expect((await request({ url: '/after' })).statusCode).toBe(302)
    expect((await add({ url: target, custom: 'before' })).statusCode).toBe(200)
  })

  test('rejects a taken alias and changes nothing', async ({ api: { add, update, details } }) => {
    await add({ url: target, custom: 'occupied' })
    const { id } = (await add(full)).json()
    const before = await details(id)
    const reply = await update(id, {
      url: 'https://example.com/lost',
      custom: 'occupied',
    })
    expect(reply.statusCode).toBe(409)
    expect(await details(id)).toEqual(before)
  })

  test.for([
    [{}, 'url is required'],
    [{ url: '' }, 'url is required'],
    [{ url: 'nonsense' }, 'url must be a valid http or https URL'],
    [{ url: target, expiry: '2000-01-01' }, 'expiry must be in the future'],
    [{ url: target, geotarget: 'x' }, 'geotarget must be an array'],
    [{ url: target, metatitle: 5 }, 'metatitle must be a string'],
  ] as const)('rejects %j: %s', async ([payload, message], { api: { add, update } }) => {
    const { id } = (await add(full)).json()
    expectRejection(await update(id, payload), message)
  })
})

describe('DELETE /api/url/{id}/delete', () => {
  test('removes the link from lists, and its clicks when the trash is emptied', async ({
    app,
    make,
    request,
    api: { send, details },
  }) => {
    const caller = await make.owner()
    const { id, alias } = await make.link(caller)
    await request({ url: `/${alias}` })
    await request({ method: 'HEAD', url: `/${alias}` })
    await app.importClicks()
    expect((await details(id, caller)).data.clicks).toBe(1)
    const reply = await send('DELETE', `/api/url/${id}/delete`, undefined, caller)
    expect(reply.json()).toEqual({ error: 0, message: 'Link has been deleted successfully.' })
    expect((await request({ url: `/${alias}` })).statusCode).toBe(404)
    const list = await send('GET', '/api/urls', undefined, caller)
    expect(list.json().data).toMatchObject({ result: 0, urls: [] })
    const { db } = app.services.database
    await emptyTrash(db, { olderThanDays: 0 })
    await app.importClicks()
    for (const table of [
      'click_totals',
      'click_days',
      'click_details',
      'click_visitors',
      'clicks',
      'uncounted_days',
    ] as const) {
      expect(
        await db.selectFrom(table).where('link_id', '=', id).select('link_id').execute(),
      ).toEqual([])
    }
  })

  test('succeeds once for concurrent deletions and updates', async ({
    make,
    api: { send, update },
  }) => {
    const caller = await make.owner()
    const { id } = await make.link(caller)
    const replies = await Promise.all([
      ...Array.from({ length: 8 }, () =>
        send('DELETE', `/api/url/${id}/delete`, undefined, caller),
      ),
      ...Array.from({ length: 8 }, () => update(id, { url: target }, caller)),
    ])
    const statuses = replies.map(({ statusCode }) => statusCode)
    expect(statuses.slice(0, 8).filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.every((status) => status === 200 || status === 404)).toBe(true)
  })
})

test('requests with a foreign, deleted or unknown ID get identical 404 replies and change nothing', async ({
  app,
  make,
  owner,
  api: { send, details },
}) => {
  const otherOwner = await make.owner()
  const foreign = await make.link(otherOwner)
  const deleted = await make.link(owner)
  await deleteLink(scopeOf(app.services, owner.account.id), deleted.id)
  const before = await details(foreign.id, otherOwner)
  for (const [method, path, payload] of [
    ['GET', '', undefined],
    ['PUT', '/update', { url: 'https://example.com/stolen' }],
    ['DELETE', '/delete', undefined],
  ] as const) {
    const ids = [foreign.id, deleted.id, ...UNKNOWN_IDS]
    const replies = ids.map((id) => send(method, `/api/url/${id}${path}`, payload))
    expectNotFound(await Promise.all(replies))
  }
  expect(await details(foreign.id, otherOwner)).toEqual(before)
})
