import { readConfig } from '../../src/config.ts'

/** The port that the benchmark has chosen. */
export const readPort = (): number => readConfig().port
