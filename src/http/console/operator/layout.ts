import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { t } from '../../../texts.ts'
import { renderViews } from '../kit/parts.ts'
import { createSubject, type Subject } from '../kit/subject.ts'
import { formatCount } from '../shell/format.ts'
import { renderConsolePage } from '../shell/layout.ts'

/** The maximum number of URLs to show. The others are only counted. */
const MAX_FULL_URLS = 5

const MAX_URL_LENGTH = 300

const sections = [
  { path: '/console/operator/accounts', key: 'accounts' },
  { path: '/console/operator/users', key: 'users' },
  { path: '/console/operator/links', key: 'links' },
  { path: '/console/operator/reports', key: 'reports' },
  { path: '/console/operator/held', key: 'held' },
  { path: '/console/operator/hosts', key: 'hosts' },
  { path: '/console/operator/robots', key: 'robots' },
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

/**
 * Renders description list terms for the destinations of a link, and for their hosts if there are
 * several.
 */
export function renderDestinationText(
  destinations: readonly string[],
  hosts: readonly string[],
): SafeHtml {
  const [defaultDestination = '', ...others] = destinations
  return html`<dt>${t('admin.destination')}</dt><dd class="address">${truncateUrl(defaultDestination)}</dd>
${renderDestinationList(t('admin.otherDestinations'), others)}
${hosts.length > 1 ? html`<dt>${t('admin.hosts', { count: formatCount(hosts.length) })}</dt><dd class="address">${hosts.join(', ')}</dd>` : null}`
}

/** Renders a term with destinations, or nothing without any. */
export function renderDestinationList(
  term: string,
  destinations: readonly string[],
): SafeHtml | null {
  if (destinations.length === 0) return null
  const remaining = destinations.length - MAX_FULL_URLS
  return html`<dt>${term}</dt>${destinations
    .slice(0, MAX_FULL_URLS)
    .map(
      (destination) => html`<dd class="address">${truncateUrl(destination)}</dd>`,
    )}${remaining > 0 ? html`<dd>${t('admin.more', { count: formatCount(remaining) })}</dd>` : null}`
}

function truncateUrl(url: string): string {
  return url.length > MAX_URL_LENGTH ? `${url.slice(0, MAX_URL_LENGTH)}…` : url
}
