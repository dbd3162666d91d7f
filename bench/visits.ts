import { quoteLua } from './lua.ts'
import { userAgents } from './user-agents.ts'

const USER_AGENTS = userAgents(5)

const REFERRERS = [
  '',
  'https://www.google.com/',
  'https://t.co/abc',
  'https://www.facebook.com/',
  'https://news.ycombinator.com/item?id=1',
  'https://example.org/blog/post',
  'https://www.instagram.com/',
  'https://duckduckgo.com/',
]

const LANGUAGES = ['en-US,en;q=0.9', 'de-DE,de;q=0.9,en;q=0.8', 'fr-FR,fr;q=0.9', 'es-ES,es;q=0.8']

const VISITORS = 20_000

/**
 * Returns a wrk script in which each request is a visit to a random alias by a random visitor. Each
 * of 20,000 visitors has an IP address, a browser, a language and a referrer. Most visits are a
 * visitor's first visit to a link. `delayMs` is the time between visits on one connection.
 */
export function createVisitScript(aliases: readonly string[], { delayMs = 0 } = {}): string {
  return `
local aliases = { ${aliases.map(quoteLua).join(', ')} }
local agents = { ${USER_AGENTS.map(quoteLua).join(', ')} }
local referrers = { ${REFERRERS.map(quoteLua).join(', ')} }
local languages = { ${LANGUAGES.map(quoteLua).join(', ')} }
local requestLines, visitorHeaders = {}, {}
local random = math.random

function init()
  math.randomseed(os.time())
  for i, alias in ipairs(aliases) do
    requestLines[i] = 'GET /' .. alias .. ' HTTP/1.1\\r\\nHost: ' .. wrk.host .. ':' .. wrk.port .. '\\r\\n'
  end
  for i = 1, ${VISITORS} do
    local referrer = referrers[random(#referrers)]
    visitorHeaders[i] = 'User-Agent: ' .. agents[random(#agents)]
      .. '\\r\\nAccept: text/html,application/xhtml+xml\\r\\nAccept-Language: ' .. languages[random(#languages)]
      .. (referrer == '' and '' or '\\r\\nReferer: ' .. referrer)
      .. '\\r\\nX-Forwarded-For: ' .. random(1, 220) .. '.' .. random(0, 255) .. '.' .. random(0, 255)
      .. '.' .. random(1, 254) .. '\\r\\n\\r\\n'
  end
end

function request()
  return requestLines[random(#requestLines)] .. visitorHeaders[random(#visitorHeaders)]
end
${delayMs > 0 ? `function delay() return ${delayMs} end` : ''}
`
}

/** Throws unless the first 20 aliases redirect. */
export async function checkRedirects(url: string, aliases: readonly string[]): Promise<void> {
  for (const alias of aliases.slice(0, 20)) {
    const headers = { 'user-agent': USER_AGENTS[0] ?? '' }
    const response = await fetch(`${url}/${alias}`, { headers, redirect: 'manual' })
    await response.body?.cancel()
    if (response.status !== 302 || !response.headers.get('location')) {
      throw new Error(`${url}/${alias} returned ${response.status}, not a redirect`)
    }
  }
}
