import { describe, expect } from 'vitest'
import { apiClient } from '../support/api-client.ts'
import type { Owner } from '../support/make.ts'
import { expectRejection } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner, request }) => {
  const send = apiClient({ app, owner })
  return {
    send,
    visit: (path: string) => request({ url: path }),
    async add(kind: string, payload: object, caller?: Owner): Promise<number> {
      const reply = await send('POST', `/api/${kind}/add`, payload, caller)
      expect([reply.statusCode, reply.json()]).toMatchObject([200, { error: 0 }])
      return reply.json().id
    },
    details: async (kind: string, id: number) =>
      (await send('GET', `/api/${kind}/${id}`)).json().details,
    async update(kind: string, id: number, payload: object): Promise<void> {
      const reply = await send('PUT', `/api/${kind}/${id}/update`, payload)
      const message = expect.stringContaining(' has been updated successfully.')
      expect([reply.statusCode, reply.json()]).toEqual([200, { error: 0, message }])
    },
  }
})

const date = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
const poll = { type: 'poll', name: 'Drinks', text: 'Tea or coffee?', options: ['Tea', 'Coffee'] }
const splash = { name: 'Notice', title: 'You are leaving', message: 'Come back <soon>.' }

describe('an overlay created through the API', () => {
  test('is returned in full, can be changed field by field, and takes effect immediately', async ({
    owner,
    make,
    api: { add, details, update, visit },
  }) => {
    const id = await add('overlay', { ...poll, button: 'Vote', link: 'https://example.com/a' })
    const complete = {
      id,
      ...poll,
      date,
      button: 'Vote',
      link: 'https://example.com/a',
      image: '',
    }
    expect(await details('overlay', id)).toEqual(complete)
    const { alias } = await make.link(owner, { type: `overlay-${id}` })
    expect((await visit(`/${alias}`)).body).toContain('Coffee')

    await update('overlay', id, { options: ['Juice', 'Water'], button: '', text: null })
    const changed = { ...complete, options: ['Juice', 'Water'], button: '' }
    expect(await details('overlay', id)).toEqual(changed)
    expect((await visit(`/${alias}`)).body).toContain('Juice')

    await update('overlay', id, { type: 'message' })
    expect(await details('overlay', id)).toEqual({ ...changed, type: 'message', options: [] })
    await update('overlay', id, { type: 'poll' })
    expect(await details('overlay', id)).toEqual({ ...changed, options: ['Yes', 'No'] })
  })

  test('is deleted and removed from its links', async ({
    owner,
    make,
    api: { add, send, visit },
  }) => {
    const id = await add('overlay', poll)
    const { alias } = await make.link(owner, { type: `overlay-${id}` })
    const reply = await send('DELETE', `/api/overlay/${id}/delete`)
    expect(reply.json()).toEqual({ error: 0, message: 'Overlay has been deleted successfully.' })
    expect((await visit(`/${alias}`)).statusCode).toBe(302)
  })

  test.for<[object, string]>([
    [{ type: 'banner' }, 'type must be one of contact, poll, message, newsletter, image'],
    [{ type: 5 }, 'type must be a string'],
    [{ name: '  ' }, 'name must not be empty'],
    [{ text: 'x'.repeat(5001) }, 'text must not have more than 5000 characters'],
    [{ text: 'a\0b' }, 'text must be text without NUL characters or broken surrogates'],
    [{ link: 'javascript:alert(1)' }, 'link must be a valid http or https URL'],
    [{ image: 'data:image/png;base64,AA' }, 'image must be a valid http or https URL'],
    [{ options: ['One'] }, 'options must be 2 to 20 lines'],
    [{ options: ['One', 'One'] }, 'options must differ from each other'],
    [{ type: 'message', options: ['One', 'Two'] }, 'options are for a poll only'],
  ])(
    'rejects %j on creation and update',
    async ([fields, message], { api: { send, add, details } }) => {
      expectRejection(await send('POST', '/api/overlay/add', { ...poll, ...fields }), message)
      const id = await add('overlay', poll)
      const before = await details('overlay', id)
      expectRejection(await send('PUT', `/api/overlay/${id}/update`, fields), message)
      expect(await details('overlay', id)).toEqual(before)
    },
  )
})

