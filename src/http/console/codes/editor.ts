import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { type AppError, checkAllAsync } from '../../../errors.ts'
import { getLink } from '../../../links/link.service.ts'
import type { LinkEntry } from '../../../links/link.ts'
import { listLinks } from '../../../links/link-list.service.ts'
import { csrfField } from '../../../pages/field.ts'
import { hostOf } from '../../../pages/safe-url.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { MAX_LOGO_BYTES } from '../../../qr/logo-source.ts'
import { addQrCode, getQrDetails, updateQrCode } from '../../../qr/qr.service.ts'
import type { QrDetails } from '../../../qr/qr.ts'
import { readQrInput } from '../../../qr/qr-input.ts'
import { t } from '../../../texts.ts'
import { parsePathId } from '../../request/path-id.ts'
import { withScript } from '../assets.ts'
import { renderChoices, renderField, renderHidden } from '../kit/fields.ts'
import { renderNotices, renderUntitledPanel } from '../kit/parts.ts'
import { PREVIEWED_FORM, previewPolicy, renderPreviewPanel } from '../kit/preview.ts'
import {
  type ConsoleRequest,
  defineSubject,
  idOf,
  type Page,
  type Redirect,
} from '../kit/subject.ts'
import { describeFormErrors } from '../shell/describe-error.ts'
import type { Frame } from '../shell/layout.ts'
import {
  CODE_FORMS,
  CODE_TYPES,
  CONTENT_FIELDS,
  type CodeForm,
  createNewForm,
  findErrorField,
  readCodeForm,
  readType,
  requireLink,
  toCodeForm,
  toQrInput,
} from './form.ts'

type Editor = {
  form: CodeForm
  /** The id of the link that a new code is for, if the form was opened from a link. */
  linkId?: number | undefined
  /** The code being edited. */
  code?: QrDetails | undefined
  /** Errors by the name of the field. `form` is for all others. */
  errors?: Readonly<Record<string, string>>
}

const PATH = '/console/codes'
/** The maximum number of suggested links. Users can enter any short link of the account. */
const MAX_LINK_CHOICES = 100

/** Registers the forms that create and edit a code. */
export function registerCodeEditorRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page, action } = defineSubject(app, PATH)

  for (const url of ['/codes/new', '/codes/:id/edit']) {
    page(url, 'editor', async (request) =>
      renderEditor(request, await readCodeEditor(ctx, request)),
    )
  }
  for (const url of ['/codes', '/codes/:id']) action(url, 'editor', save, renderErrors)

  async function save(request: ConsoleRequest): Promise<Redirect> {
    const { scope } = request
    const { form, code } = await readCodeEditor(ctx, request)
    const [, input] = await checkAllAsync(
      () => requireLink(scope, form),
      () => toQrInput(form),
      (hasFailed) => hasFailed && readQrInput(scope, toQrInput(form)),
    )
    if (code) {
      await updateQrCode(scope, code.id, input)
      return { to: `${PATH}/${code.id}`, toast: 'saved' }
    }
    const { id } = await addQrCode(scope, await readQrInput(scope, input))
    return { to: `${PATH}/${id}`, toast: 'created' }
  }

  async function renderErrors(request: ConsoleRequest, rejection: AppError): Promise<Page> {
    if (rejection.code === 'not_found') throw rejection
    const editor = await readCodeEditor(ctx, request)
    const errors = describeFormErrors(rejection, (each) => findErrorField(each, editor.form))
    const status = errors.form === undefined ? 422 : rejection.status
    return { ...(await renderEditor(request, { ...editor, errors })), status }
  }

  async function renderEditor({ scope }: ConsoleRequest, editor: Editor): Promise<Page> {
    const { form, code, linkId, errors = {} } = editor
    const newest = { order: 'date', limit: MAX_LINK_CHOICES, offset: 0 } as const
    const { entries } = await listLinks(scope, newest)
    const title = code ? t('code.editTitle', { name: code.name }) : t('code.words.new')
    const path = code ? `${PATH}/${code.id}` : PATH
    const query = `?type=${form.type}${linkId === undefined ? '' : `&link=${linkId}`}`
    return {
      title,
      policy: previewPolicy,
      body: (frame) => html`<p class="eyebrow"><a href="${PATH}">${t('code.words.many')}</a></p>
<h1><bdi>${title}</bdi></h1>
${renderTypeLinks(form, code ? `${path}/edit` : `${path}/new`)}
<div class="beside">
${renderUntitledPanel(title, [
  renderNotices({ error: errors.form }),
  html`<form method="post" action="${path}" id="${PREVIEWED_FORM}" enctype="multipart/form-data" data-form>
${csrfField(frame.csrf)}
${renderHidden({ type: form.type })}
${renderFields(frame, editor, entries)}
<div class="actions"><button class="button">${t('code.save')}</button> <a class="button quiet" href="${path}">${t('code.cancel')}</a></div>
</form>`,
])}
${renderPreviewPanel(path, t('code.preview.note'), query)}
</div>`,
    }
  }
}

