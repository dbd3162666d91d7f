import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { HttpContext } from '../context.ts'
import { sendErrorPage } from './html/error-page.ts'
import { sendNotFound } from './html/not-found.ts'
import { createMethodGuard, type MethodGuard } from './method-not-allowed.ts'
import { checkHost } from './request/auth.ts'

export type ErrorHandler = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply | Promise<FastifyReply>

/**
 * Sets up the common parts of visitor pages: error pages, cookies, the host check, and the guard of
 * methods, whose `addRejectingRoutes` the caller must call after the last route.
 */
export async function setUpPageSurface(
  app: FastifyInstance,
  ctx: HttpContext,
  notFound: RouteHandlerMethod = async (request, reply) =>
    sendNotFound(ctx, reply, await ctx.hosts.resolve(request.headers.host ?? '')),
  onError: ErrorHandler = (error, request, reply) => sendErrorPage(ctx, error, request, reply),
): Promise<MethodGuard> {
  const methodGuard = createMethodGuard(app)
  app.addHook('onRequest', (request, reply, done) => {
    checkHost(request)
    // Before the body is read, because its type does not matter.
    if (request.is404) methodGuard.rejectUnsupported(request, reply)
    done()
  })
  // The hook would parse cookies on every request, but only pages with a form read them.
  await app.register(cookie, { hook: false })
  app.setErrorHandler(onError)
  app.setNotFoundHandler(notFound)
  return methodGuard
}
