import { html } from '@remix-run/html-template'
import { consolePage, type Frame } from '../shell/layout.ts'
import { analyticsMessages as messages } from './messages.ts'
import { type Analytics, analyticsFiles, analyticsKeys, analyticsSection } from './section.ts'

/** Renders the statistics of all links, or of those with a tag. */
export function accountPage(frame: Frame, analytics: Analytics): string {
  return consolePage(frame, {
    title: messages.title,
    section: '/console/analytics',
    files: analyticsFiles(analytics),
    keys: analyticsKeys(),
    body: html`<h1>${messages.title}</h1>
${analyticsSection(frame, analytics)}`,
  })
}
