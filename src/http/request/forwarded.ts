import type { IncomingHttpHeaders } from 'node:http'

/** Whether a proxy of any kind says that it hands on somebody's request. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) =>
    /^(?:x-forwarded-.*|forwarded|x-real-ip|via)$/.test(name),
  )
}
