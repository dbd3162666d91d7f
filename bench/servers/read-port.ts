import { readConfig } from '../../src/config.ts'

/** Returns the port that the benchmark chose for this server. */
export const readPort = (): number => readConfig().port
