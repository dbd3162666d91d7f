import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { formatProblem, invalid } from '../errors.ts'
import { replaceFile } from '../files/replace.ts'
import { getAccountByEmailOrUsername } from '../identity/account.service.ts'
import { publish } from '../publish/publish.ts'
import { scopeOf } from '../scope.ts'
import { exportLinks, FORMATS } from '../transfer/export.service.ts'
import { TAKEN_ALIAS_POLICIES } from '../transfer/import-batch.ts'
import { listNotices, listRowNotices, type RowProblem } from '../transfer/progress.ts'
import { DATE_ORDERS, type DateOrder } from '../transfer/read/moment.ts'
import { SOURCES } from '../transfer/record.ts'
import { generateShortenedCsv, readShortened } from '../transfer/shortened.service.ts'
import { countLinks, readProblems } from '../transfer/transfer.service.ts'
import { generateReportCsv } from '../transfer/write/csv.ts'
import { type CommandContext, defineCommand } from './command.ts'
import { OWNER } from './context.ts'
import { runImport } from './run-import.ts'
import { createProgressBar } from './terminal.ts'
import { parseChoice, parseTexts } from './values.ts'

/** Lists have their own command. */
const IMPORT_SOURCES = SOURCES.filter((source) => source !== 'list')

const DATES = `the order of dates such as 02/01/2026 if no date of the column says it: ${DATE_ORDERS.join(' or ')}`

function parseDates(dates: string | undefined): DateOrder | undefined {
  return dates === undefined ? undefined : parseChoice('dates', dates, DATE_ORDERS)
}

