import { getAccountByEmailOrUsername } from '../accounts/account.service.ts'
import { invalid } from '../errors.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { generateAnswersCsv } from '../overlays/answers-csv.ts'
import {
  addOverlay,
  deleteOverlay,
  listOverlays,
  readAnswers,
} from '../overlays/overlay.service.ts'
import type { Answer } from '../overlays/overlay.ts'
import { changeAndLog } from './change-and-log.ts'
import { defineCommand } from './command.ts'
import { generateJsonList } from './json-list.ts'
import { OWNER, readAllPages } from './owner.ts'
import { parseId, parseTexts } from './values.ts'

const ID = 'the id of the overlay'

export const overlayAdd = defineCommand({
  summary: 'create an overlay; links use it by the type overlay-<id>',
  required: {
    ...OWNER,
    type: 'contact, poll, message, newsletter or image',
    name: 'a name that only you see',
    text: 'the text; its first line is the heading',
  },
  optional: {
    button: 'the button text',
    link: 'the URL that the button or image links to',
    image: 'the URL of an image',
    options: 'the options of a poll: A,B,C or a JSON list',
  },
  async run(context, { account, options, ...input }) {
    const choices = options === undefined ? {} : { options: parseTexts('options', options) }
    const ctx = await context.connect()
    const { id } = await changeAndLog(ctx, {
      account,
      action: 'overlay.add',
      work: (tx, owner) => addOverlay(ctx, tx, owner, { ...input, ...choices }),
      detail: (created) => String(created.id),
    })
    return { id }
  },
})

export const overlayList = defineCommand({
  summary: 'list the overlays of an account',
  required: OWNER,
  async run(context, { account }) {
    const ctx = await context.connect()
    const owner = await getAccountByEmailOrUsername(ctx.db, account)
    const entries = await readAllPages((page) => listOverlays(ctx.db, owner.id, page))
    return {
      overlays: entries.map(({ id, type, name, createdAt }) => {
        return { id, type, name, date: formatTimestamp(createdAt) }
      }),
    }
  },
})

export const overlayDelete = defineCommand({
  summary: 'delete an overlay and its responses; its links then redirect directly',
  required: { ...OWNER, id: ID },
  async run(context, { account, ...input }) {
    const id = parseId('id', input.id)
    const ctx = await context.connect()
    await changeAndLog(ctx, {
      account,
      action: 'overlay.delete',
      work: (tx, owner) => deleteOverlay(ctx, tx, owner, id),
      detail: () => String(id),
    })
    return { id, deleted: true }
  },
})

export const overlayAnswers = defineCommand({
  summary: 'print the responses to an overlay',
  required: { ...OWNER, id: ID },
  optional: { format: 'csv (default) or json' },
  async run(context, { account, format = context.json ? 'json' : 'csv', ...input }) {
    const id = parseId('id', input.id)
    if (format !== 'csv' && format !== 'json') throw invalid('format', 'csv_or_json')
    const ctx = await context.connect()
    const owner = await getAccountByEmailOrUsername(ctx.db, account)
    if (format === 'json')
      return generateJsonList('answers', readAnswers(ctx.db, owner.id, id), present)
    return generateAnswersCsv(ctx.db, owner.id, id, formatTimestamp)
  },
})

function present({ id, linkId, createdAt, answer }: Answer) {
  return { id, link: linkId, date: formatTimestamp(createdAt), answer }
}
