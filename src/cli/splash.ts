import { getAccountByEmailOrUsername } from '../accounts/account.service.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { addSplash, deleteSplash, listSplashes } from '../splash/splash.service.ts'
import { changeAndLog } from './change-and-log.ts'
import { defineCommand } from './command.ts'
import { OWNER, readAllPages } from './owner.ts'
import { parseCount, parseId } from './values.ts'

export const splashAdd = defineCommand({
  summary: 'create a splash page; links use it by its id as type',
  required: {
    ...OWNER,
    name: 'a name that only you see',
    title: 'the heading',
    message: 'the text',
  },
  optional: {
    image: 'the URL of an image',
    link: 'the URL that the image links to',
    seconds: 'seconds until it redirects; by default it waits for a click',
  },
  async run(context, { account, seconds, ...input }) {
    const delay = seconds === undefined ? {} : { seconds: parseCount('seconds', seconds) }
    const ctx = await context.connect()
    const { id } = await changeAndLog(ctx, {
      account,
      action: 'splash.add',
      work: (tx, owner) => addSplash(ctx, tx, owner, { ...input, ...delay }),
      detail: (created) => String(created.id),
    })
    return { id }
  },
})

export const splashList = defineCommand({
  summary: 'list the splash pages of an account',
  required: OWNER,
  async run(context, { account }) {
    const ctx = await context.connect()
    const owner = await getAccountByEmailOrUsername(ctx.db, account)
    const entries = await readAllPages((page) => listSplashes(ctx.db, owner.id, page))
    return {
      splashes: entries.map(({ id, name, createdAt }) => {
        return { id, name, date: formatTimestamp(createdAt) }
      }),
    }
  },
})

export const splashDelete = defineCommand({
  summary: 'delete a splash page; its links then show the default one',
  required: { ...OWNER, id: 'the id of the splash page' },
  async run(context, { account, ...input }) {
    const id = parseId('id', input.id)
    const ctx = await context.connect()
    await changeAndLog(ctx, {
      account,
      action: 'splash.delete',
      work: (tx, owner) => deleteSplash(ctx, tx, owner, id),
      detail: () => String(id),
    })
    return { id, deleted: true }
  },
})
