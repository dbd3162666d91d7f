import { getLanguage } from './language.ts'

/** Messages with the keys and parameters of others, in another language. */
export type Translated<Messages> = Messages extends string
  ? string
  : Messages extends (...parameters: infer Parameters) => infer Text
    ? (...parameters: Parameters) => Text extends string ? string : Text
    : Messages extends readonly (infer Item)[]
      ? readonly Translated<Item>[]
      : { readonly [Key in keyof Messages]: Translated<Messages[Key]> }

type InBoth = { en: object; de: object }

/**
 * Returns messages in the language of the current request. Texts are read when a page is rendered:
 * one read while a module loads would stay English. Groups and functions may be read at any time.
 */
export function consoleMessages<const English extends object>(messages: {
  en: English
  de: NoInfer<Translated<English>>
}): Translated<English> {
  return localize(messages) as Translated<English>
}

/** Returns the message with a name from a URL, if there is one. */
export function findMessage(
  messages: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  return Object.hasOwn(messages, name) ? messages[name] : undefined
}

function localize(group: InBoth): object {
  const messages = {}
  const german = new Map<string, unknown>(Object.entries(group.de))
  for (const [key, en] of Object.entries(group.en)) {
    const both = { en, de: german.get(key) }
    Object.defineProperty(messages, key, { enumerable: true, ...createProperty(both) })
  }
  return messages
}

function createProperty(both: { en: unknown; de: unknown }): PropertyDescriptor {
  const { en } = both
  if (isGroup(en)) return { value: localize(both as InBoth) }
  if (typeof en === 'function') return { value: localizeFunction(both as Functions) }
  return { get: () => both[getLanguage()] }
}

type Functions = Record<'en' | 'de', (...parameters: unknown[]) => unknown>

function localizeFunction(functions: Functions) {
  return (...parameters: unknown[]) => functions[getLanguage()](...parameters)
}

function isGroup(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]' && !Array.isArray(value)
}
