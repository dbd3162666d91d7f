import { html, type SafeHtml } from '@remix-run/html-template'
import { deriveThemeColors } from './accent-colors.ts'
import { darkColors, lightColors } from './style.ts'

export type BioTheme = 'auto' | 'light' | 'dark' | 'color'

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
