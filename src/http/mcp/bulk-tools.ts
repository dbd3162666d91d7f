import { Type } from '@sinclair/typebox'
import type { HttpContext } from '../../context.ts'
import { AppError, invalid } from '../../errors.ts'
import {
  type BulkChange,
  setLinkStatuses,
  tagLinks,
  untagLinks,
} from '../../links/bulk-links.service.ts'
import type { LinkStatus } from '../../links/link.ts'
import { readLinkEntries } from '../../links/link-list.service.ts'
import { deleteLinks } from '../../links/trash.service.ts'
import type { Scope } from '../../scope.ts'
import { formatLink, presentLink } from './link-fields.ts'
import { defineTool, LinkIds, type ToolResult } from './tool.ts'

type Outcome = BulkChange & { blocked?: number }

const access = { scope: 'links', boundKeys: true } as const
const Tags = Type.Optional(
  Type.Array(Type.String({ maxLength: 512, format: 'text' }), { maxItems: 20 }),
)

const disableLinks = defineTool({
  name: 'disable_links',
  title: 'Disable links',
  description: 'Disables up to 100 links: visitors get a notice instead of the destination.',
  access,
  effect: 'changes',
  input: Type.Object({ ids: LinkIds }),
  run: ({ scope, input }) => setStatuses(scope, input.ids, 'disabled'),
})

const enableLinks = defineTool({
  name: 'enable_links',
  title: 'Enable links',
  description: 'Enables up to 100 disabled links again.',
  access,
  effect: 'changes',
  input: Type.Object({ ids: LinkIds }),
  run: ({ scope, input }) => setStatuses(scope, input.ids, 'active'),
})

const tagLinksTool = defineTool({
  name: 'tag_links',
  title: 'Tag links',
  description: 'Adds tags to up to 100 links, removes tags from them, or both.',
  access,
  effect: 'changes',
  input: Type.Object({ ids: LinkIds, add: Tags, remove: Tags }),
  async run({ scope, input: { ids, add = [], remove = [] } }) {
    if (add.length + remove.length === 0) throw invalid('add', 'empty')
    const added = add.length > 0 ? await tagLinks(scope, ids, add) : undefined
    const removed = remove.length > 0 ? await untagLinks(scope, ids, remove) : undefined
    const changed = new Set([...(added?.changed ?? []), ...(removed?.changed ?? [])])
    const count = added?.count ?? removed?.count ?? 0
    return report('Tagged', { ids, outcome: { count, changed: [...changed] } }, (changed) =>
      readLinkEntries(scope, changed),
    )
  },
})

const deleteLinksTool = defineTool({
  name: 'delete_links',
  title: 'Delete links',
  description:
    'Moves up to 100 links to the trash, where they stay for 30 days. Visitors get a 404.',
  access,
  effect: 'deletes',
  input: Type.Object({ ids: LinkIds }),
  async run({ scope, input: { ids } }) {
    // Links in the trash are not listed.
    const entries = await readLinkEntries(scope, ids)
    const outcome = await deleteLinks(scope, ids)
    return report('Moved to the trash:', { ids, outcome }, async (changed) =>
      entries.filter(({ id }) => changed.includes(id)),
    )
  },
})

async function setStatuses(
  scope: Scope<HttpContext>,
  ids: readonly number[],
  status: LinkStatus,
): Promise<ToolResult> {
  const outcome = await setLinkStatuses(scope, ids, status)
  const verb = status === 'active' ? 'Enabled' : 'Disabled'
  return report(verb, { ids, outcome }, (changed) => readLinkEntries(scope, changed))
}

/** Reports which links changed, and how many did not and why. @throws AppError `not_found` for none */
async function report(
  verb: string,
  { ids, outcome }: { ids: readonly number[]; outcome: Outcome },
  readEntries: (changed: readonly number[]) => ReturnType<typeof readLinkEntries>,
): Promise<ToolResult> {
  const { count, changed, blocked = 0 } = outcome
  if (count + blocked === 0) throw new AppError('not_found')
  const links = (await readEntries(changed)).map(presentLink)
  const unchanged = count - changed.length
  const notFound = new Set(ids).size - count - blocked
  const counts = [
    `${verb} ${changed.length} links.`,
    unchanged > 0 && `${unchanged} were so before.`,
    blocked > 0 && `${blocked} are disabled by an admin, who alone can enable them.`,
    notFound > 0 && `${notFound} not found, or under review by an admin.`,
  ].filter(Boolean)
  return {
    text: [counts.join(' '), ...links.map(formatLink)].join('\n'),
    data: {
      changed: links.map(({ id, shortUrl, title, status, tags = [] }) => ({
        id,
        shortUrl,
        title,
        status,
        tags,
      })),
      unchanged,
      blocked,
      notFound,
    },
  }
}

export const bulkTools = [disableLinks, enableLinks, tagLinksTool, deleteLinksTool]
