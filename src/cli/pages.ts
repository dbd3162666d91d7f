import { invalid } from '../errors.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { getAccountByEmailOrUsername } from '../identity/account.service.ts'
import { bios } from '../resources/bios.ts'
import { type Answer, generateAnswersCsv, readAnswers } from '../resources/overlay-answers.ts'
import { overlays } from '../resources/overlays.ts'
import { splashes } from '../resources/splashes.ts'
import { defineCommand } from './command.ts'
import { changeAndLog, OWNER, readAllPages } from './context.ts'
import { generateJsonList } from './json-list.ts'
import { parseCount, parseId, parseLinks, parseTexts } from './values.ts'

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
      work: (tx, owner) =>
        overlays.create({ ...ctx, db: tx, accountId: owner }, { ...input, ...choices }),
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
    const entries = await readAllPages((page) =>
      overlays.list({ ...ctx, accountId: owner.id }, page),
    )
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
      work: (tx, owner) => overlays.remove({ ...ctx, db: tx, accountId: owner }, id),
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
    const scope = { ...ctx, accountId: owner.id }
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
        splashes.create({ ...ctx, db: tx, accountId: owner }, { ...input, ...delay }),
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
    const entries = await readAllPages((page) =>
      splashes.list({ ...ctx, accountId: owner.id }, page),
    )
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
      work: (tx, owner) => splashes.remove({ ...ctx, db: tx, accountId: owner }, id),
      detail: () => String(id),
    })
    return { id, deleted: true }
  },
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
        bios.create({ ...ctx, db: tx, accountId: owner }, { ...input, links: list }),
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
    const entries = await readAllPages((page) => bios.list({ ...ctx, accountId: owner.id }, page))
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
      work: (tx, owner) => bios.remove({ ...ctx, db: tx, accountId: owner }, id),
      detail: () => String(id),
    })
    return { id, deleted: true }
  },
})

function present({ id, linkId, createdAt, answer }: Answer) {
  return { id, link: linkId, date: formatTimestamp(createdAt), answer }
}
