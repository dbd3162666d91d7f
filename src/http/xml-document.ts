import XMLBuilder from 'fast-xml-builder'

const builder = new XMLBuilder({ ignoreAttributes: false, suppressBooleanAttributes: false })

/**
 * Renders an XML document. Attribute names start with `@_`. CR, LF and tab are written as character
 * references, because parsers would convert them (XML 1.0, sections 2.11 and 3.3.3). The builder
 * adds no whitespace, so all of them are content.
 */
export function buildXml(document: object): string {
  return builder
    .build(document)
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * Replaces characters that XML 1.0 does not allow (fifth edition, section 2.2) and lone surrogates
 * with U+FFFD.
 */
export function replaceForbidden(text: string): string {
  return text.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
}

/** Texts by name, possibly nested. */
type Texts = { readonly [name: string]: string | Texts }

/** Replaces forbidden characters in all texts. */
export function replaceAllForbidden(texts: Texts): object {
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [
      name,
      typeof value === 'string' ? replaceForbidden(value) : replaceAllForbidden(value),
    ]),
  )
}
