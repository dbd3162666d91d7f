import { startServer } from './http-server.ts'

const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="320" viewBox="0 0 640 320">
<rect width="640" height="320" fill="#d9e8df"/><circle cx="470" cy="110" r="60" fill="#f2b84b"/>
<path d="M0 320 190 130l130 120 90-70 230 140z" fill="#3d7a66"/></svg>`

const ARTICLE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>The target</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<body style="font:18px/1.6 Georgia,serif;max-width:38rem;margin:3rem auto;padding:0 1rem">
<h1>The target</h1><p>${'This is the page that the short link leads to. '.repeat(20)}</p></body></html>`

/**
 * Starts another site on loopback as the destination of links and pixels. It records the requests it
 * receives.
 */
export async function openTargetSite() {
  const received: { url: string; referrer: string | undefined }[] = []
  const { origin, close } = await startServer((request, response) => {
    const { url = '/', headers } = request
    received.push({ url, referrer: headers.referer })
    // Browsers stay on the previous page if a reply has no content (HTML, "navigate").
    response.statusCode = url.startsWith('/never') ? 204 : 200
    const isPicture = url.startsWith('/picture')
    response.setHeader('content-type', isPicture ? 'image/svg+xml' : 'text/html; charset=utf-8')
    // Repeated requests must reach the site.
    response.setHeader('cache-control', 'no-store')
    response.end(isPicture ? PICTURE : ARTICLE)
  })
  return {
    origin,
    /** Returns the requests with paths that start with `path`. */
    requests: (path: string) => received.filter(({ url }) => url.startsWith(path)),
    close,
  }
}

export type TargetSite = Awaited<ReturnType<typeof openTargetSite>>
