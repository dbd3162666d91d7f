import { html } from '@remix-run/html-template'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { consolePage, type Frame } from '../shell/layout.ts'
import { type CodeForm, codePanel } from './code.ts'
import { guessesPanel, type ShownGuesses } from './guesses.ts'
import { type HeadLink, head } from './head.ts'
import {
  type ShownStatistics,
  statisticsFiles,
  statisticsKeys,
  statisticsPanels,
  type UnavailableStatistics,
} from './statistics-section.ts'

export type LinkPage = {
  link: HeadLink
  statistics: ShownStatistics | UnavailableStatistics
  code: CodeForm
  guesses?: ShownGuesses | undefined
}

/** One link: what it is, who clicked it when, and its QR code. */
export function linkPage(frame: Frame, { link, statistics, code, guesses }: LinkPage): string {
  return consolePage(frame, {
    title: shortLinkText(link.shortUrl),
    section: '/console/links',
    files: statisticsFiles(statistics),
    keys: [['E', 'edit the link'], ...statisticsKeys(statistics)],
    body: html`${head(frame, link)}
${guesses ? guessesPanel(guesses) : null}
${statisticsPanels(statistics)}
${codePanel(code)}`,
  })
}
