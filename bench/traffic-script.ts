import { quoteLua } from './lua.ts'
import { userAgents } from './user-agents.ts'

/** The simulated traffic, to the links `<prefix>-1` to `<prefix>-<links>`. */
export type Traffic = {
  prefix: string
  links: number
  /**
   * With `zipf`, the k-th link gets 1/k of the first link's visits (s = 1). With `even`, all links
   * get the same number of visits.
   */
  distribution: 'zipf' | 'even'
  visitors: number
  /** The number of referrers, by default 500. A fifth of the visits have no referrer. */
  referrers?: number
}

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ru', 'tr'].flatMap((code) => [
  `${code};q=1`,
  `${code}-${code.toUpperCase()},${code};q=0.9,en;q=0.8`,
])
/** This prime makes the popularity of links independent of their creation order. */
const STRIDE = 611_953
/**
 * The cumulative shares of the first ranks are stored in a table. Beyond it, 1 + 1/2 + … + 1/k is
 * approximated by ln(k + 1/2) + γ, which is exact to ten digits.
 */
const EXACT_RANKS = 1000

/**
 * Returns a wrk script in which each request is a visit by a random visitor. A visitor has a fixed
 * IP address, one of 200 User-Agents, and languages. Each visit has a random referrer. `delayMs` is the
 * time between visits on one connection.
 */
export function createTrafficScript(traffic: Traffic, delayMs = 0): string {
  const { prefix, links, distribution, visitors, referrers = 500 } = traffic
  return `
local agents = { ${userAgents(50).map(quoteLua).join(', ')} }
local languages = { ${LANGUAGES.map(quoteLua).join(', ')} }
local random, floor, exp = math.random, math.floor, math.exp
local referrers, visitors, shares = {}, {}, {}
local gamma = 0.57721566490153286
local total = math.log(${links} + 0.5) + gamma
local commonHeaders

function init()
  math.randomseed(os.time())
  commonHeaders = ' HTTP/1.1\\r\\nHost: ' .. wrk.host .. ':' .. wrk.port .. '\\r\\nAccept: text/html,application/xhtml+xml\\r\\n'
  for i = 1, ${referrers} do
    referrers[i] = i % 5 == 0 and '' or 'Referer: https://site' .. i .. '.example/page\\r\\n'
  end
  for i = 1, ${visitors} do
    visitors[i] = 'User-Agent: ' .. agents[random(#agents)] .. '\\r\\nAccept-Language: '
      .. languages[random(#languages)] .. '\\r\\nX-Forwarded-For: ' .. random(1, 220) .. '.'
      .. random(0, 255) .. '.' .. random(0, 255) .. '.' .. random(1, 254) .. '\\r\\n\\r\\n'
  end
  local sum = 0
  for k = 1, ${EXACT_RANKS} do
    sum = sum + 1 / k
    shares[k] = sum
  end
end

local function rank()
  ${distribution === 'even' ? `do return random(${links}) end` : ''}
  local share = random() * total
  if share > shares[${EXACT_RANKS}] then
    return math.min(${links}, floor(exp(share - gamma) + 0.5))
  end
  local low, high = 1, ${EXACT_RANKS}
  while low < high do
    local half = floor((low + high) / 2)
    if shares[half] < share then low = half + 1 else high = half end
  end
  return low
end

function request()
  local link = rank() * ${STRIDE} % ${links} + 1
  return 'GET /${prefix}-' .. string.format('%d', link) .. commonHeaders
    .. referrers[random(${referrers})] .. visitors[random(${visitors})]
end
${delayMs > 0 ? `function delay() return ${Math.round(delayMs)} end` : ''}
`
}
