import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createChildEnvironment } from '../../src/config.ts'
import { parseDestinationUrl } from '../../src/urls/destination-url.ts'
import { toAliasPath } from '../../src/urls/short-url.ts'
import { runCommand } from '../support/command.ts'
import { freePort } from '../support/free-port.ts'
import { isInstalled, startCaddy, startNginx } from '../support/published.ts'
import { appTest } from '../support/test.ts'

const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'

/** Words with a meaning in configuration files, and aliases of a single character. */
const WORDS = [
  'default',
  'hostnames',
  'include',
  'volatile',
  'import',
  '_',
  '-',
  'a',
  'B',
  'é',
  '短',
  'a.b',
  'a/b',
  'a/0',
  'az/b',
  'default/a.b',
]

const UNICODE = ['café', 'привет', '短縮', 'ελλάδα', '𠮷野', 'हिन्दी', 'Ünïcode', 'aéB', 'ñ-_']

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of nginx
/** Text that browsers and configuration files treat specially, in queries, fragments and paths. */
const HOSTILE = [
  '?q=$uri',
  '?q=${uri}$request_body$$',
  '#{$HOME}',
  '?{env.HOME}{http.request.host}{}',
  '?$1${1}',
  '?q=\\',
  '#a\\',
  '?q=\\{',
  '?\\"\\',
  '?a;b;}',
  '#;} server { return 500; }',
  `?q='"'`,
  '?a b\tc\n',
  '# comment',
  '?<script>',
  '?`id`|^~',
  ':splat/*/:x',
  '?é=あ&𠮷',
  '?%24%7B%22%',
  '%2e%2e/',
  '//x/',
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of nginx

const PADDINGS = ['$', '{', '\\', 'a', 'あ', "'"]
const MAX_BYTES = 8192

/** Returns distinct aliases: random ones, many case variants of one word, and all scripts. */
function createHostileAliases(count: number): string[] {
  const aliases = new Set(WORDS)
  for (let index = 0; aliases.size < count; index += 1) aliases.add(createHostileAlias(index))
  return [...aliases]
}

function createHostileAlias(index: number): string {
  switch (index % 10) {
    case 0:
      return mixCase('campaignfriends', Math.floor(index / 10))
    case 1:
      return `${UNICODE[(index >> 4) % UNICODE.length]}${index}`.normalize('NFC')
    case 2:
      return (
        mixCase('abcdefgh'.repeat(8), index * 7919).slice(0, 58) + String(index).padStart(6, '0')
      )
    case 3:
      return ['', 'aé/', 'A.', 'a-/'][(index >> 4) % 4] + toSegments(createRandomAlias(index))
    default:
      return createRandomAlias(index)
  }
}

/** Puts a slash and a dot into a text of seven characters. */
function toSegments(text: string): string {
  return `${text.slice(0, 3)}/${text.slice(3, 5)}.${text.slice(5)}`
}

/** Makes a letter uppercase if its bit is set. The bits repeat after 30 letters. */
function mixCase(word: string, bits: number): string {
  return Array.from(word, (letter, at) =>
    Math.floor(bits / 2 ** (at % 30)) % 2 === 1 ? letter.toUpperCase() : letter,
  ).join('')
}

/** Returns seven characters determined by an index. */
function createRandomAlias(index: number): string {
  let state = (index + 1) * 2_654_435_761
  return Array.from({ length: 7 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return ALPHABET[(state >>> 8) % ALPHABET.length]
  }).join('')
}

/** Returns a URL as users may enter it, up to the maximum length. */
function createHostileUrl(index: number): string {
  const base = index % 7 === 0 ? 'https://bücher.example/' : `https://example.com/pages/${index}`
  if (index % 500 !== 0) return `${base}${HOSTILE[index % HOSTILE.length]}`
  const padding = PADDINGS[(index / 500) % PADDINGS.length] ?? ''
  // The limit applies to the parsed URL, which has escapes.
  const lengthOf = (url: string) => new URL(url).href.length
  const paddingLength = lengthOf(`${base}?${padding}`) - lengthOf(`${base}?`)
  const remaining = MAX_BYTES - lengthOf(`${base}?`)
  return `${base}?${padding.repeat(Math.floor(remaining / paddingLength))}`
}

/** The number of links in thousands: `PUBLISHED_THOUSANDS`, by default 20. */
const LINK_THOUSANDS = Number(createChildEnvironment({}).PUBLISHED_THOUSANDS ?? 20)
const LINKS = LINK_THOUSANDS * 1000
/** The number of unknown aliases to visit, which differ from known ones only in case. */
const UNKNOWN = 2000
const TIMEOUT_MS = 300_000

const port = await freePort()
const HOSTS = [`brev.test:${port}`, `go.example:${port}`]
// Published redirects compare aliases exactly.
const env = { BASE_URL: `http://brev.test:${port}`, ALIAS_MATCH: 'exact' }

const test = appTest({ env })
  .extend('prefix', { scope: 'file' }, () => join(tmpdir(), 'brevis-publish-'))
  .extend('folder', { scope: 'file' }, async ({ prefix }, { onCleanup }) => {
    const folder = await mkdtemp(prefix)
    onCleanup(() => rm(folder, { recursive: true, force: true }))
    return folder
  })
  // Brevis's replies to a visit of each link, by host.
  .extend('visits', { scope: 'file' }, async ({ app, make, owner }) => {
    const domain = await make.domain(owner, {
      domain: `http://${HOSTS[1]}`,
      redirectRoot: 'https://example.com/root?a={$HOME}',
      redirect404: 'https://example.com/?gone=$uri;}\\',
    })
    const aliases = createHostileAliases(LINKS)
    const urls = aliases.map((_, index) => parseDestinationUrl('url', createHostileUrl(index)).href)
    await app.services.database.pool.query(
      `insert into links (account_id, domain_id, alias, url)
       select $1, case when n % 10 = 0 then $2::bigint end, alias, url
       from unnest($3::text[], $4::text[]) with ordinality as given (alias, url, n)`,
      [owner.account.id, domain.id, aliases, urls],
    )
    const known = new Set(aliases)
    const unknown = aliases
      .map(swapCase)
      .filter((alias) => !known.has(alias))
      .slice(0, UNKNOWN)
    await app.listen()
    return Promise.all(
      HOSTS.map(async (host, hostIndex) => {
        const domainAliases = aliases.filter(
          (_, index) => Number((index + 1) % 10 === 0) === hostIndex,
        )
        const paths = [...domainAliases, ...unknown, 'nothing-here', 'a/c', '+'].map(
          (alias, index) => `${toAliasPath(alias)}${index % 9 === 0 ? '?a=1&b' : ''}`,
        )
        if (domain.host === host) paths.unshift('/')
        return {
          host,
          paths,
          links: domainAliases.length,
          replies: await headAll(app.port(), host, paths),
        }
      }),
    )
  })
  .extend('published', { scope: 'file' }, async ({ app, folder, visits: _ }) => {
    const path = join(folder, 'links')
    const settings = { ...env, DATABASE_URL: app.databaseUrl }
    const { stdout, stderr } = await runCommand(['publish', path, '--json'], { env: settings })
    expect(stderr).toBe('')
    return { path, result: JSON.parse(stdout) }
  })

const servers = [
  { name: 'nginx', isInstalled: isInstalled('nginx'), start: startNginx },
  { name: 'caddy', isInstalled: isInstalled('caddy'), start: startCaddy },
]

test.skipIf(!servers.some(({ isInstalled }) => isInstalled))(
  'Brevis redirects all links and publishes them without differences',
  { timeout: TIMEOUT_MS },
  async ({ visits, published }) => {
    expect(published.result).toEqual({
      folder: published.path,
      hosts: 2,
      links: LINKS,
      published: LINKS,
      differences: 0,
    })
    const [service, domain] = visits
    const statuses = (replies: readonly { status: number }[]) => [
      ...new Set(replies.map(({ status }) => status)),
    ]
    expect(statuses(service?.replies.slice(0, service.links) ?? [])).toEqual([302])
    expect(statuses(service?.replies.slice(service.links) ?? [])).toEqual([404])
    // The domain redirects visitors of unknown aliases.
    expect(statuses(domain?.replies ?? [])).toEqual([302])
  },
)

for (const { name, isInstalled, start } of servers) {
  test.skipIf(!isInstalled)(
    `${name} redirects every published link as Brevis does`,
    { timeout: TIMEOUT_MS },
    async ({ folder, visits, published }) => {
      const server = await start(folder, published.path, port)
      try {
        for (const { host, paths, replies } of visits) {
          const serverReplies = await headAll(port, host, paths)
          const differences = paths.flatMap((path, index) => {
            const expected = replies[index]
            const actual = serverReplies[index]
            const isEqual =
              actual?.status === expected?.status && actual?.location === expected?.location
            return isEqual ? [] : [{ path, expected, actual }]
          })
          expect(differences.slice(0, 5)).toEqual([])
        }
      } finally {
        await server.stop()
      }
    },
  )
}

function swapCase(alias: string): string {
  return alias.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}

/** The number of requests sent before their replies are read. */
const PIPELINED = 100

type Head = { status: number; location: string | undefined }

/**
 * Sends a HEAD request per path over one connection to loopback, and returns the replies in order.
 */
async function headAll(port: number, host: string, paths: readonly string[]): Promise<Head[]> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  const failed = once(socket, 'close').then(() => {
    throw new Error(`${host}: the connection closed`)
  })
  const replies: Head[] = []
  let received = ''
  for (let sent = 0; sent < paths.length; sent += PIPELINED) {
    const batch = paths.slice(sent, sent + PIPELINED)
    socket.write(batch.map((path) => `HEAD ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`).join(''))
    while (replies.length < sent + batch.length) {
      const [text] = await Promise.race([once(socket, 'data'), failed])
      const parts = `${received}${text}`.split('\r\n\r\n')
      received = parts.pop() ?? ''
      replies.push(...parts.map(parseHead))
    }
  }
  failed.catch(() => {})
  socket.destroy()
  return replies
}

function parseHead(head: string): Head {
  return {
    status: Number(head.slice(9, 12)),
    location: /^location: (.*)$/im.exec(head)?.[1]?.replace(/\r$/, ''),
  }
}
