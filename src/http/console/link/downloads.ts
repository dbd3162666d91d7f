import { stringify } from 'csv-stringify/sync'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { labelsPage } from '../../../pages/console/link-labels.ts'
import type { Services } from '../../../services.ts'
import { countryCode } from '../../../visitors/country-names.ts'
import { pageRoute } from '../../html/page-route.ts'
import { noSniffHeader } from '../../no-sniffing.ts'
import { pathId } from '../path-id.ts'
import { sendConsole } from '../send.ts'
import { parseLook, readLook, usualLook } from './code-form.ts'
import { type LinkRequest, readLink } from './link-page.ts'
import { spanText } from './period-words.ts'
import { type RankingKind, rankingKinds, rankingNames, ranksOf } from './rankings.ts'
import { addressOf, parametersOf, readPeriodOf } from './state.ts'

/** Labels of a kind that are shown and handed out at most. */
const MOST = 1000

/** The whole of what a link's page shows the beginning of, as pages and as files. */
export function linkDownloadRoutes(app: FastifyInstance, services: Services): void {
  const { codeImages, links, periods } = services

  for (const kind of rankingNames) {
    app.route({
      ...pageRoute,
      url: `/links/:id/${kind}`,
      handler: async (request: LinkRequest, reply) => {
        const { link, calendar } = await readLink(services, request)
        const choice = readPeriodOf(request.query, calendar)
        const found = await periods.forLink(link.id, choice, MOST)
        const path = `/console/links/${link.id}`
        const parameters = parametersOf({ choice, compare: false, look: usualLook }, calendar)
        return sendConsole(reply, (frame) =>
          labelsPage(frame, {
            shortUrl: link.shortUrl,
            span: spanText(choice),
            back: addressOf(path, parameters),
            csv: addressOf(`${path}/${kind}.csv`, parameters),
            ranking: {
              name: kind,
              ...rankingKinds[kind],
              ranks: ranksOf(kind, found),
              total: found.clicks,
            },
            limit: MOST,
          }),
        )
      },
    })

    app.route({
      ...pageRoute,
      url: `/links/:id/${kind}.csv`,
      handler: async (request: LinkRequest, reply) => {
        const { link, calendar } = await readLink(services, request)
        const choice = readPeriodOf(request.query, calendar)
        const found = await periods.forLink(link.id, choice, MOST)
        return sendCsv(reply, `link-${link.id}-${kind}`, rowsOf(kind, found[kind]))
      },
    })
  }

  app.route({
    ...pageRoute,
    url: '/links/:id/timeline.csv',
    handler: async (request: LinkRequest, reply) => {
      const { link, calendar } = await readLink(services, request)
      const { timeline } = await periods.countsOf(link.id, readPeriodOf(request.query, calendar))
      return sendCsv(reply, `link-${link.id}-timeline`, timeline)
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
        const link = await links.get(request.session.account.id, pathId(request.params.id))
        const { colors, size } = parseLook(readLook(request.query))
        const image = await codeImages.ofUrl(link.shortUrl, colors, { format, size }, request.ip)
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