/** Returns the form of a request, with the code in its path: as submitted, as stored, or a new one. */
export async function readCodeEditor(ctx: HttpContext, request: ConsoleRequest): Promise<Editor> {
  const { body, method, params, query } = request
  const code = params.id === undefined ? undefined : await findCode(ctx, request)
  if (method === 'POST') return { form: readCodeForm(body), code }
  if (code) return { form: toCodeForm(code, readType(query.type, code.type)), code }
  const link =
    typeof query.link === 'string'
      ? await getLink(request.scope, parsePathId(query.link))
      : undefined
  return { form: createNewForm(readType(query.type), link?.shortUrl), linkId: link?.id }
}

/** Returns the code in a path. */
export function findCode(_ctx: HttpContext, request: ConsoleRequest): Promise<QrDetails> {
  return getQrDetails(request.scope, idOf(request))
}

/** Renders links to the forms of the other types. */
function renderTypeLinks({ type }: CodeForm, path: string): SafeHtml {
  return html`<nav class="types" aria-label="${t('code.type')}">${CODE_TYPES.map(
    (each) =>
      html`<a class="button quiet small" href="${path}?type=${each}"${each === type ? html` aria-current="page"` : null}>${t(`code.types.${each}`)}</a>`,
  )}</nav>`
}

function renderFields(
  frame: Frame,
  { form: { type, values }, code, errors = {} }: Editor,
  links: readonly LinkEntry[],
): SafeHtml {
  const state = { values, errors }
  const hasFieldError = Object.keys(errors).some((name) => name !== 'form')
  const render = (name: string, isFirst = false) =>
    CODE_FORMS[type].renderField(frame, name, state, hasFieldError ? {} : { autofocus: isFirst })
  const content = Object.keys(CONTENT_FIELDS[type]).map((name, index) =>
    render(name, !code && index === 0),
  )
  return html`${code ? renderChangeNote(code, type) : null}
${
  type === 'link'
    ? renderSource(values, content, render('link'), links)
    : html`<div class="${type === 'vcard' ? 'columns contact' : ''}">${content}</div>`
}
${render('name')}
<div class="columns">${render('foreground')}${render('background')}</div>
<div class="columns">${render('dots')}${render('eyes')}</div>
${render('caption')}
${renderField({
  name: 'logo',
  type: 'file',
  accept: 'image/png,image/jpeg',
  label: t('code.logo'),
  hint: `${t('code.logoHint')}${code?.hasLogo ? ` ${t('code.logoReplaces')}` : ''}`,
  error: errors.logo,
  autofocus: Object.keys(errors).join() === 'logo',
  attributes: html`${withScript('files')} data-max-bytes="${MAX_LOGO_BYTES}" data-text-too-large="${t('code.logoTooLarge')}"`,
})}
${render('logoAddress')}
${code?.hasLogo ? render('removeLogo') : null}`
}

/** Renders a note on whether changes affect printed codes. Codes of the type `link` stay the same. */
function renderChangeNote(code: QrDetails, type: CodeForm['type']): SafeHtml {
  return html`<p class="small soft">${
    code.type === 'link' && type === 'link' ? t('code.urlCanChange') : t('code.contentChanges')
  }</p>`
}

/**
 * Renders the choice between a destination URL and a link of the account. Styles hide the field that
 * is not used.
 */
function renderSource(
  { source }: CodeForm['values'],
  urlFields: (SafeHtml | null)[],
  linkField: SafeHtml | null,
  links: readonly LinkEntry[],
): SafeHtml {
  const suggestions = links.map(
    ({ shortUrl, metaTitle, url }) =>
      html`<option value="${shortLinkText(shortUrl)}">${metaTitle ?? hostOf(url)}</option>`,
  )
  return html`<div class="code-source">${renderChoices({
    id: 'source',
    type: 'radio',
    legend: t('code.source.title'),
    choices: (['new', 'existing'] as const).map((value) => ({
      value,
      label: t(`code.source.${value}`),
      isChecked: (source === 'existing') === (value === 'existing'),
    })),
    content: html`<div class="of-url">${urlFields}</div>
<div class="of-link">${linkField}
<datalist id="link-choices">${suggestions}</datalist></div>`,
  })}</div>`
}
