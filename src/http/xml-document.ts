import XMLBuilder from 'fast-xml-builder'

const builder = new XMLBuilder({ ignoreAttributes: false, suppressBooleanAttributes: false })

/**
 * Writes a document of elements, attributes beginning with `@_`. The builder adds no white space of
 * its own, so these characters are always content. Parsers turn a CR into a line feed (XML 1.0, 2.11),
 * and all three into spaces in attributes (3.3.3), unless they are written as references.
 */
export function buildXml(document: object): string {
  return builder
    .build(document)
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * A text with U+FFFD for what XML cannot carry: what is outside `Char` of XML 1.0 (fifth edition,
 * 2.2), a lone surrogate as well.
 */
export function replaceForbidden(text: string): string {
  return text.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
}

/** Texts, and texts within texts. */
type Texts = { readonly [name: string]: string | Texts }

/** The same with every text as XML can carry it. */
export function textOnly(texts: Texts): object {
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [
      name,
      typeof value === 'string' ? replaceForbidden(value) : textOnly(value),
    ]),
  )
}
