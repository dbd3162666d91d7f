import { parseAst } from 'vitest/node'

type Node = { type: string } & Record<string, unknown>

/** The index of the message in the arguments of functions and classes that create errors. */
const TEXT_POSITIONS: Readonly<Record<string, number>> = { invalid: 1, AppError: 1, SourceError: 0 }

/**
 * Returns the messages of the errors that a module throws by `invalid`, `AppError` or `SourceError`.
 * `{}` stands for an expression.
 */
export function errorTextsOf(source: string): string[] {
  const found: string[] = []
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node)
  return found

  function visit(node: Node): void {
    const { name } = (node.callee ?? {}) as { name?: string }
    const text = (node.arguments as Node[] | undefined)?.[TEXT_POSITIONS[name ?? ''] ?? -1]
    if (text) found.push(...textsOf(text))
    for (const child of Object.values(node).flat()) {
      if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node)
    }
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
    for (const child of Object.values(node).flat()) {
      if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node)
    }
  }
}

/**
 * Returns the problems with rows that a module reports for an import: the values of `problem`, and
 * the messages of an `Error`.
 */
export function rowProblemsOf(source: string): string[] {
  const found: string[] = []
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node)
  return found

  function visit(node: Node): void {
    const { name } = (node.callee ?? node.key ?? {}) as { name?: string }
    if (node.type === 'Property' && name === 'problem') found.push(...textsOf(node.value as Node))
    if (node.type === 'NewExpression' && name === 'Error') {
      found.push(...(node.arguments as Node[]).flatMap(textsOf))
    }
    for (const child of Object.values(node).flat()) {
      if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node)
    }
  }
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
