import type { ClientAuth, Configuration } from 'openid-client'
import { AppError } from '../../errors.ts'
import type { Lookup } from '../../net/checked-connector.ts'
import { hasEmail, type Identity, readIdentity } from './identity.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { createProviderFetch } from './provider-fetch.ts'

/** The secrets that verify a sign-in. Only the browser that started it has them. */
export type SignInSecrets = { state: string; nonce: string; verifier: string }

export type IdentityProvider = ReturnType<typeof createIdentityProvider>

type Options = {
  settings: OidcSettings
  baseUrl: string
  /**
   * CIDRs that endpoints on other hosts than the issuer may use, in addition to public addresses.
   */
  allow: readonly string[]
  lookup?: Lookup | undefined
  log: (fields: Record<string, unknown>, message: string) => void
}

const CALLBACK_PATH = '/console/oidc/callback'

const TIMEOUT_SECONDS = 10
/** The seconds by which the provider's clock may be ahead. */
const MAX_CLOCK_SKEW_SECONDS = 300
/** Milliseconds after which the provider's metadata is fetched again. */
const REFRESH_MS = 3_600_000

/**
 * Creates the client of the identity provider, which uses the authorization code flow with PKCE. It
 * first contacts the provider when a user signs in, so a slow provider does not delay the start of
 * the program.
 */
export function createIdentityProvider({ settings, baseUrl, allow, lookup, log }: Options) {
  const { issuer, clientId, clientSecret, name, adminGroup } = settings
  const redirectUri = `${baseUrl}${CALLBACK_PATH}`
  const fetch = createProviderFetch({ issuer, allow, lookup })
  let cached: { configuration: Promise<Configuration>; readAt: number } | undefined

  /** Fetches the provider's metadata once for concurrent sign-ins. Failures are not cached. */
  function configure(): Promise<Configuration> {
    const now = performance.now()
    if (cached && now - cached.readAt < REFRESH_MS) return cached.configuration
    const configuration = discover()
    cached = { configuration, readAt: now }
    configuration.catch(() => {
      if (cached?.configuration === configuration) cached = undefined
    })
    return configuration
  }

  async function discover(): Promise<Configuration> {
    const client = await import('openid-client')
    const isInsecure = issuer.protocol === 'http:'
    return client.discovery(issuer, clientId, undefined, await createClientAuthentication(), {
      timeout: TIMEOUT_SECONDS,
      execute: [
        // Also verifies the signature of ID tokens that come directly from the provider.
        client.enableNonRepudiationChecks,
        ...(isInsecure ? [client.allowInsecureRequests] : []),
      ],
      [client.customFetch]: fetch,
    })
  }

  /**
   * Authenticates the client with a method that the provider supports, by default with a header.
   */
  async function createClientAuthentication(): Promise<ClientAuth> {
    const { ClientSecretBasic, ClientSecretPost, None } = await import('openid-client')
    if (clientSecret === undefined) return None()
    const basic = ClientSecretBasic(clientSecret)
    const post = ClientSecretPost(clientSecret)
    return (server, ...rest) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest)
    }
  }

  /** Runs a step of the protocol. Errors are logged without tokens. */
  async function attempt<T>(step: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const cause = (error as Error).cause
      if (error instanceof AppError) throw error
      if (cause instanceof AppError) throw cause
      const failure = toAppError(error)
      log(
        { step, reason: describeReason(error) },
        `sign-in with the identity provider failed: ${failure.code}`,
      )
      throw failure
    }
  }

  return {
    name,
    adminGroup,

    /**
     * Starts a sign-in. Returns the URL at the provider and the secrets that verify the response.
     * With `mustReauthenticate`, the provider must ask for credentials even if the user has a
     * session there.
     *
     * @throws AppError `provider_unavailable`, `busy`
     */
    start({ mustReauthenticate = false }: { mustReauthenticate?: boolean } = {}) {
      return attempt('discovery', async () => {
        const client = await import('openid-client')
        const configuration = await configure()
        const verifier = client.randomPKCECodeVerifier()
        const secrets = { state: client.randomState(), nonce: client.randomNonce(), verifier }
        const { scopes_supported: scopes = [] } = configuration.serverMetadata()
        const requestsGroups = adminGroup !== undefined && scopes.includes('groups')
        const url = client.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: ['openid', 'email', 'profile', ...(requestsGroups ? ['groups'] : [])].join(' '),
          state: secrets.state,
          nonce: secrets.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(mustReauthenticate && { prompt: 'login' }),
        })
        return { url: url.href, secrets }
      })
    },

    /**
     * Completes a sign-in with the query string of the provider's redirect. Verifies state, issuer,
     * code, nonce, audience, signature and times, then returns the identity.
     *
     * @throws AppError `provider_sign_in_failed`, `provider_unavailable`, `busy`
     */
    finish(query: string, { state, nonce, verifier }: SignInSecrets): Promise<Identity> {
      return attempt('sign-in', async () => {
        const client = await import('openid-client')
        const configuration = await configure()
        const url = new URL(`${redirectUri}${query}`)
        const tokens = await client.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims) throw new Error('the response has no ID token')
        if (claims.iat > Date.now() / 1000 + MAX_CLOCK_SKEW_SECONDS) {
          throw new Error('the ID token was issued in the future')
        }
        const needsMore = !hasEmail(claims) || (adminGroup !== undefined && !('groups' in claims))
        const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
        const userinfo =
          needsMore && hasMore
            ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
            : {}
        return readIdentity(claims, userinfo)
      })
    },
  }
}

type ProviderError = Error & { code?: string; error?: string; cause?: unknown }

/** Converts an error: either the provider is unavailable, or its response is invalid. */
function toAppError(error: unknown): AppError {
  const names = [error, (error as ProviderError).cause].map((each) => (each as Error)?.name)
  const isUnreachable = names.some((each) =>
    ['OutboundError', 'TimeoutError', 'AbortError'].includes(each),
  )
  const { code } = error as ProviderError
  const isBroken = code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' || code === 'OAUTH_TIMEOUT'
  const isUnavailable = isUnreachable || isBroken
  return new AppError(isUnavailable ? 'provider_unavailable' : 'provider_sign_in_failed', {
    cause: error,
  })
}

/** Returns the kind of an error. Omits texts from the provider and the browser. */
function describeReason(error: unknown): string {
  const { name, code, message, error: errorCode, cause } = error as ProviderError
  const inner = cause instanceof Error ? ` (${cause.message})` : ''
  if (errorCode !== undefined)
    return /^[a-z_]{1,64}$/.test(errorCode) ? errorCode : 'an error of the provider'
  return `${code ?? name}: ${message}${inner}`.slice(0, 300)
}
