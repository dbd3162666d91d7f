import { parseAst } from 'vitest/node'

type Node = { type: string } & Record<string, unknown>

/**
 * Returns the texts of the errors that a module throws: the problems of `invalid`, and the own
 * messages of an `AppError`. `{}` stands for an expression.
 */
export function errorTextsOf(source: string): string[] {
  const found: string[] = []
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node)
  return found

  function visit(node: Node): void {
    const { name } = (node.callee ?? {}) as { name?: string }
    const text = (node.arguments as Node[] | undefined)?.[1]
    if (text && (name === 'invalid' || name === 'AppError')) found.push(...textsOf(text))
    for (const child of Object.values(node).flat()) {
      if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node)
    }
  }
}

function textsOf(node: Node): string[] {
  if (node.type === 'Literal') return [String(node.value)]
  if (node.type === 'ConditionalExpression') {
    return [node.consequent, node.alternate].flatMap((each) => textsOf(each as Node))
  }
  if (node.type !== 'TemplateLiteral') return []
  const parts = node.quasis as { value: { cooked: string } }[]
  return [parts.map(({ value }) => value.cooked).join('{}')]
}
