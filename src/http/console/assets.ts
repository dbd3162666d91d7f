import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { darkColors, lightColors, style } from '../../pages/style.ts'
import { pageRoute } from '../html/page-route.ts'
import { noSniffHeader } from '../no-sniffing.ts'
import { flags, getFlagFileName } from './analytics/flag-files.ts'

/** The colors of the themes that users can select. */
const themeColors = `
:root[data-theme='light'] { color-scheme: light; ${lightColors} }
:root[data-theme='dark'] { color-scheme: dark; ${darkColors} }
`

const files: ReadonlyMap<string, { type: string; text: string }> = new Map([
  [
    'console.css',
    { type: 'text/css', text: `${style}${themeColors}${readAsset('shell/browser/console.css')}` },
  ],
  ['shell.css', { type: 'text/css', text: readAsset('shell/browser/shell.css') }],
  ['toast.js', { type: 'text/javascript', text: readAsset('shell/browser/toast.js') }],
  ['palette.js', { type: 'text/javascript', text: readAsset('shell/browser/palette.js') }],
  ['link.css', { type: 'text/css', text: readAsset('link/browser/link.css') }],
  ['analytics.css', { type: 'text/css', text: readAsset('analytics/browser/analytics.css') }],
  ['tabs.js', { type: 'text/javascript', text: readAsset('analytics/browser/tabs.js') }],
  ['link-keys.js', { type: 'text/javascript', text: readAsset('link/browser/link-keys.js') }],
  ['live.js', { type: 'text/javascript', text: readAsset('live/browser/live.js') }],
  ['live-clicks.js', { type: 'text/javascript', text: readAsset('live/browser/live-clicks.js') }],
  ['links.css', { type: 'text/css', text: readAsset('links/browser/links.css') }],
  ['keys.js', { type: 'text/javascript', text: readAsset('shell/browser/keys.js') }],
  ['link-list.css', { type: 'text/css', text: readAsset('links/browser/link-list.css') }],
  ['trash.css', { type: 'text/css', text: readAsset('trash/browser/trash.css') }],
  ['select.js', { type: 'text/javascript', text: readAsset('links/browser/select.js') }],
  ['filters.js', { type: 'text/javascript', text: readAsset('links/browser/filters.js') }],
  ['ask.js', { type: 'text/javascript', text: readAsset('links/browser/ask.js') }],
  ['copy.js', { type: 'text/javascript', text: readAsset('shell/browser/copy.js') }],
  ['link-form.css', { type: 'text/css', text: readAsset('link-editor/browser/link-form.css') }],
  ['alias.js', { type: 'text/javascript', text: readAsset('link-editor/browser/alias.js') }],
  ['assist.js', { type: 'text/javascript', text: readAsset('link-editor/browser/assist.js') }],
  ['tags.js', { type: 'text/javascript', text: readAsset('link-editor/browser/tags.js') }],
  ['rows.js', { type: 'text/javascript', text: readAsset('link-editor/browser/rows.js') }],
  ['rules.js', { type: 'text/javascript', text: readAsset('link-editor/browser/rules.js') }],
  ['rules.css', { type: 'text/css', text: readAsset('link-editor/browser/rules.css') }],
  ['card.js', { type: 'text/javascript', text: readAsset('link-editor/browser/card.js') }],
  ['operator.css', { type: 'text/css', text: readAsset('operator/browser/operator.css') }],
  ['codes.css', { type: 'text/css', text: readAsset('codes/browser/codes.css') }],
  ['codes.js', { type: 'text/javascript', text: readAsset('codes/browser/codes.js') }],
  ['passkey.js', { type: 'text/javascript', text: readAsset('second-factor/browser/passkey.js') }],
  ['preview.css', { type: 'text/css', text: readAsset('shell/browser/preview.css') }],
  ['preview.js', { type: 'text/javascript', text: readAsset('shell/browser/preview.js') }],
  ['columns.css', { type: 'text/css', text: readAsset('import/browser/columns.css') }],
  ['domain.css', { type: 'text/css', text: readAsset('domains/browser/domain.css') }],
  [
    'domain-states.js',
    { type: 'text/javascript', text: readAsset('domains/browser/domain-states.js') },
  ],
  ['order.css', { type: 'text/css', text: readAsset('resources/browser/order.css') }],
  ['order.js', { type: 'text/javascript', text: readAsset('resources/browser/order.js') }],
  [
    'time-zone.js',
    { type: 'text/javascript', text: readAsset('people/settings/browser/time-zone.js') },
  ],
  ['saving.js', { type: 'text/javascript', text: readAsset('link-editor/browser/saving.js') }],
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

type AssetRequest = FastifyRequest<{ Params: { version: string; name: string } }>

/** Registers the styles, scripts and flags of the console. Calls `notFound` for other names. */
export function registerAssetRoute(
  app: FastifyInstance,
  notFound: (reply: FastifyReply) => FastifyReply,
): void {
  app.route({
    ...pageRoute,
    url: '/assets/:version/:name',
    handler: async ({ params }: AssetRequest, reply) => {
      const file = files.get(params.name)
      if (!file) return notFound(reply)
      // A page of another version, served during an upgrade, gets the current file, which must not
      // be cached.
      const isCurrentVersion = params.version === version
      return reply
        .type(`${file.type}; charset=utf-8`)
        .headers({
          'cache-control': isCurrentVersion ? 'public, max-age=31536000, immutable' : 'no-cache',
          ...noSniffHeader,
        })
        .send(file.text)
    },
  })
}

function readAsset(name: string): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')
}
