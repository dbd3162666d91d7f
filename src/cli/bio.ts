import { getAccountByEmailOrUsername } from '../accounts/account.service.ts'
import { addBio, deleteBio, listBios } from '../bio/bio.service.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { changeAndLog } from './change-and-log.ts'
import { defineCommand } from './command.ts'
import { OWNER, readAllPages } from './owner.ts'
import { parseId, parseLinks } from './values.ts'

export const bioAdd = defineCommand({
  summary: 'create a bio page at /b/<alias>',
  required: { ...OWNER, alias: 'the path below /b/', title: 'the heading' },
  optional: {
    text: 'the text below the heading',
    links: 'URL,Title=URL,… or JSON: [{"title": …, "url": …}]',
  },
  async run(context, { account, links = '', ...input }) {
    const list = parseLinks('links', links)
    const ctx = await context.connect()
    const { id, alias } = await changeAndLog(ctx, {
      account,
      action: 'bio.add',
      work: (tx, owner) => addBio(ctx, tx, owner, { ...input, links: list }),
      detail: ({ alias }) => alias,
    })
    return { id, alias, url: `${context.config.baseUrl}/b/${encodeURIComponent(alias)}` }
  },
})

export const bioList = defineCommand({
  summary: 'list the bio pages of an account',
  required: OWNER,
  async run(context, { account }) {
    const ctx = await context.connect()
    const owner = await getAccountByEmailOrUsername(ctx.db, account)
    const entries = await readAllPages((page) => listBios(ctx.db, owner.id, page))
    return {
      bios: entries.map(({ id, alias, title, links, createdAt }) => {
        return { id, alias, title, links: links.length, date: formatTimestamp(createdAt) }
      }),
    }
  },
})

export const bioDelete = defineCommand({
  summary: 'delete a bio page and remove it from channels',
  required: { ...OWNER, id: 'the id of the bio page' },
  async run(context, { account, ...input }) {
    const id = parseId('id', input.id)
    const ctx = await context.connect()
    await changeAndLog(ctx, {
      account,
      action: 'bio.delete',
      work: (tx, owner) => deleteBio(ctx, tx, owner, id),
      detail: () => String(id),
    })
    return { id, deleted: true }
  },
})
