import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type ClientMetadata } from 'oidc-provider'

type Claims = Record<string, unknown>

/** The claims of a person at the provider. */
export type ProviderPerson = Claims & { sub: string }

export type TestProvider = Awaited<ReturnType<typeof openIdentityProvider>>

const CLIENT = { id: 'brevis', secret: 'a secret of the client' }

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' }

/**
 * Starts an identity provider on loopback, which signs every browser in as `state.person` without
 * asking. Tests set `state.tamper` to change the claims of ID tokens before they are signed, and
 * `state.status` to reply to all requests with that status.
 */
export async function openIdentityProvider({ redirectUri }: { redirectUri: string }) {
  const state = {
    person: { sub: 'anna' } as ProviderPerson,
    tamper: undefined as ((claims: Claims) => Claims) | undefined,
    /** Signs ID tokens with a key that the provider does not publish. */
    usesWrongKey: false,
    status: undefined as number | undefined,
    /** Replies wait for this promise. */
    gate: undefined as Promise<void> | undefined,
    /** The method and path of every request. */
    requests: [] as string[],
  }
  const people = new Map<string, ProviderPerson>()
  const server = createServer()
  const issuer = await listen(server)
  const provider = createProvider(issuer, redirectUri, people)
  provider.use(async (context, next) => {
    if (context.path.startsWith('/interaction/')) return interact(context as never)
    await next()
    const body = context.body as { id_token?: string } | undefined
    if (context.path === '/token' && body?.id_token) body.id_token = signAgain(body.id_token)
  })
  const handleRequest = provider.callback()
  server.on('request', async (request, response) => {
    state.requests.push(`${request.method} ${request.url?.replace(/\?.*/, '')}`)
    await state.gate
    if (state.status !== undefined) return void response.writeHead(state.status).end('{}')
    handleRequest(request, response)
  })

  /** Signs in every browser as `person`, with consent. */
  async function interact({ req, res }: { req: never; res: never }): Promise<void> {
    const { params } = await provider.interactionDetails(req, res)
    const { sub } = state.person
    people.set(sub, state.person)
    const grant = new provider.Grant({ accountId: sub, clientId: CLIENT.id })
    grant.addOIDCScope(String(params.scope))
    const consent = { grantId: await grant.save() }
    await provider.interactionFinished(req, res, { login: { accountId: sub }, consent })
  }

  function signAgain(token: string): string {
    const [head = '', payload = ''] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const changed = state.tamper ? state.tamper(claims) : claims
    const text = `${head}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}`
    const createOtherKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    const key = state.usesWrongKey
      ? createOtherKey()
      : createPrivateKey({ key: jwk, format: 'jwk' } as never)
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
  }

  return {
    issuer,
    state,
    settings: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_NAME: 'Corp',
    },
    /** Follows the redirects of an authorization URL, and returns the URL of the callback. */
    async follow(url: string): Promise<string> {
      const cookies = new Map<string, string>()
      let next = url
      for (let hops = 0; next.startsWith(issuer) && hops < 10; hops += 1) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const reply = await fetch(next, { headers: { cookie }, redirect: 'manual' })
        for (const line of reply.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          cookies.set(name, value)
        }
        next = new URL(reply.headers.get('location') ?? '', next).href
      }
      return next
    },
    close: () => new Promise<void>((done) => void server.close(() => done())),
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function createProvider(
  issuer: string,
  redirectUri: string,
  people: ReadonlyMap<string, ProviderPerson>,
): Provider {
  const client: ClientMetadata = {
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    redirect_uris: [redirectUri],
    id_token_signed_response_alg: 'RS256',
  }
  return new Provider(issuer, {
    clients: [client],
    jwks: { keys: [jwk as never] },
    cookies: { keys: ['a key for cookies'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'zoneinfo'],
      groups: ['groups'],
    },
    scopes: ['openid', 'email', 'profile', 'groups'],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => people.get(sub) ?? { sub },
    }),
  })
}
