import type { HttpContext } from '../../../../context.ts'
import { AppError } from '../../../../errors.ts'
import { t } from '../../../../texts.ts'
import {
  deleteUtmTemplate,
  listUtmTemplates,
  saveUtmTemplate,
} from '../../../../utm/utm-template.service.ts'
import { describeError } from '../../../html/describe-error.ts'
import { readFields } from '../../shell/send.ts'
import type { FilledForm, LinkForm } from '../form.ts'
import { joinUtm, splitUtm } from './rows.ts'

type Changed = { form: LinkForm } & Pick<
  FilledForm,
  'focus' | 'fieldError' | 'template' | 'templateId' | 'templateName'
>

/** Applies a button of the UTM templates. Returns undefined for other buttons. */
export async function changeTemplates(
  ctx: Pick<HttpContext, 'db' | 'storage'>,
  accountId: number,
  form: LinkForm,
  body: unknown,
): Promise<Changed | undefined> {
  const { db } = ctx
  const given = readFields(body, ['more', 'utm-template', 'utm-name'])
  const id = Number(given['utm-template'])
  switch (given.more) {
    case 'utm:apply': {
      const template = (await listUtmTemplates(db, accountId)).find((each) => each.id === id)
      if (!template) return { form, focus: 'utm_source' }
      const { others } = splitUtm(form.rows.parameter ?? [])
      const parameter = joinUtm({ utm: template.values, others })
      const filled = { ...form, rows: { ...form.rows, parameter } }
      return { form: filled, focus: 'utm_source', template: t('utm.applied'), templateId: id }
    }
    case 'utm:save':
      return save(ctx, accountId, form, given['utm-name'])
    case 'utm:delete':
      if (Number.isSafeInteger(id)) await deleteUtmTemplate(db, accountId, id)
      return { form, focus: 'utm_source', template: t('utm.deleted') }
    default:
      return undefined
  }
}

async function save(
  ctx: Pick<HttpContext, 'db' | 'storage'>,
  accountId: number,
  form: LinkForm,
  name: string,
): Promise<Changed> {
  const { utm } = splitUtm(form.rows.parameter ?? [])
  try {
    const templateId = await saveUtmTemplate(ctx, ctx.db, accountId, { name, values: utm })
    return { form, focus: 'utm_source', template: t('utm.saved'), templateId }
  } catch (error) {
    if (!(error instanceof AppError) || error.field === undefined) throw error
    const fieldError = { field: error.field, text: describeError(error) }
    return { form, fieldError, templateName: name }
  }
}
