import { getLanguage } from './language.ts'

/** The type of a translation: it has the same keys and parameters as `Messages`. */
export type Translated<Messages> = Messages extends string
  ? string
  : Messages extends (...parameters: infer Parameters) => infer Text
    ? (...parameters: Parameters) => Text extends string ? string : Text
    : Messages extends readonly (infer Item)[]
      ? readonly Translated<Item>[]
      : { readonly [Key in keyof Messages]: Translated<Messages[Key]> }

type MessageGroups = { en: object; de: object }

/**
 * Returns messages in the language of the current request. Read a text only while a page is
 * rendered: if it were read while a module loads, it would stay English. Groups and functions can be
 * read at any time.
 */
export function consoleMessages<const English extends object>(messages: {
  en: English
  de: NoInfer<Translated<English>>
}): Translated<English> {
  return localize(messages) as Translated<English>
}

/** Returns the message with this name, or undefined if there is none. The name may be user input. */
export function findMessage(
  messages: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  return Object.hasOwn(messages, name) ? messages[name] : undefined
}

function localize(group: MessageGroups): object {
  const messages = {}
  const german = new Map<string, unknown>(Object.entries(group.de))
  for (const [key, en] of Object.entries(group.en)) {
    const texts = { en, de: german.get(key) }
    Object.defineProperty(messages, key, { enumerable: true, ...createProperty(texts) })
  }
  return messages
}

function createProperty(texts: { en: unknown; de: unknown }): PropertyDescriptor {
  const { en } = texts
  if (isGroup(en)) return { value: localize(texts as MessageGroups) }
  if (typeof en === 'function') return { value: localizeFunction(texts as Functions) }
  return { get: () => texts[getLanguage()] }
}

type Functions = Record<'en' | 'de', (...parameters: unknown[]) => unknown>

function localizeFunction(functions: Functions) {
  return (...parameters: unknown[]) => functions[getLanguage()](...parameters)
}

function isGroup(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]'
}
