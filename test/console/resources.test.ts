import { describe, expect } from 'vitest'
import { channels } from '../../src/resources/channels.ts'
import { signIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import { appTest } from '../support/test.ts'

const HOSTILE = '<b>"\'&\u202Ecba</b>'

/**
 * Each kind of resource: valid fields, invalid fields with their error message, a change, and the
 * stored row after it. `errorId` is the id of the invalid input if it differs from its name.
 */
const RESOURCE_KINDS = [
  {
    path: 'pixels',
    table: 'pixels',
    fields: { type: 'vendor01pixel', name: HOSTILE, tag: 'AB-1' },
    invalidFields: { tag: 'a b' },
    message: 'Must be 1 to 64 letters, digits, underscores, dots, colons or hyphens.',
    change: { tag: 'CD-2' },
    stored: { name: HOSTILE, tag: 'CD-2' },
  },
  {
    path: 'overlays',
    table: 'overlays',
    fields: { type: 'poll', name: HOSTILE, text: 'Tea?', options: 'Yes\r\n\r\n No \r\n' },
    invalidFields: { options: 'One' },
    message: 'Must be 2 to 20 lines.',
    change: { options: 'Green\nBlack' },
    stored: { name: HOSTILE, options: ['Green', 'Black'] },
  },
  {
    path: 'splashes',
    table: 'splash_pages',
    fields: { name: HOSTILE, title: 'Bye', message: 'So long', seconds: '5' },
    invalidFields: { seconds: '301' },
    message: 'Must be a whole number from 0 to 300.',
    change: { seconds: '', message: 'Goodbye' },
    stored: { name: HOSTILE, message: 'Goodbye', seconds: null },
  },
  {
    path: 'bios',
    table: 'bio_pages',
    fields: {
      alias: 'anna',
      title: HOSTILE,
      'links-title': ['My  shop', '', ''],
      'links-url': ['https://example.com/', '', 'https://b.example'],
    },
    invalidFields: { 'links-url': ['https://example.com/', '', 'javascript:alert(1)'] },
    errorId: 'links-1-url',
    message: 'Must be a valid http or https URL.',
    change: { 'links-title': 'B', 'links-url': 'https://b.example/' },
    stored: {
      title: HOSTILE,
      links: [expect.objectContaining({ title: 'B', url: 'https://b.example/' })],
    },
  },
  {
    path: 'campaigns',
    table: 'campaigns',
    fields: { name: HOSTILE, slug: 'spring', public: 'on' },
    invalidFields: { slug: 'a/b' },
    message: 'Must be 1 to 64 letters, digits, hyphens or underscores.',
    change: { slug: '', public: '' },
    stored: { name: HOSTILE, slug: null, public: false },
  },
  {
    path: 'channels',
    table: 'channels',
    fields: { name: HOSTILE, color: '#0b6b5a', starred: 'on' },
    invalidFields: { color: 'green' },
    message: 'Must be a color in the form #RGB or #RRGGBB.',
    change: { color: '', description: 'A shelf' },
    stored: { name: HOSTILE, color: '', description: 'A shelf', starred: true },
  },
  {
    path: 'domains',
    table: 'domains',
    fields: { domain: 'go.example', redirectroot: 'example.com' },
    invalidFields: { redirectroot: 'https://go.example/' },
    message: 'Must not lead to the domain itself.',
    change: { redirectroot: '', redirect404: 'https://example.com/404' },
    stored: { redirect_root: null, redirect_404: 'https://example.com/404' },
  },
] as const

const test = appTest({ env: { DOMAIN_CHECK: 'off' } }).extend(
  'setup',
  { scope: 'file' },
  async ({ app, make, owner }) => {
    const { db } = app.services.database
    return {
      person: await signIn(app, owner.account.email),
      otherPerson: await signIn(app, (await make.owner()).account.email),
      listRows: (table: (typeof RESOURCE_KINDS)[number]['table']) =>
        db.selectFrom(table).selectAll().where('account_id', '=', owner.account.id).execute(),
    }
  },
)

describe.for(RESOURCE_KINDS)(
  '$path',
  ({ path, table, fields, invalidFields, message, change, stored, ...otherValues }) => {
    const baseUrl = `/console/${path}`

    test('are created, listed, changed and deleted by forms, with errors next to fields', async ({
      app,
      setup: { person, otherPerson, listRows },
    }) => {
      const empty = await person.open(baseUrl)
      expect([empty.statusCode, empty.body]).toEqual([200, expect.stringContaining('Create one')])
      expect((await person.open(`${baseUrl}/new`)).statusCode).toBe(200)

      const rejected = await person.send(baseUrl, { ...fields, ...invalidFields })
      const [field = ''] = Object.keys(invalidFields)
      expect([rejected.statusCode, rejected.body]).toEqual([422, expect.stringContaining(message)])
      const errorId = 'errorId' in otherValues ? otherValues.errorId : field
      expect(rejected.body).toContain(`id="${errorId}-error"`)
      expect(rejected.body).toMatch(
        new RegExp(`name="${field}"[^>]*aria-invalid="true"[^>]*autofocus`),
      )
      expect(await listRows(table)).toEqual([])

      const created = await person.send(baseUrl, fields)
      expect([created.statusCode, created.headers.location]).toEqual([
        303,
        expect.stringContaining(baseUrl),
      ])
      const [row] = await listRows(table)
      const id = row?.id
      const list = await person.open(baseUrl)
      expect(list.body).toContain(`${baseUrl}/${id}/edit`)
      expect(list.body).not.toContain('<b>')

      for (const url of [`${baseUrl}/${id}/edit`, `${baseUrl}/${id}/delete`]) {
        expect((await person.open(url)).statusCode).toBe(200)
        expect((await otherPerson.open(url)).statusCode).toBe(404)
        const signedOut = await app.request({ url })
        expect([signedOut.statusCode, signedOut.headers.location]).toEqual([
          303,
          expect.stringContaining('/console/sign-in'),
        ])
      }

      const rejectedForm = await person.send(`${baseUrl}/${id}`, { ...fields, ...invalidFields })
      expect([rejectedForm.statusCode, await listRows(table)]).toEqual([422, [row]])
      expect(
        (await otherPerson.send(`${baseUrl}/${id}`, { ...fields, ...change })).statusCode,
      ).toBe(404)
      expect((await otherPerson.send(`${baseUrl}/${id}/delete`)).statusCode).toBe(404)
      const forged = await postForm(app, `${baseUrl}/${id}/delete`, {}, { cookie: person.cookie })
      expect([forged.statusCode, await listRows(table)]).toEqual([403, [row]])

      expect((await person.send(`${baseUrl}/${id}`, { ...fields, ...change })).statusCode).toBe(303)
      expect(await listRows(table)).toEqual([expect.objectContaining({ id, ...stored })])
      const edit = await person.open(`${baseUrl}/${id}/edit`)
      expect(formOf(edit).csrf).toBeTruthy()
      const deletion = await person.send(`${baseUrl}/${id}/delete`)
      expect([deletion.statusCode, deletion.headers.location]).toEqual([303, baseUrl])
      expect(await listRows(table)).toEqual([])
      expect((await person.open(`${baseUrl}/${id}/edit`)).statusCode).toBe(404)
    })
  },
)

test('has pages for long lists and shows the first page for an invalid number', async ({
  app,
  setup: { person },
  owner,
}) => {
  for (let index = 1; index <= 26; index += 1) {
    await channels.create(
      { ...app.services, accountId: owner.account.id },
      { name: `Shelf ${index}` },
    )
  }
  const first = await person.open('/console/channels')
  expect(first.body).toContain('Shelf 26')
  expect(first.body).not.toContain('>Shelf 1<')
  const second = await person.open('/console/channels?page=2')
  expect(second.body).toContain('>Shelf 1<')
  expect((await person.open('/console/channels?page=-1')).body).toContain('Shelf 26')
  expect((await person.open('/console/channels?page=99')).statusCode).toBe(200)
})

test('does not delete a domain with links and shows why', async ({
  make,
  owner,
  setup: { person },
}) => {
  const domain = await make.domain(owner, { domain: 'https://busy.example' })
  await make.link(owner, { domain: 'busy.example' })
  const reply = await person.send(`/console/domains/${domain.id}/delete`)
  expect([reply.statusCode, reply.body]).toEqual([
    409,
    expect.stringContaining('This domain still has links.'),
  ])
})
