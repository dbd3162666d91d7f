import { expect } from 'vitest'
import { deploymentTest } from '../support/deployment-test.ts'
import { connect } from '../support/mcp.ts'

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
