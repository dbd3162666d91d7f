import { domainToUnicode } from 'node:url'
import { html, type SafeHtml } from '@remix-run/html-template'
import { decodeUrl } from './safe-url.ts'

/** Returns a short URL for display, without its scheme and with its host and alias decoded. */
export function shortLinkText(shortUrl: string): string {
  return decodeUrl(copiedShortUrl(shortUrl).replace(/^https?:\/\//i, ''))
}

/** Returns a short URL for people to pass on, with its host in Unicode. Browsers encode it again. */
export function copiedShortUrl(shortUrl: string): string {
  return shortUrl.replace(
    /^(https?:\/\/)?([^/]+)/i,
    (_start, scheme = '', host) => scheme + hostText(host),
  )
}

/** Returns a host, possibly with a port, for display: an internationalized name in Unicode. */
export function hostText(host: string): string {
  const [name = '', port] = host.split(/:(?=\d+$)/)
  const text = (name.includes('xn--') && domainToUnicode(name)) || name
  return port === undefined ? text : `${text}:${port}`
}

/** Isolates a host name in a sentence, whatever its writing direction. */
export function hostMark(host: string): SafeHtml {
  return html`<bdi class="host">${host}</bdi>`
}
