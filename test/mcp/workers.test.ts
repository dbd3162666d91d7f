import { expect } from 'vitest'
import { deploymentTest } from '../support/deployment-test.ts'
import { connect } from '../support/mcp.ts'
import { createOauthApp, openBrowser } from '../support/oauth.ts'

const test = deploymentTest().extend('instance', { scope: 'file' }, async ({ deployment }) => {
  const instance = await deployment.createInstance({ env: { WORKERS: '2' } })
  await instance.start()
  return instance
})

test.for([true, false])(
  'any worker answers any message of a client (%s)',
  async (isModern, { deployment, instance }) => {
    const owner = await deployment.make.owner()
    const app = { port: () => instance.port, listen: async () => {} }
    const agents = await Promise.all(Array.from({ length: 4 }, () => connect(app, owner, isModern)))
    const created = await Promise.all(
      agents.map((agent, n) =>
        agent.call('create_links', { links: [{ url: `https://example.com/${n}` }] }),
      ),
    )
    const ids = created.map(({ data }) => data.links[0]?.id)
    // Each client reads and undoes what another one has created.
    for (const [index, agent] of agents.entries()) {
      const id = ids[(index + 1) % ids.length]
      expect((await agent.call('get_link', { id })).data.link.id).toBe(id)
      expect((await agent.call('undo_change', { changeId: `${id}.0` })).isError).toBe(false)
    }
    const { rows } = await deployment.database.pool.query(
      'select distinct kind from links where account_id = $1',
      [owner.account.id],
    )
    expect(rows).toEqual([{ kind: 'deleted' }])
    for (const agent of agents) await agent.close()
  },
)

test('any worker answers any step of a connection by OAuth', async ({ deployment, instance }) => {
  const owner = await deployment.make.owner()
  const apps = Array.from({ length: 4 }, (_, n) => createOauthApp(instance.origin, `Agent ${n}`))
  // Their requests use many connections, so both workers take part.
  const connected = await Promise.all(
    apps.map(async (app) => {
      const browser = await openBrowser(deployment, instance.origin, owner)
      await app.finish(await browser.allow(await app.begin()))
      return app.connect()
    }),
  )
  for (const [n, client] of connected.entries()) {
    const links = [{ url: `https://example.com/oauth/${n}` }]
    const reply = await client.callTool({ name: 'create_links', arguments: { links } })
    expect(reply.isError ?? false).toBe(false)
    await client.close()
  }
  const { rows } = await deployment.database.pool.query(
    'select count(*)::int as links from links where account_id = $1',
    [owner.account.id],
  )
  expect(rows).toEqual([{ links: 4 }])
})
