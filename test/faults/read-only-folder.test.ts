import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { deploymentTest } from '../support/deployment-test.ts'
import { send } from '../support/http.ts'
import { until } from '../support/processes.ts'
import { canMount, mountReadOnly } from '../support/small-disk.ts'

const timeout = 240_000
const test = deploymentTest().skipIf(!canMount())

test('startup rejects a folder that cannot be written, with its owner and mode', {
  timeout,
}, async ({ deployment }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'brevis-read-only-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const undo = mountReadOnly(dataDir)
  const instance = await deployment.createInstance({ dataDir })
  const service = await instance.launch()
  expect(await service.waitForExit()).toBe(1)
  expect(service.stderr()).toMatch(
    /^brevis: [^\n]*brevis-read-only-[^\n]* cannot be written: [^\n]*\(EROFS; [^\n]* belongs to [^\n]*\(uid \d+\) with mode 700\)[^\n]*\n$/,
  )
  undo()
})

test('a folder that cannot be written any longer fails readiness and is logged, and redirects continue', {
  timeout,
}, async ({ deployment }) => {
  const instance = await deployment.createInstance()
  const journal = join(instance.dataDir, 'journal')
  mkdirSync(journal, { recursive: true })
  await instance.start()
  const undo = mountReadOnly(journal)
  await until('the folder is logged', () =>
    instance.log.some(({ level, msg }) => level === 50 && msg.startsWith(`${journal} cannot be`)),
  )
  const ready = await send(`${instance.origin}/health/ready`)
  expect(ready.status).toBe(503)
  expect(JSON.parse(ready.body).reason).toContain('EROFS')
  expect((await send(`${instance.origin}/health/redirects`)).status).toBe(200)
  const visit = await send(`${instance.origin}/${deployment.aliases[0]}`)
  expect(visit.status).toBe(302)
  undo()
  await send(`${instance.origin}/${deployment.aliases[0]}`)
  await instance.ready()
  expect(instance.log.filter(({ msg }) => /died/.test(msg))).toEqual([])
  expect(await instance.stop()).toBe(0)
})
