import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import type { Operation } from './openapi.ts'
import { createSampleCall, type SampleLanguage } from './samples.ts'

const post = {
  method: 'post',
  path: '/api/url/{id}/update',
  summary: 'Change a link',
  parameters: [],
  body: {
    schema: {},
    example: { url: "https://example.com/it's?a=1&b=$2", public: true, slug: null },
  },
}
const findExample = (language: SampleLanguage, operation: Operation = post) =>
  createSampleCall(operation, 'https://brev.example', language)

test('the curl example quotes its body for the shell', () => {
  // This shell function replaces curl and prints its arguments.
  const script = `curl() { for word in "$@"; do printf '%s\\n' "$word"; done; }\nKEY=brv_1\n`
  const output = execFileSync('sh', ['-c', script + findExample('curl')], { encoding: 'utf8' })
  expect(output.trim().split('\n')).toEqual([
    '-X',
    'POST',
    'https://brev.example/api/url/1/update',
    '-H',
    'Authorization: Bearer brv_1',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify(post.body.example),
  ])
})

test('the JavaScript example runs', async () => {
  const calls: unknown[] = []
  const fetch = async (...args: unknown[]) => {
    calls.push(...args)
    return { json: async () => ({}) }
  }
  const run = new Function(
    'fetch',
    'key',
    'console',
    `return (async () => { ${findExample('javascript')} })()`,
  )
  await run(fetch, 'brv_1', { log: () => {} })
  expect(calls).toEqual([
    'https://brev.example/api/url/1/update',
    {
      method: 'POST',
      headers: { Authorization: 'Bearer brv_1', 'Content-Type': 'application/json' },
      body: JSON.stringify(post.body.example),
    },
  ])
})

test("the Python example uses Python's literals", () => {
  expect(findExample('python')).toContain('"public": True, "slug": None')
})

test("the legacy API's key is only in the path", () => {
  const legacy = {
    method: 'get',
    path: '/api/v1/{key}/shorturl/list_active_urls.{format}',
    summary: 'List links',
    parameters: [],
  }
  expect(findExample('curl', legacy)).toBe(
    'curl "https://brev.example/api/v1/$KEY/shorturl/list_active_urls.json"',
  )
})

test("the PHP example uses PHP's literals", () => {
  expect(findExample('php')).toContain(
    "json_encode(['url' => 'https://example.com/it\\'s?a=1&b=$2', 'public' => true, 'slug' => null])",
  )
})
