import { describe, expect } from 'vitest'
import { deleteLink } from '../../src/links/link.service.ts'
import { emptyOwnTrash } from '../../src/links/trash.service.ts'
import { readAnswers, recordAnswer } from '../../src/resources/overlay-answers.ts'
import { overlays } from '../../src/resources/overlays.ts'
import { splashes } from '../../src/resources/splashes.ts'
import { scopeOf } from '../../src/scope.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, request }) => {
  const list = async (path: string, caller: Owner, query = '') =>
    (await request({ url: `/api/${path}${query}`, headers: caller.headers })).json()
  const visit = async (alias: string) => (await request({ url: `/${alias}` })).body
  async function readResponses(caller: Owner, overlayId: number) {
    return Array.fromAsync(
      readAnswers({ ...app.services, accountId: caller.account.id }, overlayId),
    )
  }
  return { list, visit, readResponses }
})

const rejection = (message: string) => expect.objectContaining({ code: 'invalid_input', message })

/** A timestamp in the format of the API. */
const date = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
const notFound = expect.objectContaining({ code: 'not_found' })
const urlRule = 'must be a valid http or https URL'

describe('GET /api/overlay', () => {
  test("lists the account's overlays of all types", async ({ make, api: { list } }) => {
    const caller = await make.owner()
    const types = ['contact', 'poll', 'message', 'newsletter', 'image']
    const entries = []
    for (const type of types) {
      const { id } = await make.overlay(caller, { type, name: `My ${type}` })
      entries.unshift({ id, type, name: `My ${type}`, date })
    }
    expect(await list('overlay', caller)).toEqual({
      error: '0',
      data: { result: 5, perpage: 15, currentpage: 1, nextpage: 1, maxpage: 1, cta: entries },
    })
    expect(await list('overlay', caller, '?limit=2&page=3')).toEqual({
      error: '0',
      data: {
        result: 5,
        perpage: 2,
        currentpage: 3,
        nextpage: 3,
        maxpage: 3,
        cta: entries.slice(4),
      },
    })
    expect((await list('overlay', await make.owner())).data).toMatchObject({ result: 0, cta: [] })
  })
})

describe('GET /api/splash', () => {
  test('lists the splash pages of the account', async ({ make, api: { list } }) => {
    const caller = await make.owner()
    const first = await make.splash(caller, { name: 'First' })
    const second = await make.splash(caller, { name: 'Second' })
    expect(await list('splash', caller)).toEqual({
      error: '0',
      data: {
        result: 2,
        perpage: 15,
        currentpage: 1,
        nextpage: 1,
        maxpage: 1,
        splash: [
          { id: second.id, name: 'Second', date },
          { id: first.id, name: 'First', date },
        ],
      },
    })
    expect((await list('splash', caller, '?limit=1&page=2')).data).toMatchObject({
      result: 2,
      maxpage: 2,
      splash: [{ id: first.id }],
    })
    expect((await list('splash', await make.owner())).data).toMatchObject({ splash: [] })
  })
})

describe('an overlay', () => {
  test.for([
    [{ type: 'nonsense' }, 'type must be one of contact, poll, message, newsletter, image'],
    [{ type: 'Poll' }, 'type must be one of contact, poll, message, newsletter, image'],
    [{ name: '' }, 'name must not be empty'],
    [{ name: 'x'.repeat(201) }, 'name must be at most 200 characters long'],
    [{ text: ' \n ' }, 'text must not be empty'],
    [{ text: 'x'.repeat(5001) }, 'text must be at most 5000 characters long'],
    [{ text: 'a\0b' }, 'text must be text without NUL characters or broken surrogates'],
    [{ button: 'x'.repeat(101) }, 'button must be at most 100 characters long'],
    [{ link: 'javascript:alert(1)' }, `link ${urlRule}`],
    [{ image: 'data:image/png;base64,AA' }, `image ${urlRule}`],
    [{ options: ['a', 'b'] }, 'options are for a poll only'],
    [{ type: 'poll', options: ['a'] }, 'options must be 2 to 20 lines'],
    [{ type: 'poll', options: [] }, 'options must be 2 to 20 lines'],
    [{ type: 'poll', options: Array(21).fill('a') }, 'options must be 2 to 20 lines'],
    [{ type: 'poll', options: ['a', ' a '] }, 'options must differ from each other'],
    [{ type: 'poll', options: ['a', ''] }, 'options must not be empty'],
    [
      { type: 'poll', options: ['a', 'x'.repeat(201)] },
      'options must be at most 200 characters long',
    ],
  ] as const)('is rejected with %j', async ([input, message], { make, owner }) => {
    await expect(make.overlay(owner, input)).rejects.toEqual(rejection(message))
  })

  test('has the options yes and no in a poll by default', async ({
    make,
    owner,
    api: { visit },
  }) => {
    const defaultPoll = await make.overlay(owner, { type: 'poll', text: 'Tea?' })
    const customPoll = await make.overlay(owner, { type: 'poll', options: ['Green', ' Black '] })
    const visitWithOverlay = async ({ id }: { id: number }) =>
      visit((await make.link(owner, { type: `overlay-${id}` })).alias)
    const yesOrNo = await visitWithOverlay(defaultPoll)
    const tea = await visitWithOverlay(customPoll)
    for (const option of ['Tea?', '>Yes<', '>No<']) expect(yesOrNo).toContain(option)
    for (const option of ['>Green<', '>Black<']) expect(tea).toContain(option)
  })

  test('is deleted although it has responses, and its links redirect immediately', async ({
    app,
    make,
    owner,
    request,
    api: { visit },
  }) => {
    const overlay = await make.overlay(owner, { text: 'Stop and read' })
    const link = await make.link(owner, { type: `overlay-${overlay.id}` })
    expect(await visit(link.alias)).toContain('Stop and read')
    await recordAnswer(app.services.db, overlay.id, link.id, { email: 'a@example.com' })
    const otherOwner = await make.owner()
    await expect(
      overlays.remove({ ...app.services, accountId: otherOwner.account.id }, overlay.id),
    ).rejects.toEqual(notFound)
    await expect(
      overlays.update({ ...app.services, accountId: otherOwner.account.id }, overlay.id, {
        name: 'x',
      }),
    ).rejects.toEqual(notFound)
    await overlays.remove({ ...app.services, accountId: owner.account.id }, overlay.id)
    const after = await request({ url: `/${link.alias}` })
    expect([after.statusCode, after.headers.location]).toEqual([302, 'https://example.com/target'])
    const again = overlays.remove({ ...app.services, accountId: owner.account.id }, overlay.id)
    await expect(again).rejects.toEqual(notFound)
  })
})

