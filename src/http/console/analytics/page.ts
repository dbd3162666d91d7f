import { html } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { type Analytics, listAnalyticsKeys, renderAnalyticsSection } from './section.ts'

/** Renders the statistics of all links, or of those with a tag. */
export function renderAccountPage(frame: Frame, analytics: Analytics): string {
  return renderConsolePage(frame, {
    title: t('analytics.title'),
    section: '/console/analytics',
    keys: listAnalyticsKeys(),
    body: html`<h1>${t('analytics.title')}</h1>
${renderAnalyticsSection(frame, analytics)}`,
  })
}
