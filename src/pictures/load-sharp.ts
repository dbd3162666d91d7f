type Sharp = typeof import('sharp').default

let loaded: Promise<Sharp> | undefined

/**
 * Loads the image library on first use, because it is large and many installations never draw an
 * image. It uses one thread per image and no cache, so that CPU time and memory are available for
 * redirects.
 */
export function loadSharp(): Promise<Sharp> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.concurrency(1)
    sharp.cache(false)
    return sharp
  })
  return loaded
}
