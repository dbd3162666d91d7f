import { type Fields, unescapeHtml } from './forms.ts'

/**
 * Returns rules in the format of the link form. Each key is an input name without its `rule-N-`
 * prefix: `to` is the destination.
 */
export function toRuleFields(...rules: readonly Fields[]): Fields {
  const inputs = rules.flatMap((rule, index) =>
    Object.entries(rule).map(([name, value]) => [`rule-${index}-${name}`, value]),
  )
  return { rule: rules.map((_, index) => String(index)), ...Object.fromEntries(inputs) }
}

/** Returns the values that a browser would submit from a page's unchanged form. */
export function valuesOf(body: string): Record<string, string[]> {
  const values: Record<string, string[]> = {}
  const form =
    /<form class="link-form"[\s\S]*<\/form>/
      .exec(body)?.[0]
      .replaceAll(/<template[\s\S]*?<\/template>/g, '') ?? ''
  const add = (name: string, value: string) => {
    values[name] = [...(values[name] ?? []), unescapeHtml(value)]
  }
  for (const [tag, textareaContent = ''] of form.matchAll(
    /<input [^>]*>|<select [\s\S]*?<\/select>|<textarea [^>]*>\n([\s\S]*?)<\/textarea>/g,
  )) {
    const name = /name="([^"]*)"/.exec(tag)?.[1] ?? ''
    const value = /value="([^"]*)"/.exec(tag)?.[1] ?? ''
    if (tag.startsWith('<textarea')) add(name, textareaContent)
    else if (tag.startsWith('<select')) {
      const selected = [...tag.matchAll(/value="([^"]*)" selected/g)].map(
        ([, option = '']) => option,
      )
      const isMultiple = /^<select [^>]* multiple/.test(tag)
      if (selected.length === 0 && !isMultiple)
        selected.push(/value="([^"]*)"/.exec(tag)?.[1] ?? '')
      for (const option of selected) add(name, option)
    } else if (!tag.includes('type="checkbox"') || / checked[ >]/.test(tag)) add(name, value)
  }
  return values
}
