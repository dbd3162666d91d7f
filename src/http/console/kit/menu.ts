import { html, type SafeHtml } from '@remix-run/html-template'
import { withScript } from '../assets.ts'
import { renderIcon } from '../shell/icon.ts'
import { type Control, renderControl, renderHidden } from './fields.ts'

export type MenuItem = {
  href: string
  label: string
  isCurrent?: boolean
  /** The shortcut key that selects it. */
  key?: string | undefined
}

/** Renders content that opens below its name. `keys.js` closes it on a click elsewhere. */
export function renderDropdown(
  name: SafeHtml | string,
  content: SafeHtml,
  className?: string,
  isOpen = false,
): SafeHtml {
  return html`<details class="row-menu menu${className ? ` ${className}` : ''}"${isOpen ? html` open` : null}><summary>${name}</summary>
<div class="menu-panel">${content}</div></details>`
}

/** Renders the less common actions of something, behind three dots. `name` is for screen readers. */
export function renderMoreMenu(name: string, content: SafeHtml | (SafeHtml | null)[]): SafeHtml {
  return html`<details class="row-menu" name="row-menu"><summary>${renderIcon('more')}<span class="hidden-text">${name}</span></summary>
<div class="row-items">
${content}
</div></details>`
}

/** Renders a list of links that opens below its name. */
export function renderMenu(
  name: string,
  value: string,
  items: readonly MenuItem[],
  footer: SafeHtml | null = null,
): SafeHtml {
  return renderDropdown(
    html`<span class="hidden-text">${name}: </span><bdi>${value}</bdi>`,
    html`<ul aria-label="${name}">${items.map(
      ({ href, label, isCurrent, key }) =>
        html`<li><a href="${href}"${key ? html` data-key="${key}" aria-keyshortcuts="${key}"` : null}${isCurrent ? html` aria-current="true"` : null}><bdi>${label}</bdi>${key ? html` <kbd aria-hidden="true">${key}</kbd>` : null}</a></li>`,
    )}</ul>
${footer}`,
  )
}

type MenuForm = {
  action: string
  /** The parameters of the URL that the form keeps. */
  kept: readonly (readonly [name: string, value: string])[]
  fields: readonly (Control & { label: string })[]
  title?: string
  hint?: string
  button: string
}

/** Renders a form in a menu, which opens a page with other parameters. */
export function renderMenuForm({ action, kept, fields, title, hint, button }: MenuForm): SafeHtml {
  return html`<form method="get" action="${action}">
${title ? html`<p class="menu-name">${title}</p>` : null}
${kept.map(([name, value]) => renderHidden({ [name]: value }))}
${fields.map(({ label, ...control }) => html`<label>${label} ${renderControl({ ...control, id: `menu-${control.name}` })}</label>`)}
${hint ? html`<p class="small soft">${hint}</p>` : null}
<button class="button small">${button}</button>
</form>`
}

/** A condition of a list, and the URL without it. */
export type Pill = { href: string; kind: string; label: string; remove: string }

/** Renders the conditions of a list with links that remove them: one at a time, or all of them. */
export function renderPills(
  label: string,
  pills: readonly Pill[],
  clear: { href: string | undefined; text: string },
): SafeHtml | null {
  if (pills.length === 0) return null
  return html`<ul class="pills" aria-label="${label}">${pills.map(
    ({ href, kind, label, remove }) =>
      html`<li><a href="${href}"><span class="hidden-text">${remove}</span><span class="soft" aria-hidden="true">${kind}</span> <bdi aria-hidden="true">${label}</bdi> <span aria-hidden="true">×</span></a></li>`,
  )}${clear.href ? html`<li><a class="clear" href="${clear.href}">${clear.text}</a></li>` : null}</ul>`
}

/** Renders menus that choose what a page shows. */
export function renderControls(label: string, content: readonly (SafeHtml | null)[]): SafeHtml {
  return html`<div class="controls" role="group" aria-label="${label}">
${content.map((each) => html`${each}\n`)}</div>`
}

type Step = { href: string; key: string; text: string }

/** Renders a menu between links to what comes before and after its value. */
export function renderSteps(
  earlier: Step | undefined,
  menu: SafeHtml,
  later: Step | undefined,
): SafeHtml {
  const renderStep = (step: Step | undefined, sign: string) =>
    step
      ? html`<a class="step" href="${step.href}" data-key="${step.key}"><span aria-hidden="true">${sign}</span><span class="hidden-text">${step.text}</span></a>`
      : html`<span class="step none" aria-hidden="true">${sign}</span>`
  return html`<div class="steps">${renderStep(earlier, '‹')}${menu}${renderStep(later, '›')}</div>`
}

type TabPanel = {
  id: string
  name: string
  href: string
  isOpen: boolean
  /** Undefined if it is only on the tab's own page. */
  content: SafeHtml | undefined
}

/** Renders a card with tabs. Tabs are links: `tabs.js` switches between those that are loaded. */
export function renderTabs(id: string, title: string, tabs: readonly TabPanel[]): SafeHtml {
  return html`<section class="panel card" id="${id}" aria-labelledby="${id}-title">
<h2 class="hidden-text" id="${id}-title">${title}</h2>
<ul class="tabs"${withScript('tabs')}>${tabs.map((tab) => html`<li><a href="${tab.href}" data-tab="${tab.id}"${tab.isOpen ? html` aria-current="true"` : null}>${tab.name}</a></li>`)}</ul>
${tabs.map(({ id, isOpen, content }) => content && html`<div id="${id}"${isOpen ? null : html` hidden`}>${content}</div>`)}
</section>`
}
