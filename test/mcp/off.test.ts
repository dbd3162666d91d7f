import { expect } from 'vitest'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { MCP: 'off' } })

test.for(['POST', 'GET'] as const)(
  '%s /mcp returns 404 if the MCP server is off',
  async (method, { owner, request }) => {
    const reply = await request({ method, url: '/mcp', headers: owner.headers })
    expect(reply.statusCode).toBe(404)
    expect(reply.body).not.toContain(owner.key)
  },
)
