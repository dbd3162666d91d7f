import { stat } from 'node:fs/promises'
import { withConnection } from '../db/connection.ts'
import { inTransaction } from '../db/transaction.ts'
import { invalid } from '../errors.ts'
import { COMMAND_LINE, logAction } from '../operator-log/operator-log.service.ts'
import { scopeOf } from '../scope.ts'
import type { RowProblem } from '../transfer/progress.ts'
import { type Counts, createZeroCounts } from '../transfer/progress.ts'
import { isFileSource } from '../transfer/read/file.ts'
import { claimImportSource, type ImportRequest, importLinks } from '../transfer/transfer.service.ts'
import type { CommandContext, ServiceContext } from './command.ts'
import { createProgressBar } from './terminal.ts'

/** The maximum numbers of problems and notices returned. The report has all of them. */
const MAX_PROBLEMS = 20
const MAX_NOTICES = 100

export type ImportResult = {
  /** Undefined if the source has no rows. */
  id: number | undefined
  counts: Counts
  unused: readonly string[]
  /** The first rejected rows, and the first values that created links lost. */
  problems: readonly RowProblem[]
  notices: readonly RowProblem[]
}

/**
 * Imports links into an account and shows the progress.
 *
 * @throws AppError `invalid_input` naming `file` if another command imports the same source, and
 * the errors of `importLinks`
 */
export async function runImport(
  context: CommandContext,
  ctx: ServiceContext,
  owner: { id: number; username: string },
  request: ImportRequest,
): Promise<ImportResult> {
  const { source, from } = request
  const status = isFileSource(source) ? await stat(from).catch(() => undefined) : undefined
  const size = status?.size ?? 0
  const bar = createProgressBar(context.terminal, 'importing')
  let bytesRead = 0
  let result: Pick<ImportResult, 'id' | 'counts' | 'unused'> = {
    id: undefined,
    counts: createZeroCounts(),
    unused: [],
  }
  const problems: RowProblem[] = []
  const notices: RowProblem[] = []
  const onRead = (bytes: number) => {
    bytesRead = bytes
  }
  await withConnection({ url: await context.databaseUrl(), name: 'import' }, async ({ db }) => {
    if (!(await claimImportSource({ db, accountId: owner.id }, source, from))) {
      throw invalid('file', 'busy_elsewhere')
    }
    if (!request.dryRun) await logImport(ctx, owner.username, source)
    try {
      for await (const progress of importLinks(scopeOf(ctx, owner.id), request, onRead)) {
        const { id, counts, unused } = progress
        result = { id, counts, unused }
        problems.push(...progress.problems.slice(0, MAX_PROBLEMS - problems.length))
        notices.push(...progress.notices.slice(0, MAX_NOTICES - notices.length))
        bar.draw(size > 0 ? bytesRead / size : undefined, counts.rows)
      }
    } finally {
      bar.clear()
    }
  })
  return { ...result, problems, notices }
}

/** Logs an import before its first batch, because each batch is stored separately. */
function logImport(ctx: ServiceContext, subject: string, detail: string): Promise<void> {
  const entry = { actor: COMMAND_LINE, action: 'links.import', subject, detail } as const
  return inTransaction(ctx.db, (tx) => logAction(ctx, tx, entry))
}
