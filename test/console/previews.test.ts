import { describe, expect } from 'vitest'
import { countPreview } from '../../src/identity/session.service.ts'
import { bios } from '../../src/resources/bios.ts'
import { overlays } from '../../src/resources/overlays.ts'
import { splashes } from '../../src/resources/splashes.ts'
import { signIn } from '../support/console.ts'
import { postForm } from '../support/forms.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('setup', { scope: 'file' }, async ({ app, make, owner }) => {
  const accountId = owner.account.id
  return {
    person: await signIn(app, owner.account.email),
    otherPerson: await signIn(app, (await make.owner()).account.email),
    ids: {
      overlays: await overlays.create(
        { ...app.services, accountId },
        {
          type: 'message',
          name: 'Mine',
          text: 'Stored heading',
        },
      ),
      splashes: await splashes.create(
        { ...app.services, accountId },
        {
          name: 'Mine',
          title: 'Stored title',
          message: 'Bye',
        },
      ),
      bios: await make.bio(owner, { title: 'Stored page' }),
    },
    /** Returns the numbers of the account's overlays, splash pages and bio pages. */
    async countStored() {
      const noEntries = { limit: 0, offset: 0 }
      const pages = await Promise.all([
        overlays.list({ ...app.services, accountId }, noEntries),
        splashes.list({ ...app.services, accountId }, noEntries),
        bios.list({ ...app.services, accountId }, noEntries),
      ])
      return pages.map(({ total }) => total)
    },
  }
})

const HOSTILE = '<script>alert(1)</script>'

/** Form values and texts of the preview. */
const forms = [
  {
    path: 'overlays',
    fields: { type: 'contact', text: `Hi\r\n${HOSTILE}` },
    texts: ['Hi', 'Send'],
  },
  { path: 'overlays', fields: { type: 'poll', text: 'Tea?', options: 'A\r\nB' }, texts: ['>B<'] },
  {
    path: 'overlays',
    fields: { type: 'message', text: 'New', link: 'https://a.example', button: 'See' },
    texts: ['New', 'See'],
  },
  { path: 'overlays', fields: { type: 'newsletter', text: 'Letters' }, texts: ['Subscribe'] },
  {
    path: 'overlays',
    fields: { type: 'image', text: 'Cat', image: 'https://a.example/c.png' },
    texts: ['https://a.example/c.png'],
  },
  { path: 'overlays', fields: {}, texts: ['The first line of the text is the heading'] },
  {
    path: 'splashes',
    fields: { title: HOSTILE, message: 'Soon', seconds: '5' },
    texts: ['Soon', '<bdi id="left" data-seconds="5">5 sec</bdi>'],
  },
  { path: 'splashes', fields: {}, texts: ['The heading', 'The message'] },
  {
    path: 'bios',
    fields: {
      title: 'Anna',
      'links-title': ['B', '', HOSTILE],
      'links-url': ['https://b.example', '', 'https://a.example'],
    },
    texts: ['Anna', '>B<'],
  },
  { path: 'bios', fields: {}, texts: ['The title'] },
] as const

test.for(forms)(
  '$path: previews $fields in a sandboxed page',
  async ({ path, fields, texts }, { setup: { person, countStored } }) => {
    const before = await countStored()
    const reply = await person.send(`/console/${path}/preview`, fields)
    expect([reply.statusCode, reply.body]).toEqual([
      200,
      expect.stringContaining('<!doctype html>'),
    ])
    for (const text of texts) expect(reply.body).toContain(text)
    expect(reply.body).not.toContain('<script')
    expect(String(reply.headers['content-security-policy']).split('; ')).toEqual(
      expect.arrayContaining(["frame-ancestors 'self'", "form-action 'none'", 'sandbox']),
    )
    expect([reply.headers['x-frame-options'], await countStored()]).toEqual(['SAMEORIGIN', before])
  },
)