describe('a splash page created through the API', () => {
  test('is returned in full, can be changed field by field, and takes effect immediately', async ({
    owner,
    make,
    api: { add, details, update, visit },
  }) => {
    const id = await add('splash', { ...splash, seconds: 5, image: 'https://example.com/i.png' })
    const complete = {
      id,
      ...splash,
      date,
      seconds: 5,
      image: 'https://example.com/i.png',
      link: '',
    }
    expect(await details('splash', id)).toEqual(complete)
    const { alias } = await make.link(owner, { type: String(id) })
    expect((await visit(`/${alias}`)).body).toContain('Come back &lt;soon&gt;.')

    await update('splash', id, { message: 'Goodbye.', seconds: '', image: '', title: null })
    expect(await details('splash', id)).toEqual({
      ...complete,
      message: 'Goodbye.',
      seconds: 0,
      image: '',
    })
    expect((await visit(`/${alias}`)).body).toContain('Goodbye.')
  })

  test.for<[object, string]>([
    [{ title: ' ' }, 'title must not be empty'],
    [{ seconds: 301 }, 'seconds must be a whole number from 0 to 300'],
    [{ seconds: -1 }, 'seconds must be a whole number from 0 to 300'],
    [{ seconds: 1.5 }, 'seconds must be an integer'],
    [{ link: 'ftp://example.com/' }, 'link must be a valid http or https URL'],
  ])('rejects %j on creation and update', async ([fields, message], { api: { send, add } }) => {
    expectRejection(await send('POST', '/api/splash/add', { ...splash, ...fields }), message)
    const id = await add('splash', splash)
    expectRejection(await send('PUT', `/api/splash/${id}/update`, fields), message)
  })
})

describe('a bio page created through the API', () => {
  const links = [{ title: 'Shop', url: 'https://example.com/shop' }, { url: 'https://b.example/' }]

  test('is listed, returned in full, changed field by field and deleted', async ({
    app,
    api: { add, details, update, send, visit },
  }) => {
    const id = await add('bio', { alias: 'änna', title: 'Anna & Co', links })
    const link = `${app.services.config.baseUrl}/b/${encodeURIComponent('änna')}`
    const stored = [links[0], { title: 'b.example', url: 'https://b.example/' }]
    const entry = { id, alias: 'änna', link, title: 'Anna & Co', date }
    expect(await details('bio', id)).toEqual({
      ...entry,
      text: '',
      theme: 'auto',
      color: '#0b6b5a',
      picture: '',
      links: stored.map((button) => ({ ...button, clicks: 0 })),
    })
    const bios = (await send('GET', '/api/bio')).json().data.bios
    expect(bios).toContainEqual(entry)
    expect((await visit('/b/änna')).body).toContain('Anna &amp; Co')

    await update('bio', id, { alias: 'anna', text: 'Hello', links: [...links].reverse() })
    expect((await visit('/b/änna')).statusCode).toBe(404)
    expect((await visit('/b/anna')).body).toContain('Hello')
    await update('bio', id, { text: '', links: [] })
    expect(await details('bio', id)).toMatchObject({ alias: 'anna', text: '', links: [] })
    expect((await send('DELETE', `/api/bio/${id}/delete`)).statusCode).toBe(200)
    expect((await visit('/b/anna')).statusCode).toBe(404)
  })

  test('cannot take an alias used by any account', async ({ make, api: { add, send } }) => {
    await add('bio', { alias: 'taken', title: 'First' }, await make.owner())
    const id = await add('bio', { alias: 'free', title: 'Second' })
    const expectedConflict = [
      409,
      { error: 1, message: 'That alias is taken. Please choose another one.' },
    ]
    const again = await send('POST', '/api/bio/add', { alias: 'taken', title: 'Third' })
    expect([again.statusCode, again.json()]).toEqual(expectedConflict)
    const moved = await send('PUT', `/api/bio/${id}/update`, { alias: 'taken' })
    expect([moved.statusCode, moved.json()]).toEqual(expectedConflict)
  })

  test.for<[object, string]>([
    [{ alias: 'a/b' }, expect.stringContaining('alias ')],
    [{ title: '' }, expect.stringContaining('title ')],
    [{ links: [{ url: 'javascript:1' }] }, 'links[0].url must be a valid http or https URL'],
    [{ links: [{ title: 'No URL' }] }, expect.stringContaining('url')],
    [{ links: 'https://example.com/' }, expect.stringContaining('links')],
  ])('rejects %j', async ([fields, message], { api: { send } }) => {
    const valid = { alias: 'refused', title: 'Refused' }
    expectRejection(await send('POST', '/api/bio/add', { ...valid, ...fields }), message)
  })
})
