/**
 * Draws ranks from 1 to `count` by Zipf's law with exponent 1: the n-th is n times as rare as the first.
 * Ranks are drawn by the logarithm and kept with the chance that makes the law exact, so it takes neither
 * a table nor longer for ten billion.
 *
 * @param random gives numbers from 0 up to 1, in place of Math.random
 */
export function createZipf(count: number, random: () => number = Math.random): () => number {
  const range = Math.log(count + 1)
  return () => {
    for (;;) {
      const rank = Math.floor(Math.exp(random() * range))
      const kept = Math.LN2 / (rank * Math.log1p(1 / rank))
      if (rank <= count && random() < kept) return rank
    }
  }
}
