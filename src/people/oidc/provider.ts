import type { ClientAuth, Configuration } from 'openid-client'
import { AppError } from '../../errors.ts'
import type { Lookup } from '../../net/checked-connector.ts'
import { hasEmail, type Identity, readIdentity } from './identity.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { createProviderFetch } from './provider-fetch.ts'

/** What a sign-in at the provider is checked against. Only the browser that began it has these. */
export type SignInSecrets = { state: string; nonce: string; verifier: string }

export type IdentityProvider = ReturnType<typeof createIdentityProvider>

type Options = {
  settings: OidcSettings
  baseUrl: string
  /** Addresses that endpoints on other hosts than the issuer's may have beside public ones. */
  allow: readonly string[]
  lookup?: Lookup | undefined
  log: (fields: Record<string, unknown>, message: string) => void
}

const CALLBACK_PATH = '/console/oidc/callback'

const TIMEOUT_SECONDS = 10
/** The provider's own description is read again after this time. */
const REFRESH_MS = 3_600_000

/**
 * Creates the client of the identity provider: the authorization code flow with PKCE. It contacts the
 * provider with the first sign-in and not at startup, so a slow provider delays nothing.
 */
export function createIdentityProvider({ settings, baseUrl, allow, lookup, log }: Options) {
  const { issuer, clientId, clientSecret, name, adminGroup } = settings
  const redirectUri = `${baseUrl}${CALLBACK_PATH}`
  const fetch = createProviderFetch({ issuer, allow, lookup })
  let known: { configuration: Promise<Configuration>; readAt: number } | undefined

  /** Reads the provider's description, once for all who sign in meanwhile. A failure is not kept. */
  function configure(): Promise<Configuration> {
    const now = performance.now()
    if (known && now - known.readAt < REFRESH_MS) return known.configuration
    const configuration = discover()
    known = { configuration, readAt: now }
    configuration.catch(() => {
      if (known?.configuration === configuration) known = undefined
    })
    return configuration
  }

  async function discover(): Promise<Configuration> {
    const client = await import('openid-client')
    const isInsecure = issuer.protocol === 'http:'
    return client.discovery(issuer, clientId, undefined, await clientAuthentication(), {
      timeout: TIMEOUT_SECONDS,
      execute: [
        // Checks the signature of ID tokens too, although they come from the provider itself.
        client.enableNonRepudiationChecks,
        ...(isInsecure ? [client.allowInsecureRequests] : []),
      ],
      [client.customFetch]: fetch,
    })
  }

  /** Sends the secret as the provider asks; in a header unless it says otherwise. */
  async function clientAuthentication(): Promise<ClientAuth> {
    const { ClientSecretBasic, ClientSecretPost, None } = await import('openid-client')
    if (clientSecret === undefined) return None()
    const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)]
    return (server, ...rest) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest)
    }
  }

  /** Runs a step with the provider. Errors say for the log what went wrong, and never contain a token. */
  async function attempt<T>(step: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const cause = (error as Error).cause
      if (error instanceof AppError) throw error
      if (cause instanceof AppError) throw cause
      const failure = toAppError(error)
      log({ step, reason: reasonOf(error) }, `the identity provider ${failure.code}`)
      throw failure
    }
  }

  return {
    name,
    adminGroup,

    /**
     * Begins a sign-in. Returns the URL at the provider and what the answer is checked against. With
     * `again`, the provider is to ask for credentials even if the person is signed in there.
     *
     * @throws AppError `provider_unavailable`, `busy`
     */
    begin({ again = false }: { again?: boolean } = {}) {
      return attempt('discovery', async () => {
        const client = await import('openid-client')
        const configuration = await configure()
        const verifier = client.randomPKCECodeVerifier()
        const secrets = { state: client.randomState(), nonce: client.randomNonce(), verifier }
        const { scopes_supported: scopes = [] } = configuration.serverMetadata()
        const wantsGroups = adminGroup !== undefined && scopes.includes('groups')
        const url = client.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: ['openid', 'email', 'profile', ...(wantsGroups ? ['groups'] : [])].join(' '),
          state: secrets.state,
          nonce: secrets.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(again && { prompt: 'login' }),
        })
        return { url: url.href, secrets }
      })
    },

    /**
     * Ends a sign-in with the query that the provider sent the browser back with. Returns who signed in,
     * once state, issuer, code, nonce, audience, signature and times are right.
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
        if (!claims) throw new Error('the reply has no ID token')
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

/** Whether the provider could not be reached, or answered something that is not right. */
function toAppError(error: unknown): AppError {
  const names = [error, (error as ProviderError).cause].map((each) => (each as Error)?.name)
  const isUnreachable = names.some((each) =>
    ['OutboundError', 'TimeoutError', 'AbortError'].includes(each),
  )
  const { code } = error as ProviderError
  const isBroken = code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' || code === 'OAUTH_TIMEOUT'
  const isUnavailable = isUnreachable || isBroken
  return new AppError(
    isUnavailable ? 'provider_unavailable' : 'provider_sign_in_failed',
    undefined,
    {
      cause: error,
    },
  )
}

/** The kind of an error, without texts that the provider or the browser sent. */
function reasonOf(error: unknown): string {
  const { name, code, message, error: said, cause } = error as ProviderError
  const inner = cause instanceof Error ? ` (${cause.message})` : ''
  if (said !== undefined) return /^[a-z_]{1,64}$/.test(said) ? said : 'an error of the provider'
  return `${code ?? name}: ${message}${inner}`.slice(0, 300)
}
