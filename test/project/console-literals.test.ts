import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'

type Node = { type: string } & Record<string, unknown>

/** Calls that create errors, whose messages are translated where they are shown. */
const ERRORS = ['AppError', 'Error', 'invalid', 'TypeError']
/** Methods that write to the log, which is in English. */
const LOGS = ['debug', 'info', 'warn', 'error']
/** Attributes that people see or hear. */
const ATTRIBUTE =
  /\s(?:alt|title|placeholder|label|aria-label|aria-description|data-text-\w+)="([^"]*)"/g
/** Attributes in a template that continues a tag, such as ` hidden` or ` rel="next"`. */
const ATTRIBUTES_ONLY =
  /[a-z-]+="[^"]*"|\b(?:autofocus|checked|disabled|hidden|multiple|open|readonly|required|selected|data-[a-z-]+)(?=\s|$)/g
/** A string that starts with a capitalized word, or has three words. */
const TEXT = /^\P{L}*\p{Lu}\p{Ll}|\p{Ll}{2} \p{Ll}{2,} \p{Ll}{2}/u
/** Strings that are the same in every language: names, keys, class lists and URLs. */
const NEUTRAL =
  /^(?:(?:Arrow\w+|Backspace|Enter|Esc|Escape|Tab)|(?:button|small) [a-z ]+|https?:\S+|__Host-\w+|PublicKeyCredential|\w+Error|Android|Chrome|ChromeOS|Edge|Firefox|Linux|Opera|Safari|Samsung Internet|Windows(?: 10)?|[KMGTP]iB|Brevis|Node\.js|PostgreSQL|CSV|URL|\uFFFC[A-Z][a-z]+)$/
/** Names of languages for `Intl`. Texts follow the language of the request. */
const LOCALE = /^en(?:-(?:US|GB))?$/
/** Stands for an expression in a template. */
const GAP = '\uFFFC'

/** Returns the texts of a module's templates and strings that people would see on a page. */
function findLiteralTexts(source: string, lang: 'ts' | 'js'): string[] {
  const found: string[] = []
  visit(parseAst(source, { lang }) as unknown as Node)
  return found

  function visit(node: Node): void {
    if (isSkipped(node)) return
    if (isMarkup(node)) found.push(...extractMarkupTexts(joinTemplate(node.quasi as Node)))
    else if (node.type === 'TemplateLiteral') check(joinTemplate(node))
    else if (node.type === 'Literal' && typeof node.value === 'string') check(node.value)
    // The parts of a template are not literals, but its expressions may contain some.
    for (const child of findChildren(isMarkup(node) ? (node.quasi as Node) : node)) visit(child)
  }

  function check(text: string): void {
    if (NEUTRAL.test(text) || text === `${GAP} – Brevis`) return
    if (TEXT.test(text) || LOCALE.test(text)) found.push(text)
  }
}

function extractMarkupTexts(markup: string): string[] {
  const visible = [...markup.matchAll(ATTRIBUTE)].map(([, value = '']) => value)
  const withoutTags = markup.replaceAll(/<!--.*?-->/gs, '').split(/<[^>]*(?:>|$)/)
  const texts = markup.includes('<') ? withoutTags : [markup.replaceAll(ATTRIBUTES_ONLY, '')]
  return [...texts, ...visible]
    .map((text) => text.replaceAll(/&\w+;|Brevis/g, '').trim())
    .filter((text) => /\p{L}/u.test(text) && !NEUTRAL.test(text))
}

function joinTemplate(template: Node): string {
  const parts = template.quasis as { value: { cooked: string } }[]
  return parts.map(({ value }) => value.cooked).join(GAP)
}

function isMarkup({ type, tag }: Node): boolean {
  if (type !== 'TaggedTemplateExpression') return false
  const { name, object } = tag as { name?: string; object?: { name?: string } }
  return (name ?? object?.name) === 'html'
}

function isSkipped(node: Node): boolean {
  const { type, callee } = node
  if (type.startsWith('Import') || type === 'ExportAllDeclaration') return true
  const isType = type.startsWith('TS') && !('expression' in node)
  if (isType) return true
  if (type !== 'CallExpression' && type !== 'NewExpression') return false
  const { name, property } = callee as { name?: string; property?: { name?: string } }
  return ERRORS.includes(name ?? '') || LOGS.includes(property?.name ?? '')
}

function findChildren(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter(
      (child): child is Node => typeof child === 'object' && child !== null && 'type' in child,
    )
}

const ROOT = join(import.meta.dirname, '../../src/http')

/** The modules to check: without tests. The page with an API key is none, because it shows a command. */
const files = globSync(['console/**/*.{ts,js}', 'site/registration.ts'], { cwd: ROOT }).filter(
  (file) => !file.endsWith('.test.ts'),
)

test.for(files)('%s contains no texts, which belong in the catalogs', (file) => {
  const source = readFileSync(join(ROOT, file), 'utf8')
  expect(findLiteralTexts(source, file.endsWith('.js') ? 'js' : 'ts')).toEqual([])
})
