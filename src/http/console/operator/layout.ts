import { html, type SafeHtml } from '@remix-run/html-template'
import { consolePage, type Frame } from '../shell/layout.ts'

const sections = [
  { path: '/console/operator/accounts', name: 'Accounts' },
  { path: '/console/operator/users', name: 'Users' },
  { path: '/console/operator/links', name: 'Links' },
  { path: '/console/operator/reports', name: 'Reports' },
  { path: '/console/operator/held', name: 'Held links' },
  { path: '/console/operator/hosts', name: 'Blocked hosts' },
  { path: '/console/operator/log', name: 'Log' },
  { path: '/console/operator/health', name: 'Health' },
] as const

export type OperatorSection = (typeof sections)[number]['path']

type OperatorPage = {
  title: string
  /** The current admin page. */
  at: OperatorSection
  /** Additional styles and scripts. */
  files?: readonly string[]
  body: SafeHtml
}

/** Renders an admin page with the admin navigation. */
export function operatorPage(frame: Frame, { title, at, files = [], body }: OperatorPage): string {
  return consolePage(frame, {
    title,
    section: '/console/operator',
    files: ['links.css', 'operator.css', ...files],
    body: html`<nav class="sections" aria-label="Admin">${sections.map(({ path, name }) => html`<a href="${path}"${path === at ? html` aria-current="page"` : null}>${name}</a>`)}</nav>
${body}`,
  })
}
