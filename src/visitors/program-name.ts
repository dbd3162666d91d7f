const MIN_LENGTH = 3
const MAX_LENGTH = 60

/** What browsers also send: their products, platforms and engines. */
const BROWSER_WORDS =
  /^(?:mozilla|applewebkit|khtml|like|gecko|chrome|chromium|headlesschrome|safari|version|mobile|compatible|windows|win64|wow64|x64|x86_64|linux|x11|ubuntu|android|macintosh|intel|mac|iphone|ipad|cpu|firefox|edge?|opr|trident|msie|build|u|en-us|rv)$/i

/** Words by which programs describe themselves. */
const PROGRAM_WORDS = /bot|crawl|spider|scrap|preview|monitor|uptime|ping|fetch|check|feed|agent/i

/** Words that name no program by themselves. */
const GENERIC_WORDS = /^(?:bot|crawler|spider|scraper|monitor(?:ing)?|feed|checker|agent|api)$/i

const OWNER = /\+?https?:\/\/(?:www\.)?([\w.-]+)\S*|\S+@\S+/gi

/**
 * Returns the name that a program gives itself in its User-Agent: a product that browsers do not send,
 * or else the host of its owner. Returns undefined without either.
 */
export function findProgramName(userAgent: string): string | undefined {
  const products = Array.from(
    userAgent.replace(OWNER, ' ').matchAll(/\d*[a-z][\w.-]*\/?/gi),
    ([product]) => product,
  ).filter((product) => {
    const name = trimProduct(product)
    return name.length >= MIN_LENGTH && !BROWSER_WORDS.test(name)
  })
  const product =
    products.find((each) => PROGRAM_WORDS.test(each)) ??
    products.find((each) => each.endsWith('/')) ??
    products[0]
  if (product !== undefined) {
    const name = trimProduct(product)
    const before = products[products.indexOf(product) - 1]
    const isGeneric = before !== undefined && GENERIC_WORDS.test(name)
    return (isGeneric ? `${trimProduct(before)} ${name}` : name).slice(0, MAX_LENGTH)
  }
  const host = Array.from(userAgent.matchAll(OWNER), ([, each]) => each).find(Boolean)
  return host?.slice(0, MAX_LENGTH)
}

function trimProduct(product: string): string {
  return product.replace(/[./-]+$/, '')
}
