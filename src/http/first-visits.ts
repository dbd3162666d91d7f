import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { isReserved } from '../links/rules/alias.ts'
import type { VisitServices } from '../visit-services.ts'
import { pageRoute } from './html/page-route.ts'
import { pageSurface } from './page-surface.ts'
import { createVisit } from './redirect/visit.ts'
import { readingOptions } from './server.ts'

type VisitRequest = FastifyRequest<{ Params: { alias: string } }>

/** Aliases that need no decoding and have nothing beside them, as nearly all are asked for. */
const PLAIN = /^\/([A-Za-z0-9_-]{1,64})(?:\?|$)/

/** Milliseconds of peace that say that nobody is being answered, and for which they are waited for at most. */
const PEACE = 10
const PATIENCE = 250

export type FirstVisits = {
  /** Resolves when no visit is being answered, or has been waited for long enough: what loads blocks them. */
  quiet(): Promise<void>
  /** Hands the server over to the application, which is ready, and with it the requests that wait. */
  handOver(): void
}

/**
 * Has the server of an application answer visits of short links while the application has no routes yet,
 * and keep every other request until it has: loading what answers those takes longer than all that comes
 * before the first redirect (decision 0047). A visit is answered by the code that answers it later.
 */
export async function serveVisitsFirst(
  { server, routing }: FastifyInstance,
  services: VisitServices,
  log: Logger,
): Promise<FirstVisits> {
  const visits = await visitsAlone(services, log)
  const waiting: [IncomingMessage, ServerResponse][] = []
  let answering = 0

  function answer(request: IncomingMessage, response: ServerResponse): void {
    if (!isVisit(request)) {
      waiting.push([request, response])
      return
    }
    answering += 1
    response.once('close', () => {
      answering -= 1
    })
    visits.routing(request, response)
  }

  server.off('request', routing)
  server.on('request', answer)
  return {
    async quiet() {
      const patience = performance.now() + PATIENCE
      do await sleep(PEACE)
      while (answering > 0 && performance.now() < patience)
    },
    handOver() {
      server.off('request', answer)
      server.on('request', routing)
      for (const [request, response] of waiting) {
        if (!request.destroyed) routing(request, response)
      }
    },
  }
}

/** Whether it can be nothing but the visit of a short link. */
export function isVisit({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  const alias = method === 'GET' || method === 'HEAD' ? PLAIN.exec(url)?.[1] : undefined
  return alias !== undefined && !isReserved(alias)
}

async function visitsAlone(services: VisitServices, log: Logger): Promise<FastifyInstance> {
  const app = fastify(readingOptions(services, { log }))
  const visit = createVisit(services)
  await pageSurface(app, services, log)
  app.route({
    ...pageRoute,
    url: '/:alias',
    handler: (request: VisitRequest, reply) => visit.visit(request, reply, request.params.alias),
  })
  await app.ready()
  return app
}
