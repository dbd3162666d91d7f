import { readConfig } from '../../src/config.ts'

/** The port selected by the benchmark. */
export const readPort = (): number => readConfig().port
