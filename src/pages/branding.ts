import { html } from '@remix-run/html-template'
import { deriveAccentColors } from './accent-colors.ts'
import { createFooter, defaultFooter, faviconLink } from './layout.ts'

/** The brand of a domain's pages: a color as `#rrggbb`, and a PNG in base64. */
type Brand = { accent: string | null; logo: string | null; footer: boolean }

/**
 * Applies the brand of a domain to a document created by `page`. Adds its logo above the content,
 * uses its color, and removes the mention of this software unless the domain shows the footer.
 * Replaces parts of the layout, so that pages need no code for brands. Other text cannot contain
 * these parts, because it is escaped.
 */
export function withBrand(document: string, brand: Brand): string {
  const { accent, logo, footer } = brand
  const image = logo === null ? '' : `data:image/png;base64,${logo}`
  const defaultIcon = footer ? faviconLink : ''
  const icon = image ? String(html`<link rel="icon" href="${image}">`) : defaultIcon
  const replacements: [string, string][] = [
    [faviconLink, icon],
    [
      '<main>\n',
      `<main>\n${image ? html`<p class="own-logo"><img src="${image}" alt=""></p>\n` : ''}`,
    ],
    [defaultFooter, footer && logo === null ? defaultFooter : ''],
    ['</style>', `${accent === null ? '' : accentStyle(accent)}${LOGO_STYLE}</style>`],
  ]
  return replacements.reduce((text, [from, to]) => text.replace(from, () => to), document)
}

/** Names the installation in the footer of a document, unless a brand has removed it. */
export function withSiteName(document: string, siteName: string): string {
  return document.replace(defaultFooter, () => createFooter(siteName))
}

/** Returns whether pages look the same as without a brand. */
export function isDefaultBrand({ accent, logo, footer }: Brand): boolean {
  return accent === null && logo === null && footer
}

const LOGO_STYLE =
  '.own-logo{margin:0 0 1.5rem}.own-logo img{display:block;max-width:12.5rem;max-height:4.5rem}'

function accentStyle(accent: string): string {
  const { light, dark } = deriveAccentColors(accent)
  const rule = ({ accent, strong, on }: typeof light) =>
    `:root{--accent:${accent};--accent-strong:${strong};--on-accent:${on}}`
  return `${rule(light)}@media (prefers-color-scheme:dark){${rule(dark)}}`
}
