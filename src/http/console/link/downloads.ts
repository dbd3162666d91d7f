import { stringify } from 'csv-stringify/sync'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { readPeriodCounts, readPeriodStatistics } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { getLink } from '../../../links/link.service.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { countryCode } from '../../../visitors/country-names.ts'
import { pageRoute } from '../../html/page-route.ts'
import { noSniffHeader } from '../../no-sniffing.ts'
import { pathId } from '../path-id.ts'
import { sendConsole } from '../send.ts'
import { parseLook, readLook, usualLook } from './code-form.ts'
import { labelsPage } from './labels.ts'
import { type LinkRequest, readLink } from './link-page.ts'
import { spanText } from './period-words.ts'
import { labelsOf, type RankingKind, rankingKinds, rankingNames, ranksOf } from './rankings.ts'
import { addressOf, parametersOf, readPeriodOf } from './state.ts'
import type { Clicked } from './statistics.ts'

/** Labels of a kind that are shown and handed out at most. */
const MOST = 1000

/** What has a page with statistics. */
export type Statistical = {
  section: '/console/links' | '/console/campaigns' | '/console/channels' | '/console/codes'
  /** The name of its kind, such as `link`. */
  one: string
  /** @throws AppError `not_found` */
  read: (request: LinkRequest) => Promise<{ id: number; name: string; clicked: Clicked }>
}

/** The whole of what a page with statistics shows the beginning of, as pages and as files. */
export function statisticsRoutes(
  app: FastifyInstance,
  { db, country }: Pick<HttpContext, 'db' | 'country'>,
  { section, one, read }: Statistical,
): void {
  const root = section.slice('/console'.length)

  for (const kind of rankingNames) {
    app.route({
      ...pageRoute,
      url: `${root}/:id/${kind}`,
      handler: async (request: LinkRequest, reply) => {
        const { id, name, clicked } = await read(request)
        const { calendar } = clicked
        const choice = readPeriodOf(request.query, calendar)
        const found = await readPeriodStatistics(db, clicked.linkIds, choice, MOST)
        const path = `${section}/${id}`
        const parameters = parametersOf({ choice, compare: false, look: usualLook }, calendar)
        return sendConsole(reply, (frame) =>
          labelsPage(frame, {
            section,
            name,
            span: spanText(choice),
            back: {
              href: addressOf(path, parameters),
              label: `← ${one.charAt(0).toUpperCase()}${one.slice(1)}`,
            },
            csv: addressOf(`${path}/${kind}.csv`, parameters),
            ranking: {
              name: kind,
              ...rankingKinds[kind],
              ranks: ranksOf(kind, found),
              total: found.clicks,
              credit: kind === 'countries' ? country.credit() : undefined,
            },
            limit: MOST,
          }),
        )
      },
    })

    app.route({
      ...pageRoute,
      url: `${root}/:id/${kind}.csv`,
      handler: async (request: LinkRequest, reply) => {
        const { id, clicked } = await read(request)
        const choice = readPeriodOf(request.query, clicked.calendar)
        const found = await readPeriodStatistics(db, clicked.linkIds, choice, MOST)
        return sendCsv(reply, `${one}-${id}-${kind}`, rowsOf(kind, labelsOf(kind, found)))
      },
    })
  }

  app.route({
    ...pageRoute,
    url: `${root}/:id/timeline.csv`,
    handler: async (request: LinkRequest, reply) => {
      const { id, clicked } = await read(request)
      const choice = readPeriodOf(request.query, clicked.calendar)
      const { timeline } = await readPeriodCounts(db, clicked.linkIds, choice)
      return sendCsv(reply, `${one}-${id}-timeline`, timeline)
    },
  })
}

/** The same of a link, and its QR code as a file. */
export function linkDownloadRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { codeImages } = ctx

  statisticsRoutes(app, ctx, {
    section: '/console/links',
    one: 'link',
    async read(request) {
      const { link, clicked } = await readLink(ctx, request)
      return { id: link.id, name: shortLinkText(link.shortUrl), clicked }
    },
  })

  for (const [format, type] of [
    ['png', 'image/png'],
    ['svg', 'image/svg+xml'],
  ] as const) {
    app.route({
      ...pageRoute,
      url: `/links/:id/qr.${format}`,
      handler: async (request: LinkRequest, reply) => {
        const link = await getLink(
          ctx,
          ctx.db,
          request.session.account.id,
          pathId(request.params.id),
        )
        const { colors, size } = parseLook(readLook(request.query))
        const code = { payload: link.shortUrl, ...colors }
        const image = await codeImages.unstored(code, { format, size }, request.ip)
        return reply
          .type(type)
          .headers({
            'content-disposition': `inline; filename="link-${link.id}.${format}"`,
            'content-security-policy': "default-src 'none'",
            'cache-control': 'private, max-age=300',
            ...noSniffHeader,
          })
          .send(image)
      },
    })
  }
}

function rowsOf(kind: RankingKind, labels: readonly { label: string; clicks: number }[]) {
  if (kind !== 'countries') return labels
  return labels.map(({ label, clicks }) => ({ label, code: countryCode(label) ?? '', clicks }))
}

/** Labels are what strangers sent: a program that opens the file must not take them for formulas. */
function sendCsv(reply: FastifyReply, name: string, rows: readonly object[]): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .headers({
      'content-disposition': `attachment; filename="${name}.csv"`,
      'cache-control': 'private, no-store',
      ...noSniffHeader,
    })
    .send(stringify([...rows], { header: true, escape_formulas: true }))
}
