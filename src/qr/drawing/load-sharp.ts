type Sharp = typeof import('sharp').default

let loaded: Promise<Sharp> | undefined

/**
 * The image library, loaded when the first picture is drawn: it is large, and many services never
 * draw one. It gets one thread a picture and keeps nothing, so that drawing leaves the processor
 * and the memory to the redirects.
 */
export function loadSharp(): Promise<Sharp> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.concurrency(1)
    sharp.cache(false)
    return sharp
  })
  return loaded
}
