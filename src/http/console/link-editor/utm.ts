import { html, type SafeHtml } from '@remix-run/html-template'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import type { AccountScope } from '../../../scope.ts'
import { t, tAll } from '../../../texts.ts'
import {
  deleteUtmTemplate,
  listUtm,
  listUtmTemplates,
  saveUtmTemplate,
  UTM_NAMES,
} from '../../../utm/utm-template.service.ts'
import { withScript } from '../assets.ts'
import { renderControl } from '../kit/fields.ts'
import { describeFormErrors } from '../shell/describe-error.ts'
import { readFields } from '../shell/send.ts'
import { type Editor, renderRows, renderText } from './fields.ts'
import type { LinkField, LinkForm } from './form.ts'

type Changed = Pick<Editor, 'form' | 'focus' | 'errors' | 'template'>

/** The names of the inputs that make up the final URL. */
const FINAL_URL_INPUTS = [
  ...['url', 'domain', 'parameter-name', 'parameter-value', 'forwardQuery'],
  ...UTM_NAMES,
].join(' ')

/** Renders the UTM parameters with the account's templates, and the list of other parameters. */
export function renderParameters(editor: Editor, field: LinkField): SafeHtml {
  return html`<p class="hint">${t('utm.hint')}</p>
${renderTemplateChoice(editor)}
<div class="columns">${UTM_NAMES.map((name) =>
    renderText(editor, name, {
      ...tAll(`utm.fields.${name}`),
      attributes: html` spellcheck="false"`,
    }),
  )}</div>
<div class="utm-save">
${renderText(editor, 'utm-name', { label: t('utm.name') })}
<button class="button quiet small" name="more" value="utm:save" formnovalidate>${t('utm.save')}</button>
<p class="hint" role="status">${editor.template ?? null}</p>
</div>
${renderRows(editor, field)}
<div class="inset small"><b>${t('linkForm.final.label')}</b>
<p class="address" data-answer="/console/links/final" data-of="${FINAL_URL_INPUTS}"${withScript('answers')}>${editor.finalUrl}</p></div>`
}

function renderTemplateChoice({ choices, form }: Editor): SafeHtml | null {
  const { templates } = choices
  if (templates.length === 0) return null
  return html`<p class="utm-templates">${renderControl({
    name: 'utm-template',
    type: 'select',
    value: form.texts['utm-template'] ?? '',
    choices: templates.map(({ id, name }) => ({ value: String(id), label: name })),
    attributes: html` aria-label="${t('utm.template')}"`,
  })}
<button class="button quiet small" name="more" value="utm:apply" formnovalidate>${t('utm.apply')}</button>
<button class="button quiet small" name="more" value="utm:delete" formnovalidate>${t('utm.delete')}</button></p>`
}

/** Applies a button of the UTM templates. Returns undefined for other buttons. */
export async function changeTemplates(
  scope: AccountScope & Pick<HttpContext, 'storage'>,
  form: LinkForm,
  body: unknown,
): Promise<Changed | undefined> {
  const given = readFields(body, ['more', 'utm-template', 'utm-name'])
  const id = Number(given['utm-template'])
  const focus = 'utm_source'
  const withTexts = (texts: LinkForm['texts']) => ({ ...form, texts: { ...form.texts, ...texts } })
  switch (given.more) {
    case 'utm:apply': {
      const templates = await listUtmTemplates(scope)
      const template = templates.find((each) => each.id === id)
      if (!template) return { form, focus }
      const values = UTM_NAMES.map((name) => [name, template.values[name] ?? ''])
      const texts = { ...Object.fromEntries(values), 'utm-template': String(id) }
      return { form: withTexts(texts), focus, template: t('utm.applied') }
    }
    case 'utm:save': {
      const name = given['utm-name']
      const values = Object.fromEntries(listUtm(form.texts).map((each) => [each.name, each.value]))
      try {
        const template = await saveUtmTemplate(scope, { name, values })
        const texts = { 'utm-template': String(template) }
        return { form: withTexts(texts), focus, template: t('utm.saved') }
      } catch (error) {
        if (!(error instanceof AppError) || error.field === undefined) throw error
        const errors = describeFormErrors(error, ({ field = 'form' }) => field)
        return { form: withTexts({ 'utm-name': name }), errors }
      }
    }
    case 'utm:delete':
      if (Number.isSafeInteger(id)) await deleteUtmTemplate(scope, id)
      return { form, focus, template: t('utm.deleted') }
    default:
      return undefined
  }
}
