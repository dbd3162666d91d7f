import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HttpContext } from '../../../context.ts'
import { AppError, formatProblem } from '../../../errors.ts'
import { createZeroCounts } from '../../../transfer/counts.ts'
import { TAKEN_ALIAS_POLICIES } from '../../../transfer/import-batch.ts'
import type { ImportColumns } from '../../../transfer/import-columns.service.ts'
import type { RowProblem } from '../../../transfer/progress.ts'
import { findMappingProblem } from '../../../transfer/read/csv-columns.ts'
import { previewCsv } from '../../../transfer/read/csv-preview.ts'
import { createFileOpener } from '../../../transfer/read/file.ts'
import { SourceError } from '../../../transfer/record.ts'
import { importLinks } from '../../../transfer/transfer.service.ts'
import { describeLabeledError } from '../errors/labeled-error.ts'
import { readFields } from '../shell/send.ts'
import { describeColumnError, readColumns, readDateOrder } from './columns.ts'
import type { ImportForm, ImportResult } from './page.ts'

const KINDS = ['csv', 'jsonl', 'list'] as const
const MAX_PROBLEMS_SHOWN = 50

type PasteResult = { form: ImportForm; result?: ImportResult; status?: number }

/** Checks or imports pasted rows. Returns the form to show again, the result, and the HTTP status. */
export async function importPasted(
  ctx: HttpContext,
  accountId: number,
  body: unknown,
): Promise<PasteResult> {
  const { go, ...fields } = readFields(body, ['kind', 'onTaken', 'content', 'go', 'header'])
  const source = KINDS.find((kind) => kind === fields.kind)
  const onTaken = TAKEN_ALIAS_POLICIES.find((word) => word === fields.onTaken)
  if (!source || !onTaken) throw new AppError('malformed_request')
  const folder = await mkdtemp(join(tmpdir(), 'brevis-import-'))
  const form: ImportForm = fields
  try {
    const path = join(folder, 'pasted')
    await writeFile(path, fields.content, { mode: 0o600 })
    if (source === 'csv') Object.assign(form, await chooseColumns(path, fields.header, body))
    const mapping = form.columns?.mapping
    const mappingProblem = mapping && findMappingProblem(mapping)
    if (mappingProblem)
      return {
        form: { ...form, errors: { paste: describeColumnError(mappingProblem) } },
        status: 422,
      }
    const dryRun = go !== 'import'
    const dates = readDateOrder(body) || undefined
    const options = { onTaken, dryRun, mapping, dates }
    const task = { source, from: path, name: 'pasted rows', isNew: true, ...options }
    let result: ImportResult = {
      id: undefined,
      source,
      dryRun,
      counts: createZeroCounts(),
      unused: [],
      problems: [],
      notices: [],
    }
    const problems: RowProblem[] = []
    const notices: RowProblem[] = []
    for await (const progress of importLinks(ctx, ctx.db, accountId, task)) {
      problems.push(...progress.problems.slice(0, MAX_PROBLEMS_SHOWN - problems.length))
      notices.push(...progress.notices.slice(0, MAX_PROBLEMS_SHOWN - notices.length))
      const { id, counts, unused } = progress
      result = { id, source, dryRun, counts, unused, problems, notices }
    }
    return { form: dryRun ? form : {}, result }
  } catch (error) {
    const isInputError =
      error instanceof SourceError || (error instanceof AppError && error.status < 500)
    if (!isInputError) throw error
    const text =
      error instanceof AppError ? describeLabeledError(error) : formatProblem(error.problem)
    return { form: { ...form, errors: { paste: text } }, status: 422 }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Returns the columns of pasted CSV with the fields selected in the form, or with the detected fields
 * if the first line has changed. Returns nothing for empty files.
 */
async function chooseColumns(
  path: string,
  submittedHeader: string,
  body: unknown,
): Promise<{ columns?: ImportColumns; header?: string }> {
  const preview = await previewCsv(createFileOpener(path)())
  if (!preview) return {}
  const { columns, detected } = preview
  const header = JSON.stringify(columns.map(({ name }) => name))
  const selectedFields = submittedHeader === header ? readColumns(body) : new Map()
  const mapping = detected.map((field, index) =>
    selectedFields.has(index) ? selectedFields.get(index) : field,
  )
  return { columns: { columns, mapping, dates: readDateOrder(body) }, header }
}
