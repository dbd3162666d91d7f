import { readFileSync } from 'node:fs'
import { html, type SafeHtml } from '@remix-run/html-template'
import { deriveThemeColors } from './accent-colors.ts'
import { avatarSvg } from './avatar.ts'
import { page } from './layout.ts'
import { metaTags } from './meta.ts'
import { safeHref } from './safe-url.ts'
import { darkColors, lightColors } from './style.ts'
import type { PageContext } from './texts.ts'

type BioTheme = 'auto' | 'light' | 'dark' | 'color'

export type BioPage = PageContext & {
  title: string
  text?: string
  theme?: BioTheme
  color?: string
  /** The path of the picture on this host. */
  picture?: string | undefined
  /** The full URL of the picture, for link previews on other sites. */
  pictureUrl?: string | undefined
  /** `path` is the short link that counts the clicks of a button. */
  links: readonly { title: string; url: string; path?: string | undefined }[]
}

/** Logos of networks, beside the centered titles of buttons. */
const iconStyle = html`.row { position: relative; }
.row strong { padding-inline: 1.875rem; }
.network { position: absolute; inset-block: 0; inset-inline-start: 1.125rem; margin-block: auto; fill: currentColor; }`

/** Renders a public page of links. Needs only the common policy. */
export function bioPage({
  nonce,
  language,
  title,
  text,
  theme = 'auto',
  color = '',
  picture,
  pictureUrl,
  links,
}: BioPage): string {
  const style = html`${themeStyle(theme, color)}${iconStyle}`
  return page({
    title,
    nonce,
    language,
    indexed: true,
    head: html`${metaTags({ title, ...(text && { description: text }), ...(pictureUrl && { image: pictureUrl }) })}
<style nonce="${nonce}">${style}</style>`,
    body: html`<div class="center">
<div class="avatar" aria-hidden="true">${picture === undefined ? avatarSvg(title) : html`<img src="${picture}" width="112" height="112" alt="">`}</div>
<h1 dir="auto">${title}</h1>
${text ? html`<p class="soft text" dir="auto">${text}</p>` : null}
${
  links.length > 0
    ? html`<ul class="list">
${links.map(
  ({
    title,
    url,
    path,
  }) => html`<li><a class="row" href="${path ?? safeHref(url)}">${renderNetworkIcon(url)}<strong dir="auto">${title}</strong></a></li>
`,
)}</ul>`
    : null
}
</div>`,
  })
}

/**
 * Returns the style sheet of a bio page's theme. Returns null for the default theme, which follows
 * the visitor's preference. The selector has a higher specificity than the one for this preference.
 */
export function themeStyle(theme: BioTheme, color: string): SafeHtml | null {
  switch (theme) {
    case 'auto':
      return null
    case 'light':
      return html`:root:root { color-scheme: light; ${lightColors}}`
    case 'dark':
      return html`:root:root { color-scheme: dark; ${darkColors}}`
    case 'color':
      return colorStyle(color)
  }
}

/**
 * Returns the style sheet of a page with a colored background. Its text and buttons are black or
 * white, whichever has the higher contrast with the color. The contrast is at least 4.5:1.
 */
function colorStyle(color: string): SafeHtml {
  const { background, strong, on, scheme } = deriveThemeColors(color)
  return html`:root:root { color-scheme: ${scheme}; --paper: ${background}; --card: ${background}; --line: transparent; --edge: ${on}; --ink: ${on}; --soft: ${on}; --accent: ${on}; --accent-strong: ${on}; --on-accent: ${background}; --tint: ${strong}; --shadow: none; }
html body { background: linear-gradient(${background}, ${strong}) fixed; }
html main { background: none; }
.list .row { background: ${on}; border-color: ${on}; color: ${strong}; }
.list .row:hover { background: ${strong}; color: ${on}; }`
}

/** The hosts of a network, and its logo: an SVG path in a 24 by 24 view box, from Simple Icons (CC0). */
type Network = { hosts: readonly string[]; path: string }

const networks = JSON.parse(
  readFileSync(new URL('./network-icons.json', import.meta.url), 'utf8'),
) as Record<string, Network>

const paths: ReadonlyMap<string, string> = new Map(
  Object.values(networks).flatMap(({ hosts, path }) => hosts.map((host) => [host, path] as const)),
)

/** Renders the logo of the network that a URL belongs to, or nothing for other URLs. */
function renderNetworkIcon(url: string): SafeHtml | null {
  const path = findPath(URL.parse(url)?.hostname ?? '')
  if (path === undefined) return null
  return html`<svg class="network" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path d="${path}"/></svg>`
}

/** Returns the logo of a host, or of the closest host above it, such as that of `m.youtube.com`. */
function findPath(host: string): string | undefined {
  const labels = host.split('.')
  const parents = labels.map((_, index) => labels.slice(index).join('.'))
  const known = parents.find((parent) => paths.has(parent))
  // Every Mastodon server has its own host.
  return known ? paths.get(known) : host.includes('mastodon') ? networks.mastodon?.path : undefined
}
