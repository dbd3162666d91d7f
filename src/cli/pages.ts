import { invalid } from '../errors.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { getAccountByEmailOrUsername } from '../identity/account.service.ts'
import type { Action } from '../operator-log/action.ts'
import { bios } from '../resources/bios.ts'
import type { AnyResource, EntryOf } from '../resources/definition.ts'
import { type Answer, generateAnswersCsv, readAnswers } from '../resources/overlay-answers.ts'
import { overlays } from '../resources/overlays.ts'
import { splashes } from '../resources/splashes.ts'
import { scopeOf } from '../scope.ts'
import { defineCommand, generateJsonList } from './command.ts'
import { changeAndLog, OWNER, readAllPages } from './context.ts'
import { parseCount, parseId, parseLinks, parseTexts } from './values.ts'

/** An entry of a list, whose fields depend on the resource. */
type ListedEntry = EntryOf<AnyResource> & { date: string }

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
    const values = { ...input, ...choices }
    const { id } = await changeAndLog(ctx, {
      account,
      action: 'overlay.add',
      work: (tx, owner) => overlays.create(scopeOf({ ...ctx, db: tx }, owner), values),
      detail: (created) => String(created.id),
    })
    return { id }
  },
})

export const overlayList = defineList(overlays, {
  summary: 'list the overlays of an account',
  key: 'overlays',
  present: ({ id, type, name, date }) => ({ id, type, name, date }),
})

export const overlayDelete = defineDeletion(overlays, {
  summary: 'delete an overlay and its responses; its links then redirect directly',
  action: 'overlay.delete',
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
    const scope = scopeOf(ctx, owner.id)
    if (format === 'json') return generateJsonList('answers', readAnswers(scope, id), present)
    return generateAnswersCsv(scope, id, formatTimestamp)
  },
})

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
      work: (tx, owner) =>
        splashes.create(scopeOf({ ...ctx, db: tx }, owner), { ...input, ...delay }),
      detail: (created) => String(created.id),
    })
    return { id }
  },
})

export const splashList = defineList(splashes, {
  summary: 'list the splash pages of an account',
  key: 'splashes',
  present: ({ id, name, date }) => ({ id, name, date }),
})

export const splashDelete = defineDeletion(splashes, {
  summary: 'delete a splash page; its links then show the default one',
  action: 'splash.delete',
})

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
      work: (tx, owner) =>
        bios.create(scopeOf({ ...ctx, db: tx }, owner), { ...input, links: list }),
      detail: ({ alias }) => alias,
    })
    return { id, alias, url: `${context.config.baseUrl}/b/${encodeURIComponent(alias)}` }
  },
})

export const bioList = defineList(bios, {
  summary: 'list the bio pages of an account',
  key: 'bios',
  present: ({ id, alias, title, links, date }) => ({
    id,
    alias,
    title,
    links: (links as unknown[]).length,
    date,
  }),
})

export const bioDelete = defineDeletion(bios, {
  summary: 'delete a bio page and remove it from channels',
  action: 'bio.delete',
})

/** Defines a command that lists an account's entries of a resource under `key`. */
function defineList(
  resource: AnyResource,
  {
    summary,
    key,
    present,
  }: { summary: string; key: string; present: (entry: ListedEntry) => object },
) {
  return defineCommand({
    summary,
    required: OWNER,
    async run(context, { account }) {
      const ctx = await context.connect()
      const { id } = await getAccountByEmailOrUsername(ctx.db, account)
      const entries = await readAllPages((page) => resource.list(scopeOf(ctx, id), page))
      return {
        [key]: entries.map((entry) =>
          present({ ...entry, date: formatTimestamp(entry.createdAt) }),
        ),
      }
    },
  })
}

/** Defines a command that deletes an entry of a resource. */
function defineDeletion(
  resource: AnyResource,
  { summary, action }: { summary: string; action: Action },
) {
  return defineCommand({
    summary,
    required: { ...OWNER, id: `the id of the ${resource.api.noun}` },
    async run(context, { account, ...input }) {
      const id = parseId('id', input.id)
      const ctx = await context.connect()
      await changeAndLog(ctx, {
        account,
        action,
        work: (tx, owner) => resource.remove(scopeOf({ ...ctx, db: tx }, owner), id),
        detail: () => String(id),
      })
      return { id, deleted: true }
    },
  })
}

function present({ id, linkId, createdAt, answer }: Answer) {
  return { id, link: linkId, date: formatTimestamp(createdAt), answer }
}
