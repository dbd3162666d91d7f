import { Readable } from 'node:stream'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { generateAnswersCsv } from '../../overlays/answers-csv.ts'
import {
  addOverlay,
  countChoices,
  deleteOverlay,
  getOverlay,
  listLatestAnswers,
  listOverlays,
  updateOverlay,
} from '../../overlays/overlay.service.ts'
import type { Answer, Overlay, OverlayEntry } from '../../overlays/overlay.ts'
import { OVERLAY_TYPES, readOverlay } from '../../overlays/overlay-input.ts'
import { overlayPage, overlayPolicy } from '../../pages/overlay.ts'
import { findText, getLanguage, t, tAll, tHtml } from '../../texts.ts'
import { toOverlayCard } from '../html/owner-texts.ts'
import { formatTimestamp } from '../timestamp.ts'
import { sendDownload } from './kit/download.ts'
import { defineForm } from './kit/form.ts'
import { renderPanel, renderUntitledPanel } from './kit/parts.ts'
import type { Preview } from './kit/preview.ts'
import { type Rank, renderRanking } from './kit/ranking.ts'
import { defineSubject, idOf } from './kit/subject.ts'
import { renderTable } from './kit/table.ts'
import { renderHead } from './resources/list.ts'
import { registerResource } from './resources/resource.ts'
import { formatMoment } from './shell/format.ts'
import type { Frame } from './shell/layout.ts'

/** An overlay. The list omits most fields. */
type ListedOverlay = OverlayEntry & Partial<Overlay>

const PATH = '/console/overlays'
/** The maximum number of responses on the page. The file contains all of them. */
const MAX_ANSWERS = 100
/** The types of overlays that visitors can respond to. */
const INTERACTIVE_TYPES: readonly Overlay['type'][] = ['contact', 'poll', 'newsletter']

const form = defineForm({
  type: {
    label: 'overlay.type',
    type: 'select',
    choices: () =>
      OVERLAY_TYPES.map((type) => ({ value: type, label: t(`overlay.types.${type}`) })),
  },
  name: { label: 'resource.name', maxLength: 200, hint: 'resource.privateName' },
  text: { label: 'overlay.text', type: 'multiline', maxLength: 5000, hint: 'overlay.textHint' },
  button: { label: 'overlay.button', maxLength: 100, optional: true },
  link: { label: 'overlay.link', maxLength: 8192, optional: true },
  image: { label: 'overlay.image', maxLength: 8192, optional: true },
  options: {
    label: 'overlay.options',
    type: 'multiline',
    optional: true,
    hint: 'overlay.optionsHint',
  },
})

type Values = ReturnType<typeof form.read>

/** Registers overlays: their list, their form with a preview, and visitors' responses to them. */
export function registerOverlayRoutes(app: FastifyInstance, ctx: HttpContext): void {
  registerResource(app, {
    section: PATH,
    words: () => tAll('overlay.words'),
    nameOf: ({ name }: ListedOverlay) => name,
    columns: (zone) => [
      { head: t('overlay.type'), cell: ({ type }) => t(`overlay.types.${type}`) },
      { head: t('resource.created'), cell: ({ createdAt }) => formatMoment(createdAt, zone) },
    ],
    hasDetailsPage: true,
    list: (accountId, slice) => listOverlays(ctx.db, accountId, slice),
    get: (accountId, id) => getOverlay(ctx.db, accountId, id),
    remove: (accountId, id) => deleteOverlay(ctx, ctx.db, accountId, id),
    form,
    valuesOf: (overlay) => ({ ...overlay, options: overlay.options?.join('\n') }),
    preview: { note: 'resource.previewNote', draw: drawPreview },
    add: (accountId, values) => addOverlay(ctx, ctx.db, accountId, toInput(values)),
    update: (accountId, id, values) => updateOverlay(ctx, ctx.db, accountId, id, toInput(values)),
  })

  const { page } = defineSubject(app, PATH)
  page('/overlays/:id', 'viewer', async (request) => {
    const { account } = request.session
    const overlay = await getOverlay(ctx.db, account.id, idOf(request))
    const { id, name, type, text } = overlay
    const answers = await listLatestAnswers(ctx.db, account.id, id, MAX_ANSWERS)
    const votes = type === 'poll' ? await countVotes(account.id, overlay) : undefined
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
    const { account } = request.session
    const id = idOf(request)
    const lines = await generateAnswersCsv(ctx.db, account.id, id, formatTimestamp)
    return sendDownload(reply, {
      name: `answers-${id}.csv`,
      type: 'text/csv',
      content: Readable.from(lines),
    })
  })

  /** Returns the votes for each option as `clicks`: in the order of the poll, then removed options. */
  async function countVotes(accountId: number, { id, options }: Overlay): Promise<Rank[]> {
    const choices = await countChoices(ctx.db, accountId, id)
    const counts = new Map(choices.map(({ choice, count }) => [choice, count]))
    const removed = [...counts.keys()].filter((choice) => !options.includes(choice))
    return [...options, ...removed].map((label) => ({ label, clicks: counts.get(label) ?? 0 }))
  }
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
function drawPreview(values: Values): Preview {
  const input = toInput(values)
  const { type, text, button, link, image, options } = readOverlay({
    ...input,
    type: input.type || OVERLAY_TYPES[0] || '',
    name: 'preview',
    text: input.text.trim() || t('overlay.sampleText'),
  })
  const card = toOverlayCard({ type, text, button, link, image, options: JSON.parse(options) })
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

function toInput({ type, name, text, button, link, image, options }: Values) {
  const lines = options
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const defaults = [t('overlay.defaultOptions.0'), t('overlay.defaultOptions.1')]
  return {
    type,
    name,
    // Browsers submit text areas with CRLF line breaks.
    text: text.replaceAll('\r\n', '\n'),
    button: button || null,
    link: link.trim() || null,
    image: image.trim() || null,
    // The form has the field for all types, so its text remains when another type is selected.
    options: type === 'poll' ? (lines.length > 0 ? lines : defaults) : null,
  }
}
