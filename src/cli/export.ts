import { resolve } from 'node:path'
import { getAccountByEmailOrUsername } from '../accounts/account.service.ts'
import { replaceFile } from '../files/replace-file.ts'
import { exportLinks, FORMATS } from '../transfer/export.service.ts'
import { countLinks } from '../transfer/transfer.service.ts'
import { defineCommand } from './command.ts'
import { OWNER } from './owner.ts'
import { createProgressBar } from './progress-bar.ts'
import { parseChoice } from './values.ts'

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
    const { terminal } = context
    const bar = createProgressBar({ terminal, label: 'exporting', now: () => performance.now() })
    const all = await countLinks(ctx.db, owner.id)
    let links = 0
    try {
      // Only the owner can read the file, because it contains password hashes.
      await replaceFile(path, async (draft) => {
        for await (const piece of exportLinks(ctx, ctx.db, owner.id, format)) {
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
