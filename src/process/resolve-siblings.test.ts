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
  await app.register(import('@fastify/swagger'), { openapi: { info: { title: 'Seen' } } })
  await app.ready()
  const register = new Registry()
  collectDefaultMetrics({ register })
  const text = await register.metrics()
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  console.log(JSON.stringify({
    title: app.swagger().info.title,
    counts: text.includes('process_cpu_seconds_total'),
    unused: loaded.filter((file) => /node_modules.(yaml|@opentelemetry)/.test(file)),
  }))
  process.exit()
`

test('what describes the API and what counts work without the packages that are left out', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', PRELOADED, '--input-type=module', '--eval', SCRIPT],
    { env: childEnvironment(inject('compileCache')) },
  )
  expect(JSON.parse(stdout)).toEqual({ title: 'Seen', counts: true, unused: [] })
})
