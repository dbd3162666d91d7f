import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { t, tAll } from '../../../texts.ts'
import { TAKEN_ALIAS_POLICIES, type TakenAliasPolicy } from '../../../transfer/import-batch.ts'
import { addApiImport, addFileImport } from '../../../transfer/import-queue.service.ts'
import { type FileSource, isFileSource } from '../../../transfer/read/file.ts'
import { SOURCES } from '../../../transfer/record.ts'
import { listImports } from '../../../transfer/transfer.service.ts'
import { describeError } from '../../html/describe-error.ts'
import { parseUploads, type UploadForm } from '../../request/multipart.ts'
import { listChoices } from '../kit/fields.ts'
import { renderForm, renderNotices, renderPanel, renderViews } from '../kit/parts.ts'
import { type ConsoleRequest, defineSubject, type Page } from '../kit/subject.ts'
import { renderTable } from '../kit/table.ts'
import { formatCount, formatMoment } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'
import { readFields } from '../shell/send.ts'
import { registerImportJobRoutes } from './job.ts'
import { importPasted, type Paste, renderPastePanel, renderPasteResult } from './paste.ts'
import { renderLabeled, renderTakenChoice } from './tables.ts'

type ImportRow = Awaited<ReturnType<typeof listImports>>[number]
type State = { tab?: Tab; paste?: Paste; errors?: { file?: string; api?: string } }

const PATH = '/console/import'
/** The ways to import. Each is a tab with its own URL. */
const TABS = ['file', 'service', 'paste'] as const
type Tab = (typeof TABS)[number]
const MAX_LISTED = 10
const APIS = SOURCES.filter((source) => !isFileSource(source))

/** Registers the imports of an account: of pasted rows, of files and of services. */
export function registerImportRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page, action } = defineSubject(app, PATH)
  registerImportJobRoutes(app, ctx)
  page('/import', 'editor', (request) => {
    const { from } = request.query as { from?: unknown }
    return renderImports(request, { tab: TABS.find((tab) => tab === from) ?? 'file' })
  })

  action('/import', 'editor', async (request) => {
    const paste = await importPasted(request.scope, request.body)
    const imports = await renderImports(request, { tab: 'paste', paste })
    return paste.error === undefined ? imports : { ...imports, status: 422 }
  })

  void app.register(createUpload())
  action('/import/api', 'editor', addApi, (request, rejection) =>
    renderRejection(request, 'api', rejection),
  )

  /** Creates the plugin that receives the file of an import. */
  function createUpload(): FastifyPluginAsync {
    return async (upload) => {
      // The guard checks the form fields before the file is read.
      await parseUploads(upload)
      const { action } = defineSubject(upload, PATH)
      action('/import/file', 'editor', addFile, (request, rejection) =>
        renderRejection(request, 'file', rejection),
      )
    }
  }

  async function addFile({ scope, body }: ConsoleRequest) {
    const { kind, onTaken, domain } = readFields(body, ['kind', 'onTaken', 'domain'])
    const { file } = (body ?? {}) as UploadForm
    const choices = { name: file?.name ?? '', domain, onTaken: readOnTaken(onTaken) }
    const source = createFileSource(kind, choices.name)
    if (!file) throw new AppError('invalid_input', { text: 'import.file.missing' })
    const id = await addFileImport(scope, source, choices, file.content)
    return { to: `${PATH}/${id}` }
  }

  async function addApi({ scope, body }: ConsoleRequest) {
    const names = ['source', 'address', 'token', 'onTaken', 'domain'] as const
    const { source, address, token, onTaken, domain } = readFields(body, names)
    const api = APIS.find((each) => each === source)
    if (!api) throw new AppError('malformed_request')
    const choices = { name: address.trim(), domain, onTaken: readOnTaken(onTaken), token }
    return { to: `${PATH}/${await addApiImport(scope, api, choices)}` }
  }

  async function renderRejection(request: ConsoleRequest, form: 'file' | 'api', error: AppError) {
    const { field } = error
    const text = describeError(error)
    const label = field && t('import.fieldProblem', { field: getFieldLabel(field), text })
    const tab = form === 'api' ? 'service' : 'file'
    const imports = await renderImports(request, { tab, errors: { [form]: label ?? text } })
    return { ...imports, status: 422 }
  }

  async function renderImports(
    { scope }: ConsoleRequest,
    { tab = 'file', paste = {}, errors = {} }: State,
  ): Promise<Page> {
    const imports = (await listImports(scope)).slice(0, MAX_LISTED)
    return {
      title: t('import.title'),
      body: (frame) => html`<h1>${t('import.title')}</h1>
${renderViews(t('import.ways'), listViews(tab))}
${paste.result ? renderPasteResult(paste.result) : null}
${renderTab(frame, tab, { paste, errors })}
${imports.length > 0 ? renderPanel('all', t('import.recent.title'), renderList(imports, frame.timeZone)) : null}
${renderPanel('out', t('import.export.title'), [
  html`<p>${t('import.export.text')}</p>`,
  html`<p><a class="button quiet" href="/console/export?format=jsonl" download>${t('import.export.jsonl')}</a> <a class="button quiet" href="/console/export?format=csv" download>${t('import.export.csv')}</a></p>`,
])}`,
    }
  }
}

