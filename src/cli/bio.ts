import { getAccountByEmail } from '../accounts/account.service.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { act } from './act.ts'
import { command } from './command.ts'
import { allPages, OWNER } from './owner.ts'
import { parseId, parseLinks } from './values.ts'

export const bioAdd = command({
  summary: 'make a public page of links at /b/<alias>',
  required: { ...OWNER, alias: 'its place below /b/', title: 'its heading' },
  optional: {
    text: 'what stands below the heading',
    links: 'URL,Title=URL,… or JSON: [{"title": …, "url": …}]',
  },
  async run(context, { account, links = '', ...input }) {
    const list = parseLinks('links', links)
    const { id, alias } = await act(await context.connect(), {
      account,
      action: 'bio.add',
      work: (_, owner, { bios }) => bios.add(owner, { ...input, links: list }),
      detail: ({ alias }) => alias,
    })
    return { id, alias, url: `${context.config.baseUrl}/b/${encodeURIComponent(alias)}` }
  },
})

export const bioList = command({
  summary: 'show the bio pages of an account',
  required: OWNER,
  async run(context, { account }) {
    const ctx = await context.connect()
    const owner = await getAccountByEmail(ctx.db, account)
    const entries = await allPages((page) => ctx.bios.list(owner.id, page))
    return {
      bios: entries.map(({ id, alias, title, links, createdAt }) => {
        return { id, alias, title, links: links.length, date: formatTimestamp(createdAt) }
      }),
    }
  },
})

export const bioDelete = command({
  summary: 'delete a bio page, also from channels',
  required: { ...OWNER, id: 'the id of the bio page' },
  async run(context, { account, ...input }) {
    const id = parseId('id', input.id)
    await act(await context.connect(), {
      account,
      action: 'bio.delete',
      work: (_, owner, { bios }) => bios.delete(owner, id),
      detail: () => String(id),
    })
    return { id, deleted: true }
  },
})