export const importLinksCommand = defineCommand({
  summary: 'import links with their clicks from a file or another service',
  required: {
    file: 'a CSV or JSONL file, or the URL of an API',
    from: `the source: ${IMPORT_SOURCES.join(', ')}; set IMPORT_TOKEN or enter the key of an API`,
    ...OWNER,
  },
  optional: {
    domain:
      'the domain for links whose domain the account does not have; default: the service itself',
    onTaken: `if an alias is taken: ${TAKEN_ALIAS_POLICIES.join(', ')}; default: fail, which ends the import`,
    dates: DATES,
    ignore: 'the names of columns or fields of the file to ignore, separated by commas',
    report: 'a CSV file for skipped and rejected rows with reasons, and for notices',
  },
  flags: { dryRun: 'count what would happen, without importing' },
  operands: ['file'],
  async run(context, { account, file, domain, report, dryRun, ignore, ...input }) {
    const source = parseChoice('from', input.from, IMPORT_SOURCES)
    const onTaken = parseChoice('on-taken', input.onTaken ?? 'fail', TAKEN_ALIAS_POLICIES)
    const isFile = source === 'csv' || source === 'jsonl'
    const dates = parseDates(input.dates)
    const ignored = ignore === undefined ? undefined : parseTexts('ignore', ignore)
    if (dates && source !== 'csv') throw invalid('dates', 'csv_files_only')
    if (ignored && !isFile) throw invalid('ignore', 'files_only')
    if (isFile && /^https?:\/\//i.test(file)) throw invalid('file', 'local_file')
    const from = isFile ? resolve(file) : file
    const ctx = await context.connect()
    const owner = await getAccountByEmailOrUsername(ctx.db, account)
    const token = isFile ? undefined : context.config.importToken || (await readKey(context))
    const options = { domain, onTaken, dates, ignored }
    const request = { source, from, token, dryRun: dryRun !== undefined, ...options }
    const result = await runImport(context, ctx, owner, request)
    const { id, counts, unused, problems } = result
    const fileNotices = listNotices({ source, unused, counts })
    const notices = [...fileNotices, ...listRowNotices(result.notices, counts.noticed)]
    if (report !== undefined && id !== undefined) {
      const rows = readProblems({ db: ctx.db, accountId: owner.id }, id)
      await pipeline(
        generateReportCsv(fileNotices, rows),
        createWriteStream(resolve(report), { mode: 0o600 }),
      )
    }
    if (context.json) {
      const texts = problems.map((each) => ({
        ...each,
        problem: formatProblem(each.problem, 'en'),
      }))
      return { id, dryRun: request.dryRun, ...counts, unused, notices, problems: texts }
    }
    const { labelsCut: _labelsCut, noticed: _noticed, ...numbers } = counts
    const noticeRows = notices.map((notice, index) => [`notice ${index + 1}`, notice])
    return { ...numbers, ...Object.fromEntries(noticeRows), ...toLines(problems) }
  },
})

export const publishLinks = defineCommand({
  summary: 'write all plain redirects for nginx, Caddy, Netlify and Cloudflare',
  required: {
    folder: 'the folder to write; an existing one is replaced when the new one is complete',
  },
  operands: ['folder'],
  async run(context, { folder }) {
    const path = resolve(folder)
    const { db, clock } = await context.connect()
    const { baseUrl, ownHosts } = context.config
    const bar = createProgressBar(context.terminal, 'publishing')
    try {
      return {
        folder: path,
        ...(await publish(path, { db, clock, baseUrl, ownHosts, onProgress: bar.draw })),
      }
    } finally {
      bar.clear()
    }
  },
})

export const exportLinksCommand = defineCommand({
  summary: 'export the links of an account with their clicks',
  required: {
    file: 'the file to write; an existing one is replaced when the export is complete',
    ...OWNER,
  },
  optional: { format: `${FORMATS.join(' or ')}; default: jsonl, which has everything` },
  operands: ['file'],
  async run(context, { account, file, ...input }) {
    const format = parseChoice('format', input.format ?? 'jsonl', FORMATS)
    const ctx = await context.connect()
    const owner = await getAccountByEmailOrUsername(ctx.db, account)
    const path = resolve(file)
    const bar = createProgressBar(context.terminal, 'exporting')
    const all = await countLinks({ db: ctx.db, accountId: owner.id })
    let links = 0
    try {
      // Only the owner can read the file, because it contains password hashes.
      await replaceFile(path, async (draft) => {
        for await (const piece of exportLinks(scopeOf(ctx, owner.id), format)) {
          await draft.appendFile(piece.text)
          links += piece.links
          bar.draw(all > 0 ? links / all : undefined, links)
        }
      })
    } finally {
      bar.clear()
    }
    return { file: path, format, links }
  },
})

/** Prompts for the key of the source. @throws AppError `invalid_input` if no key is entered */
async function readKey(context: CommandContext): Promise<string> {
  const key = (await context.readSecret('Key of the source')).trim()
  if (key === '') throw invalid('IMPORT_TOKEN', 'source_key')
  return key
}

/** Returns the problems by row. A row with several names can have several. */
function toLines(problems: readonly RowProblem[]): Record<string, string> {
  const lines: Record<string, string> = {}
  for (const { row, alias, problem } of problems) {
    const name = `row ${row}`
    const text = `${alias}: ${formatProblem(problem, 'en')}`
    lines[name] = lines[name] === undefined ? text : `${lines[name]}; ${text}`
  }
  return lines
}

export const shortenCommand = defineCommand({
  summary: 'create short links for a list of destinations',
  required: {
    file: 'a file with one destination on each line, or a CSV file with a column of destinations',
    ...OWNER,
  },
  optional: {
    output:
      'the CSV file for the short links and errors, in the order of the list; default: standard output',
    domain: 'the domain of the short links; default: the service itself',
    dates: DATES,
    ignore: 'the names of columns of a CSV file to ignore, separated by commas',
  },
  operands: ['file'],
  async run(context, { account, file, output, domain, ignore, ...input }) {
    const dates = parseDates(input.dates)
    if (/^https?:\/\//i.test(file)) throw invalid('file', 'local_file')
    const ctx = await context.connect()
    const owner = await getAccountByEmailOrUsername(ctx.db, account)
    const ignored = ignore === undefined ? undefined : parseTexts('ignore', ignore)
    const result = await runImport(context, ctx, owner, {
      source: 'list',
      from: resolve(file),
      domain,
      onTaken: 'rename',
      dryRun: false,
      dates,
      ignored,
    })
    const { id, counts, unused } = result
    const notices = [
      ...listNotices({ source: 'list', unused, counts }),
      ...listRowNotices(result.notices, counts.noticed),
    ]
    const rows = id === undefined ? Readable.from([]) : readShortened(scopeOf(ctx, owner.id), id)
    if (output === undefined && !context.json) {
      // The standard output is the CSV file.
      for (const notice of notices) context.writeNotice(notice)
      return generateShortenedCsv(rows)
    }
    const path = output === undefined ? undefined : resolve(output)
    if (path !== undefined) await pipeline(generateShortenedCsv(rows), createWriteStream(path))
    const links = path === undefined ? await Array.fromAsync(rows) : undefined
    return {
      id,
      ...(path !== undefined && { file: path }),
      rows: counts.rows,
      created: counts.created + counts.present,
      refused: counts.refused + counts.taken,
      ...(context.json
        ? { notices, ...(links && { links }) }
        : Object.fromEntries(notices.map((notice, index) => [`notice ${index + 1}`, notice]))),
    }
  },
})
