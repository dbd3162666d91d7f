import { html, type SafeHtml } from '@remix-run/html-template'

/** Renders the rejected rows with their errors. */
export function problemTable(
  problems: readonly { row: number; alias: string; problem: string }[],
): SafeHtml {
  return html`<table class="cards"><thead><tr><th scope="col">Row</th><th scope="col">Alias</th><th scope="col">Problem</th></tr></thead>
<tbody>${problems.map(({ row, alias, problem }) => html`<tr><td data-label="Row">${row}</td><td data-label="Alias">${alias}</td><td data-label="Problem">${problem}</td></tr>`)}</tbody></table>`
}

/** Renders the notices of an import. */
export function noticeList(notices: readonly string[]): SafeHtml | null {
  if (notices.length === 0) return null
  return html`<ul class="notice">${notices.map((notice) => html`<li>${notice}</li>`)}</ul>`
}
