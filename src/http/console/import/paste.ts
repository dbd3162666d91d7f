import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { HttpContext } from '../../../context.ts'
import { AppError, formatProblem } from '../../../errors.ts'
import type { Scope } from '../../../scope.ts'
import { t, tAll } from '../../../texts.ts'
import { TAKEN_ALIAS_POLICIES } from '../../../transfer/import-batch.ts'
import type { ImportColumns } from '../../../transfer/import-columns.service.ts'
import { createZeroCounts, type Progress, type RowProblem } from '../../../transfer/progress.ts'
import { previewCsv } from '../../../transfer/read/csv.ts'
import { findMappingProblem } from '../../../transfer/read/csv-columns.ts'
import { createFileOpener } from '../../../transfer/read/file.ts'
import { SourceError } from '../../../transfer/record.ts'
import { importLinks } from '../../../transfer/transfer.service.ts'
import { listChoices, renderControl, renderHidden } from '../kit/fields.ts'
import { renderForm, renderNotices, renderPanel } from '../kit/parts.ts'
import { describeLabeledError } from '../shell/describe-error.ts'
import type { Frame } from '../shell/layout.ts'
import { readFields } from '../shell/send.ts'
import {
  describeColumnError,
  readColumns,
  readDateOrder,
  renderColumns,
  renderLabeled,
  renderOutcome,
  renderProblems,
  renderShortenedLink,
  renderTakenChoice,
} from './tables.ts'

/** The form for pasted rows, and the result of a dry run or an import. */
export type Paste = {
  kind?: string
  onTaken?: string
  content?: string
  /** The columns of pasted CSV, and their names as one text. */
  columns?: ImportColumns
  header?: string
  error?: string
  result?: Result
}

type Result = Progress & { id?: number; source: (typeof KINDS)[number]; dryRun: boolean }

const KINDS = ['csv', 'jsonl', 'list'] as const
const MAX_PROBLEMS_SHOWN = 50

/** Checks or imports pasted rows. Returns the form to show again, with the result or the error. */
export async function importPasted(scope: Scope<HttpContext>, body: unknown): Promise<Paste> {
  const { go, header, ...fields } = readFields(body, ['kind', 'onTaken', 'content', 'go', 'header'])
  const source = KINDS.find((kind) => kind === fields.kind)
  const onTaken = TAKEN_ALIAS_POLICIES.find((word) => word === fields.onTaken)
  if (!source || !onTaken) throw new AppError('malformed_request')
  const folder = await mkdtemp(join(tmpdir(), 'brevis-import-'))
  let form: Paste = fields
  try {
    const path = join(folder, 'pasted')
    await writeFile(path, fields.content, { mode: 0o600 })
    if (source === 'csv') form = { ...fields, ...(await chooseColumns(path, header, body)) }
    const mapping = form.columns?.mapping
    const mappingProblem = mapping && findMappingProblem(mapping)
    if (mappingProblem) return { ...form, error: describeColumnError(mappingProblem) }
    const dryRun = go !== 'import'
    const dates = readDateOrder(body) || undefined
    const options = { onTaken, dryRun, mapping, dates }
    const task = { source, from: path, name: 'pasted rows', isNew: true, ...options }
    const problems: RowProblem[] = []
    const notices: RowProblem[] = []
    const shown = { source, dryRun, problems, notices }
    let result: Result = { ...shown, counts: createZeroCounts(), unused: [] }
    for await (const progress of importLinks(scope, task)) {
      problems.push(...progress.problems.slice(0, MAX_PROBLEMS_SHOWN - problems.length))
      notices.push(...progress.notices.slice(0, MAX_PROBLEMS_SHOWN - notices.length))
      result = { ...progress, ...shown }
    }
    return { ...(dryRun && form), result }
  } catch (error) {
    if (error instanceof SourceError) return { ...form, error: formatProblem(error.problem) }
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return { ...form, error: describeLabeledError(error) }
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
): Promise<Pick<Paste, 'columns' | 'header'>> {
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

/** Renders the form for pasted rows, which can be imported after they were checked. */
export function renderPastePanel(frame: Frame, paste: Paste): SafeHtml {
  const { kind = 'csv', onTaken, content = '', columns, header = '', error, result } = paste
  const { auto: _, ...formats } = tAll('import.formats')
  const rows = html` required spellcheck="false"`
  return renderPanel('in', t('import.paste.title'), [
    html`<p class="soft">${t('import.paste.text')}</p>`,
    renderNotices({ error }),
    renderForm(frame, '/console/import', [
      html`<p><label for="content">${t('import.paste.rows')}</label>
${renderControl({ type: 'multiline', name: 'content', value: content, rows: 10, attributes: rows })}</p>`,
      renderLabeled(t('import.format'), {
        type: 'select',
        name: 'kind',
        value: kind,
        choices: listChoices(formats),
      }),
      renderTakenChoice('paste', onTaken),
      columns
        ? html`<h3>${t('importColumns.title')}</h3><p class="soft">${t('importColumns.text')}</p>${renderHidden({ header })}${renderColumns(columns)}`
        : null,
      html`<p><button class="button" name="go" value="check">${t('import.review')}</button> ${result?.dryRun ? html`<button class="button" name="go" value="import">${t('import.import')}</button>` : null}</p>`,
    ]),
  ])
}

/** Renders the outcome of pasted rows. */
export function renderPasteResult(result: Result): SafeHtml {
  const { id, source, dryRun, problems, notices } = result
  return renderPanel(
    'result',
    t(dryRun ? 'import.review' : 'import.result'),
    html`<div role="status">${renderOutcome(result)}
${source === 'list' && !dryRun && id !== undefined ? renderShortenedLink(id) : null}
${problems.length > 0 ? renderProblems(problems) : null}
${notices.length > 0 ? html`<h3>${t('import.problems.notices')}</h3>${renderProblems(notices)}` : null}</div>`,
  )
}
