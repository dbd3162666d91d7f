import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { followableHref } from '../../links/target-url.ts'
import { apiKeyPage } from '../../pages/api-key.ts'
import { avatar } from '../../pages/avatar.ts'
import { favicon } from '../../pages/favicon.ts'
import { homePage } from '../../pages/home.ts'
import { type RegisterPage, registerPage } from '../../pages/register.ts'
import { robotsTxt } from '../../pages/robots.ts'
import type { Services } from '../../services.ts'
import { noSniffHeader } from '../no-sniffing.ts'
import { checkFormToken, issueFormToken } from './form-token.ts'
import { sendPage } from './html.ts'
import { sendNotFound } from './not-found.ts'

const DAY = 'public, max-age=86400'

/** The service's own pages: home, registration and the small files that browsers ask for. */
export function siteRoutes(app: FastifyInstance, services: Services): void {
  const { config, hosts, registrations } = services
  const hidden = { schema: { hide: true } }

  app.get('/', hidden, async (request, reply) => {
    const host = await hosts.resolve(request.headers.host ?? '')
    const elsewhere =
      host.kind === 'domain' ? followableHref(host.domain.redirectRoot ?? '') : undefined
    if (elsewhere)
      return reply.header('cache-control', 'private, no-store').redirect(elsewhere, 302)
    if (host.kind !== 'service') return sendNotFound(services, reply, host)
    return sendPage(
      reply,
      (nonce) => homePage({ nonce, registrationOpen: config.registrationOpen }),
      {
        headers: { 'x-robots-tag': 'all' },
      },
    )
  })

  app.get('/register', hidden, async (request, reply) => {
    await requireOwnHost(request)
    return sendForm(reply, {})
  })

  app.post('/register', hidden, async (request, reply) => {
    await requireOwnHost(request)
    const body = (request.body ?? {}) as Record<string, unknown>
    checkFormToken(request, body.csrf)
    const [email, username, password] = [body.email, body.username, body.password].map((value) =>
      typeof value === 'string' ? value : '',
    ) as [string, string, string]
    try {
      const made = await registrations.register({ email, username, password }, request.ip)
      if ('retryAfter' in made) {
        reply.header('retry-after', String(made.retryAfter))
        throw new AppError('rate_limited')
      }
      const { account, key } = made
      return sendPage(reply, (nonce) =>
        apiKeyPage({ nonce, username: account.username, key, baseUrl: config.baseUrl }),
      )
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      const values = { email, username }
      return sendForm(reply, { values, errors: faultOf(error) }, error.status)
    }
  })

  app.get(
    '/avatar/:file',
    hidden,
    async (request: FastifyRequest<{ Params: { file: string } }>, reply) => {
      const name = /^([A-Za-z0-9_-]{2,32})\.svg$/.exec(request.params.file)?.[1]
      if (!name) throw new AppError('not_found')
      return svg(reply, avatar(name))
    },
  )
  app.get('/favicon.svg', hidden, async (_request, reply) => svg(reply, favicon()))
  app.get('/favicon.ico', hidden, async (_request, reply) => svg(reply, favicon()))
  app.get('/robots.txt', hidden, async (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .headers({ 'cache-control': DAY, ...noSniffHeader })
      .send(robotsTxt()),
  )

  async function requireOwnHost(request: FastifyRequest): Promise<void> {
    const { kind } = await hosts.resolve(request.headers.host ?? '')
    if (kind !== 'service') throw new AppError('not_found')
    if (!config.registrationOpen) throw new AppError('registration_closed')
  }
}

function sendForm(reply: FastifyReply, form: Partial<RegisterPage>, status = 200): FastifyReply {
  const csrf = issueFormToken(reply)
  return sendPage(reply, (nonce) => registerPage({ ...form, nonce, csrf }), { status })
}

/** The message at the field that it begins with, without the name, which the label says already. */
function faultOf({ code, message }: AppError): NonNullable<RegisterPage['errors']> {
  if (code === 'email_taken') return { email: message }
  if (code === 'username_taken') return { username: message }
  const [field = '', ...rest] = message.split(' ')
  const words = rest.join(' ')
  const text = words.charAt(0).toUpperCase() + words.slice(1)
  if (field === 'email' || field === 'username' || field === 'password')
    return { [field]: `${text}.` }
  return { form: message }
}

function svg(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .type('image/svg+xml')
    .headers({
      'cache-control': DAY,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
    })
    .send(text)
}
