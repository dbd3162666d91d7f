import { getAccountByEmailOrUsername } from '../accounts/account.service.ts'
import { invalid } from '../errors.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { answersCsv } from '../overlays/answers-csv.ts'
import {
  addOverlay,
  deleteOverlay,
  listOverlays,
  readAnswers,
} from '../overlays/overlay.service.ts'
import type { Answer } from '../overlays/overlay.ts'
import { command } from './command.ts'
import { jsonList } from './json-list.ts'
import { loggedChange } from './logged-change.ts'
import { allPages, OWNER } from './owner.ts'
import { parseId, parseTexts } from './values.ts'

const ID = 'the id of the overlay'

export const overlayAdd = command({
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
    const { id } = await loggedChange(ctx, {
      account,
      action: 'overlay.add',
      work: (tx, owner) => addOverlay(ctx, tx, owner, { ...input, ...choices }),
      detail: (made) => String(made.id),
    })
    return { id }
  },
})

export const overlayList = command({
  summary: 'list the overlays of an account',
  required: OWNER,
  async run(context, { account }) {
    const ctx = await context.connect()
    const owner = await getAccountByEmailOrUsername(ctx.db, account)
    const entries = await allPages((page) => listOverlays(ctx.db, owner.id, page))
    return {
      overlays: entries.map(({ id, type, name, createdAt }) => {
        return { id, type, name, date: formatTimestamp(createdAt) }
      }),
    }
  },
})

export const overlayDelete = command({
  summary: 'delete an overlay and its responses; its links then redirect directly',
  required: { ...OWNER, id: ID },
  async run(context, { account, ...input }) {
    const id = parseId('id', input.id)
    const ctx = await context.connect()
    await loggedChange(ctx, {
      account,
      action: 'overlay.delete',
      work: (tx, owner) => deleteOverlay(ctx, tx, owner, id),
      detail: () => String(id),
    })
    return { id, deleted: true }
  },
})

export const overlayAnswers = command({
  summary: 'print the responses to an overlay',
  required: { ...OWNER, id: ID },
  optional: { format: 'csv (default) or json' },
  async run(context, { account, format = context.json ? 'json' : 'csv', ...input }) {
    const id = parseId('id', input.id)
    if (format !== 'csv' && format !== 'json') throw invalid('format', 'must be csv or json')
    const ctx = await context.connect()
    const owner = await getAccountByEmailOrUsername(ctx.db, account)
    if (format === 'json') return jsonList('answers', readAnswers(ctx.db, owner.id, id), present)
    return answersCsv(ctx.db, owner.id, id, formatTimestamp)
  },
})

function present({ id, linkId, createdAt, answer }: Answer) {
  return { id, link: linkId, date: formatTimestamp(createdAt), answer }
}
