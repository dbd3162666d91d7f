import { getAccountByEmail } from '../accounts/account.service.ts'
import { invalid } from '../errors.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { answersCsv } from '../overlays/answers-csv.ts'
import type { Answer } from '../overlays/overlay.ts'
import { act } from './act.ts'
import { command } from './command.ts'
import { jsonList } from './json-list.ts'
import { allPages, OWNER } from './owner.ts'
import { parseId, parseTexts } from './values.ts'

const ID = 'the id of the overlay'

export const overlayAdd = command({
  summary: 'make a call-to-action overlay, for links of the type overlay-<id>',
  required: {
    ...OWNER,
    type: 'contact, poll, message, newsletter or image',
    name: 'what you call it',
    text: 'what it says; the first line is the heading',
  },
  optional: {
    button: 'the words on its button',
    link: 'where its button or image leads',
    image: 'the URL of its image',
    options: 'what a poll asks to choose from: A,B,C or a JSON list',
  },
  async run(context, { account, options, ...input }) {
    const choices = options === undefined ? {} : { options: parseTexts('options', options) }
    const { id } = await act(await context.connect(), {
      account,
      action: 'overlay.add',
      work: (_, owner, { overlays }) => overlays.add(owner, { ...input, ...choices }),
      detail: (made) => String(made.id),
    })
    return { id }
  },
})

export const overlayList = command({
  summary: 'show the overlays of an account',
  required: OWNER,
  async run(context, { account }) {
    const ctx = await context.connect()
    const owner = await getAccountByEmail(ctx.db, account)
    const entries = await allPages((page) => ctx.overlays.list(owner.id, page))
    return {
      overlays: entries.map(({ id, type, name, createdAt }) => {
        return { id, type, name, date: formatTimestamp(createdAt) }
      }),
    }
  },
})

export const overlayDelete = command({
  summary: 'delete an overlay with its answers; its links then lead on directly',
  required: { ...OWNER, id: ID },
  async run(context, { account, ...input }) {
    const id = parseId('id', input.id)
    await act(await context.connect(), {
      account,
      action: 'overlay.delete',
      work: (_, owner, { overlays }) => overlays.delete(owner, id),
      detail: () => String(id),
    })
    return { id, deleted: true }
  },
})

export const overlayAnswers = command({
  summary: 'give what visitors sent with the form of an overlay',
  required: { ...OWNER, id: ID },
  optional: { format: 'csv (default) or json' },
  async run(context, { account, format = context.json ? 'json' : 'csv', ...input }) {
    const id = parseId('id', input.id)
    if (format !== 'csv' && format !== 'json') throw invalid('format', 'must be csv or json')
    const ctx = await context.connect()
    const owner = await getAccountByEmail(ctx.db, account)
    if (format === 'json') return jsonList('answers', ctx.overlays.answers(owner.id, id), present)
    return answersCsv(ctx.overlays, owner.id, id, formatTimestamp)
  },
})

function present({ id, linkId, createdAt, answer }: Answer) {
  return { id, link: linkId, date: formatTimestamp(createdAt), answer }
}
