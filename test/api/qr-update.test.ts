import { describe, expect } from 'vitest'
import { NO_CLICKS } from '../support/no-clicks.ts'
import { qrClient } from '../support/qr-client.ts'
import { expectNotFound, expectRejection, UNKNOWN_IDS } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner }) => {
  const { send, update, remove, details, create, scan, follow, getRow, countTraces } = qrClient({
    app,
    owner,
  })
  return { update, details, create, scan, follow, getRow, countTraces, remove, send }
})

const target = 'https://example.com/menu'
const shortUrl = /^http:\/\/brev\.test\/[A-Za-z2-9]{7}$/

describe('PUT /api/qr/{id}/update', () => {
  test('changes the content of a static code and keeps the rest', async ({
    api: { update, create, scan, getRow },
  }) => {
    const { id, link } = await create({
      type: 'text',
      data: 'one',
      name: 'Sign',
      foreground: 'rgb(0,0,90)',
      background: 'rgb(255,255,200)',
    })
    const before = await getRow(id)
    for (const absent of [undefined, null, false]) {
      const fields = { name: absent, foreground: absent, background: absent, type: absent }
      expect((await update(id, { data: 'two', ...fields })).statusCode).toBe(200)
      expect(await getRow(id)).toEqual({ ...before, payload: 'two' })
    }
    expect(await scan(link)).toBe('two')
  })

  test('clears the name and colors with "", but not the type', async ({
    api: { update, create, getRow },
  }) => {
    const fields = { name: 'Sign', foreground: 'rgb(0,0,90)', background: 'rgb(255,255,200)' }
    const { id } = await create({ type: 'text', data: 'one', ...fields })
    const payload = { data: 'one', name: '', foreground: '', background: '', logo: '', type: '' }
    expect((await update(id, payload)).statusCode).toBe(200)
    expect(await getRow(id)).toMatchObject({
      type: 'text',
      name: `QR code ${id}`,
      foreground: null,
      background: null,
      logo: null,
    })
  })

  test('converts a static code to a dynamic one and back, deleting its clicks', async ({
    app,
    request,
    api: { update, details, create, scan, follow, getRow, countTraces },
  }) => {
    const { id, link } = await create({ type: 'text', data: 'one' })
    await update(id, { type: 'link', data: target })
    const scanned = await scan(link)
    expect(scanned).toMatch(shortUrl)
    expect((await follow(link)).headers.location).toBe(target)
    await app.importClicks()
    expect((await details(id)).data.clicks).toBe(1)
    const { link_id: linkId } = await getRow(id)
    // The link, its total and its click.
    expect(await countTraces(linkId)).toBe(3)
    await update(id, { type: 'phone', data: '+491234' })
    expect(await scan(link)).toBe('tel:+491234')
    expect(await details(id)).toMatchObject({ details: { scans: 0 }, data: NO_CLICKS })
    expect(await countTraces(linkId)).toBe(0)
    expect((await request({ url: new URL(scanned ?? '').pathname })).statusCode).toBe(404)
  })

  test('rejects a new color with too little contrast to the stored one', async ({
    api: { update, create, getRow },
  }) => {
    const { id } = await create({ type: 'text', data: 'x', background: 'rgb(150,150,150)' })
    for (const [payload, field] of [
      [{ foreground: 'rgb(120,120,120)' }, 'foreground has'],
      [{ foreground: 'rgb(255,255,255)' }, 'foreground must be darker'],
      [{ background: 'rgb(1,1,1)' }, 'background has'],
    ] as const) {
      const reply = await update(id, { data: 'x', ...payload })
      expect([reply.statusCode, reply.json().message]).toEqual([
        400,
        expect.stringContaining(field),
      ])
    }
    expect(await getRow(id)).toMatchObject({ background: 'rgb(150,150,150)', foreground: null })
  })

  test.for([
    [{}, 'data is required'],
    [{ data: '' }, 'data is required'],
    [{ data: null }, 'data is required'],
    [{ data: {} }, 'data must be a string'],
    [{ data: true }, 'data must be a string'],
    [
      { data: 'x', type: 'nonsense' },
      'type must be one of text, vcard, link, email, phone, sms, wifi',
    ],
    [{ data: 'x', type: 'link' }, 'data must be an http or https URL'],
    [{ data: 'x', name: 5 }, 'name must be a string'],
    [{ data: 'x', name: 'n'.repeat(201) }, 'name must not have more than 200 characters'],
    [{ data: 'x', background: 'blue' }, 'background must be a color in the form rgb(R,G,B)'],
    [{ data: 'x', foreground: 'rgb(1,2)' }, 'foreground must be a color in the form rgb(R,G,B)'],
    [{ data: 'y'.repeat(3000) }, 'data is too long for a QR code'],
  ] as const)(
    'rejects %j and leaves the code unchanged',
    async ([payload, message], { api: { update, create, getRow } }) => {
      const { id } = await create({ type: 'text', data: 'before' })
      const before = await getRow(id)
      expectRejection(await update(id, payload), message)
      expect(await getRow(id)).toEqual(before)
    },
  )
})

