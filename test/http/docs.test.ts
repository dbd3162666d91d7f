import { expect } from 'vitest'
import { appTest } from '../support/test.ts'

const test = appTest()

test('the documentation describes every operation of both APIs with examples in three languages', async ({
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
      expect(operation).toMatch(/curl.*JavaScript.*Python/s)
      expect(operation).toContain('Example response')
    }
    // The page loads nothing from other sites and runs no scripts.
    expect(body).not.toMatch(/<script|<link rel="stylesheet"|src="http/)
  }
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
