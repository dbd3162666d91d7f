import XMLBuilder from 'fast-xml-builder'

const builder = new XMLBuilder({ ignoreAttributes: false, suppressBooleanAttributes: false })

/**
 * Renders an XML document. Attributes start with `@_`. The builder adds no whitespace, so CR, LF
 * and tab are always content. Parsers would convert CR to LF (XML 1.0, 2.11) and all three to
 * spaces in attributes (3.3.3), so they are written as references.
 */
export function buildXml(document: object): string {
  return builder
    .build(document)
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * Replaces characters that XML does not allow by U+FFFD: those outside `Char` of XML 1.0 (fifth
 * edition, 2.2) and lone surrogates.
 */
export function replaceForbidden(text: string): string {
  return text.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
}

/** Nested texts. */
type Texts = { readonly [name: string]: string | Texts }

/** Replaces forbidden characters in all texts. */
export function textOnly(texts: Texts): object {
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [
      name,
      typeof value === 'string' ? replaceForbidden(value) : textOnly(value),
    ]),
  )
}
