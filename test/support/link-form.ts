import type { TestApp } from './app.ts'
import type { personWith } from './console.ts'
import { formOf } from './forms.ts'

type Person = ReturnType<typeof personWith>
type Values = Readonly<Record<string, string | readonly string[]>>

/** Submits a form with repeated field names, such as rows and checkboxes. */
export async function sendForm(app: TestApp, person: Person, url: string, values: Values) {
  const { csrf } = formOf(await person.open('/console'))
  const pairs = Object.entries({ csrf, ...values }).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, each]),
  )
  return app.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: person.cookie },
    payload: new URLSearchParams(pairs).toString(),
  })
}

/**
 * Rules as a form sends them, keyed by the last part of each input's name. `to` is the destination.
 */
export function ruleValues(
  ...rules: readonly Readonly<Record<string, string | readonly string[]>>[]
): Record<string, string | readonly string[]> {
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
    values[name] = [...(values[name] ?? []), decode(value)]
  }
  for (const [tag, ...rest] of form.matchAll(
    /<input [^>]*>|<select [\s\S]*?<\/select>|<textarea [^>]*>\n([\s\S]*?)<\/textarea>/g,
  )) {
    const name = /name="([^"]*)"/.exec(tag)?.[1] ?? ''
    const value = /value="([^"]*)"/.exec(tag)?.[1] ?? ''
    if (tag.startsWith('<textarea')) add(name, rest[0] ?? '')
    else if (tag.startsWith('<select')) {
      add(name, (/value="([^"]*)" selected/.exec(tag) ?? /value="([^"]*)"/.exec(tag))?.[1] ?? '')
    } else if (!tag.includes('type="checkbox"') || / checked[ >]/.test(tag)) add(name, value)
  }
  return values
}

function decode(text: string): string {
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
}
