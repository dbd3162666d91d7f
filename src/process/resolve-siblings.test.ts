import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import { childEnvironment } from '../config.ts'

const PRELOADED = new URL('./resolve-siblings.ts', import.meta.url).href

const SCRIPT = `
  import { createRequire } from 'node:module'
  import { collectDefaultMetrics, Registry } from '@prometheus-io/client'
  import fastify from 'fastify'
  const app = fastify()
  app.get('/', { schema: { querystring: { type: 'object', required: ['q'] } } }, () => 'found')
  await app.register(import('@fastify/swagger'), { openapi: { info: { title: 'Seen' } } })
  await app.ready()
  const register = new Registry()
  collectDefaultMetrics({ register })
  const text = await register.metrics()
  const { statusCode } = await app.inject('/')
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  console.log(JSON.stringify({
    title: app.swagger().info.title,
    statusCode,
    counts: text.includes('process_cpu_seconds_total'),
    unused: loaded.filter((file) => /node_modules.(yaml|@opentelemetry)|jtd/.test(file)),
  }))
  process.exit()
`

/** All that the program's packages consist of, with what is in the end required of them. */
const LOADED = `
  import { createRequire } from 'node:module'
  await import('./src/services.ts')
  await import('./src/http/app.ts')
  console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)))
  process.exit()
`

test('what describes the API, what counts and what checks requests work without what is left out', async () => {
  expect(await run(SCRIPT, ['--import', PRELOADED])).toEqual({
    title: 'Seen',
    statusCode: 400,
    counts: true,
    unused: [],
  })
})

test('the modules of packages are those that Node.js finds by itself', async () => {
  const found = await run(LOADED, [])
  const ours = await run(LOADED, ['--import', PRELOADED])
  const isLeftOut = (file: string) =>
    /node_modules.(yaml|@opentelemetry)|jtd|nothing.cjs/.test(file)
  expect(ours.length).toBeGreaterThan(200)
  expect(ours.filter((file: string) => !isLeftOut(file))).toEqual(
    found.filter((file: string) => !isLeftOut(file)),
  )
})

async function run(script: string, options: string[]) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...options, '--input-type=module', '--eval', script],
    { env: childEnvironment(inject('compileCache')) },
  )
  return JSON.parse(stdout)
}
