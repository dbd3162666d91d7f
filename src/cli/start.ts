import { command } from './command.ts'

/** Exists for the help and for errors: `src/cli.ts` starts the service without parsing commands. */
export const startService = command({
  summary: 'start the service, with settings from .env and data in ./data',
  run: () => Promise.reject(new Error('start takes no options: settings are in .env')),
})
