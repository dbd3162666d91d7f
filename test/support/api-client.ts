import type { TestApp } from './app.ts'
import type { Owner } from './make.ts'

export type Reply = Awaited<ReturnType<TestApp['request']>>
type Method = 'POST' | 'PUT' | 'DELETE' | 'GET'
/** The application and the owner that calls its API, usually the fixtures of a test file. */
export type OwnerApp = { app: TestApp; owner: Owner }

/** Returns a function that sends API requests as `caller`, by default `owner`. */
export function apiClient({ app, owner }: OwnerApp) {
  return (method: Method, url: string, payload?: object, caller = owner): Promise<Reply> =>
    app.request({ method, url, headers: caller.headers, ...(payload && { payload }) })
}

/**
 * Returns functions for the endpoints that all kinds of resources have, such as `/api/pixel/add`.
 * `name` is the kind in their paths.
 */
export function resourceClient(ownerApp: OwnerApp, name: string) {
  const send = apiClient(ownerApp)
  return {
    send,
    add: (payload: object, caller?: Owner) => send('POST', `/api/${name}/add`, payload, caller),
    update: (id: number | string, payload: object, caller?: Owner) =>
      send('PUT', `/api/${name}/${id}/update`, payload, caller),
    remove: (id: number | string, caller?: Owner) =>
      send('DELETE', `/api/${name}/${id}/delete`, undefined, caller),
    /** Returns the body of the reply with the details of a resource. */
    details: async (id: number | string, caller?: Owner) =>
      (await send('GET', `/api/${name}/${id}`, undefined, caller)).json(),
    /** Returns the `data` of a list. `query` starts with `?`. */
    list: async (caller?: Owner, query = '') =>
      (await send('GET', `/api/${name}s${query}`, undefined, caller)).json().data,
  }
}
