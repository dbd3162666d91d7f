import { expect } from 'vitest'
import { linkListTest } from '../support/link-list.ts'

const test = linkListTest()

test('a bulk action stores a version of each link that it changes', async ({
  app,
  make,
  owner,
  person,
}) => {
  const link = await make.link(owner, { tags: ['old'], expiresAt: '2900-01-01' })
  const otherLink = await make.link(owner, { tags: ['sale'] })
  const campaign = await make.campaign(owner)
  const { db } = app.services
  const listVersions = async (id: number) => {
    const query = db.selectFrom('link_versions').select('changes').where('link_id', '=', id)
    return (await query.orderBy('id').execute()).map(({ changes }) => changes)
  }
  const ids = [link.id, otherLink.id]
  for (const [action, fields] of [
    ['disable', {}],
    ['disable', {}],
    ['enable', {}],
    ['archive', {}],
    ['unarchive', {}],
    ['tag', { tag: 'sale' }],
    ['untag', { tag: 'old' }],
    ['expire', { expires: '2999-12-31' }],
    ['expire', { expires: '' }],
    ['campaign', { campaign: String(campaign.id) }],
    ['delete', { sure: 'yes' }],
  ] as const) {
    const reply = await person.change(action, ids, fields)
    expect([action, reply.statusCode]).toEqual([action, 303])
  }
  const undoActions = db.selectFrom('undo_actions').select('id').orderBy('id', 'desc')
  const { id: undoId } = await undoActions.executeTakeFirstOrThrow()
  await person.send('/console/links/undo', { id: String(undoId), back: '' })
  const versions = await listVersions(link.id)
  const expiry = '2999-12-31T23:59:59.999Z'
  // Disabling again changed nothing. Versions do not include campaigns.
  expect(versions).toEqual([
    { status: { before: 'active', after: 'disabled' } },
    { status: { before: 'disabled', after: 'active' } },
    { archived: { before: false, after: true } },
    { archived: { before: true, after: false } },
    { tags: { before: ['old'], after: ['old', 'sale'] } },
    { tags: { before: ['old', 'sale'], after: ['sale'] } },
    { expiry: { before: '2900-01-01T23:59:59.999Z', after: expiry } },
    { expiry: { before: expiry, after: null } },
    { deleted: { before: false, after: true } },
    { deleted: { before: true, after: false } },
  ])
  // The other link already had the added tag, and not the removed one.
  expect(await listVersions(otherLink.id)).toEqual([
    ...versions.slice(0, 4),
    { expiry: { before: null, after: expiry } },
    ...versions.slice(7),
  ])
})
