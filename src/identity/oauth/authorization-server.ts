import { createHmac, generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Db } from '../../db/pool.ts'
import { isForbiddenScheme, isWebUrl } from '../../urls/destination-url.ts'
import { generateKey } from '../api-key.ts'
import type { KeyScope } from '../key-scope.ts'
import { countClients, createRecords } from './records.queries.ts'

/** The only scope that clients ask for. The person selects what it includes. */
export const OAUTH_SCOPE = 'mcp'
export const OAUTH_PATH = '/oauth'
/** The page on which a person connects a client, without its id. */
export const CONSENT_PATH = '/console/connect'
/** The scopes that a person may give a client, first the one that is preselected. */
export const CONNECTION_SCOPES = ['links', 'create', 'read'] as const satisfies KeyScope[]

const DAY_SECONDS = 86_400
const TTL = {
  AccessToken: 3600,
  AuthorizationCode: 60,
  Grant: 365 * DAY_SECONDS,
  Interaction: 3600,
  RefreshToken: 30 * DAY_SECONDS,
  Session: 600,
}

/** The maximum number of registered clients, of which most are never used. */
const MAX_CLIENTS = 5000

/** The maximum length of a client's name. The client chooses it. */
const MAX_NAME = 50

type Dependencies = {
  db: Db
  baseUrl: string
  siteName: string
  /** A secret of the installation, which signs cookies. */
  secret: Buffer
  log: (fields: Record<string, unknown>, message: string) => void
}

export type AuthorizationServer = NonNullable<ReturnType<typeof createAuthorizationServer>>

/**
 * Creates the OAuth 2.1 authorization server by which clients connect without a key: with PKCE,
 * without client secrets, and only for the MCP server. Returns undefined unless the service has https
 * or is on this machine, because tokens would cross the network in the clear.
 */
export function createAuthorizationServer({ db, baseUrl, siteName, secret, log }: Dependencies) {
  if (!isSecure(baseUrl)) return undefined
  const resource = `${baseUrl}/mcp`
  let provider: ReturnType<typeof createProvider> | undefined

  /** The library takes a quarter of a second to load, so it is loaded with the first request. */
  function load() {
    provider ??= createProvider({ db, baseUrl, resource, secret, log })
    return provider
  }

  return {
    resource,
    metadataUrl: `${baseUrl}/.well-known/oauth-protected-resource/mcp`,
    describeResource: () => ({
      resource,
      authorization_servers: [baseUrl],
      scopes_supported: [OAUTH_SCOPE],
      bearer_methods_supported: ['header'],
      resource_name: siteName,
    }),

    /** Returns the function that answers a request for one of the endpoints. */
    async open(): Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>> {
      const handle = (await load()).callback()
      return async (request, response) => {
        prepare(request)
        await handle(request, response)
      }
    },

    /** Returns whether no more clients may register. */
    isFull: async () => (await countClients(db)) >= MAX_CLIENTS,

    /** Returns what a client asks for, or undefined if the browser has no such request. */
    async findRequest(request: IncomingMessage, response: ServerResponse, uid: string) {
      const server = await load()
      prepare(request)
      try {
        const { params, uid: found } = await server.interactionDetails(request, response)
        const client = await server.Client.find(String(params.client_id))
        const redirectUri = String(params.redirect_uri)
        if (!client || found !== uid || !isAllowedTarget(redirectUri)) return undefined
        const name = (client.clientName ?? client.clientId).slice(0, MAX_NAME)
        return { clientId: client.clientId, name, redirectUri }
      } catch {
        return undefined
      }
    },

    /**
     * Accepts a request: `connect` stores the connection of a grant. Returns the URL that continues in
     * the client.
     */
    async accept(
      request: IncomingMessage,
      response: ServerResponse,
      { userId, clientId }: { userId: number; clientId: string },
      connect: (grantId: string) => Promise<unknown>,
    ): Promise<string> {
      const server = await load()
      const accountId = String(userId)
      const grant = new server.Grant({ accountId, clientId })
      grant.addOIDCScope(OAUTH_SCOPE)
      grant.addResourceScope(resource, OAUTH_SCOPE)
      const grantId = await grant.save()
      await connect(grantId)
      const result = { login: { accountId, remember: false }, consent: { grantId } }
      return server.interactionResult(request, response, result)
    },

    /** Refuses a request. Returns the URL that continues in the client. */
    async refuse(request: IncomingMessage, response: ServerResponse): Promise<string> {
      const result = { error: 'access_denied', error_description: 'The person refused.' }
      return (await load()).interactionResult(request, response, result)
    },
  }

  /** Makes the library use the service's own URL, and forget who used this browser before. */
  function prepare({ headers }: IncomingMessage): void {
    const { host, protocol } = new URL(baseUrl)
    headers.host = host
    headers['x-forwarded-host'] = host
    headers['x-forwarded-proto'] = protocol.slice(0, -1)
    headers.cookie = (headers.cookie ?? '')
      .split(/; */)
      .filter((cookie) => !cookie.startsWith(COOKIES.session))
      .join('; ')
  }
}

