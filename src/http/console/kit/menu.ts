import { html, type SafeHtml } from '@remix-run/html-template'

export type MenuItem = {
  href: string
  label: string
  isCurrent?: boolean
  /** The shortcut key that selects it. */
  key?: string | undefined
}

/** Renders a list of links that opens below its name. `keys.js` closes it on a click elsewhere. */
export function renderMenu(
  name: string,
  value: string,
  items: readonly MenuItem[],
  footer: SafeHtml | null = null,
): SafeHtml {
  return html`<details class="row-menu menu"><summary><span class="hidden-text">${name}: </span><bdi>${value}</bdi></summary>
<div class="menu-panel">
<ul aria-label="${name}">${items.map(
    ({ href, label, isCurrent, key }) =>
      html`<li><a href="${href}"${key ? html` data-key="${key}" aria-keyshortcuts="${key}"` : null}${isCurrent ? html` aria-current="true"` : null}><bdi>${label}</bdi>${key ? html` <kbd aria-hidden="true">${key}</kbd>` : null}</a></li>`,
  )}</ul>
${footer}
</div></details>`
}
