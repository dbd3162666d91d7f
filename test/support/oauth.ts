import {
  Client,
  type OAuthClientInformationFull,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { expect } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { TestApp } from './app.ts'
import type { Owner } from './make.ts'

export const CALLBACK = 'http://127.0.0.1:9/callback'

/** Creates an app that connects by the URL alone, with the SDK's own client. */
export function createOauthApp(baseUrl: string, name = 'Test agent') {
  const url = new URL(`${baseUrl}/mcp`)
  const stored: { client?: OAuthClientInformationFull; tokens?: OAuthTokens; verifier?: string } =
    {}
  let authorizationUrl: URL | undefined
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: name,
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => stored.client,
    saveClientInformation: (client) => {
      stored.client = client as OAuthClientInformationFull
    },
    tokens: () => stored.tokens as never,
    saveTokens: (tokens) => {
      stored.tokens = tokens
    },
    redirectToAuthorization: (target) => {
      authorizationUrl = target
    },
    saveCodeVerifier: (verifier) => {
      stored.verifier = verifier
    },
    codeVerifier: () => stored.verifier ?? '',
  }
  const open = () => new StreamableHTTPClientTransport(url, { authProvider: provider })
  const create = () => new Client({ name: 'test', version: '1' })

  return {
    stored,
    /** Begins to connect. Returns the URL that the person opens. */
    async begin(): Promise<URL> {
      authorizationUrl = undefined
      await expect(create().connect(open())).rejects.toThrow()
      if (!authorizationUrl) throw new Error('the client asked for no authorization')
      return authorizationUrl
    },
    /** Exchanges the code of the callback for tokens. */
    finish: (callback: string) => open().finishAuth(new URL(callback).searchParams),
    /** Connects with the stored tokens. */
    async connect() {
      const client = create()
      await client.connect(open())
      return client
    },
  }
}

/** Opens a browser in which the owner of an account is signed in. It keeps cookies and follows redirects. */
export async function openBrowser(
  { services }: Pick<TestApp, 'services'>,
  baseUrl: string,
  owner?: Owner,
) {
  const cookies = new Map<string, string>()
  if (owner) cookies.set('brevis_session', await createSession(scopeOf(services, owner.account.id)))

  async function send(url: string, init: RequestInit = {}) {
    for (let next = url, options = init, hops = 0; hops < 10; hops += 1) {
      if (!next.startsWith(`${baseUrl}/`)) return { url: next, status: 0, body: '' }
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const reply = await fetch(next, {
        ...options,
        headers: { ...options.headers, cookie },
        redirect: 'manual',
      })
      for (const each of reply.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      const location = reply.headers.get('location')
      if (!location) return { url: next, status: reply.status, body: await reply.text() }
      next = new URL(location, next).href
      options = {}
    }
    throw new Error('too many redirects')
  }

  const post = (url: string, fields: Record<string, string>) =>
    send(url, { method: 'POST', body: new URLSearchParams(fields) })

  return {
    open: (url: URL | string) => send(String(url)),
    post,
    /** Opens the URL of an authorization and allows it. Returns the URL of the callback. */
    async allow(url: URL | string, fields: Record<string, string> = {}): Promise<string> {
      const page = await send(String(url))
      expect(page.status, page.body).toBe(200)
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.body) ?? []
      const account = /<option value="(\d+)" selected/.exec(page.body)?.[1] ?? ''
      const done = await post(page.url, { csrf, account, scope: 'links', domain: '', ...fields })
      expect(done.url, done.body).toMatch(/^http:\/\/127\.0\.0\.1:9\/callback\?/)
      return done.url
    },
  }
}
