import { writeFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { createCountryDatabase } from '../fixtures/country-database.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { countClicks, expectClicks } from '../support/every-visit.ts'
import { send } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import { signal, until } from '../support/processes.ts'

const timeout = 120_000
const test = deploymentTest()

test('processes that are started again after the files of settings were damaged redirect and count', {
  timeout,
}, async ({ deployment }) => {
  const files = { GEOIP_DB: 'country.mmdb', BOTS_FILE: 'bots.json', PIXELS_FILE: 'pixels.json' }
  const { dataDir } = await deployment.createInstance()
  const paths = Object.entries(files).map(([name, file]) => [name, `${dataDir}-${file}`] as const)
  const [country = '', bots = '', pixels = ''] = paths.map(([, path]) => path)
  await writeFile(country, createCountryDatabase({ country_code: 'FR' }))
  await writeFile(bots, '{"crawler": ["ExampleBot"]}')
  await writeFile(pixels, '{"vendor01pixel": "https://example.com/p?id={tag}"}')
  const instance = await deployment.createInstance({ env: Object.fromEntries(paths) })
  await instance.start()
  const before = await countClicks(deployment)
  for (const [, path] of paths) await writeFile(path, 'damaged')
  await killProcesses(instance)
  await instance.ready()
  expect(await visit(instance, deployment.aliases[0], 'ExampleBot/1.0')).toBe(302)
  expect(await visit(instance, deployment.aliases[0])).toBe(302)
  await expectClicks(deployment, before + 1)
  await until('each process has logged that it uses the bundled data', () => {
    return instance.log.filter(({ msg }) => msg.includes('the bundled data is used')).length === 2
  })
  expect(await instance.stop()).toBe(0)
})

test.for([
  ['above 128 KiB', JSON.stringify(Object.fromEntries(listVendors(2000)))],
  ['without an object', 'null'],
])('a file of settings %s can be used', { timeout }, async ([, json = ''], { deployment }) => {
  const { dataDir } = await deployment.createInstance()
  const path = `${dataDir}-pixels.json`
  await writeFile(path, json)
  const instance = await deployment.createInstance({ env: { PIXELS_FILE: path } })
  await instance.start()
  expect(await visit(instance, deployment.aliases[0])).toBe(302)
  expect(await instance.stop()).toBe(0)
})

function listVendors(count: number): [string, string][] {
  return Array.from({ length: count }, (_, index) => [
    `vendor${index}pixel`,
    `https://example.com/${'p'.repeat(50)}?id={tag}`,
  ])
}

async function killProcesses(instance: Instance): Promise<void> {
  for (const file of ['worker.ts', 'importer.ts'] as const) {
    const pid = await instance.waitForProcess(file)
    signal(pid, 'SIGKILL')
    await until(`another process runs ${file}`, async () => {
      const [found = pid] = await instance.listPids(file)
      return found !== pid
    })
  }
}

async function visit({ origin }: Instance, alias = '', userAgent = 'Mozilla/5.0'): Promise<number> {
  const headers = { 'user-agent': userAgent }
  return (await send(`${origin}/${alias}`, { headers })).status
}
