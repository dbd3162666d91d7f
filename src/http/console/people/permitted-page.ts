import type { FastifyInstance } from 'fastify'
import { includesRole, type Role } from '../../../people/user.ts'

const FORM = /<form\b([^>]*)>[\s\S]*?<\/form>\n?/g
const LINK = /<a\b[^>]*?\shref="([^"]*)"[^>]*>[\s\S]*?<\/a>/g

/** The path of the page, and the roles that paths need. */
type Place = { ownPath: string } & Pick<FastifyInstance, 'findRole'>

/** Replaces a removed form until it is decided whether the elements around it are removed, too. */
const PLACEHOLDER = '<!--gap-->'
/** Match the innermost details and sections around a placeholder. */
const ENCLOSING_ELEMENTS = ['details', 'section'].map(
  (tag) =>
    new RegExp(
      `<${tag}\\b(?:(?!</?${tag}\\b)[\\s\\S])*?${PLACEHOLDER}(?:(?!</?${tag}\\b)[\\s\\S])*?</${tag}>\\n?`,
      'g',
    ),
)
/** A details element or section with one of these elements is kept even if its form is removed. */
const CONTENT = /<(?:form|table|dl|ul|ol|svg|img|iframe|input|button)\b|<a\b/

/**
 * Removes the forms and links that a role may not use from a page, by the same rules that guard the
 * routes. Also removes details elements and sections that become empty. Forms without an action post
 * to `ownPath`, the path of the page.
 * Templates escape all values, so every tag in the text belongs to the page.
 */
export function removeForbiddenControls(
  page: string,
  role: Role,
  { ownPath, findRole }: Place,
): string {
  if (role === 'owner') return page
  const isPermitted = (method: 'GET' | 'POST', path: string) =>
    !/^\/console(?:[/?#]|$)/.test(path) || includesRole(role, findRole(method, path) ?? 'viewer')
  const removedFormIds: string[] = []
  const permittedPage = page
    .replaceAll(FORM, (form: string, attributes: string) => {
      if (readAttribute(attributes, 'method') !== 'post') return form
      if (isPermitted('POST', readAttribute(attributes, 'action') ?? ownPath)) return form
      const id = readAttribute(attributes, 'id')
      if (id !== undefined) removedFormIds.push(id)
      return PLACEHOLDER
    })
    .replaceAll(LINK, (link: string, path: string) => (isPermitted('GET', path) ? link : ''))
  const withoutControls = removedFormIds.reduce(removeControls, permittedPage)
  const withoutEmptyElements = ENCLOSING_ELEMENTS.reduce(
    (text, around) => text.replaceAll(around, (part) => (CONTENT.test(part) ? part : PLACEHOLDER)),
    withoutControls,
  )
  return withoutEmptyElements.replaceAll(PLACEHOLDER, '')
}

/** Removes controls associated with a form by its id. */
function removeControls(page: string, id: string): string {
  const formAttribute = `[^>]*\\sform="${id}"[^>]*>`
  return page
    .replaceAll(new RegExp(`<(button|select|textarea)\\b${formAttribute}[\\s\\S]*?</\\1>`, 'g'), '')
    .replaceAll(new RegExp(`<input\\b${formAttribute}`, 'g'), '')
}

function readAttribute(attributes: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1]
}
