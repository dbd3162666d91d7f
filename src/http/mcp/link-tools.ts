import { isDeepStrictEqual } from 'node:util'
import { Type } from '@sinclair/typebox'
import { AppError } from '../../errors.ts'
import { requireAccess } from '../../identity/key-scope.ts'
import { createLinks } from '../../links/create-links.ts'
import { getLinkWithParts, updateLink } from '../../links/link.service.ts'
import { LINK_STATES } from '../../links/link-filter.ts'
import { findByShortLink, listLinks } from '../../links/link-list.service.ts'
import { readNewLinks } from '../../links/new-links.ts'
import {
  formatLink,
  LinkChanges,
  NewLink,
  presentDetails,
  presentLink,
  toLinkInput,
} from './link-fields.ts'
import { defineTool, describeError, LinkId } from './tool.ts'

const PAGE = 25

const findLinks = defineTool({
  name: 'find_links',
  title: 'Find links',
  description: `Lists links, newest first, ${PAGE} a page. Without arguments, all of them.`,
  access: { scope: 'read', boundKeys: true },
  effect: 'reads',
  input: Type.Object({
    query: Type.Optional(
      Type.String({
        maxLength: 500,
        format: 'text',
        description: 'Words in the alias, destination, title or tags.',
      }),
    ),
    tag: Type.Optional(Type.String({ maxLength: 256, format: 'text' })),
    status: Type.Optional(Type.Unsafe<(typeof LINK_STATES)[number]>({ enum: [...LINK_STATES] })),
    campaignId: Type.Optional(Type.Integer({ minimum: 1 })),
    order: Type.Optional(Type.Unsafe<'date' | 'click'>({ enum: ['date', 'click'] })),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 40_000 })),
  }),
  async run({ scope, key, input }) {
    const { query: search, tag, status: state, campaignId, order = 'date', page = 1 } = input
    // As in the API, campaigns are not limited to the domain of a key.
    if (campaignId !== undefined) requireAccess(key, { scope: 'read' })
    const filter = { search, tag, state, campaignId }
    const slice = { limit: PAGE, offset: PAGE * (page - 1) }
    const found = await listLinks(scope, { ...slice, order, filter, limitCount: true })
    const { entries, total, hasMore = false } = found
    const links = entries.map(presentLink)
    const more = hasMore || slice.offset + links.length < total
    const lines = links.map((link) => `${formatLink(link)} → ${link.url} (${link.clicks} clicks)`)
    const count = `${total}${hasMore ? ' or more' : ''} links${more ? `, page ${page}` : ''}.`
    return { text: [count, ...lines].join('\n'), data: { total, hasMore: more, links } }
  },
})

const getLink = defineTool({
  name: 'get_link',
  title: 'Get a link',
  description: 'Returns all fields of one link. Give its ID, or its short URL or alias.',
  access: { scope: 'read', boundKeys: true },
  effect: 'reads',
  input: Type.Object({
    id: Type.Optional(LinkId),
    shortUrl: Type.Optional(Type.String({ minLength: 1, maxLength: 9000, format: 'text' })),
  }),
  async run({ scope, input: { id, shortUrl } }) {
    const linkId = id ?? (shortUrl && (await findByShortLink(scope, shortUrl))?.id)
    if (!linkId) throw new AppError('not_found')
    const link = presentDetails(await getLinkWithParts(scope, linkId))
    return { text: JSON.stringify(link), data: { link } }
  },
})

const createLinksTool = defineTool({
  name: 'create_links',
  title: 'Create links',
  description: 'Creates 1 to 100 short links. Each one succeeds or fails by itself.',
  access: { scope: 'create', boundKeys: true },
  effect: 'adds',
  input: Type.Object({ links: Type.Array(NewLink, { minItems: 1, maxItems: 100 }) }),
  async run({ scope, input }) {
    const prepared = await readNewLinks(scope, input.links.map(toLinkInput))
    const settled = await createLinks(scope, prepared)
    const links = settled.map((result, index) => {
      const { title = null } = input.links[index] as { title?: string }
      if (result.status === 'fulfilled') {
        const { id, shortUrl, url } = result.value
        return { id, shortUrl, title, url }
      }
      const { reason } = result
      if (!(reason instanceof AppError) || reason.status >= 500) throw reason
      return { url: input.links[index]?.url, error: describeError(reason) }
    })
    const lines = links.map((link) =>
      'error' in link
        ? `Not created: ${link.url}: ${link.error}`
        : `${formatLink(link)} → ${link.url}`,
    )
    const created = links.filter((link) => !('error' in link)).length
    const text = [`Created ${created} of ${links.length} links.`, ...lines].join('\n')
    return { text, data: { created, links }, isError: created === 0 }
  },
})

const updateLinkTool = defineTool({
  name: 'update_link',
  title: 'Update a link',
  description: 'Changes the given fields of a link. Null clears a field.',
  access: { scope: 'links', boundKeys: true },
  effect: 'changes',
  input: Type.Object({ id: LinkId, ...LinkChanges }),
  async run({ scope, input: { id, ...values } }) {
    const before = presentDetails(await getLinkWithParts(scope, id))
    await updateLink(scope, id, toLinkInput(values))
    const link = await getLinkWithParts(scope, id)
    const after = presentDetails(link)
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      (name) => !isDeepStrictEqual(before[name], after[name]),
    )
    const changes = names.map((name) => [
      name,
      { before: before[name] ?? null, after: after[name] ?? null },
    ])
    const { shortUrl, title } = presentLink(link)
    const what = names.length > 0 ? `Changed ${names.join(', ')}.` : 'Nothing changed.'
    const data = { link: { id, shortUrl, title }, changes: Object.fromEntries(changes) }
    return { text: `${formatLink({ id, shortUrl, title })}: ${what}`, data }
  },
})

export const linkTools = [findLinks, getLink, createLinksTool, updateLinkTool]