const COOKIES = {
  session: 'brevis_oauth_session',
  interaction: 'brevis_oauth_request',
  resume: 'brevis_oauth_resume',
}

type SecretFields = { client_secret?: unknown; client_secret_expires_at?: unknown }

async function createProvider({
  db,
  baseUrl,
  resource,
  secret,
  log,
}: Omit<Dependencies, 'siteName'> & { resource: string }) {
  const { default: Provider, errors } = await import('oidc-provider')
  const provider = new Provider(baseUrl, {
    adapter: (model: string) => createRecords(db, model),
    clientAuthMethods: ['none'],
    clientDefaults: {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    responseTypes: ['code'],
    scopes: [OAUTH_SCOPE],
    cookies: {
      keys: [createHmac('sha256', secret).update('oauth cookies').digest('base64url')],
      names: COOKIES,
      short: { httpOnly: true, sameSite: 'lax', signed: true },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    // Clients get no ID tokens, but the library wants a key.
    jwks: { keys: [createSigningKey()] },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo(_ctx, requested) {
          if (requested !== resource) throw new errors.InvalidTarget()
          return { scope: OAUTH_SCOPE, audience: resource, accessTokenFormat: 'opaque' }
        },
      },
    },
    // Clients must not make the service request URLs that they name.
    fetch: async () => {
      throw new errors.InvalidClientMetadata('URLs are not requested')
    },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_ctx, { uid }) => `${CONSENT_PATH}/${uid}` },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    pkce: { required: () => true },
    renderError(ctx, { error, error_description: description }) {
      ctx.type = 'text/plain; charset=utf-8'
      ctx.set('x-content-type-options', 'nosniff')
      ctx.body = `${error}: ${description ?? ''}\n`
    },
    routes: {
      authorization: `${OAUTH_PATH}/authorize`,
      token: `${OAUTH_PATH}/token`,
      registration: `${OAUTH_PATH}/register`,
      revocation: `${OAUTH_PATH}/revoke`,
      jwks: `${OAUTH_PATH}/jwks`,
    },
    ttl: TTL,
  })
  provider.proxy = true
  provider.on('server_error', (_ctx, error) => log({ err: error }, 'an OAuth request failed'))
  provider.use(async (ctx, next) => {
    await next()
    const { body } = ctx as { body?: unknown }
    // A client that names no method gets a secret, which it could not use.
    if (ctx.path === `${OAUTH_PATH}/register` && typeof body === 'object' && body !== null) {
      const { client_secret: _, client_secret_expires_at: __, ...metadata } = body as SecretFields
      ctx.body = metadata
    }
  })
  // An access token has the form of a key, so that the same statement checks it.
  Object.assign(provider.AccessToken.prototype, {
    generateTokenId(this: { format: string }) {
      this.format = 'opaque'
      return generateKey()
    },
  })
  return provider
}

function createSigningKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }
}

/**
 * Returns whether a client may get its code by this URL: by https, on the person's machine, or by the
 * scheme of an app.
 */
function isAllowedTarget(redirectUri: string): boolean {
  const url = new URL(redirectUri)
  return isWebUrl(url) ? isSecure(redirectUri) : !isForbiddenScheme(url)
}

/** Returns whether nobody on the network can read what is sent to a URL. */
function isSecure(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
}
