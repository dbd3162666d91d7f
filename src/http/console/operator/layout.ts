import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { t } from '../../../texts.ts'
import { renderViews } from '../kit/parts.ts'
import { createSubject, type Subject } from '../kit/subject.ts'
import { renderConsolePage } from '../shell/layout.ts'

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

/** Creates the functions that register a subject of the admin pages, whose plugin guards them. */
export function defineAdminSubject(
  app: FastifyInstance,
  currentSection: (typeof sections)[number]['path'],
): Subject {
  return createSubject(app, (frame, page) =>
    renderConsolePage(frame, {
      ...page,
      section: '/console/operator',
      body: html`${renderViews(
        t('admin.navigation'),
        sections.map(({ path, key }) => [
          path,
          t(`admin.sections.${key}`),
          path === currentSection,
        ]),
        'sections',
      )}
${page.body(frame)}`,
    }),
  )
}
