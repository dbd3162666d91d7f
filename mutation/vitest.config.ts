import { defineConfig } from 'vitest/config'
import stryker from './stryker.config.json' with { type: 'json' }

/** The tests next door to what is mutated, without the database that the others need. */
export default defineConfig({
  test: { include: stryker.mutate.map((file) => file.replace(/\.ts$/, '.test.ts')) },
})
