import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { t } from '../../../texts.ts'
import { createSubject, type Subject } from '../kit/subject.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'

const sections = [
  { path: '/console/operator/accounts', key: 'accounts' },
  { path: '/console/operator/users', key: 'users' },
  { path: '/console/operator/links', key: 'links' },
  { path: '/console/operator/reports', key: 'reports' },
  { path: '/console/operator/held', key: 'held' },
  { path: '/console/operator/hosts', key: 'hosts' },
  { path: '/console/operator/log', key: 'log' },
  { path: '/console/operator/health', key: 'health' },
] as const

export type OperatorSection = (typeof sections)[number]['path']

type OperatorPage = {
  title: string
  /** The current admin page. */
  currentSection: OperatorSection
  body: SafeHtml
}

/** Renders an admin page with the admin navigation. */
export function renderOperatorPage(
  frame: Frame,
  { title, currentSection, body }: OperatorPage,
): string {
  return renderConsolePage(frame, {
    title,
    section: '/console/operator',
    body: html`<nav class="sections" aria-label="${t('admin.navigation')}">${sections.map(({ path, key }) => html`<a href="${path}"${path === currentSection ? html` aria-current="page"` : null}>${t(`admin.sections.${key}`)}</a>`)}</nav>
${body}`,
  })
}

/** Creates the functions that register a subject of the admin pages, whose plugin guards them. */
export function defineAdminSubject(app: FastifyInstance, currentSection: OperatorSection): Subject {
  return createSubject(app, (frame, { title, body }) =>
    renderOperatorPage(frame, { title, currentSection, body: body(frame) }),
  )
}
