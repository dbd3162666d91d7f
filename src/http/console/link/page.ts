import { html } from '@remix-run/html-template'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { type Analytics, listAnalyticsKeys, renderAnalyticsSection } from '../analytics/section.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { type CodeForm, renderCodePanel } from './code.ts'
import { type GuessesView, renderGuessesPanel } from './guesses.ts'
import { type HeadLink, renderDetails, renderLinkHead } from './head.ts'

export type LinkPage = {
  link: HeadLink
  analytics: Analytics
  code: CodeForm
  guesses?: GuessesView | undefined
}

/** Renders a link with its statistics and QR code. */
export function renderLinkPage(frame: Frame, { link, analytics, code, guesses }: LinkPage): string {
  return renderConsolePage(frame, {
    title: shortLinkText(link.shortUrl),
    section: '/console/links',
    keys: [['E', t('link.editKey')], ...listAnalyticsKeys()],
    body: html`${renderLinkHead(frame, link)}
${renderAnalyticsSection(frame, analytics)}
${renderDetails(link)}
${guesses ? renderGuessesPanel(guesses) : null}
${renderCodePanel(code)}`,
  })
}
