import { stringify } from 'csv-stringify/sync'
import { invalid } from '../errors.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import type { Overlays } from '../overlays/overlay.service.ts'
import { command } from './command.ts'
import { jsonList } from './json-list.ts'
import { allPages, OWNER } from './owner.ts'
import { parseId, parseTexts } from './values.ts'

type Given = ReturnType<Overlays['answers']> extends AsyncIterable<infer Answer> ? Answer : never

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
    const { accounts, overlays } = await context.features()
    const owner = await accounts.byEmail(account)
    const { id } = await overlays.add(owner.id, { ...input, ...choices })
    return { id }
  },
})

export const overlayList = command({
  summary: 'show the overlays of an account',
  required: OWNER,
  async run(context, { account }) {
    const { accounts, overlays } = await context.features()
    const owner = await accounts.byEmail(account)
    const entries = await allPages((page) => overlays.list(owner.id, page))
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
    const { accounts, overlays } = await context.features()
    const owner = await accounts.byEmail(account)
    await overlays.delete(owner.id, id)
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
    const { accounts, overlays } = await context.features()
    const owner = await accounts.byEmail(account)
    const answers = overlays.answers(owner.id, id)
    if (format === 'json') return jsonList('answers', answers, present)
    return csv(answers, await fieldsOf(overlays, owner.id, id))
  },
})

function present({ id, linkId, createdAt, answer }: Given) {
  return { id, link: linkId, date: formatTimestamp(createdAt), answer }
}

/** The names of the fields that were ever sent. They stand in the first line, so they are read first. */
async function fieldsOf(
  overlays: Overlays,
  accountId: number,
  overlayId: number,
): Promise<string[]> {
  const names = new Set<string>()
  for await (const { answer } of overlays.answers(accountId, overlayId)) {
    for (const name of Object.keys(answer)) names.add(name)
  }
  return [...names]
}

async function* csv(answers: AsyncIterable<Given>, fields: readonly string[]) {
  yield csvLine(['id', 'link', 'date', ...fields])
  for await (const given of answers) {
    const { id, link, date, answer } = present(given)
    yield csvLine([id, link, date, ...fields.map((name) => answer[name])])
  }
}

/** A spreadsheet would run a text that a visitor begins with = as a formula, so such texts are escaped. */
function csvLine(cells: readonly unknown[]): string {
  return stringify([[...cells]], { escape_formulas: true })
}
