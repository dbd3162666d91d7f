/**
 * Creates a function that draws ranks from 1 to `count` by Zipf's law with exponent 1: rank n is n
 * times as rare as rank 1. Ranks are drawn logarithmically and accepted with the probability that
 * makes the distribution exact, so it needs no table and works for ten billion ranks. @param random
 * returns numbers from 0 up to 1, instead of Math.random
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
