import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { darkColors, lightColors, style } from '../../pages/style.ts'
import { pageRoute } from '../html/page-route.ts'
import { noSniffHeader } from '../response-headers.ts'
import { flags, getFlagFileName } from './kit/flags.ts'

/** The colors of the themes that users can select. */
const themeColors = `
:root[data-theme='light'] { color-scheme: light; ${lightColors} }
:root[data-theme='dark'] { color-scheme: dark; ${darkColors} }
`

/** The parts of `styles/` in cascading order: one stylesheet for all pages, cached forever. */
const STYLES = [
  'base',
  'shell',
  'forms',
  'lists',
  'links',
  'trash',
  'operator',
  'link-editor',
  'rules',
  'link',
  'statistics',
]

/**
 * The scripts in order of execution, with the attributes of the pages that need them. On others, they
 * have nothing to do.
 */
const SCRIPTS = {
  'copy.js': / id="said"/,
  'keys.js': / id="keys"/,
  'palette.js': / data-palette/,
  'toast.js': / id="toast"/,
  'link-keys.js': / aria-keyshortcuts=/,
  'tabs.js': / data-(?:tab|live-clicks)=/,
  'live.js': / data-live/,
  'live-clicks.js': / data-live-clicks=/,
  'select.js': / data-list| id="picked"/,
  'filters.js': / id="filters"/,
  'ask.js': / data-list/,
  'alias.js': / data-free=/,
  'tags.js': / data-chips/,
  'assist.js': / data-title=/,
  'rows.js': / data-more/,
  'reorder.js': / data-(?:rules|ordered)/,
  'rules.js': / data-rules/,
  'card.js': / data-cards/,
  'saving.js': / data-saving/,
  'order.js': / data-ordered/,
  'preview.js': / data-preview/,
  'codes.js': / data-contrast/,
  'domain-states.js': / data-check=/,
  'passkey.js': / data-passkey=/,
  'time-zone.js': / data-browser-zone/,
}

/** Content encodings in order of preference. */
const ENCODERS = { br: promisify(brotliCompress), gzip: promisify(gzip) }
type Encoding = keyof typeof ENCODERS
/** Smaller files fit into one packet. */
const MIN_BYTES_TO_ENCODE = 1024

const styles = STYLES.map((name) => readAsset(`styles/${name}.css`))
const files: ReadonlyMap<string, { type: string; text: string }> = new Map([
  ['console.css', { type: 'text/css', text: [style, themeColors, ...styles].join('') }],
  ...Object.keys(SCRIPTS).map(
    (name) => [name, { type: 'text/javascript', text: readAsset(`scripts/${name}`) }] as const,
  ),
  ...[...flags].map(
    ([code, text]) => [getFlagFileName(code), { type: 'image/svg+xml', text }] as const,
  ),
])

const version = createHash('sha256')
  .update([...files.values()].map(({ text }) => text).join('\0'))
  .digest('base64url')
  .slice(0, 16)

/**
 * Returns the path of a console file. It changes with every version, so browsers may cache it
 * forever.
 */
export function resolveAssetPath(name: string): string {
  return `/console/assets/${version}/${name}`
}

/** Renders the link to the stylesheet of the console. */
export function renderStylesheet(nonce: string): SafeHtml {
  return html`<link rel="stylesheet" nonce="${nonce}" href="${resolveAssetPath('console.css')}">`
}

/** Renders the scripts that the content of a page needs. */
export function renderScripts(nonce: string, content: SafeHtml): SafeHtml {
  const text = String(content)
  const names = Object.entries(SCRIPTS).flatMap(([name, needs]) => (needs.test(text) ? name : []))
  return html`${names.map((name) => html`<script type="module" nonce="${nonce}" src="${resolveAssetPath(name)}"></script>`)}`
}

type AssetRequest = FastifyRequest<{ Params: { version: string; name: string } }>

/** Registers the styles, scripts and flags of the console. Calls `notFound` for other names. */
export function registerAssetRoute(
  app: FastifyInstance,
  notFound: (reply: FastifyReply) => FastifyReply,
): void {
  app.route({
    ...pageRoute,
    url: '/assets/:version/:name',
    handler: async ({ params, headers }: AssetRequest, reply) => {
      const file = files.get(params.name)
      if (!file) return notFound(reply)
      const encoding = chooseEncoding(headers['accept-encoding'])
      const isEncoded = encoding !== undefined && file.text.length >= MIN_BYTES_TO_ENCODE
      if (isEncoded) reply.header('content-encoding', encoding)
      // A page of another version, served during an upgrade, gets the current file, which must not
      // be cached.
      const isCurrentVersion = params.version === version
      return reply
        .type(`${file.type}; charset=utf-8`)
        .headers({
          'cache-control': isCurrentVersion ? 'public, max-age=31536000, immutable' : 'no-cache',
          vary: 'accept-encoding',
          ...noSniffHeader,
        })
        .send(isEncoded ? await encodeOnce(params.name, file.text, encoding) : file.text)
    },
  })
}

/** Returns the best content encoding that a client accepts, or undefined for none. */
function chooseEncoding(accepted = ''): Encoding | undefined {
  const offers = accepted.split(',').filter((offer) => !/;\s*q=0(?:\.0*)?\s*$/.test(offer))
  const names = offers.map((offer) => offer.replace(/;.*/, '').trim())
  return (Object.keys(ENCODERS) as Encoding[]).find((encoding) => names.includes(encoding))
}

const encodedFiles = new Map<string, Promise<Buffer>>()

/** Encodes a file when it is first requested. */
function encodeOnce(name: string, text: string, encoding: Encoding): Promise<Buffer> {
  const key = `${encoding} ${name}`
  const encoded = encodedFiles.get(key) ?? ENCODERS[encoding](text)
  encodedFiles.set(key, encoded)
  return encoded
}

function readAsset(name: string): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')
}
