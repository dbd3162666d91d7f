import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError, checkAllAsync } from '../../../errors.ts'
import { findNamedDomain } from '../../../links/short-link.ts'
import { t, tAll } from '../../../texts.ts'
import { TAKEN_ALIAS_POLICIES, type TakenAliasPolicy } from '../../../transfer/import-batch.ts'
import { addApiImport, addFileImport } from '../../../transfer/import-queue.service.ts'
import { type FileSource, isFileSource } from '../../../transfer/read/file.ts'
import { SOURCES } from '../../../transfer/record.ts'
import { listImports } from '../../../transfer/transfer.service.ts'
import { parseUploads, type UploadForm } from '../../request/multipart.ts'
import { listChoices, renderField } from '../kit/fields.ts'
import { defineForm, type FormValues, type PageState } from '../kit/form.ts'
import { renderForm, renderPanel, renderViews } from '../kit/parts.ts'
import { type ConsoleRequest, defineSubject, type Page } from '../kit/subject.ts'
import { renderTable } from '../kit/table.ts'
import { formatCount, formatMoment } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'
import { registerImportJobRoutes } from './job.ts'
import { importPasted, type Paste, renderPastePanel, renderPasteResult } from './paste.ts'

type ImportRow = Awaited<ReturnType<typeof listImports>>[number]
type State = { tab?: Tab; paste?: Paste; state?: PageState }

const PATH = '/console/import'
/** The ways to import. Each is a tab with its own URL. */
const TABS = ['file', 'service', 'paste'] as const
type Tab = (typeof TABS)[number]
const MAX_LISTED = 10
const APIS = SOURCES.filter((source) => !isFileSource(source))

/** The fields that the forms for files and services share. */
const sharedSpecs = {
  onTaken: {
    type: 'select',
    label: 'import.onTaken',
    choices: () => listChoices(tAll('import.onTakenChoices')),
  },
  domain: { label: 'import.domain', hint: 'import.domainHint', optional: true },
} as const
const fileForm = defineForm({
  kind: {
    type: 'select',
    label: 'import.format',
    choices: () => listChoices(tAll('import.formats')),
  },
  ...sharedSpecs,
  file: { type: 'file', label: 'import.file.drop', accept: '' },
})
const serviceSpecs = {
  source: {
    type: 'select',
    label: 'import.service.service',
    choices: () => listChoices(tAll('import.services')),
  },
  address: {
    label: 'import.service.url',
    attributes: html` inputmode="url" placeholder="https://api-ssl.bitly.com"`,
  },
  token: { type: 'password', label: 'import.service.key' },
  ...sharedSpecs,
} as const
const serviceForm = defineForm(serviceSpecs)

/** Registers the imports of an account: of pasted rows, of files and of services. */
export function registerImportRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page, action, submit } = defineSubject(app, PATH)
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
  submit('/import/api', 'editor', serviceForm, addApi, (request, state) =>
    renderImports(request, { tab: 'service', state }),
  )

  /** Creates the plugin that receives the file of an import. */
  function createUpload(): FastifyPluginAsync {
    return async (upload) => {
      // The guard checks the form fields before the file is read.
      await parseUploads(upload)
      const { submit } = defineSubject(upload, PATH)
      submit('/import/file', 'editor', fileForm, addFile, (request, state) =>
        renderImports(request, { tab: 'file', state }),
      )
    }
  }

  async function addFile(
    { scope, body }: ConsoleRequest,
    { kind, onTaken, domain }: Record<'kind' | 'onTaken' | 'domain', string>,
  ) {
    const { file } = (body ?? {}) as UploadForm
    const choices = { name: file?.name ?? '', domain, onTaken: readOnTaken(onTaken) }
    const source = createFileSource(kind, choices.name)
    const [content] = await checkAllAsync(
      () => requireContent(file),
      (hasFailed) => hasFailed && findNamedDomain(scope, domain),
    )
    const id = await addFileImport(scope, source, choices, content)
    return { to: `${PATH}/${id}` }
  }

  async function addApi({ scope }: ConsoleRequest, values: FormValues<typeof serviceSpecs>) {
    const { source, address, token, onTaken, domain } = values
    const api = APIS.find((each) => each === source)
    if (!api) throw new AppError('malformed_request')
    const choices = { name: address.trim(), domain, onTaken: readOnTaken(onTaken), token }
    return { to: `${PATH}/${await addApiImport(scope, api, choices)}` }
  }

  async function renderImports(
    { scope }: ConsoleRequest,
    { tab = 'file', paste = {}, state = {} }: State,
  ): Promise<Page> {
    const imports = (await listImports(scope)).slice(0, MAX_LISTED)
    return {
      title: t('import.title'),
      body: (frame) => html`<h1>${t('import.title')}</h1>
${renderViews(t('import.ways'), listViews(tab))}
${paste.result ? renderPasteResult(paste.result) : null}
${renderTab(frame, tab, { paste, state })}
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

function renderTab(frame: Frame, tab: Tab, { paste = {}, state = {} }: State): SafeHtml {
  switch (tab) {
    case 'file':
      return renderFilePanel(frame, state)
    case 'service':
      return renderServicePanel(frame, state)
    case 'paste':
      return renderPastePanel(frame, paste)
  }
}

function requireContent(file: UploadForm['file']): AsyncIterable<Buffer> {
  if (!file) throw new AppError('invalid_input', { field: 'file', text: 'import.file.missing' })
  return file.content
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

function renderFilePanel(frame: Frame, state: PageState): SafeHtml {
  const { kind = 'auto', ...values } = state.values ?? {}
  const shown = { ...state, values: { ...values, kind } }
  const render = (name: 'kind' | 'onTaken' | 'domain') => fileForm.renderField(frame, name, shown)
  return renderPanel('upload', t('import.file.title'), [
    html`<p class="soft">${t('import.file.text')}</p>`,
    fileForm.renderError(state),
    renderForm(
      frame,
      `${PATH}/file`,
      [
        render('kind'),
        render('onTaken'),
        render('domain'),
        // Last, because the other fields are checked before the file is read.
        html`<div class="drop">${renderField({
          type: 'file',
          name: 'file',
          accept: '.csv,.tsv,.txt,.jsonl,.ndjson,text/csv',
          label: t('import.file.drop'),
          error: state.errors?.file,
          autofocus: Boolean(state.errors?.file) && !state.errors?.domain,
          attributes: html` required`,
        })}</div>`,
        html`<p><button class="button">${t('import.file.submit')}</button></p>`,
      ],
      { isMultipart: true },
    ),
  ])
}

function renderServicePanel(frame: Frame, state: PageState): SafeHtml {
  return renderPanel('api', t('import.service.title'), [
    html`<p class="soft">${t('import.service.text')}</p>`,
    serviceForm.renderError(state),
    serviceForm.render(frame, state, { action: `${PATH}/api`, button: t('import.review') }),
  ])
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
