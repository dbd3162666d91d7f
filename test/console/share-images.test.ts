import sharp from 'sharp'
import { expect } from 'vitest'
import { deleteLink, getLink, updateLink } from '../../src/links/link.service.ts'
import { deletePermanently } from '../../src/links/trash.service.ts'
import { changeLinkStatus } from '../../src/operator/moderation.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { linkListTest } from '../support/link-list.ts'
import type { Owner } from '../support/make.ts'

const test = linkListTest()

const createPicture = (background = '#123456', width = 2000, height = 1000) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()

const CRAWLER = { 'user-agent': 'facebookexternalhit/1.1' }

test('serves an uploaded image on the host of the link and references it in the preview', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const domain = await make.domain(owner, { domain: 'https://cards.test' })
  const created = await person.send('/console/links/new', {
    once: 'a',
    url: 'https://example.com/',
    alias: 'sale',
    domain: domain.host,
    metaTitle: 'Sale',
    metaDescription: 'Everything',
    metaImage: 'https://old.example/a.png',
    'rule-name': [],
    metaImageFile: await createPicture(),
  })
  expect([created.statusCode, created.headers.location]).toEqual([
    303,
    expect.stringMatching(/^\/console\/links\/\d+$/),
  ])
  const id = Number(String(created.headers.location).split('/').at(-1))
  const { metaImage } = await getLink(scopeOf(app.services, owner.account.id), id)
  expect(metaImage).toMatch(/^https:\/\/cards\.test\/static\/[0-9a-f]{32}\.jpg$/)
  const url = new URL(metaImage ?? '').pathname

  const headers = { host: 'cards.test' }
  const image = await request({ url, headers })
  expect([image.statusCode, image.headers['content-type']]).toEqual([200, 'image/jpeg'])
  expect(image.headers['x-content-type-options']).toBe('nosniff')
  const { format, width, height } = await sharp(image.rawPayload).metadata()
  expect([format, width, height]).toEqual(['jpeg', 1200, 600])
  const conditional = { ...headers, 'if-none-match': String(image.headers.etag) }
  expect((await request({ url, headers: conditional })).statusCode).toBe(304)
  expect((await request({ url, headers: { host: 'other.test' } })).statusCode).toBe(404)
  const preview = await request({ url: '/sale', headers: { ...headers, ...CRAWLER } })
  expect(preview.body).toContain(`property="og:image" content="${metaImage}"`)
  const editor = await person.open(`/console/links/${id}/edit`)
  expect(editor.body).toContain(`src="${url}"`)

  // A copy keeps the image, even if the first link is deleted.
  const copy = await person.send('/console/links/new', {
    once: 'b',
    url: 'https://example.com/',
    alias: 'copy',
    metaTitle: 'Copy',
    metaImage: metaImage ?? '',
  })
  expect(copy.statusCode).toBe(303)
  await person.send(`/console/links/${id}/delete`)
  expect((await request({ url })).statusCode).toBe(200)
})

test('replaces, removes and restores an image with its link', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const { services } = app
  const { id, shortUrl } = await make.link(owner, { metaTitle: 'Sale' })
  const path = `/console/links/${id}/edit`
  const getImage = async () => {
    const { metaImage } = await getLink(scopeOf(services, owner.account.id), id)
    return metaImage ?? ''
  }
  const fields = { url: 'https://example.com/target', metaTitle: 'Sale' }
  const submitEdit = async (metaImageFile: Buffer) =>
    person.send(path, { ...fields, metaImage: await getImage(), metaImageFile })
  await submitEdit(await createPicture('#ff0000'))
  const first = await getImage()
  await submitEdit(await createPicture('#00ff00'))
  const second = await getImage()
  expect(second).not.toBe(first)
  for (const url of [first, second]) expect((await request({ url })).statusCode).toBe(200)
  for (const [file, problem] of [
    [Buffer.from('GIF89a'), 'Must be a PNG or JPEG image.'],
    [Buffer.alloc(2_097_153, 1), 'Must be at most 2 MiB.'],
  ] as const) {
    const rejected = await submitEdit(file)
    expect([rejected.statusCode, rejected.body]).toEqual([422, expect.stringContaining(problem)])
    expect(rejected.body).toContain('id="metaImageFile-error"')
  }
  expect(await getImage()).toBe(second)
  await submitEdit(Buffer.alloc(0))
  expect(await getImage()).toBe(second)
  await person.send(path, { ...fields, metaImage: '' })
  expect(await getImage()).toBe('')
  await updateLink(scopeOf(services, owner.account.id), id, {
    url: fields.url,
    metaImage: second,
  })
  expect((await request({ url: second })).statusCode).toBe(200)

  await changeLinkStatus(services, services.db, 'root@example.com', shortUrl, {
    status: 'disabled',
    reason: 'Spam',
  })
  expect((await request({ url: second })).statusCode).toBe(404)
})

test('keeps an image while a link of the account uses it', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const { services } = app
  const { db } = services.database
  const { id } = await make.link(owner)
  const upload = async (background: string) => {
    await person.send(`/console/links/${id}/edit`, {
      url: 'https://example.com/target',
      metaImageFile: await createPicture(background),
    })
    return (await getLink(scopeOf(services, owner.account.id), id)).metaImage ?? ''
  }
  const url = await upload('#123456')
  const getStatus = async () => (await request({ url })).statusCode
  const createLink = async (owner: Owner) => {
    const payload = { url: 'https://example.com/', metaimage: url }
    const reply = await request({
      method: 'POST',
      url: '/api/url/add',
      headers: owner.headers,
      payload,
    })
    expect(reply.statusCode).toBe(200)
    return reply.json().id as number
  }
  const otherLinkIds = [await createLink(owner), await createLink(owner)]
  const foreignLinkId = await createLink(await make.owner())

  // Later uploads for the first link replace its older images, except those used by other links.
  for (const digit of [1, 2, 3, 4, 5, 6]) await upload(`#${String(digit).repeat(6)}`)
  expect(await getStatus()).toBe(200)

  for (const [index, linkId] of [id, ...otherLinkIds].entries()) {
    const isLast = index === otherLinkIds.length
    await deleteLink(scopeOf(services, owner.account.id), linkId)
    expect([index, await getStatus()]).toEqual([index, isLast ? 404 : 200])
    await deletePermanently(scopeOf(services, owner.account.id), [linkId])
    expect([index, await getStatus()]).toEqual([index, isLast ? 404 : 200])
  }
  const rows = await db
    .selectFrom('link_images')
    .select('link_id')
    .where('link_id', 'in', [id, foreignLinkId, ...otherLinkIds])
    .execute()
  expect(rows).toEqual([])
})

test('does not copy images of other accounts', async ({ app, make, owner, person, request }) => {
  const { services } = app
  const ownLink = await make.link(owner)
  await person.send(`/console/links/${ownLink.id}/edit`, {
    url: 'https://example.com/target',
    metaImageFile: await createPicture(),
  })
  const { metaImage } = await getLink(scopeOf(services, owner.account.id), ownLink.id)
  const otherOwner = await make.owner()
  await make.link(otherOwner, { metaImage: metaImage ?? '' })
  const { db } = services.database
  await db.deleteFrom('links').where('id', '=', ownLink.id).execute()
  expect((await request({ url: metaImage ?? '' })).statusCode).toBe(404)
  expect(
    await db.selectFrom('link_images').select('hash').where('link_id', '=', ownLink.id).execute(),
  ).toEqual([])
})
