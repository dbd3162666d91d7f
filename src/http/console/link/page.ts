import { html } from '@remix-run/html-template'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import {
  type Analytics,
  analyticsFiles,
  analyticsKeys,
  analyticsSection,
} from '../analytics/section.ts'
import { consolePage, type Frame } from '../shell/layout.ts'
import { type CodeForm, codePanel } from './code.ts'
import { type GuessesView, guessesPanel } from './guesses.ts'
import { details, type HeadLink, head } from './head.ts'
import { linkMessages } from './messages.ts'

export type LinkPage = {
  link: HeadLink
  analytics: Analytics
  code: CodeForm
  guesses?: GuessesView | undefined
}

/** Renders a link with its statistics and QR code. */
export function linkPage(frame: Frame, { link, analytics, code, guesses }: LinkPage): string {
  return consolePage(frame, {
    title: shortLinkText(link.shortUrl),
    section: '/console/links',
    files: analyticsFiles(analytics),
    keys: [['E', linkMessages.editKey], ...analyticsKeys()],
    body: html`${head(frame, link)}
${analyticsSection(frame, analytics)}
${details(link)}
${guesses ? guessesPanel(guesses) : null}
${codePanel(code)}`,
  })
}
