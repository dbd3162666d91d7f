import { expect } from 'vitest'
import type { Lookup } from '../../src/net/checked-connector.ts'
import { appTest } from '../support/test.ts'
import { startWorker } from '../support/webhooks.ts'
import { subscribe } from '../support/webhooks-test.ts'

const lookup: Lookup = async (name) => {
  if (name === 'inside.test') return ['10.0.0.1']
  throw new Error(`no address of ${name} was found`)
}
const hosts = ['inside.test', 'nothing.test']

const test = appTest({ lookup, env: { DOMAIN_CHECK: 'on' } })

test('the delivery log is the same for a private name and an unknown one', async ({
  app,
  onTestFinished,
}) => {
  const worker = startWorker(app, { lookup })
  onTestFinished(worker.close)
  const logs = []
  for (const host of hosts) {
    const { person, page } = await subscribe(app, `http://${host}/`, ['link.created'])
    await person.send(`${page}/test`)
    await worker.drain()
    const { body } = await person.open(page)
    const [, log = ''] = /<tbody>(.*?)<\/tbody>/s.exec(body) ?? []
    expect(log).toContain('could not be reached at a public address')
    // The time of the retry is random.
    logs.push(log.replaceAll(/<form.*?<\/form>|msg_\d+|\d\d:\d\d:\d\d/gs, ''))
  }
  expect(logs[0]).toBe(logs[1])
})

test.for([
  ['/api/qr/add', (host: string) => ({ type: 'text', data: 'x', logo: `http://${host}/a.png` })],
  ['/api/domain/add', (host: string) => ({ domain: `https://${host}` })],
] as const)(
  '%s returns the same reply for a private name and an unknown one',
  async ([url, createBody], { owner, request }) => {
    const [inside, unknown] = await Promise.all(
      hosts.map((host) =>
        request({ method: 'POST', url, headers: owner.headers, payload: createBody(host) }),
      ),
    )
    expect(inside?.statusCode).toBe(400)
    expect([unknown?.statusCode, unknown?.body]).toEqual([
      400,
      inside?.body.replaceAll('inside.test', 'nothing.test'),
    ])
  },
)
