import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import { unescapeHtml } from '../support/forms.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test('the documentation describes every operation of both APIs with samples in four languages', async ({
  app,
  request,
}) => {
  const start = await request({ url: '/docs' })
  expect(start.statusCode).toBe(200)
  const subjects = [...start.body.matchAll(/<li><a href="\/docs\/([a-z-]+)"/g)].map(
    ([, slug]) => slug,
  )
  expect(subjects.at(-1)).toBe('legacy-api')
  const pages = await Promise.all(subjects.map((slug) => request({ url: `/docs/${slug}` })))
  expect(pages.map(({ statusCode }) => statusCode)).toEqual(subjects.map(() => 200))
  const described = pages.flatMap(({ body }) =>
    [...body.matchAll(/<strong>([A-Z]+)<\/strong> <code>([^<]+)<\/code>/g)].map(
      ([, method, path]) => `${method} ${path}`,
    ),
  )
  expect(described.sort()).toEqual(
    app.contract.operations.map(({ method, path }) => `${method} ${path}`).sort(),
  )
  for (const { body } of pages) {
    const operations = body.split('<p class="operation">').slice(1)
    for (const operation of operations) {
      expect(operation).toMatch(/curl.*JavaScript.*Python.*PHP/s)
      expect(operation).toContain('Example response')
    }
    // The page loads nothing from other sites and runs no scripts.
    expect(body).not.toMatch(/<script|<link rel="stylesheet"|src="http/)
  }
})

const python = `import ast, json, sys
for code in json.load(sys.stdin): ast.parse(code)`

/** Checks the syntax of samples in a language. Throws for the first one that is invalid. */
const CHECKS = {
  curl: (samples: readonly string[]) => {
    for (const sample of samples) execFileSync('sh', ['-n', '-c', sample])
  },
  javascript: (samples: readonly string[]) => {
    for (const sample of samples) new Function(`return (async () => {\n${sample}\n})`)
  },
  python: (samples: readonly string[]) => {
    execFileSync('python3', ['-c', python], { input: JSON.stringify(samples) })
  },
  // Without PHP, only its literals are checked, as those of the body.
  php: (samples: readonly string[]) => {
    for (const sample of samples) {
      const literal = /json_encode\((.*)\),$/m.exec(sample)?.[1]
      if (literal) JSON.parse(toJson(literal))
      expect(sample).toMatch(/^<\?php\n\$options = \[\n.*\n\];\n/s)
    }
  },
} as const

/** Converts a literal of PHP to JSON: strings, lists, and lists with keys, as the samples have them. */
function toJson(literal: string): string {
  const tokens = literal.match(/'(?:\\.|[^'\\])*'|=>|new stdClass\(\)|[[\],]|[\w.-]+/g) ?? []
  let index = 0
  const read = (): unknown => {
    const token = tokens[index++] ?? ''
    if (token.startsWith("'")) return token.slice(1, -1).replace(/\\(['\\])/g, '$1')
    if (token.startsWith('new')) return {}
    if (token !== '[') return JSON.parse(token)
    const entries: [unknown, unknown][] = []
    while (tokens[index] !== ']') {
      const value = read()
      const hasKey = tokens[index] === '=>'
      if (hasKey) index += 1
      entries.push(hasKey ? [value, read()] : [entries.length, value])
      if (tokens[index] === ',') index += 1
    }
    index += 1
    const isList = entries.every(([key], position) => key === position)
    return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries)
  }
  const value = read()
  if (index !== tokens.length) throw new Error(`not a literal: ${literal}`)
  return JSON.stringify(value)
}

test.for(['curl', 'javascript', 'python', 'php'] as const)(
  'every sample in %s has valid syntax',
  async (language, { app, request }) => {
    const { body: start } = await request({ url: `/docs?sample=${language}` })
    const paths = [...start.matchAll(/<li><a href="(\/docs\/[^"#]+)"/g)].map(
      ([, path = '']) => path,
    )
    const bodies = await Promise.all(paths.map(async (url) => (await request({ url })).body))
    const samples = [start, ...bodies].flatMap((body) =>
      [...body.matchAll(/<code data-sample="([a-z]+)">([^<]*)</g)].map(([, name, text = '']) => {
        expect(name).toBe(language)
        return unescapeHtml(text)
      }),
    )
    // The first page repeats one.
    expect(samples).toHaveLength(app.contract.operations.length + 1)
    CHECKS[language](samples)
  },
)

test('the documentation finds operations by words of their texts, paths and fields', async ({
  request,
}) => {
  const search = async (q: string, headers = {}) =>
    (await request({ url: `/docs/search?${new URLSearchParams({ q, sample: 'php' })}`, headers }))
      .body
  const shorten = await search('SHORTEN url')
  expect(shorten).toContain('href="/docs/links?sample=php#post-api-url-add"')
  expect(shorten).not.toContain('#get-api-channels"')
  expect(await search('metatitle')).toContain('#post-api-url-add"')
  expect(await search('<b>')).toContain('value="&lt;b&gt;"')
  expect(await search('')).toContain('No results')
  const german = await search('kampagne', { 'accept-language': 'de' })
  expect(german).toContain('<html lang="de">')
  expect(german).toContain('Keine Ergebnisse')
  expect(german).toContain('<main id="content" tabindex="-1" lang="en">')
})

test('the documentation returns 404 for unknown subjects and on branded domains', async ({
  make,
  owner,
  request,
}) => {
  expect((await request({ url: '/docs/nothing' })).statusCode).toBe(404)
  await make.domain(owner, { domain: 'https://brand.example' })
  const reply = await request({ url: '/docs', headers: { host: 'brand.example' } })
  expect(reply.statusCode).toBe(404)
})
