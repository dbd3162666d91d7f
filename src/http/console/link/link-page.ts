import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { dayOf } from '../../../clicks/statistics/period.ts'
import {
  type Calendar,
  intervalsFor,
  neighbour,
  presets,
  presetWith,
} from '../../../clicks/statistics/period-choice.ts'
import type { Chooser } from '../../../pages/console/link-chooser.ts'
import { linkPage } from '../../../pages/console/link-page.ts'
import type { Services } from '../../../services.ts'
import { pageRoute } from '../../html/page-route.ts'
import { formatDate, formatTimestamp } from '../../timestamp.ts'
import { pathId } from '../path-id.ts'
import { sendConsole } from '../send.ts'
import { faultOfLook, lookParameters, usualLook } from './code-form.ts'
import { spanText, units } from './period-words.ts'
import { rankingKinds, rankingNames, ranksOf } from './rankings.ts'
import { chartOf, readReport } from './report.ts'
import { addressOf, parametersOf, readState, type State } from './state.ts'
import { statusOf } from './status.ts'

export type LinkRequest = FastifyRequest<{
  Params: { id: string }
  Querystring: Record<string, unknown>
}>

/** The link that a path names, with what the names of periods mean for it. */
export async function readLink({ links, periods, clock }: Services, request: LinkRequest) {
  const link = await links.get(request.session.account.id, pathId(request.params.id))
  const clicked = await periods.daysClicked(link.id)
  const today = dayOf(clock())
  const first = Math.min(dayOf(link.createdAt), clicked?.first ?? today)
  return { link, clicked, calendar: { today, first } }
}

/** The page of one link. */
export function linkPageRoute(app: FastifyInstance, services: Services): void {
  const { links, clock } = services
  app.route({ ...pageRoute, url: '/links/:id', handler: sendLink })

  async function sendLink(request: LinkRequest, reply: FastifyReply) {
    const now = clock()
    const { link, clicked, calendar } = await readLink(services, request)
    const { error, ...state } = readState(request.query, calendar)
    const { choice, compare } = state
    const path = `/console/links/${link.id}`
    const to = (change: Partial<Parameters<typeof parametersOf>[0]>, under = '') =>
      addressOf(`${path}${under}`, parametersOf({ ...state, ...change }, calendar))
    const [report, guesses] = await Promise.all([
      readReport(services, link.id, choice, calendar),
      link.hasPassword ? links.guesses(link.accountId, link.id) : undefined,
    ])
    const { found, before } = report
    const elsewhere = clicked && presetWith(clicked.last, calendar)
    const drawnBefore = compare && before?.drawn && before
    return sendConsole(
      reply,
      (frame) =>
        linkPage(frame, {
          link: { ...link, title: link.meta.title, status: statusOf(link, now) },
          error,
          chooser: chooserOf(state, { calendar, path, to }),
          figures: {
            clicks: { total: found.clicks, before: before?.clicks },
            newVisitors: { total: found.newVisitors, before: before?.newVisitors },
            allClicks: link.clicks,
            lastClick: link.lastClickAt ? formatTimestamp(link.lastClickAt) : undefined,
          },
          chart:
            found.clicks > 0 || (drawnBefore && drawnBefore.clicks > 0)
              ? chartOf(report, choice, {
                  calendar,
                  now,
                  compare,
                  hrefOf: (days) => to({ choice: days }),
                })
              : undefined,
          elsewhere: elsewhere && {
            href: to({ choice: { from: 0, to: 0, preset: elsewhere } }),
            label: presets.find(({ name }) => name === elsewhere)?.label.toLowerCase() ?? '',
          },
          beforeName: drawnBefore ? drawnBefore.span : undefined,
          rankings: (found.clicks > 0 ? rankingNames : []).map((name) => ({
            name,
            ...rankingKinds[name],
            ranks: ranksOf(name, found),
            total: found.clicks,
            href: to({ look: usualLook, compare: false }, `/${name}`),
          })),
          timelineCsv: to({ look: usualLook, compare: false }, '/timeline.csv'),
          code: codeOf(state, path, parametersOf({ ...state, look: usualLook }, calendar)),
          guesses: guesses && {
            ...guesses,
            waitsUntil: guesses.waitsUntil
              ? `${formatTimestamp(guesses.waitsUntil)} UTC`
              : undefined,
          },
          live: choice.to === calendar.today,
        }),
      { status: error === undefined ? 200 : 422 },
    )
  }
}

type Addresses = {
  calendar: Calendar
  path: string
  to: (change: Partial<Parameters<typeof parametersOf>[0]>) => string
}

function chooserOf(state: State, { calendar, path, to }: Addresses): Chooser {
  const { choice, compare } = state
  const [earlier, later] = [neighbour(choice, -1, calendar), neighbour(choice, 1, calendar)]
  const { interval } = choice
  return {
    span: spanText(choice),
    presets: presets.map(({ name, key, label }) => ({
      href: to({ choice: { from: 0, to: 0, preset: name } }),
      key,
      label,
      current: choice.preset === name,
    })),
    earlier: earlier && {
      href: to({ choice: { ...earlier, interval } }),
      label: `Earlier: ${spanText(earlier)}`,
    },
    later: later && {
      href: to({ choice: { ...later, interval } }),
      label: `Later: ${spanText(later)}`,
    },
    intervals: intervalsFor(choice, calendar).map((each) => ({
      href: to({ choice: { ...choice, interval: each } }),
      label: units[each].choice,
      current: each === interval,
    })),
    compare: choice.preset === 'all' ? undefined : { href: to({ compare: !compare }), on: compare },
    custom: {
      action: path,
      from: dateText(choice.from),
      to: dateText(choice.to),
      max: dateText(calendar.today),
      kept: [
        ...(compare ? [['compare', '1'] satisfies [string, string]] : []),
        ...lookParameters(state.look),
      ],
    },
  }
}

function codeOf({ look }: State, path: string, kept: [string, string][]) {
  const error = faultOfLook(look)
  const parameters = error === undefined ? lookParameters(look) : []
  return {
    action: path,
    kept,
    ...look,
    error,
    picture: addressOf(`${path}/qr.svg`, parameters),
    png: addressOf(`${path}/qr.png`, parameters),
    svg: addressOf(`${path}/qr.svg`, parameters),
  }
}

function dateText(day: number): string {
  return formatDate(new Date(day * 86_400_000))
}