describe('DELETE /api/qr/{id}/delete', () => {
  test('deletes a dynamic code with its link and its clicks', async ({
    app,
    request,
    api: { remove, create, scan, getRow, countTraces },
  }) => {
    const { id, link } = await create({ type: 'link', data: target })
    const { pathname } = new URL((await scan(link)) ?? '')
    await request({ url: pathname })
    await app.importClicks()
    const { link_id: linkId } = await getRow(id)
    // The link, its total and its click.
    expect(await countTraces(linkId)).toBe(3)
    const reply = await remove(id)
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      { error: 0, message: 'QR code has been deleted successfully.' },
    ])
    expect(await countTraces(linkId)).toBe(0)
    expect((await request({ url: pathname })).statusCode).toBe(404)
    expect((await request({ url: new URL(link).pathname })).statusCode).toBe(404)
  })

  test('deletes a static code', async ({ api: { send, remove, create } }) => {
    const { id } = await create({ type: 'text', data: 'x' })
    expect((await remove(id)).statusCode).toBe(200)
    expect((await send('GET', `/api/qr/${id}`)).statusCode).toBe(404)
  })
})

test('requests with a foreign, deleted or unknown ID get identical 404 replies and change nothing', async ({
  make,
  api: { send, remove, create, follow, getRow },
}) => {
  const otherOwner = await make.owner()
  const foreign = await create({ type: 'link', data: target }, otherOwner)
  const deleted = await create({ type: 'text', data: 'x' })
  await remove(deleted.id)
  const before = await getRow(foreign.id)
  for (const [method, path, payload] of [
    ['GET', '', undefined],
    ['PUT', '/update', { data: 'https://example.com/stolen' }],
    ['DELETE', '/delete', undefined],
  ] as const) {
    const ids = [foreign.id, deleted.id, ...UNKNOWN_IDS]
    const replies = ids.map((id) => send(method, `/api/qr/${id}${path}`, payload))
    expectNotFound(await Promise.all(replies))
  }
  expect(await getRow(foreign.id)).toEqual(before)
  expect((await follow(foreign.link)).headers.location).toBe(target)
})

test('concurrent updates and deletions delete the code once and leave no orphaned link', async ({
  app,
  api: { update, remove, create, getRow, countTraces },
}) => {
  for (let round = 0; round < 10; round += 1) {
    const { id } = await create({ type: 'link', data: target })
    const { link_id: linkId } = await getRow(id)
    const replies = await Promise.all([
      update(id, { data: 'https://example.com/a' }),
      update(id, { data: 'static', type: 'text' }),
      remove(id),
      update(id, { data: 'https://example.com/b', type: 'link' }),
      remove(id),
    ])
    const deleted = [replies[2], replies[4]].map((reply) => reply?.statusCode)
    expect(deleted.toSorted()).toEqual([200, 404])
    for (const { statusCode } of replies) expect([200, 404]).toContain(statusCode)
    expect(await countTraces(linkId)).toBe(0)
  }
  const { db } = app.services.database
  const orphans = await db
    .selectFrom('links')
    .leftJoin('qr_codes', 'qr_codes.link_id', 'links.id')
    .select('links.id')
    .where('links.kind', '=', 'qr')
    .where('qr_codes.id', 'is', null)
    .execute()
  expect(orphans).toEqual([])
})