function listViews(current: Tab): [href: string, name: string, isCurrent: boolean][] {
  return TABS.map((tab) => [`${PATH}?from=${tab}`, t(`import.${tab}.title`), tab === current])
}

function renderTab(frame: Frame, tab: Tab, { paste = {}, errors = {} }: State): SafeHtml {
  switch (tab) {
    case 'file':
      return renderFilePanel(frame, errors.file)
    case 'service':
      return renderServicePanel(frame, errors.api)
    case 'paste':
      return renderPastePanel(frame, paste)
  }
}

/** Returns the label of a field in the forms. */
function getFieldLabel(field: string): string {
  switch (field) {
    case 'address':
      return t('import.service.url')
    case 'token':
      return t('import.service.key')
    case 'domain':
      return t('import.domain')
    default:
      return t('import.file.file')
  }
}

function readOnTaken(text: string): TakenAliasPolicy {
  const onTaken = TAKEN_ALIAS_POLICIES.find((word) => word === text)
  if (!onTaken) throw new AppError('malformed_request')
  return onTaken
}

/** Returns the selected format, or the one suggested by the file's extension. */
function createFileSource(kind: string, name: string): FileSource {
  if (kind === 'csv' || kind === 'jsonl' || kind === 'list') return kind
  return /\.(jsonl|ndjson)$/i.test(name) ? 'jsonl' : 'csv'
}

function renderFilePanel(frame: Frame, error: string | undefined): SafeHtml {
  const accept = '.csv,.tsv,.txt,.jsonl,.ndjson,text/csv'
  const choices = listChoices(tAll('import.formats'))
  const kind = { type: 'select', name: 'kind', id: 'file-kind', value: 'auto', choices } as const
  const required = html` required`
  return renderPanel('upload', t('import.file.title'), [
    html`<p class="soft">${t('import.file.text')}</p>`,
    renderNotices({ error }),
    renderForm(
      frame,
      `${PATH}/file`,
      [
        renderLabeled(t('import.format'), kind),
        ...renderCommonFields('file'),
        // Last, because the other fields are checked before the file is read.
        html`<div class="drop">${renderLabeled(t('import.file.drop'), {
          type: 'file',
          name: 'file',
          accept,
          attributes: required,
        })}</div>`,
        html`<p><button class="button">${t('import.file.submit')}</button></p>`,
      ],
      { isMultipart: true },
    ),
  ])
}

function renderServicePanel(frame: Frame, error: string | undefined): SafeHtml {
  const choices = listChoices(tAll('import.services'))
  const attributes = html` required autocomplete="off"`
  return renderPanel('api', t('import.service.title'), [
    html`<p class="soft">${t('import.service.text')}</p>`,
    renderNotices({ error }),
    renderForm(frame, `${PATH}/api`, [
      renderLabeled(t('import.service.service'), {
        type: 'select',
        name: 'source',
        value: 'bitly',
        choices,
      }),
      renderLabeled(t('import.service.url'), {
        type: 'url',
        name: 'address',
        value: '',
        attributes: html`${attributes} placeholder="https://api-ssl.bitly.com"`,
      }),
      renderLabeled(t('import.service.key'), {
        type: 'password',
        name: 'token',
        value: '',
        attributes,
      }),
      ...renderCommonFields('api'),
      html`<p><button class="button">${t('import.review')}</button></p>`,
    ]),
  ])
}

/** Renders the fields that the forms for files and services share. */
function renderCommonFields(form: string): SafeHtml[] {
  const attributes = html` autocomplete="off" placeholder="${t('import.defaultDomain')}"`
  return [
    renderTakenChoice(form),
    renderLabeled(t('import.domain'), {
      type: 'text',
      name: 'domain',
      id: `${form}-domain`,
      value: '',
      attributes,
    }),
  ]
}

function renderList(imports: readonly ImportRow[], zone: string): SafeHtml {
  return renderTable(imports, [
    {
      head: t('import.recent.source'),
      cell: ({ id, name }) => html`<a href="${PATH}/${id}">${name}</a>`,
    },
    { head: t('import.recent.status'), cell: ({ state }) => t(`import.states.${state}`) },
    {
      head: t('import.recent.started'),
      cell: ({ startedAt }) => formatMoment(startedAt, zone),
    },
    { head: t('import.recent.rows'), cell: ({ rows }) => formatCount(rows) },
    {
      head: t('import.recent.skipped'),
      cell: ({ id, counts }) => {
        const skipped = (counts.refused ?? 0) + (counts.taken ?? 0)
        const report = html`<a href="${PATH}/${id}/report" download>${formatCount(skipped)}</a>`
        return skipped > 0 ? report : '0'
      },
    },
  ])
}
