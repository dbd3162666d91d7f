import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { copiedShortUrl, shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import type { FormFrame, Frame } from '../shell/layout.ts'
import { renderField, renderHidden } from './fields.ts'

type Content = SafeHtml | string | null | (SafeHtml | string | null)[]

type PanelOptions = {
  /** An additional class. */
  className?: string
  /** Content beside the heading, such as a link. */
  beside?: SafeHtml
}

/** Renders a part of a page under a heading. `id` is the heading's. */
export function renderPanel(
  id: string,
  title: SafeHtml | string,
  content: Content,
  { className, beside }: PanelOptions = {},
): SafeHtml {
  const heading = html`<h2 id="${id}">${title}</h2>`
  return html`<section class="${joinClasses('panel', className)}" aria-labelledby="${id}">
${beside ? html`<div class="head">${heading}${beside}</div>` : heading}
${content}
</section>`
}

/** Renders a part of a page without a visible heading. */
export function renderUntitledPanel(label: string, content: Content, className?: string): SafeHtml {
  return html`<section class="${joinClasses('panel', className)}" aria-label="${label}">
${content}
</section>`
}

/** Renders a part of a page without a visible heading or a frame. */
export function renderRegion(
  label: string,
  className: string,
  content: Content,
  attributes: SafeHtml | null = null,
): SafeHtml {
  return html`<section class="${className}" aria-label="${label}"${attributes}>
${content}
</section>`
}

function joinClasses(...names: readonly (string | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}

/** Renders a color, or nothing if it is empty. Its name is beside it. */
export function renderSwatch(color: string): SafeHtml | null {
  if (color === '') return null
  return html`<svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="${color}"/></svg> `
}

/** Renders names with their values. */
export function renderFacts(
  facts: readonly (readonly [name: string, value: SafeHtml | string])[],
): SafeHtml {
  return html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`
}

/** Renders what a list without entries is for, and what to do next. */
export function renderBlank(
  title: string,
  text: string,
  action: SafeHtml | null = null,
  icon: SafeHtml | null = null,
): SafeHtml {
  return html`<section class="panel blank">${icon}<h2>${title}</h2>
<p class="soft">${text}</p>${action ? html`\n<p>${action}</p>` : null}</section>`
}

/** Renders the confirmation of the last change and the error of a rejected one. */
export function renderNotices({
  notice,
  error,
}: {
  notice?: string | undefined
  error?: string | undefined
}): SafeHtml {
  return html`${notice ? html`<p class="inset" role="status">${notice}</p>` : null}
${error ? html`<p class="notice" role="alert">${error}</p>` : null}`
}

/** Renders the completed share of a task from 0 to 1, or undefined if it is unknown. */
export function renderProgressBar(label: string, share: number | undefined): SafeHtml {
  return html`<progress class="wide" aria-label="${label}" max="1"${share === undefined ? null : html` value="${share.toFixed(3)}"`}></progress>`
}

/** Renders links to the views of a list: their URLs, names, and which is the current one. */
export function renderViews(
  label: string,
  views: readonly (readonly [href: string, name: string, isCurrent: boolean])[],
  className = 'sections choices',
): SafeHtml {
  return html`<nav class="${className}" aria-label="${label}">${views.map(
    ([href, name, isCurrent]) =>
      html`<a href="${href}"${isCurrent ? html` aria-current="page"` : null}>${name}</a>`,
  )}</nav>`
}

/** A field of a search: a text, a choice that may stay open, or a checkbox. */
type FinderField = { name: string; label: string; value: string } & (
  | { placeholder: string; maxLength: number }
  | { any: string; choices: readonly (readonly [value: string, text: string])[] }
  | { isCheckbox: true }
)

type Finder = {
  action: string
  fields: readonly FinderField[]
  submit: string
  clear: string
}

/** Renders the search of a list, with a link that clears it if anything is searched for. */
export function renderFinder({ action, fields, submit, clear }: Finder): SafeHtml {
  const isFiltered = fields.some(({ value }) => value !== '')
  return html`<form class="finder" method="get" action="${action}" role="search">
${fields.map((each) => html`${renderFinderField(each)}\n`)}<div class="finder-buttons"><button class="button quiet">${submit}</button>${isFiltered ? html`<a class="reset" href="${action}">${clear}</a>` : null}</div>
</form>`
}

function renderFinderField(field: FinderField): SafeHtml {
  const { name, label, value } = field
  if ('isCheckbox' in field) {
    return html`<label class="check"><input type="checkbox" name="${name}" value="on"${value ? html` checked` : null}> ${label}</label>`
  }
  if ('choices' in field) {
    const choices = field.choices.map(([choice, text]) => ({ value: choice, label: text }))
    const all = [{ value: '', label: field.any }, ...choices]
    return renderField({ type: 'select', name, label, value, choices: all })
  }
  const attributes = html` maxlength="${field.maxLength}" autocomplete="off" placeholder="${field.placeholder}"`
  return renderField({ type: 'search', name, label, value, attributes })
}

type FormOptions = {
  isMultipart?: boolean
  /** Additional attributes, each preceded by a space. */
  attributes?: SafeHtml
}

/** Renders a form with any content, or nothing if the user's role does not allow to submit it. */
export function renderForm(
  frame: FormFrame,
  action: string,
  content: Content,
  { isMultipart = false, attributes }: FormOptions = {},
): SafeHtml | null {
  if (!frame.may('POST', action)) return null
  return html`<form method="post" action="${action}"${isMultipart ? html` enctype="multipart/form-data"` : null}${attributes ?? null}>${csrfField(frame.csrf)}
${content}
</form>`
}

/** Renders a form of buttons that decide on something. Each sends its name and value. */
export function renderDecisionForm(
  frame: Frame,
  action: string,
  buttons: readonly (SafeHtml | null)[],
  fields: Parameters<typeof renderHidden>[0] = {},
): SafeHtml | null {
  return renderForm(frame, action, [
    ...renderHidden(fields),
    html`<div class="actions">
${buttons.map((button) => button && html`${button}\n`)}</div>`,
  ])
}

/** Renders a button that sends `name` with `value`. `subject` is for screen readers. */
export function renderDecision(
  [name, value]: readonly [name: string, value: string],
  text: string,
  { subject, className = 'button quiet small' }: { subject?: string; className?: string } = {},
): SafeHtml {
  return html`<button${className ? html` class="${className}"` : null} name="${name}" value="${value}">${text}${renderSubject(subject)}</button>`
}

type Button = {
  action: string
  text: string
  /** What the button acts on, for screen readers, where several have the same text. */
  subject?: string
  className?: string
  /** Hidden fields that are sent along. */
  fields?: Readonly<Record<string, string>>
}

/** Renders a form with only a button, or nothing if the user's role does not allow to submit it. */
export function renderButtonForm(
  frame: FormFrame,
  { action, text, subject, className = 'button quiet small', fields = {} }: Button,
): SafeHtml | null {
  if (!frame.may('POST', action)) return null
  return html`<form class="in-row" method="post" action="${action}">${csrfField(frame.csrf)}${renderHidden(fields)}<button class="${className}">${text}${renderSubject(subject)}</button></form>`
}

function renderSubject(subject: string | undefined): SafeHtml | null {
  return subject === undefined ? null : html`<span class="hidden-text"> ${subject}</span>`
}

/** Renders a text or a link with a copy button. `id` must be unique on the page. */
export function renderCopyable({
  id,
  ...content
}: { id: string } & ({ text: string } | { href: string })): SafeHtml {
  return html`<span class="copyable">${
    'text' in content
      ? html`<code id="${id}">${content.text}</code>`
      : html`<a class="address" id="${id}" data-text="${copiedShortUrl(content.href)}" href="${content.href}" rel="noreferrer" target="_blank"><bdi>${shortLinkText(content.href)}</bdi></a>`
  } ${renderCopyButton(id)}</span>`
}

/**
 * Renders a button that copies the text of the element with this id. `name` is for screen readers, by
 * default the text of the button, described by that element.
 */
export function renderCopyButton(
  id: string,
  className = 'button quiet small',
  name?: string,
): SafeHtml {
  return html`<button class="${className}" type="button" data-copy="${id}"${name === undefined ? html` aria-describedby="${id}"` : html` aria-label="${name}"`}>${t('shell.copy.button')}</button>`
}

/** Renders a list that has a name for screen readers. */
export function renderNamedList(
  name: string,
  items: readonly SafeHtml[],
  className: string,
): SafeHtml {
  return html`<ul class="${className}" aria-label="${name}">${items.map((item) => html`<li>${item}</li>`)}</ul>`
}

type Link = {
  className?: string
  /** What the link is about, for screen readers, where several have the same text. */
  subject?: string
  /** The key that opens it, as the help of the page lists it. */
  key?: string
}

/** Renders a link to a page, or nothing if the user's role does not allow to open it. */
export function renderLink(
  frame: Frame,
  href: string,
  text: SafeHtml | string,
  { className, subject, key }: Link = {},
): SafeHtml | null {
  if (!frame.may('GET', href)) return null
  return html`<a${className ? html` class="${className}"` : null} href="${href}"${key ? html` data-key="${key}" aria-keyshortcuts="${key}"` : null}>${text}${renderSubject(subject)}</a>`
}

/** Renders a link that has another name for screen readers. */
export function renderNamedLink(
  href: string,
  text: string,
  name: string,
  { isDownload = false } = {},
): SafeHtml {
  return html`<a href="${href}"${isDownload ? html` download=""` : null} aria-label="${name}">${text}</a>`
}
