import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { darkColors, lightColors, style } from '../../pages/style.ts'
import { pageRoute } from '../html/page-route.ts'
import { noSniffHeader } from '../response-headers.ts'
import { flags, getFlagFileName } from './flags.ts'

/** The colors of the themes that users can select. */
const themeColors = `
:root[data-theme='light'] { color-scheme: light; ${lightColors} }
:root[data-theme='dark'] { color-scheme: dark; ${darkColors} }
`

/** Content encodings in order of preference. */
const ENCODERS = { br: promisify(brotliCompress), gzip: promisify(gzip) }
type Encoding = keyof typeof ENCODERS
/** Smaller files fit into one packet. */
const MIN_BYTES_TO_ENCODE = 1024

/** One stylesheet for all pages, cached forever. `base.css` comes first. */
const styles = listAssets('styles').map(({ text }) => text)
const files: ReadonlyMap<string, { type: string; text: string }> = new Map([
  ['console.css', { type: 'text/css', text: [style, themeColors, ...styles].join('') }],
  ...listAssets('scripts').map(
    ({ name, text }) => [name, { type: 'text/javascript', text }] as const,
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

/**
 * Returns the attribute of an element that needs scripts of `scripts/`, by their names. The page then
 * loads them. Imported scripts are named first, so that the browser loads them at the same time.
 */
export function withScript(...names: readonly string[]): SafeHtml {
  const missing = names.find((name) => !files.has(`${name}.js`))
  if (missing !== undefined) throw new Error(`no script ${missing}`)
  return html` data-script="${names.join(' ')}"`
}

/** Renders the scripts that the elements of a page need. */
export function renderScripts(nonce: string, content: SafeHtml): SafeHtml {
  const matches = String(content).matchAll(/ data-script="([\w -]+)"/g)
  const names = new Set([...matches].flatMap(([, needed = '']) => needed.split(' ')))
  return html`${[...names].map((name) => html`<script type="module" nonce="${nonce}" src="${resolveAssetPath(`${name}.js`)}"></script>`)}`
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

/** Returns the files of a folder in alphabetical order. */
function listAssets(folder: string): { name: string; text: string }[] {
  const url = new URL(`./${folder}/`, import.meta.url)
  const names = readdirSync(url).toSorted()
  return names.map((name) => ({ name, text: readFileSync(new URL(name, url), 'utf8') }))
}
