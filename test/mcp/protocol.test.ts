import { describe, expect } from 'vitest'
import { mcpTest } from '../support/mcp.ts'

const test = mcpTest()

describe.each([
  ['a current client', true],
  ['a client of 2025', false],
] as const)('%s', (_, isModern) => {
  test('lists and calls tools', async ({ owner, agentOf, stored }) => {
    const agent = await agentOf(owner, isModern)
    expect(agent.client.getServerVersion()?.name).toBe('brevis')
    expect(agent.client.getInstructions()).toContain('scope full')
    expect(await agent.listNames()).toContain('create_links')
    const { data } = await agent.call('create_links', { links: [{ url: 'https://example.com/1' }] })
    expect(await stored(data.links[0]?.id ?? 0)).toMatchObject({ url: 'https://example.com/1' })
  })
})
