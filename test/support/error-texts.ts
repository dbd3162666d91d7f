import { parseAst } from 'vitest/node'

type Node = { type: string } & Record<string, unknown>

/** A text of the catalogs that a module names, and the names of the arguments that it passes. */
export type NamedText = { key: string; args: string[] }

/** The groups of the codes that functions and classes take, and the index of their arguments. */
const CODES: Readonly<Record<string, readonly [group: string, position: number]>> = {
  invalid: ['problems', 1],
  invalidValue: ['problems', 1],
  createProblem: ['problems', 1],
  SourceError: ['sourceErrors', 0],
}

/**
 * Returns the texts of errors that a module names: by a code, or by the key of a text. Leaves out
 * those with arguments that are not listed there.
 */
export function namedTextsOf(source: string): NamedText[] {
  const found: NamedText[] = []
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node)
  return found

  function visit(node: Node): void {
    const { name = '' } = (node.callee ?? {}) as { name?: string }
    const [group, position] = CODES[name] ?? []
    const values = (node.arguments ?? []) as Node[]
    if (group !== undefined && position !== undefined && values[position]) {
      add(
        textsOf(values[position]).map((code) => `${group}.${code}`),
        values[position + 1],
      )
    }
    if (node.type === 'ObjectExpression') {
      const properties = Object.fromEntries(
        (node.properties as { key?: { name?: string }; value?: Node }[]).map((property) => {
          return [property.key?.name, property.value]
        }),
      )
      const key = properties.key ?? properties.text
      if (key)
        add(
          textsOf(key).filter((text) => /^\w+\.\w+/.test(text)),
          properties.args,
        )
    }
    for (const child of findChildren(node)) visit(child)
  }

  function add(keys: string[], args: Node | undefined): void {
    if (args && args.type !== 'ObjectExpression') return
    const properties = (args?.properties ?? []) as { key: { name: string } }[]
    const names = properties.map(({ key }) => key.name).sort()
    found.push(...keys.filter((key) => !key.includes('{}')).map((key) => ({ key, args: names })))
  }
}

/** Functions that reject the field in their first argument. */
const FIELD_CHECKS =
  /^(?:boundedText|invalid|optionalText|parse(?:Alias|Expiry|Rgb|Start|Tags?|TargetUrl)|requireText)$/

/** Returns the paths of the fields that a module rejects. `{}` stands for an expression. */
export function errorFieldsOf(source: string): string[] {
  const found: string[] = []
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node)
  return found

  function visit(node: Node): void {
    const { name } = (node.callee ?? {}) as { name?: string }
    const [field] = (node.arguments as Node[] | undefined) ?? []
    if (field && FIELD_CHECKS.test(name ?? '')) found.push(...textsOf(field))
    for (const child of findChildren(node)) visit(child)
  }
}

function findChildren(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter(
      (child): child is Node => typeof child === 'object' && child !== null && 'type' in child,
    )
}

function textsOf(node: Node): string[] {
  if (node.type === 'Literal') return typeof node.value === 'string' ? [node.value] : []
  if (node.type === 'ConditionalExpression') {
    return [node.consequent, node.alternate].flatMap((branch) => textsOf(branch as Node))
  }
  if (node.type !== 'TemplateLiteral') return []
  const parts = node.quasis as { value: { cooked: string } }[]
  return [parts.map(({ value }) => value.cooked).join('{}')]
}
