import { expect } from 'vitest'
import type { Deployment } from './deployment.ts'
import { deploymentTest } from './deployment-test.ts'
import { type Reply, type Request, send } from './http.ts'
import type { Instance } from './instance.ts'
import { until } from './processes.ts'

export const EDGE_TOKEN = 'edge-token-of-the-tests-0123456789'
/** The host of the service, which the main installation and its edges share. */
export const HOST = 'brev.test'
export const BASE_URL = `http://${HOST}`

/** Returns a `test` with a `main` installation and an `edge` of it, both running. */
export function edgeTest() {
  return deploymentTest()
    .extend('main', { scope: 'file' }, async ({ deployment }) => {
      const main = await deployment.createInstance({ env: { BASE_URL, EDGE_TOKEN } })
      await main.start()
      return main
    })
    .extend('makeEdge', { scope: 'file' }, ({ main, deployment }) => {
      return (env: Record<string, string> = {}) => createEdge(deployment, main, env)
    })
    .extend('edge', { scope: 'file' }, async ({ makeEdge }) => {
      const edge = await makeEdge()
      await edge.start()
      return edge
    })
}

/** Creates an edge of `main`, not started yet. */
function createEdge(
  deployment: Deployment,
  { origin }: Instance,
  env: Record<string, string>,
): Promise<Instance> {
  const settings = { BASE_URL, EDGE_TOKEN, ROLE: 'edge', MAIN_URL: origin, DATABASE_URL: '' }
  return deployment.createInstance({ env: { ...settings, ...env } })
}

/** Requests a path of an edge or main installation on the service's host. */
export function visit(
  { origin }: Instance,
  path: string,
  { headers, ...request }: Request = {},
): Promise<Reply> {
  return send(`${origin}/${path}`, { headers: { host: HOST, ...headers }, ...request })
}

/** Waits until the reply to a request for a path has this status and, if given, location and text. */
export async function untilReply(
  instance: Instance,
  path: string,
  { status, location, text }: { status: number; location?: string; text?: string },
  request: Request = {},
): Promise<void> {
  let latest: Reply | undefined
  const isExpected = async () => {
    // The instance's only worker may be restarting.
    latest = await visit(instance, path, request).catch(() => undefined)
    return (
      latest?.status === status &&
      (!location || latest.headers.location === location) &&
      (!text || latest.body.includes(text))
    )
  }
  await until(`/${path} has the status ${status}`, isExpected).catch((error) => {
    expect({ status: latest?.status, location: latest?.headers.location }).toEqual({
      status,
      location,
    })
    if (text) expect(latest?.body).toContain(text)
    throw error
  })
}

/** Waits until a link has this number of clicks in the database. */
export async function untilClicks(
  deployment: Deployment,
  link: number,
  clicks: number,
): Promise<void> {
  const text = 'select clicks::int as clicks from click_totals where link_id = $1'
  let latest: number | undefined
  const haveArrived = async () => {
    const { rows } = await deployment.database.pool.query<{ clicks: number }>(text, [link])
    latest = rows[0]?.clicks
    return latest === clicks
  }
  await until(`link ${link} has ${clicks} clicks`, haveArrived).catch((error) => {
    expect(latest).toBe(clicks)
    throw error
  })
}
