import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { renderPreviewPanel } from '../kit/preview.ts'
import { renderFormField, type SingleField } from '../resources/form-field.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { CODE_TYPES, type CodeType, createCommonFields, listCodeFields } from './fields.ts'

export type CodeEditor = {
  type: CodeType
  /** Values of fields by name. */
  values: Readonly<Record<string, string>>
  /** Errors by the name of the field. `form` is for all others. */
  errors: Readonly<Record<string, string>>
  /** The code being edited, or undefined for a new one. */
  before?: { id: number; name: string; type: CodeType; hasLogo: boolean } | undefined
  /** The id of the link that a new code is for, if the form was opened from a link. */
  linkId?: number | undefined
  /** The account's newest links, as suggestions. */
  links: readonly { shortUrl: string; title: string }[]
  /** The maximum size of a logo in bytes. */
  maxLogoBytes: number
}

const SECTION = '/console/codes'

/**
 * Renders the form that creates or edits a code of one type, with links to the forms of the other
 * types and a preview.
 */
export function renderCodeEditorPage(frame: Frame, editor: CodeEditor): string {
  const { type, errors, before, linkId } = editor
  const title = before ? t('code.editTitle', { name: before.name }) : t('code.words.new')
  const styleFields = createCommonFields()
  const path = before ? `${SECTION}/${before.id}` : SECTION
  return renderConsolePage(frame, {
    title,
    section: SECTION,
    body: html`<p class="eyebrow"><a href="${SECTION}">${t('code.title')}</a></p>
<h1><bdi>${title}</bdi></h1>
${renderTypeLinks(editor, before ? `${path}/edit` : `${path}/new`)}
<div class="beside">
<section class="panel" aria-label="${title}">
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="${path}" id="form" enctype="multipart/form-data" data-form>
${csrfField(frame.csrf)}
<input type="hidden" name="type" value="${type}">
${before ? renderTypeChangeNote(before.type, type) : null}
${type === 'link' ? renderDestinationFields(editor) : html`<div class="${type === 'vcard' ? 'columns contact' : ''}">${listCodeFields(type).map((field, index) => renderField(editor, field, !before && index === 0))}</div>`}
${renderField(editor, styleFields.name)}
${renderColors(editor)}
<div class="columns">${renderField(editor, styleFields.dots)}${renderField(editor, styleFields.eyes)}</div>
${renderField(editor, styleFields.caption)}
${renderLogo(editor)}
<div class="actions"><button class="button">${t('code.save')}</button> <a class="button quiet" href="${before ? path : SECTION}">${t('code.cancel')}</a></div>
</form>
</section>
${renderPreviewPanel({
  form: 'form',
  action: `${path}/preview`,
  initialPath: `${path}/preview?type=${type}${linkId === undefined ? '' : `&link=${linkId}`}`,
  note: t('code.preview.note'),
})}
</div>`,
  })
}

/**
 * Renders the choice between a destination URL and a link of the account. Styles hide the field that
 * is not used.
 */
function renderDestinationFields(editor: CodeEditor): SafeHtml {
  const { values, before, links } = editor
  const renderChoice = (value: 'new' | 'existing') =>
    html`<label class="check"><input type="radio" name="source" value="${value}"${(values.source === 'existing') === (value === 'existing') ? html` checked` : null}> ${t(`code.source.${value}`)}</label>`
  return html`<fieldset class="code-source"><legend>${t('code.source.title')}</legend>
<p class="choices">${renderChoice('new')} ${renderChoice('existing')}</p>
<div class="of-url">${listCodeFields('link').map((field) => renderField(editor, field, !before))}</div>
<div class="of-link">${renderField(editor, createCommonFields().link)}
<datalist id="link-choices">${links.map(({ shortUrl, title }) => html`<option value="${shortLinkText(shortUrl)}">${title}</option>`)}</datalist></div>
</fieldset>`
}

function renderTypeLinks({ type }: CodeEditor, path: string): SafeHtml {
  return html`<nav class="types" aria-label="${t('code.type')}">${CODE_TYPES.map(
    (each) =>
      html`<a class="button quiet small" href="${path}?type=${each}"${each === type ? html` aria-current="page"` : null}>${t(`code.types.${each}`)}</a>`,
  )}</nav>`
}

/** Renders a note on whether changes affect printed codes. Codes of the type `link` stay the same. */
function renderTypeChangeNote(before: CodeType, type: CodeType): SafeHtml {
  return html`<p class="small soft">${
    before === 'link' && type === 'link' ? t('code.urlCanChange') : t('code.contentChanges')
  }</p>`
}

function renderField(
  { values, errors }: CodeEditor,
  field: SingleField,
  isFirst = false,
): SafeHtml {
  const hasFieldError = Object.keys(errors).some((field) => field !== 'form')
  return renderFormField(field, {
    value: values[field.name] ?? '',
    error: errors[field.name],
    autofocus: hasFieldError ? errors[field.name] !== undefined : isFirst,
  })
}

function renderColors({ values, errors }: CodeEditor): SafeHtml {
  const renderColor = (name: string, label: string) => html`<div class="field">
<label for="${name}">${label}</label>
<input type="color" id="${name}" name="${name}" value="${values[name] ?? ''}"${errors[name] ? html` aria-invalid="true" aria-describedby="${name}-error" autofocus` : null}>
${errors[name] ? html`<p class="error" id="${name}-error" role="alert">${errors[name]}</p>` : null}
</div>`
  return html`<div class="columns">${renderColor('foreground', t('code.foreground'))}${renderColor('background', t('code.background'))}</div>
<p class="hint" data-contrast data-good="${t('code.contrast.good')}" data-inverted="${t('code.contrast.inverted')}" data-low="${t('code.contrast.tooLow')}" data-weak="${t('code.contrast.weak')}" role="status"></p>`
}

function renderLogo(editor: CodeEditor): SafeHtml {
  const { before, errors, maxLogoBytes } = editor
  return html`<div class="field">
<label for="logo">${t('code.logo')}</label>
<input type="file" id="logo" name="logo" accept="image/png,image/jpeg" data-max-bytes="${maxLogoBytes}" data-text-too-large="${t('code.logoTooLarge')}" aria-describedby="logo-hint${errors.logo ? ' logo-error' : ''}"${errors.logo ? html` aria-invalid="true"` : null}>
<p class="hint" id="logo-hint">${t('code.logoHint')}${before?.hasLogo ? ` ${t('code.logoReplaces')}` : ''}</p>
${errors.logo ? html`<p class="error" id="logo-error" role="alert">${errors.logo}</p>` : null}
</div>
${renderField(editor, createCommonFields().logoAddress)}
${before?.hasLogo ? renderField(editor, { name: 'removeLogo', label: t('code.removeLogo'), type: 'check' }) : null}`
}
