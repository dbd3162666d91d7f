import { Readable } from 'node:stream'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { overlayPage, overlayPolicy } from '../../pages/overlay.ts'
import type { ResourceScope, ValuesOf } from '../../resources/definition.ts'
import {
  type Answer,
  countChoices,
  generateAnswersCsv,
  listLatestAnswers,
} from '../../resources/overlay-answers.ts'
import { type Overlay, overlays } from '../../resources/overlays.ts'
import { findText, getLanguage, t, tHtml } from '../../texts.ts'
import { toOverlayCard } from '../html/owner-texts.ts'
import { formatTimestamp } from '../timestamp.ts'
import { sendDownload } from './kit/download.ts'
import type { FormValues, Specs } from './kit/form.ts'
import { renderPanel, renderUntitledPanel } from './kit/parts.ts'
import type { Preview } from './kit/preview.ts'
import { type Rank, renderRanking } from './kit/ranking.ts'
import { defineSubject, idOf } from './kit/subject.ts'
import { renderTable } from './kit/table.ts'
import { renderHead } from './resources/list.ts'
import { enterValues, registerResourcePages } from './resources/pages.ts'
import { formatMoment } from './shell/format.ts'
import type { Frame } from './shell/layout.ts'

const PATH = '/console/overlays'
/** The maximum number of responses on the page. The file contains all of them. */
const MAX_ANSWERS = 100
/** The types of overlays that visitors can respond to. */
const INTERACTIVE_TYPES: readonly Overlay['type'][] = ['contact', 'poll', 'newsletter']

/** Registers overlays: their list, their form with a preview, and visitors' responses to them. */
export function registerOverlayRoutes(app: FastifyInstance, ctx: HttpContext): void {
  registerResourcePages(app, ctx, overlays, {
    hasDetailsPage: true,
    valuesOf: (overlay) => ({ ...overlay, options: overlay.options.join('\n') }),
    preview: { note: 'resource.previewNote', draw: drawPreview },
    add: (scope, values) => overlays.create(scope, toValues(values)),
    update: (scope, id, values) => overlays.update(scope, id, toValues(values)),
  })

  const { page } = defineSubject(app, PATH)
  page('/overlays/:id', 'viewer', async (request) => {
    const { scope } = request
    const overlay = await overlays.get(scope, idOf(request))
    const { id, name, type, text } = overlay
    const answers = await listLatestAnswers(scope, id, MAX_ANSWERS)
    const votes = type === 'poll' ? await countVotes(scope, overlay) : undefined
    const title = html`<h1><bdi>${name}</bdi></h1>`
    const head = { section: PATH, id, many: t('overlay.words.many'), title } as const
    const shownBy = {
      type: t(`overlay.types.${type}`),
      linkType: html`<code>${`overlay-${id}`}</code>`,
    }
    return {
      title: name,
      body: (frame) => html`${renderHead(frame, head)}
<p class="text soft" dir="auto">${text}</p>
<p class="small soft">${tHtml('overlay.shownBy', shownBy)}</p>
${INTERACTIVE_TYPES.includes(type) ? renderResponses(frame, id, { answers, votes }) : null}`,
    }
  })

  page('/overlays/:id/answers.csv', 'editor', async (request, reply) => {
    const id = idOf(request)
    const lines = await generateAnswersCsv(request.scope, id, formatTimestamp)
    return sendDownload(reply, {
      name: `answers-${id}.csv`,
      type: 'text/csv',
      content: Readable.from(lines),
    })
  })
}

/** Returns the votes for each option as `clicks`: in the order of the poll, then removed options. */
async function countVotes(scope: ResourceScope, { id, options }: Overlay): Promise<Rank[]> {
  const choices = await countChoices(scope, id)
  const counts = new Map(choices.map(({ choice, count }) => [choice, count]))
  const removed = [...counts.keys()].filter((choice) => !options.includes(choice))
  return [...options, ...removed].map((label) => ({ label, clicks: counts.get(label) ?? 0 }))
}

function renderResponses(
  frame: Frame,
  id: number,
  { answers, votes }: { answers: readonly Omit<Answer, 'linkId'>[]; votes: Rank[] | undefined },
): SafeHtml {
  const none = html`<p class="soft">${t('overlay.noResponses')}</p>`
  if (answers.length === 0) return renderUntitledPanel(t('overlay.responses'), none)
  const names = [...new Set(answers.flatMap(({ answer }) => Object.keys(answer)))]
  const table = renderTable(answers, [
    { head: t('overlay.when'), cell: ({ createdAt }) => formatMoment(createdAt, frame.timeZone) },
    ...names.map((name) => ({
      head: findText('overlay.answers', name) ?? name,
      className: 'text',
      dirAuto: true,
      cell: ({ answer }: Pick<Answer, 'answer'>) => answer[name] ?? '',
    })),
  ])
  const path = `${PATH}/${id}/answers.csv`
  const download = frame.may('GET', path)
    ? html`<a class="button quiet small" href="${path}" download>${t('overlay.exportCsv')}</a>`
    : undefined
  return html`${votes ? renderVotes(votes) : null}
${renderPanel('answers', t('overlay.latest'), table, download && { beside: download })}`
}

function renderVotes(votes: readonly Rank[]): SafeHtml {
  const total = votes.reduce((sum, { clicks }) => sum + clicks, 0)
  const texts = { labelName: t('overlay.answers.choice'), countName: t('overlay.votes') }
  const ranking = renderRanking({ ...texts, ranks: votes, total }, 'votes')
  return renderPanel('votes', t('overlay.voteCount', { n: total }), ranking)
}

/** Draws an overlay above an empty page, with a sample text if its text is empty. */
function drawPreview(entered: FormValues<Specs>): Preview {
  const values = toValues(entered)
  const overlay = overlays.read({
    ...values,
    type: values.type || 'contact',
    name: 'preview',
    text: values.text?.trim() || t('overlay.sampleText'),
  })
  const card = toOverlayCard(overlay)
  const page = {
    language: getLanguage(),
    destination: 'https://example.com/',
    card,
    form: { action: '/', csrf: '' },
    backdrop: html`<h1 class="hidden-text">${t('overlay.preview')}</h1>
<p class="backdrop">${t('overlay.destination')}</p>`,
  }
  return {
    render: (nonce) => overlayPage({ nonce, ...page }),
    policy: { imgSrc: overlayPolicy({ card }).imgSrc ?? [] },
  }
}

/** The form has the field for all types, so its text remains when another type is selected. */
function toValues(entered: FormValues<Specs>): ValuesOf<typeof overlays> {
  const { options, ...values } = enterValues(overlays, entered)
  const defaults = [t('overlay.defaultOptions.0'), t('overlay.defaultOptions.1')]
  return { ...values, options: values.type === 'poll' ? (options ?? defaults) : null }
}
