import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invalid } from '../errors.ts'
import { getAccountByEmailOrUsername } from '../identity/account.service.ts'
import { scopeOf } from '../scope.ts'
import { listNotices, listRowNotices } from '../transfer/notices.ts'
import { generateShortenedCsv, readShortened } from '../transfer/shortened.service.ts'
import { defineCommand } from './command.ts'
import { OWNER } from './context.ts'
import { runImport } from './run-import.ts'
import { parseTexts } from './values.ts'

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
    ignore: 'the names of columns of a CSV file to ignore, separated by commas',
  },
  operands: ['file'],
  async run(context, { account, file, output, domain, ignore }) {
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
      ignored,
    })
    const { id, counts, unused } = result
    const rows = id === undefined ? Readable.from([]) : readShortened(scopeOf(ctx, owner.id), id)
    if (output === undefined && !context.json) return generateShortenedCsv(rows)
    const path = output === undefined ? undefined : resolve(output)
    if (path !== undefined) await pipeline(generateShortenedCsv(rows), createWriteStream(path))
    const links = path === undefined ? await Array.fromAsync(rows) : undefined
    const notices = [
      ...listNotices({ source: 'list', unused, counts }),
      ...listRowNotices(result.notices, counts.noticed),
    ]
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
