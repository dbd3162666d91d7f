/**
 * Creates a function that draws ranks from 1 to `count` by Zipf's law with exponent 1: rank n is n
 * times as rare as rank 1. It uses rejection sampling, so it needs no table and works for ten billion
 * ranks. `random` returns numbers from 0 to 1 (exclusive).
 */
export function createZipfRanks(count: number, random: () => number = Math.random): () => number {
  const range = Math.log(count + 1)
  return () => {
    for (;;) {
      const rank = Math.floor(Math.exp(random() * range))
      const acceptance = Math.LN2 / (rank * Math.log1p(1 / rank))
      if (rank <= count && random() < acceptance) return rank
    }
  }
}