describe.for([
  {
    path: 'overlays',
    storedText: 'Stored heading',
    invalidFields: [['image', 'nowhere']],
    message: 'Image URL',
  },
  {
    path: 'splashes',
    storedText: 'Stored title',
    invalidFields: [['seconds', '999']],
    message: 'Auto-continue after',
  },
  {
    path: 'bios',
    storedText: 'Stored page',
    invalidFields: [['links-url', ['https://a.example', 'javascript:1']]],
    message: 'Link 2: Must be a valid http or https URL.',
  },
] as const)('$path', ({ path, storedText, invalidFields, message }) => {
  const url = `/console/${path}`

  test('have a form with a preview, at first of the stored values', async ({
    setup: { person, otherPerson, ids },
  }) => {
    const { id } = ids[path]
    const edit = await person.open(`${url}/${id}/edit`)
    expect(edit.body).toContain(`src="${url}/${id}/preview" sandbox`)
    expect(edit.headers['content-security-policy']).toContain("frame-src 'self'")
    const stored = await person.open(`${url}/${id}/preview`)
    expect([stored.statusCode, stored.body]).toEqual([200, expect.stringContaining(storedText)])
    expect((await otherPerson.open(`${url}/${id}/preview`)).statusCode).toBe(404)
    expect((await person.open(`${url}/preview`)).statusCode).toBe(200)
  })

  test('show errors in the preview, which rejects cross-site forms', async ({
    app,
    setup: { person },
  }) => {
    const rejected = await person.send(`${url}/preview`, {
      type: 'image',
      ...Object.fromEntries(invalidFields),
    })
    expect([rejected.statusCode, rejected.body]).toEqual([400, expect.stringContaining(message)])
    const forged = await postForm(app, `${url}/preview`, {}, { cookie: person.cookie })
    expect([forged.statusCode, forged.headers['x-frame-options']]).toEqual([403, 'SAMEORIGIN'])
    const signedOut = await postForm(app, `${url}/preview`, {})
    expect([signedOut.statusCode, signedOut.headers.location]).toEqual([303, '/console/sign-in'])
  })
})

test('previews have a separate rate limit', async ({ app, make }) => {
  const owner = await make.owner()
  const person = await signIn(app, owner.account.email)

  // The limit per minute.
  await Promise.all(Array.from({ length: 300 }, () => countPreview(app.services, owner.account.id)))
  const rejected = await person.send('/console/bios/preview')
  expect([rejected.statusCode, rejected.headers['retry-after']]).toEqual([
    429,
    expect.stringMatching(/^\d+$/),
  ])
  const created = await person.send('/console/bios', { title: 'Anna', alias: 'anna-of-previews' })
  expect(created.statusCode).toBe(303)
})

describe('the links of a bio page', () => {
  const threeLinks = {
    title: 'Anna',
    alias: 'anna',
    'links-title': ['A', 'B', 'C', ''],
    'links-url': ['https://a.example', 'https://b.example', 'https://c.example', ''],
  }

  test.for([
    ['links up 2', ['A', 'C', 'B']],
    ['links down 0', ['B', 'A', 'C']],
    ['links up 0', ['A', 'B', 'C']],
    ['links down 2', ['A', 'B', 'C']],
    ['links remove 1', ['A', 'C']],
    ['links add 0', ['A', 'B', 'C']],
    ['links up 99', ['A', 'B', 'C']],
  ] as const)(
    'after the change "%s", are shown in the order %j and not stored',
    async ([arrange, order], { setup: { person, countStored } }) => {
      const before = await countStored()
      const reply = await person.send('/console/bios', { ...threeLinks, arrange })
      const titles = [...reply.body.matchAll(/name="links-title" value="([^"]*)"/g)]
      expect([reply.statusCode, titles.map(([, title]) => title)]).toEqual([200, [...order, '']])
      expect(reply.body).toContain('autofocus')
      expect(await countStored()).toEqual(before)
    },
  )

  test('are stored in the submitted order', async ({ app, make, owner, setup: { person } }) => {
    const { id } = await make.bio(owner)
    const { alias } = await bios.get({ ...app.services, accountId: owner.account.id }, id)
    const reply = await person.send(`/console/bios/${id}`, { ...threeLinks, alias })
    expect(reply.statusCode).toBe(303)
    const { links } = await bios.get({ ...app.services, accountId: owner.account.id }, id)
    expect(links.map(({ title }) => title)).toEqual(['A', 'B', 'C'])
  })
})