describe('responses to an overlay', () => {
  test('are stored with their link and returned oldest first, beyond the size of a batch', async ({
    app,
    make,
    owner,
    api: { readResponses },
  }) => {
    const overlay = await make.overlay(owner)
    const link = await make.link(owner)
    for (let i = 0; i < 1001; i += 100) {
      const batch = Array.from({ length: Math.min(100, 1001 - i) }, (_, index) => i + index)
      await Promise.all(
        batch.map((n) => recordAnswer(app.services.db, overlay.id, link.id, { choice: String(n) })),
      )
    }
    const answers = await readResponses(owner, overlay.id)
    expect(answers).toHaveLength(1001)
    expect(new Set(answers.map(({ answer }) => answer.choice)).size).toBe(1001)
    const ids = answers.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(answers[0]).toMatchObject({ linkId: link.id, createdAt: expect.any(Date) })
    await deleteLink(scopeOf(app.services, owner.account.id), link.id)
    expect((await readResponses(owner, overlay.id))[0]).toMatchObject({ linkId: link.id })
    await emptyOwnTrash(scopeOf(app.services, owner.account.id))
    expect((await readResponses(owner, overlay.id))[0]).toMatchObject({ linkId: null })
  })

  test('are truncated to 10 fields of at most 5,000 characters', async ({
    app,
    make,
    owner,
    api: { readResponses },
  }) => {
    const overlay = await make.overlay(owner)
    const link = await make.link(owner)
    const fields = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, 'x']))
    await recordAnswer(app.services.db, overlay.id, link.id, {
      message: `a\0\ud800${'x'.repeat(6000)}`,
      ...fields,
    })
    const answer = (await readResponses(owner, overlay.id))[0]?.answer ?? {}
    expect(answer.message).toBe(`a\ufffd${'x'.repeat(4997)}`)
    expect(Object.keys(answer)).toHaveLength(10)
  })

  test("are visible only to the overlay's owner", async ({
    make,
    owner,
    api: { readResponses },
  }) => {
    const overlay = await make.overlay(owner)
    await expect(readResponses(await make.owner(), overlay.id)).rejects.toEqual(notFound)
    await expect(readResponses(owner, 999_999_999)).rejects.toEqual(notFound)
    expect(await readResponses(owner, overlay.id)).toEqual([])
  })
})

describe('a splash page', () => {
  test.for([
    [{ name: ' ' }, 'name must not be empty'],
    [{ name: 'x'.repeat(201) }, 'name must be at most 200 characters long'],
    [{ title: '' }, 'title must not be empty'],
    [{ title: 'x'.repeat(201) }, 'title must be at most 200 characters long'],
    [{ message: '' }, 'message must not be empty'],
    [{ message: 'x'.repeat(5001) }, 'message must be at most 5000 characters long'],
    [{ message: '\ud800' }, 'message must be text without NUL characters or broken surrogates'],
    [{ image: 'nonsense' }, `image ${urlRule}`],
    [{ link: 'ftp://example.com' }, `link ${urlRule}`],
    [{ seconds: -1 }, 'seconds must be a whole number from 0 to 300'],
    [{ seconds: 301 }, 'seconds must be a whole number from 0 to 300'],
    [{ seconds: 1.5 }, 'seconds must be a whole number from 0 to 300'],
    [{ seconds: Number.NaN }, 'seconds must be a whole number from 0 to 300'],
  ] as const)('is rejected with %j', async ([input, message], { make, owner }) => {
    await expect(make.splash(owner, input)).rejects.toEqual(rejection(message))
  })

  test('is deleted, and its links immediately show the default splash page', async ({
    app,
    make,
    owner,
    api: { visit },
  }) => {
    const image = 'https://cdn.example/a.png'
    const splash = await make.splash(owner, { title: 'My own page', image, seconds: 300 })
    const link = await make.link(owner, { type: String(splash.id) })
    const before = await visit(link.alias)
    for (const text of ['My own page', image, '300']) expect(before).toContain(text)
    const otherOwner = await make.owner()
    await expect(
      splashes.remove({ ...app.services, accountId: otherOwner.account.id }, splash.id),
    ).rejects.toEqual(notFound)
    await expect(
      splashes.update({ ...app.services, accountId: otherOwner.account.id }, splash.id, {
        name: 'x',
      }),
    ).rejects.toEqual(notFound)
    await splashes.remove({ ...app.services, accountId: owner.account.id }, splash.id)
    const after = await visit(link.alias)
    expect(after).not.toContain('My own page')
    expect(after).toContain('example.com')
    const again = splashes.remove({ ...app.services, accountId: owner.account.id }, splash.id)
    await expect(again).rejects.toEqual(notFound)
  })
})
