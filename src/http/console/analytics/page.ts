import { html } from '@remix-run/html-template'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { analyticsMessages as messages } from './messages.ts'
import {
  type Analytics,
  listAnalyticsFiles,
  listAnalyticsKeys,
  renderAnalyticsSection,
} from './section.ts'

/** Renders the statistics of all links, or of those with a tag. */
export function renderAccountPage(frame: Frame, analytics: Analytics): string {
  return renderConsolePage(frame, {
    title: messages.title,
    section: '/console/analytics',
    files: listAnalyticsFiles(analytics),
    keys: listAnalyticsKeys(),
    body: html`<h1>${messages.title}</h1>
${renderAnalyticsSection(frame, analytics)}`,
  })
}
