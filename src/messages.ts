import { readFileSync } from 'node:fs'
import { html, type SafeHtml } from '@remix-run/html-template'
import { IntlMessageFormat } from 'intl-messageformat'

export type Values = Readonly<Record<string, string | number>>
export type HtmlValues = Readonly<Record<string, string | number | SafeHtml>>

/** The texts of some languages: ICU messages by their names. */
export type Catalogs<Language extends string, Key extends string> = {
  texts: Readonly<Record<Language, Readonly<Record<Key, string>>>>
  /** Returns a text with its arguments filled in. Without `values`, it is returned as it is. */
  format: (language: Language, key: Key, values?: Values) => string
  /** Returns a text as markup. Values may be markup, and everything else is escaped. */
  formatHtml: (language: Language, key: Key, values?: HtmlValues) => SafeHtml
}

/** The elements that texts may contain. */
const TAGS = { b: (chunks: (string | SafeHtml)[]) => html`<b>${chunks}</b>` }

/** Reads the catalogs of a folder below `locales/`: one JSON file a language. */
export function readCatalogs<Language extends string, Key extends string>(
  folder: string,
  languages: readonly Language[],
): Catalogs<Language, Key> {
  const texts = Object.fromEntries(
    languages.map((language) => [language, readCatalog(`${folder}/${language}.json`)]),
  ) as Record<Language, Record<Key, string>>
  const compiled = new Map<string, IntlMessageFormat>()

  /** Returns the compiled message. Compiling one takes as long as formatting ten. */
  function compile(language: Language, key: Key): IntlMessageFormat {
    const name = `${language} ${key}`
    const message = compiled.get(name) ?? new IntlMessageFormat(texts[language][key], language)
    compiled.set(name, message)
    return message
  }

  return {
    texts,
    format: (language, key, values) =>
      values === undefined ? texts[language][key] : String(compile(language, key).format(values)),
    formatHtml: (language, key, values) => {
      const parts = compile(language, key).format<SafeHtml>({ ...TAGS, ...values })
      return html`${parts}`
    },
  }
}

function readCatalog(path: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(`../locales/${path}`, import.meta.url), 'utf8'))
}
