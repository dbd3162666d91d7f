import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import { appTest } from './test.ts'

type Authorized = { headers: Record<string, string> }
type Link = { id: number; shortUrl: string; title: string; url: string }
/** What tools return, as far as tests read it. */
type Data = {
  error: { code: string; message: string }
  link: Link & Record<string, unknown>
  links: (Link & { error?: string })[]
  created: number
  total: number
  changed: Link[]
  unchanged: number
  blocked: number
  notFound: number
  changes: { changeId: string; isCreation: boolean; changes?: object; link: Link }[]
  undone: { changeId: string }[]
  failed: { changeId: string; error: string }[]
  hasMore: boolean
}

/** What is stored of a link. */
type Stored = {
  alias: string
  url: string
  status: string
  kind: string
  title: string | null
  created_by: string | null
  max_clicks: number | null
  tags: string[]
}

export type Result = {
  isError: boolean
  text: string
  data: Data
  content: { type: string; data?: string; mimeType?: string }[]
}

/** Returns a client of the SDK that is connected to the MCP server as the owner of a key. */
export async function connect(
  { port, listen }: Pick<TestApp, 'port' | 'listen'>,
  { headers }: Authorized,
  isModern = true,
) {
  await listen()
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: isModern ? 'auto' : 'legacy' } },
  )
  const url = new URL(`http://127.0.0.1:${port()}/mcp`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return {
    client,
    listNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    /** Calls a tool and returns its result, which may be an error. */
    async call(name: string, input: object = {}): Promise<Result> {
      const result = await client.callTool({ name, arguments: { ...input } })
      const [first] = result.content
      expect(first?.type).toBe('text')
      return {
        isError: result.isError ?? false,
        text: first?.type === 'text' ? first.text : '',
        data: result.structuredContent as Data,
        content: result.content as Result['content'],
      }
    },
    close: () => client.close(),
  }
}

export type Agent = Awaited<ReturnType<typeof connect>>

/** Returns a `test` with `agent`, a client with the owner's `full` key, and `agentOf` for other keys. */
export function mcpTest(env: Record<string, string> = {}) {
  return appTest({ env })
    .extend('agentOf', { scope: 'file' }, ({ app }, { onCleanup }) => {
      const agents: Agent[] = []
      onCleanup(async () => {
        for (const agent of agents) await agent.close()
      })
      return async (caller: Authorized, isModern = true) => {
        const agent = await connect(app, caller, isModern)
        agents.push(agent)
        return agent
      }
    })
    .extend('agent', { scope: 'file' }, ({ agentOf, owner }) => agentOf(owner))
    .extend('stored', { scope: 'file' }, ({ app }) => async (id: number): Promise<Stored> => {
      const { rows } = await app.services.database.pool.query<Stored>(
        `select alias, url, status, kind, meta_title as title, created_by, expires_at, max_clicks,
           array(select name from link_tags join tags on tags.id = tag_id
             where link_id = links.id order by position) as tags
         from links where id = $1`,
        [id],
      )
      const [row] = rows
      if (!row) throw new Error(`link ${id} is not stored`)
      return row
    })
}
